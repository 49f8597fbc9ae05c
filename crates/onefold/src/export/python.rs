//! One Python module that needs numpy.

mod columns;
pub(super) mod tests_program;

use super::network::{InputScaling, Interval};
use super::text::wrap;
use super::{Exporter, Layer, Network, Precision};
use std::fmt::Write as _;

const BRACKETS: [&str; 2] = ["[", "]"];

/// The result of a network without output activation.
const SUMS: &str = "        return x @ _READOUT[0].T + _READOUT[1]\n";
/// That of a network with probabilities.
const SOFTMAX: &str = "        scores = x @ _READOUT[0].T + _READOUT[1]
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
";

pub(super) static EXPORTER: Exporter = Exporter {
    name: "python",
    description: "a Python module that needs numpy",
    endings: &["py"],
    precision: Precision::Double,
    has_float: true,
    is_fixed: false,
    is_text: true,
    write: |network| write(network).into_bytes(),
    tests_ending: "py",
    write_tests: tests_program::write,
};

fn write(network: &Network) -> String {
    let model = network.model;
    let real = match network.precision {
        Precision::Float => "np.float32",
        Precision::Double => "np.float64",
    };
    let names = |names: &[String]| wrap(names.iter().map(|name| literal(name)), BRACKETS, 0);
    let kind = if model.is_classification() { "CLASS" } else { "OUTPUT" };
    let mut text = network.comment_lines("Python, needs numpy", "#");
    let _ = write!(
        text,
        "\n{}import numpy as np\n\nNAME = {}\nINPUT_NAMES = {}\n{kind}_NAMES = {}\n\n_REAL = {real}\n",
        network.encoding.as_ref().map_or("", columns::imports),
        literal(network.name),
        names(model.input_names()),
        names(model.output_names()),
    );
    for (what, values) in network.tables_of_scaling() {
        let list = network.list(values, BRACKETS, "", 0);
        let _ = writeln!(text, "_{} = np.array({list}, _REAL)", what.to_uppercase());
    }
    let scale = match &network.scaling {
        None => "",
        Some(InputScaling { scale: None, .. }) => "        x = x - _OFFSET\n",
        Some(InputScaling { scale: Some(_), .. }) => "        x = (x - _OFFSET) / _SCALE\n",
    };
    text += "# Weights of each neuron, and what is added to its sum.\n_HIDDEN = [\n";
    for layer in &network.hidden {
        let _ = writeln!(text, "    {},", tables(network, layer, 4));
    }
    let inputs = network.inputs();
    let (keep, columns) = match (network.has_linear_part(), network.hidden.is_empty()) {
        (true, false) => ("        inputs = x\n", "        x = np.concatenate([x, inputs], axis=-1)\n"),
        (false, true) => ("", "        x = x[..., :0]\n"),
        _ => ("", ""),
    };
    let what = network.what_outputs_are();
    let result = if model.has_probabilities() { SOFTMAX } else { SUMS };
    let _ = write!(
        text,
        "]\n_READOUT = {}\n\n\ndef predict(X):\n    \
         \"\"\"The {what} for one row or for many, with {inputs} inputs each as they are measured: scaling is included.\"\"\"\n    \
         with np.errstate(over=\"ignore\", under=\"ignore\", invalid=\"ignore\"):\n        \
         x = np.asarray(X).astype(_REAL)\n        if x.ndim not in (1, 2) or x.shape[-1] != {inputs}:\n            \
         raise ValueError(f\"{{NAME}} wants {inputs} inputs or rows of {inputs}, not an array of shape {{x.shape}}\")\n\
         {scale}{keep}        for weights, shifts in _HIDDEN:\n            x = np.tanh(x @ weights.T + shifts)\n\
         {columns}{result}",
        tables(network, &network.readout, 0),
    );
    if model.is_classification() {
        text += "\n\ndef classify(X):\n    \"\"\"The class whose output is largest, the first of equal ones: \
                 an index into CLASS_NAMES for each row.\"\"\"\n    outputs = predict(X)\n    \
                 instead_of_nan = np.full(len(CLASS_NAMES), -np.inf, _REAL)\n    instead_of_nan[0] = np.inf\n    \
                 return np.where(np.isnan(outputs), instead_of_nan, outputs).argmax(axis=-1)\n";
    }
    if let Some(Interval { level, half_widths }) = &network.interval {
        let list = network.list(half_widths, BRACKETS, "", 0);
        let _ = write!(
            text,
            "\n\n# Half-widths of prediction intervals at the level {level}.\nHALF_WIDTHS = np.array({list}, _REAL)\n{}",
            include_str!("python/interval.py")
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
        "(\n{pad}    np.array({}, _REAL),\n{pad}    np.array({}, _REAL),\n{pad})",
        network.rows(&layer.weights, BRACKETS, "", indent + 4),
        network.list(shifts, BRACKETS, "", indent + 4)
    )
}

/// A string literal.
pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted + "\""
}
