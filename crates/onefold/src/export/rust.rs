//! One Rust module for `no_std`: nothing but `core`, no `unsafe`.

use super::text::{literal, wrap};
use super::{Layer, Network, Precision};
use std::fmt::Write as _;

const BRACKETS: [&str; 2] = ["[", "]"];
/// The text of `tanh`, tested where it stands.
const TANH_FLOAT: &str = include_str!("tanh_float.rs");
const TANH_DOUBLE: &str = include_str!("tanh_double.rs");

pub(super) fn write(network: &Network) -> String {
    let (real, tanh) = match network.precision {
        Precision::Float => ("f32", TANH_FLOAT),
        Precision::Double => ("f64", TANH_DOUBLE),
    };
    let model = network.model;
    let kind = if model.classification { "CLASS" } else { "OUTPUT" };
    let mut text = network.comment_lines("Rust, also without std: make it a module of your crate", "//");
    let _ = write!(
        text,
        "\n/// Name of the network.\n#[allow(dead_code)]\npub const NAME: &str = {};\n\
         /// Number of inputs.\npub const INPUTS: usize = {};\n/// Number of outputs.\npub const OUTPUTS: usize = {};\n\
         /// What the inputs are.\n{}/// What the outputs stand for.\n{}\n",
        literal(network.name),
        network.inputs(),
        network.outputs(),
        names("INPUT", &model.input_names),
        names(kind, &model.output_names),
    );
    let mut steps = String::new();
    let mut x = "input".to_string();
    if let Some([offset, scale]) = network.scaler {
        for (what, values) in [("OFFSET", offset), ("SCALE", scale)] {
            let list = network.list(values, BRACKETS, "", 0);
            let _ = writeln!(text, "static {what}: [{real}; INPUTS] = {list};");
        }
        steps += "    let mut scaled = *input;\n    \
                  for (x, (o, s)) in scaled.iter_mut().zip(OFFSET.iter().zip(&SCALE)) {\n        \
                  *x = (*x - o) / s;\n    }\n";
        x = "&scaled".into();
    }
    for (l, layer) in network.hidden.iter().enumerate() {
        text += &tables(network, real, layer, &(l + 1).to_string());
        let y = format!("hidden_{}", l + 1);
        let _ = write!(
            steps,
            "    let mut {y} = sums(&WEIGHTS_{0}, {x}, &SHIFTS_{0});\n    {y}.iter_mut().for_each(|x| *x = tanh(*x));\n",
            l + 1
        );
        x = format!("&{y}");
    }
    text += &tables(network, real, &network.readout, "READOUT");
    let _ = write!(
        text,
        "\n/// The outputs for inputs as they are measured: scaling is included.\n#[allow(dead_code)]\n\
         pub fn predict(input: &[{real}; INPUTS]) -> [{real}; OUTPUTS] {{\n{steps}    \
         sums(&WEIGHTS_READOUT, {x}, &SHIFTS_READOUT)\n}}\n"
    );
    if model.classification {
        let _ = write!(
            text,
            "\n/// The class whose output is largest, the first of equal ones: an index into [`CLASS_NAMES`].\n\
             #[allow(dead_code)]\npub fn classify(input: &[{real}; INPUTS]) -> usize {{\n    \
             let output = predict(input);\n    let mut best = 0;\n    for n in 1..OUTPUTS {{\n        \
             if output[n] > output[best] {{\n            best = n;\n        }}\n    }}\n    best\n}}\n"
        );
    }
    let _ = write!(
        text,
        "\nfn sums<const I: usize, const N: usize>(weights: &[[{real}; I]; N], x: &[{real}; I], shifts: &[{real}; N]) \
         -> [{real}; N] {{\n    let mut y = [0.0; N];\n    for (y, (w, shift)) in y.iter_mut().zip(weights.iter().zip(shifts)) {{\n        \
         *y = w.iter().zip(x).map(|(w, x)| w * x).sum::<{real}>() + shift;\n    }}\n    y\n}}\n\n{tanh}"
    );
    text
}

fn names(kind: &str, names: &[String]) -> String {
    let list = wrap(names.iter().map(|name| literal(name)), BRACKETS, 0);
    format!("#[allow(dead_code)]\npub static {kind}_NAMES: [&str; {}] = {list};\n", names.len())
}

fn tables(network: &Network, real: &str, layer: &Layer, suffix: &str) -> String {
    let (neurons, inputs) = (layer.neurons(), layer.inputs());
    let zeros = vec![0.0; neurons];
    let shifts = if layer.shifts.is_empty() { &zeros } else { &layer.shifts };
    format!(
        "static WEIGHTS_{suffix}: [[{real}; {inputs}]; {neurons}] = {};\nstatic SHIFTS_{suffix}: [{real}; {neurons}] = {};\n",
        network.rows(&layer.weights, BRACKETS, "", 0),
        network.list(shifts, BRACKETS, "", 0)
    )
}
