//! `onefold show`.

use crate::args::ShowArgs;
use crate::drawing::draw;
use crate::failure::Failure;
use crate::fit::summary_of_folds;
use crate::output::{self, error, grouped, percent, short};
use console::style;
use onefold::Model;
use serde_json::json;
use std::fmt::Write as _;

pub(crate) fn run(args: &ShowArgs) -> Result<(), Failure> {
    let model = Model::load(&args.model)?;
    let text = if args.json {
        as_json(&model)
    } else {
        describe(&model) + &if args.weights { weights(&model) } else { String::new() }
    };
    Ok(output::print(&text)?)
}

fn describe(model: &Model) -> String {
    let (o, m) = (&model.origin, &model.metrics);
    let what = if model.classification { "classification" } else { "regression" };
    let mut text = format!("{}  {what}\n\n", style(format!("{} on {}", model.topology, o.data)).bold());
    for line in draw(model) {
        let _ = writeln!(text, "    {line}");
    }
    text.push('\n');
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<9} {value}");
    };
    let bias = if model.has_output_bias() { ", with output bias" } else { "" };
    let bytes = 8 * model.parameters() as u64;
    line("size", format!("{} parameters, {} bytes as f64{bias}", model.parameters(), grouped(bytes)));
    for (part, mse, accuracy) in
        [("train", Some(m.train_mse), m.train_accuracy), ("test", m.test_mse, m.test_accuracy)]
    {
        let Some(mse) = mse else { continue };
        line(
            part,
            format!(
                "error {}{}",
                error(mse),
                accuracy.map_or(String::new(), |a| format!(", {} correct", percent(a)))
            ),
        );
    }
    if let Some(folds) = &m.cross_validation {
        line("folds", summary_of_folds(folds));
    }
    line(
        "target",
        match o.settings.stop.threshold {
            Some(target) => {
                format!("{}, {}", short(target), if o.reached { "reached" } else { "not reached" })
            }
            None => "none".into(),
        },
    );
    if let Some(scaler) = &o.target_scaler {
        let shown: Vec<String> = scaler.scale.iter().take(4).map(|s| format!("{s:.4}")).collect();
        line(
            "scaled",
            format!("the search saw targets divided by {}; the readout undoes it", shown.join(", ")),
        );
    }
    let (method, population) = (&o.settings.method, o.settings.population());
    line("method", format!("{}, population {population}, seed {}", method.method(), method.common.seed));
    let slopes = if o.slopes > 0 { format!(" and {} slopes", grouped(o.slopes)) } else { String::new() };
    line("effort", format!("{} evaluations{slopes}", grouped(o.evaluations)));
    line("norm", format!("{:.3} of hidden parameters", model.norm()));
    line(
        "readout",
        format!(
            "rank {} of {}, least share {:.1e}, condition about {:.1e}",
            o.rank,
            model.topology.last_hidden() + usize::from(o.settings.cost.output_bias),
            o.least_share,
            condition(model)
        ),
    );
    line("made by", model.made_by.clone());
    text
}

/// How much the solution for the output weights magnifies errors, at most about: a column with little of its own left is near to a
/// combination of others.
fn condition(model: &Model) -> f64 {
    1.0 / model.origin.least_share.max(f64::MIN_POSITIVE).sqrt()
}

fn weights(model: &Model) -> String {
    let list = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = String::from("\n");
    for (layer, width) in model.topology.hidden().iter().enumerate() {
        for n in 0..*width {
            let eta = &model.hidden[model.topology.neuron(layer, n)];
            let (shift, w) = eta.split_last().map_or((0.0, eta), |(shift, w)| (*shift, w));
            let _ =
                writeln!(text, "  layer {} neuron {}  weights {}  shift {shift}", layer + 1, n + 1, list(w));
        }
    }
    for (name, row) in model.output_names.iter().zip(&model.readout) {
        let (w, bias) = row.split_at(model.topology.last_hidden());
        let bias = if bias.is_empty() { String::new() } else { format!("  bias {}", list(bias)) };
        let _ = writeln!(text, "  output {name}  weights {}{bias}", list(w));
    }
    text
}

fn as_json(model: &Model) -> String {
    let object = json!({
        "data": model.origin.data,
        "topology": model.topology,
        "parameters": model.parameters(),
        "inputs": model.input_names,
        "outputs": model.output_names,
        "classification": model.classification,
        "metrics": model.metrics,
        "origin": model.origin,
        "bytes": 8 * model.parameters(),
        "norm": model.norm(),
        "condition": condition(model),
        "table": model.table,
        "made_by": model.made_by,
    });
    format!("{object:#}\n")
}
