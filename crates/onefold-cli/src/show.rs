//! `onefold show`.

use crate::args::ShowArgs;
use crate::drawing::draw;
use crate::failure::Failure;
use crate::output::{self, grouped, short};
use crate::paths::check_standard_output;
use crate::scores;
use console::style;
use onefold::error::shown;
use onefold::settings::OutputLayer;
use onefold::{FitSettings, Model};
use serde_json::json;
use std::fmt::Write as _;

pub(crate) fn run(args: &ShowArgs) -> Result<(), Failure> {
    check_standard_output(&[("the model", Some(&args.model))])?;
    let model = Model::load(&args.model)?;
    let text = if args.json {
        as_json(&model)
    } else {
        describe(&model) + &if args.weights { weights(&model) } else { String::new() }
    };
    Ok(output::print(&text)?)
}

fn describe(model: &Model) -> String {
    let what = if model.is_classification() { "classification" } else { "regression" };
    let title = format!("{} on {}", model.topology(), model.origin().data);
    let mut text = format!("{}  {what}\n\n", style(shown(&title)).bold());
    for line in draw(model) {
        let _ = writeln!(text, "    {line}");
    }
    text.push('\n');
    let facts = [about_model(model), about_errors(model), about_search(model), about_readout(model)];
    for (name, value) in facts.into_iter().flatten() {
        let _ = writeln!(text, "  {name:<9} {}", shown(&value));
    }
    text
}

/// Lines of the description: a name and what follows it.
type Facts = Vec<(&'static str, String)>;

fn about_model(model: &Model) -> Facts {
    let with = match (model.topology().has_linear_part(), model.has_output_bias()) {
        (true, true) => ", with a linear part and output bias",
        (true, false) => ", with a linear part",
        (false, true) => ", with output bias",
        (false, false) => "",
    };
    let (count, bytes) = (model.parameters(), bytes(model));
    let parameters = if count == 1 { "parameter" } else { "parameters" };
    let mut facts =
        vec![("size", format!("{count} {parameters}, {} bytes as f64{with}", grouped(bytes as u64)))];
    if model.is_classification() {
        facts.push(("outputs", about_outputs(model)));
    }
    if model.origin().weighted {
        facts.push(("weights", about_weights(model)));
    }
    facts
}

/// Where the weights of the training rows came from.
fn about_weights(model: &Model) -> String {
    let settings = model.origin().table_settings.as_ref();
    let column = settings.and_then(|s| s.weight_column.as_ref());
    let of_rows = match (column, settings.is_some_and(|s| s.merge_duplicates)) {
        (Some(column), false) => Some(format!("of rows by column {column}")),
        (Some(column), true) => Some(format!("of rows by column {column}, those of equal rows added")),
        (None, true) => Some("of rows by how often they occur".into()),
        (None, false) => None,
    };
    let of_classes = settings.and_then(|s| s.class_weight.as_ref()).map(|w| format!("of classes: {w}"));
    let all: Vec<String> = of_rows.into_iter().chain(of_classes).collect();
    if all.is_empty() { "of rows".into() } else { all.join("; ") }
}

/// What the outputs of a classification are.
fn about_outputs(model: &Model) -> String {
    if !model.has_probabilities() {
        return "scores by least squares, 1 for the class and 0 for the others".into();
    }
    let FitSettings { output_layer, temperature, .. } = &model.origin().settings;
    let how = match output_layer {
        OutputLayer::CrossEntropy => "by all weights trained for cross-entropy",
        OutputLayer::LeastSquares | OutputLayer::Logistic => "by logistic regression",
    };
    let is_one = temperature.to_bits() == 1_f64.to_bits();
    let temperature = if is_one { String::new() } else { format!(", temperature {}", short(*temperature)) };
    format!("probabilities of the classes {how}{temperature}")
}

fn about_errors(model: &Model) -> Facts {
    let o = model.origin();
    let mut facts = scores::lines_of(model);
    let folds = model.metrics().cross_validation.as_ref().map(scores::of_folds).unwrap_or_default();
    facts.extend(["folds", ""].into_iter().zip(folds));
    facts.extend(scores::about_intervals(model).map(|text| ("interval", text)));
    let reached = if o.reached { "reached" } else { "not reached" };
    let threshold = o.settings.stop.threshold;
    facts.push(("target", threshold.map_or("none".into(), |t| format!("{}, {reached}", short(t)))));
    facts
}

fn about_search(model: &Model) -> Facts {
    let o = &model.origin();
    let mut facts = Vec::new();
    if let Some(scaler) = &o.target_scaler {
        let shown: Vec<String> = scaler.scale.iter().take(4).map(|s| format!("{s:.4}")).collect();
        let who = if model.topology().dim() == 0 { "least squares" } else { "the search" };
        let text = format!("{who} saw targets divided by {}; the readout undoes it", shown.join(", "));
        facts.push(("scaled", text));
    }
    if model.topology().dim() == 0 {
        facts.push(("method", "least squares alone, as there is nothing to search".into()));
        return facts;
    }
    let (method, population) = (&o.settings.method, o.settings.population());
    facts.push((
        "method",
        format!("{}, population {population}, seed {}", method.method(), method.common.seed),
    ));
    let slopes = if o.slopes > 0 { format!(" and {} derivatives", grouped(o.slopes)) } else { String::new() };
    facts.push(("effort", format!("{} evaluations{slopes}", grouped(o.evaluations))));
    facts
}

fn about_readout(model: &Model) -> Facts {
    let o = &model.origin();
    let columns = model.topology().readout_columns() + usize::from(o.settings.cost.output_bias);
    let readout = format!(
        "rank {} of {columns}, least share {:.1e}, condition about {:.1e}",
        o.rank,
        o.least_share,
        condition(model)
    );
    let mut facts = vec![("readout", readout), ("made by", model.made_by().to_string())];
    if model.topology().dim() > 0 {
        facts.insert(0, ("norm", format!("{:.3} of hidden parameters", model.norm())));
    }
    facts
}

/// Size of the parameters in memory.
fn bytes(model: &Model) -> usize {
    size_of::<f64>() * model.parameters()
}

/// About how much the least-squares solution for the output weights magnifies errors at most: a column of
/// which other columns leave a small share is nearly a linear combination of them.
fn condition(model: &Model) -> f64 {
    1.0 / model.origin().least_share.max(f64::MIN_POSITIVE).sqrt()
}

fn weights(model: &Model) -> String {
    let list = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = String::from("\n");
    for (layer, width) in model.topology().hidden().iter().enumerate() {
        for n in 0..*width {
            let eta = &model.hidden()[model.topology().neuron(layer, n)];
            let (shift, w) = eta.split_last().map_or((0.0, eta), |(shift, w)| (*shift, w));
            let _ =
                writeln!(text, "  layer {} neuron {}  weights {}  shift {shift}", layer + 1, n + 1, list(w));
        }
    }
    for (name, row) in model.output_names().iter().zip(model.readout()) {
        let (w, bias) = row.split_at(model.topology().readout_columns());
        let (w, linear) = w.split_at(model.topology().last_hidden());
        let _ = write!(text, "  output {}", shown(name));
        for (what, values) in [("weights", w), ("linear", linear), ("bias", bias)] {
            if !values.is_empty() {
                let _ = write!(text, "  {what} {}", list(values));
            }
        }
        text.push('\n');
    }
    text
}

fn as_json(model: &Model) -> String {
    output::json(&json!({
        "data": model.origin().data,
        "topology": model.topology(),
        "parameters": model.parameters(),
        "inputs": model.input_names(),
        "outputs": model.output_names(),
        "classification": model.is_classification(),
        "output_activation": model.output_activation(),
        "metrics": model.metrics(),
        "intervals": model.intervals(),
        "origin": model.origin(),
        "bytes": bytes(model),
        "norm": model.norm(),
        "condition": condition(model),
        "table": model.table(),
        "made_by": model.made_by(),
    }))
}
