//! One Rust module for `no_std`: nothing but `core`, no `unsafe`.

mod columns;
mod tests_program;

use super::network::Interval;
use super::text::{literal, wrap};
use super::{Exporter, Layer, Network, Precision};
use std::fmt::Write as _;

const BRACKETS: [&str; 2] = ["[", "]"];
/// The text of `tanh`, tested where it stands.
const TANH_FLOAT: &str = include_str!("tanh_float.rs");
const TANH_DOUBLE: &str = include_str!("tanh_double.rs");
/// The text of `exp`, likewise.
const EXP_FLOAT: &str = include_str!("exp_float.rs");
const EXP_DOUBLE: &str = include_str!("exp_double.rs");

pub(super) static EXPORTER: Exporter = Exporter {
    name: "rust",
    description: "a Rust module for no_std",
    endings: &["rs"],
    precision: Precision::Float,
    has_float: true,
    is_fixed: false,
    is_text: true,
    write: |network| write(network).into_bytes(),
    tests_ending: "rs",
    write_tests: tests_program::write,
};

fn write(network: &Network) -> String {
    let (real, tanh, exp) = match network.precision {
        Precision::Float => ("f32", TANH_FLOAT, EXP_FLOAT),
        Precision::Double => ("f64", TANH_DOUBLE, EXP_DOUBLE),
    };
    let tanh = if network.hidden.is_empty() { String::new() } else { format!("\n{tanh}") };
    let softmax = if network.model.has_probabilities() { softmax(real) + "\n" + exp } else { String::new() };
    let comment = network.comment_lines("Rust, also without std: make it a module of your crate", "//");
    let classify = if network.model.is_classification() { classify(real) } else { String::new() };
    let (constants, numbers) = (constants(network), numbers(network, real));
    let (predict, sums) = (predict(network, real), sums(real));
    let columns = |encoding| columns::functions(encoding, network);
    let columns = network.encoding.as_ref().map_or(String::new(), columns);
    let interval = interval(network, real);
    format!("{comment}{constants}{numbers}{predict}{classify}{interval}{columns}{sums}{tanh}{softmax}")
}

fn constants(network: &Network) -> String {
    let kind = if network.model.is_classification() { "CLASS" } else { "OUTPUT" };
    format!(
        r"
/// Name of the network.
#[allow(dead_code)]
pub const NAME: &str = {};
/// Number of inputs.
pub const INPUTS: usize = {};
/// Number of outputs.
pub const OUTPUTS: usize = {};
/// What the inputs are.
{}/// What the outputs stand for.
{}
",
        literal(network.name),
        network.inputs(),
        network.outputs(),
        names("INPUT", network.model.input_names()),
        names(kind, network.model.output_names()),
    )
}

/// Scalings, weights and shifts.
fn numbers(network: &Network, real: &str) -> String {
    let mut text = String::new();
    for (what, values) in network.tables_of_scaling() {
        let list = network.list(values, BRACKETS, "", 0);
        let _ = writeln!(text, "static {}: [{real}; INPUTS] = {list};", what.to_uppercase());
    }
    for (l, layer) in network.hidden.iter().enumerate() {
        text += &tables(network, real, layer, &(l + 1).to_string());
    }
    text + &tables(network, real, &network.readout, "READOUT")
}

/// Inputs minus their offsets.
const CENTRED: &str = r"    for (x, o) in scaled.iter_mut().zip(&OFFSET) {
        *x -= o;
    }
";
/// And divided by their scales.
const DIVIDED: &str = r"    for (x, (o, s)) in scaled.iter_mut().zip(OFFSET.iter().zip(&SCALE)) {
        *x = (*x - o) / s;
    }
";

fn predict(network: &Network, real: &str) -> String {
    let mut steps = String::new();
    let mut x = "input".to_string();
    if let Some(scaling) = &network.scaling {
        steps += "    let mut scaled = *input;\n";
        steps += if scaling.scale.is_some() { DIVIDED } else { CENTRED };
        x = "&scaled".into();
    }
    let inputs = x.clone();
    for l in 1..=network.hidden.len() {
        let _ = write!(
            steps,
            r"    let mut hidden_{l} = sums(&WEIGHTS_{l}, {x}, &SHIFTS_{l});
    hidden_{l}.iter_mut().for_each(|x| *x = tanh(*x));
"
        );
        x = format!("&hidden_{l}");
    }
    if network.is_constant() {
        steps += "    let _ = input;\n";
        x = "&[]".into();
    }
    if let (Some(layer), true) = (network.hidden.last(), network.has_linear_part()) {
        let (first, all) = (layer.neurons(), network.readout.inputs());
        let _ = write!(
            steps,
            r"    let mut columns: [{real}; {all}] = [0.0; {all}];
    columns[..{first}].copy_from_slice({x});
    columns[{first}..].copy_from_slice({inputs});
"
        );
        x = "&columns".into();
    }
    let outputs = network.what_outputs_are();
    let [open, close] = if network.model.has_probabilities() { ["softmax(", ")"] } else { ["", ""] };
    format!(
        r"
/// The {outputs} for inputs as they are measured: scaling is included.
#[allow(dead_code)]
pub fn predict(input: &[{real}; INPUTS]) -> [{real}; OUTPUTS] {{
{steps}    {open}sums(&WEIGHTS_READOUT, {x}, &SHIFTS_READOUT){close}
}}
"
    )
}

fn classify(real: &str) -> String {
    format!(
        r"
/// The class whose output is largest, the first of equal ones: an index into [`CLASS_NAMES`].
#[allow(dead_code)]
pub fn classify(input: &[{real}; INPUTS]) -> usize {{
    let output = predict(input);
    let mut best = 0;
    for n in 1..OUTPUTS {{
        if output[n] > output[best] {{
            best = n;
        }}
    }}
    best
}}
"
    )
}

/// Half-widths of prediction intervals, and the function on encoded inputs that gives these.
fn interval(network: &Network<'_>, real: &str) -> String {
    let Some(Interval { level, half_widths }) = &network.interval else { return String::new() };
    let list = network.list(half_widths, BRACKETS, "", 0);
    let function = include_str!("rust/interval.rs").replace("REAL", real);
    format!(
        "\n/// Half-widths of prediction intervals at the level {level}.\n#[allow(dead_code)]\n\
         pub static HALF_WIDTHS: [{real}; OUTPUTS] = {list};\n{function}"
    )
}

fn sums(real: &str) -> String {
    let signature =
        format!("(weights: &[[{real}; I]; N], x: &[{real}; I], shifts: &[{real}; N]) -> [{real}; N]");
    format!(
        r"
fn sums<const I: usize, const N: usize>{signature} {{
    let mut y = [0.0; N];
    for (y, (w, shift)) in y.iter_mut().zip(weights.iter().zip(shifts)) {{
        *y = w.iter().zip(x).map(|(w, x)| w * x).sum::<{real}>() + shift;
    }}
    y
}}
"
    )
}

/// Probabilities from scores.
fn softmax(real: &str) -> String {
    format!(
        r"
fn softmax(mut y: [{real}; OUTPUTS]) -> [{real}; OUTPUTS] {{
    let mut highest = y[0];
    for v in &y {{
        if *v > highest {{
            highest = *v;
        }}
    }}
    let mut total = 0.0;
    for v in &mut y {{
        *v = exp(*v - highest);
        total += *v;
    }}
    y.iter_mut().for_each(|v| *v /= total);
    y
}}
"
    )
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
