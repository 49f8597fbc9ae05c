//! `onefold evaluate`.

use crate::args::{EvaluateArgs, Part};
use crate::failure::{Failure, print_notices};
use crate::output::{self, error, grouped, percent, table};
use crate::paths::check_standard_output;
use crate::predict::{check_fits, settings_for};
use crate::row_notes::Notes;
use crate::source::{Rows, Source, watched};
use console::style;
use onefold::data::{TableRow, TableSchema};
use onefold::error::shown;
use onefold::model_selection::{Evaluation, Scores};
use onefold::{Builtin, DataOverrides, Dataset, Model, RowSettings};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let model = Model::load(&args.model)?;
    let source = Source::find(&args.data)?;
    check_standard_output(&[("the model", Some(&args.model)), ("the data", source.file())])?;
    let mut evaluation = Evaluation::of_model(&model);
    let mut notes = Notes::new(&model.schema());
    let mut weights = Weights::default();
    let what = if let Source::Builtin(builtin) = source {
        let given = DataOverrides { weight_column: args.weight_column.clone(), ..args.lines.overrides() };
        given.for_builtin(builtin)?;
        let part = args.part.unwrap_or(Part::Test);
        let data = rows_of(&model, builtin, part)?;
        for row in 0..data.rows() {
            evaluation.add(&model.predict(&data.input(row)), &data.output(row));
        }
        match part {
            Part::Train => format!("the training rows of {builtin}"),
            Part::Test => format!("the test rows of {builtin}"),
            Part::All => format!("all rows of {builtin}"),
        }
    } else {
        if args.part.is_some() {
            return Err(Failure::bad_input(
                "--part is for built-in data sets and has no effect on a file; leave it out",
            ));
        }
        let schema = model.schema();
        let name = source.shown();
        let file = watched(source.open()?);
        let settings = RowSettings { weight_column: args.weight_column.clone(), ..args.lines.rows(true) };
        let mut rows = Rows::open(&name, &schema, model.classes(), &settings, file)?;
        weights = Weights { used: rows.weight_name().map(String::from), of_training: weight_of(&schema) };
        let answer = |part: &mut Vec<Answered>, row: TableRow| {
            part.push(Answered::new(&model, row));
            Ok(())
        };
        rows.for_each_part(answer, |part| {
            for Answered { answer, row } in part {
                notes.count(&row);
                match answer {
                    Some((predicted, actual)) => evaluation.add_weighted(&predicted, &actual, row.weight),
                    None => notes.incomplete += 1,
                }
            }
            Ok::<(), Failure>(())
        })?;
        print_notices(&name, &rows.notices());
        source.name()
    };
    let Some(scores) = evaluation.scores() else {
        return Err(Failure::bad_input(format!("{}: there are no rows to evaluate", source.shown())));
    };
    if !scores.mse.is_finite() {
        return Err(Failure::bad_input(format!("{}: the error is too large for a number", source.shown())));
    }
    output::print(&if args.json {
        let mut object = as_json(&model, &source.name(), &scores, &notes);
        object["weight_column"] = json!(weights.used);
        output::json(&object)
    } else {
        describe(&model, &what, &scores, &weights)
    })?;
    notes.print();
    Ok(())
}

/// A row, and where it has inputs and outputs what the model answers and what is right.
struct Answered {
    answer: Option<(Vec<f64>, Vec<f64>)>,
    row: TableRow,
}

impl Answered {
    fn new(model: &Model, row: TableRow) -> Self {
        let both = row.inputs.as_ref().zip(row.outputs.as_ref());
        let answer = both.map(|(inputs, outputs)| (model.predict(inputs), outputs.clone()));
        Self { answer, row }
    }
}

/// The rows of a built-in set that are a model's.
pub(crate) fn rows_of(model: &Model, builtin: Builtin, part: Part) -> Result<Dataset, Failure> {
    let settings = settings_for(model, builtin);
    let data = match part {
        Part::Train => builtin.load(&settings)?.train,
        Part::Test => builtin.load(&settings)?.test,
        Part::All => builtin.rows(&settings)?,
    };
    check_fits(model, builtin, &data)?;
    if data.output_names != model.output_names() {
        return Err(Failure::bad_input(format!(
            "the model's outputs are not those of {builtin}; it was trained on {}",
            model.origin().data
        )));
    }
    Ok(data)
}

/// The columns of weights: the one that scores are weighted by, and the one of training.
#[derive(Default)]
struct Weights {
    used: Option<String>,
    of_training: Option<String>,
}

fn weight_of(schema: &TableSchema) -> Option<String> {
    schema.weight.as_ref().map(|column| column.name.clone())
}

/// Whether scores are weighted, where that is a question.
fn about_weights(weights: &Weights) -> Vec<(&'static str, String)> {
    let text = match (&weights.used, &weights.of_training) {
        (Some(column), _) => format!("column {}: scores are weighted", shown(column)),
        (None, Some(column)) => {
            format!("none, as the file has no column {}, the one of training", shown(column))
        }
        (None, None) => return Vec::new(),
    };
    vec![("weights", text)]
}

fn describe(model: &Model, what: &str, s: &Scores, weights: &Weights) -> String {
    let mut text = format!(
        "{}  {} rows\n",
        style(format!("{} on {}", model.topology(), shown(what))).bold(),
        grouped(s.rows)
    );
    let mut lines = about_weights(weights);
    lines.extend(if s.accuracy.is_some() { of_classes(model, s) } else { of_numbers(s) });
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(9);
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<width$} {value}");
    }
    if !s.targets.is_empty() {
        text += "\n  Each target:\n";
        text += &target_table(s);
    }
    if let Some(confusion) = &s.confusion {
        text += "\n  Rows of each class (down) by the class that they were taken for (across):\n";
        text += &confusion_table(s, confusion);
    }
    text
}

/// Lines of the report: a name and what follows it.
type Lines = Vec<(&'static str, String)>;

fn of_numbers(s: &Scores) -> Lines {
    let lines = [
        ("R²", s.r2.map(|r2| format!("{r2:.5}"))),
        ("RMSE", Some(error(s.rmse))),
        ("MAE", s.mae.map(error)),
        ("MSE", Some(error(s.mse))),
    ];
    lines.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn of_classes(model: &Model, s: &Scores) -> Lines {
    let number = |v: f64| format!("{v:.4}");
    let scores = ", of scores clipped to [1e-6, 1] and divided by their sum";
    let of_what = if model.has_probabilities() { "" } else { scores };
    let lines = [
        ("accuracy", s.accuracy.map(percent)),
        ("balanced accuracy", s.balanced_accuracy.map(percent)),
        ("macro F1", s.f1.map(number)),
        ("AUC", s.auc.map(number)),
        ("average precision", s.average_precision.map(number)),
        ("log loss", s.log_loss.map(|v| number(v) + of_what)),
        ("Brier score", s.brier.map(number)),
        ("calibration error", s.calibration_error.map(|v| number(v) + ", ten bins of equal width")),
        ("MSE", Some(error(s.mse))),
    ];
    lines.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn target_table(s: &Scores) -> String {
    let mut rows = vec![["  ", "", "R²", "RMSE", "MAE"].map(String::from).to_vec()];
    rows.extend(s.targets.iter().map(|target| {
        let r2 = target.r2.map_or("-".into(), |r2| format!("{r2:.5}"));
        vec!["  ".into(), target.target.clone(), r2, error(target.rmse), error(target.mae)]
    }));
    table(&rows, &[true, false, true, true, true])
}

fn confusion_table(s: &Scores, confusion: &[Vec<u64>]) -> String {
    let fraction = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.3}"));
    let mut head = vec!["  ".to_string(), String::new()];
    head.extend(s.classes.iter().map(|c| c.class.clone()));
    head.extend(["precision", "recall", "F1"].map(String::from));
    let mut rows = vec![head];
    for (class, counts) in s.classes.iter().zip(confusion) {
        let mut row = vec!["  ".to_string(), class.class.clone()];
        row.extend(counts.iter().map(|n| grouped(*n)));
        row.extend([class.precision, class.recall, class.f1].map(fraction));
        rows.push(row);
    }
    let mut right = vec![true; rows[0].len()];
    right[1] = false;
    table(&rows, &right)
}

fn as_json(model: &Model, data: &str, scores: &Scores, notes: &Notes) -> Value {
    let mut object = json!(scores);
    object["data"] = json!(data);
    object["topology"] = json!(model.topology());
    object["left_out"] = json!(notes.incomplete);
    object["unknown"] = json!(notes.unknown);
    object
}
