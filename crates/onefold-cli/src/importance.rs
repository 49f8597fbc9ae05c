//! `onefold importance`.

use crate::args::{ImportanceArgs, Part};
use crate::evaluate::rows_of;
use crate::failure::{Failure, print_notices};
use crate::output::{self, grouped, readable, table};
use crate::paths::check_standard_output;
use crate::row_notes::Notes;
use crate::source::{Rows, Source, watched};
use console::style;
use onefold::error::shown;
use onefold::inspection::{Importance, ImportanceSettings, importance};
use onefold::scores::Metric;
use onefold::{Dataset, Error, Model};
use serde_json::{Value, json};

/// Characters of the longest bar.
const WIDTH: usize = 24;

pub(crate) fn run(args: &ImportanceArgs) -> Result<(), Failure> {
    let model = Model::load(&args.model)?;
    let source = Source::find(&args.data)?;
    check_standard_output(&[("the model", Some(&args.model)), ("the data", source.file())])?;
    let data = read(args, &model, &source)?;
    let default = ImportanceSettings::default();
    let settings = ImportanceSettings {
        metric: args.metric,
        repeats: args.repeats.unwrap_or(default.repeats),
        seed: args.seed.unwrap_or(default.seed),
        rows: args.rows.unwrap_or(default.rows),
        threads: args.threads.unwrap_or(default.threads),
    };
    let found = importance(&model, &data, &settings).map_err(|e| match e {
        Error::Mismatch { .. } => Failure::bad_input(format!("{}: {e}", source.shown())),
        other => other.into(),
    })?;
    let name = source.name();
    output::print(&if args.json {
        output::json(&as_json(&model, &name, &data, &settings, &found))
    } else {
        describe(&model, &name, &data, &found)
    })?;
    Ok(())
}

/// The rows with their targets, encoded as in training.
fn read(args: &ImportanceArgs, model: &Model, source: &Source) -> Result<Dataset, Failure> {
    if let Source::Builtin(builtin) = source {
        args.lines.overrides().for_builtin(*builtin)?;
        return rows_of(model, *builtin, args.part.unwrap_or(Part::Test));
    }
    if args.part.is_some() {
        return Err(Failure::bad_input(
            "--part is for built-in data sets and has no effect on a file; leave it out",
        ));
    }
    let (schema, name) = (model.schema(), source.shown());
    let rows = Rows::open(&name, &schema, model.classes(), &args.lines.rows(true), watched(source.open()?))?;
    let notices = rows.notices();
    let mut notes = Notes::new(&schema);
    let data = rows.into_dataset_with(|row| notes.count(row))?;
    print_notices(&name, &notices);
    notes.print();
    Ok(data)
}

/// What a metric is called in a sentence.
fn called(metric: Metric) -> &'static str {
    match metric {
        Metric::LogLoss => "log loss",
        Metric::Accuracy => "accuracy",
        Metric::BalancedAccuracy => "balanced accuracy",
        Metric::MacroF1 => "macro F1",
        Metric::Auc => "AUC",
        Metric::Rmse => "RMSE",
        Metric::Mae => "MAE",
        Metric::R2 => "R²",
    }
}

fn describe(model: &Model, name: &str, data: &Dataset, found: &Importance) -> String {
    let of_all = if found.rows < data.rows() {
        format!("{} of {} rows", grouped(found.rows as u64), grouped(data.rows() as u64))
    } else {
        format!("{} rows", grouped(found.rows as u64))
    };
    let title = style(format!("{} on {}", model.topology(), shown(name))).bold();
    let changes = if found.metric.is_better_if_higher() { "falls below" } else { "rises above" };
    let has_several = !model.is_classification() && model.output_names().len() > 1;
    let scaled = if has_several && found.metric != Metric::R2 {
        " of targets divided by their standard deviations"
    } else {
        ""
    };
    let times = if found.repeats == 1 { "once".into() } else { format!("{} times", found.repeats) };
    let mut text = format!(
        "{title}  {of_all}\n  importance: by how much the {}{scaled} {changes} {} if the values of a column are \
         exchanged\n  at random between rows, {times}, and its confidence interval of 95 %\n\n",
        called(found.metric),
        readable(found.score),
    );
    let most = found.columns.iter().map(|c| c.importance).fold(0.0, f64::max);
    let mut rows = Vec::new();
    for column in &found.columns {
        let length = if most > 0.0 { WIDTH as f64 * column.importance / most } else { 0.0 };
        rows.push(vec![
            String::new(),
            column.column.clone(),
            readable(column.importance),
            readable(column.lower),
            "to".into(),
            readable(column.upper),
            "█".repeat(length.round().max(0.0) as usize),
        ]);
    }
    text += &table(&rows, &[true, false, true, true, true, true, false]);
    text
}

fn as_json(
    model: &Model,
    data_name: &str,
    data: &Dataset,
    settings: &ImportanceSettings,
    found: &Importance,
) -> Value {
    let mut object = json!(found);
    object["data"] = json!(data_name);
    object["topology"] = json!(model.topology());
    object["seed"] = json!(settings.seed);
    object["rows_of_data"] = json!(data.rows());
    object
}
