//! One ECMAScript module without dependencies, for browsers and Node.

mod columns;
mod tests_program;

use super::network::{InputScaling, Interval};
use super::text::{literal, wrap};
use super::{Exporter, Layer, Network, Precision};
use std::fmt::Write as _;

const BRACKETS: [&str; 2] = ["[", "]"];

/// Probabilities from scores.
const SOFTMAX: &str = "\
function softmax(scores) {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

";

pub(super) static EXPORTER: Exporter = Exporter {
    name: "javascript",
    description: "an ECMAScript module",
    endings: &["mjs", "js"],
    precision: Precision::Double,
    has_float: false,
    is_fixed: false,
    is_text: true,
    write: |network| write(network).into_bytes(),
    tests_ending: "mjs",
    write_tests: tests_program::write,
};

fn write(network: &Network) -> String {
    let model = network.model;
    let (inputs, outputs) = (network.inputs(), network.outputs());
    let names = |names: &[String]| wrap(names.iter().map(|name| literal(name)), BRACKETS, 0);
    let kind = if model.is_classification() { "class" } else { "output" };
    let mut text = network.comment_lines("ECMAScript module", "//");
    let _ = write!(
        text,
        "\nexport const name = {};\nexport const inputNames = {};\nexport const {kind}Names = {};\n\n",
        literal(network.name),
        names(model.input_names()),
        names(model.output_names()),
    );
    for (what, values) in network.tables_of_scaling() {
        let _ = writeln!(text, "const {what} = {};", network.list(values, BRACKETS, "", 0));
    }
    let scaled = match &network.scaling {
        None => "input[i]",
        Some(InputScaling { scale: None, .. }) => "input[i] - offset[i]",
        Some(InputScaling { scale: Some(_), .. }) => "(input[i] - offset[i]) / scale[i]",
    };
    text += "// Weights of each neuron, and what is added to its sum.\nconst hidden = [\n";
    for layer in &network.hidden {
        let _ = writeln!(text, "  {},", tables(network, layer, 2));
    }
    let (keep, columns) = match (network.has_linear_part(), network.hidden.is_empty()) {
        (true, false) => ("  const scaled = x;\n", "x.concat(scaled)"),
        (false, true) => ("", "[]"),
        _ => ("", "x"),
    };
    let what = network.what_outputs_are();
    let (softmax, [open, close]) =
        if model.has_probabilities() { (SOFTMAX, ["softmax(", ")"]) } else { ("", ["", ""]) };
    let _ = write!(
        text,
        "];\nconst readout = {};\n\n\
         function sums({{ weights, shifts }}, x) {{\n  return weights.map((row, n) => {{\n    let sum = 0;\n    \
         for (let i = 0; i < x.length; i++) sum += row[i] * x[i];\n    return sum + shifts[n];\n  }});\n}}\n\n\
         {softmax}/** The {what}, an array of {outputs}, for {inputs} inputs as they are measured: scaling is included. */\n\
         export function predict(input) {{\n  if (input.length !== {inputs}) {{\n    \
         throw new RangeError(`${{name}} has {inputs} inputs, not ${{input.length}}`);\n  }}\n  let x = [];\n  \
         for (let i = 0; i < {inputs}; i++) x.push({scaled});\n{keep}  \
         for (const layer of hidden) x = sums(layer, x).map(Math.tanh);\n  return {open}sums(readout, {columns}){close};\n}}\n",
        tables(network, &network.readout, 0),
    );
    if model.is_classification() {
        text += "\n/** The class whose output is largest, the first of equal ones: an index into classNames. */\n\
                 export function classify(input) {\n  const output = predict(input);\n  let best = 0;\n  \
                 for (let n = 1; n < output.length; n++) if (output[n] > output[best]) best = n;\n  return best;\n}\n";
    }
    if let Some(Interval { level, half_widths }) = &network.interval {
        let list = network.list(half_widths, BRACKETS, "", 0);
        let _ = write!(
            text,
            "\n/** Half-widths of prediction intervals at the level {level}. */\nexport const halfWidths = {list};\n{}",
            include_str!("javascript/interval.js")
        );
    }
    let functions = |encoding| columns::functions(encoding, network);
    text + &network.encoding.as_ref().map_or(String::new(), functions)
}

fn tables(network: &Network, layer: &Layer, indent: usize) -> String {
    let zeros = vec![0.0; layer.neurons()];
    let shifts = if layer.shifts.is_empty() { &zeros } else { &layer.shifts };
    let pad = " ".repeat(indent);
    format!(
        "{{\n{pad}  weights: {},\n{pad}  shifts: {},\n{pad}}}",
        network.rows(&layer.weights, BRACKETS, "", indent + 2),
        network.list(shifts, BRACKETS, "", indent + 2)
    )
}
