//! One C99 header: static functions, no memory, nothing but `<math.h>` and, for texts, `<string.h>`.

pub(super) mod columns;
pub(super) mod tests_program;

use super::encoding::Encoding;
use super::network::Interval;
use super::text::{fill, wrap};
use super::{Exporter, Layer, Network, Precision};
use std::fmt::Write as _;

pub(super) const BRACES: [&str; 2] = ["{", "}"];

struct Style {
    real: &'static str,
    suffix: &'static str,
    tanh: &'static str,
    exp: &'static str,
}

pub(super) static EXPORTER: Exporter = Exporter {
    name: "c",
    description: "a C99 header, also for C++",
    endings: &["h", "hpp", "c"],
    precision: Precision::Float,
    has_float: true,
    is_fixed: false,
    is_text: true,
    write: |network| write(network).into_bytes(),
    tests_ending: "c",
    write_tests: tests_program::write,
};

fn write(network: &Network) -> String {
    let style = match network.precision {
        Precision::Float => Style { real: "float", suffix: "f", tanh: "tanhf", exp: "expf" },
        Precision::Double => Style { real: "double", suffix: "", tanh: "tanh", exp: "exp" },
    };
    let (name, real) = (network.name, style.real);
    let upper = name.to_uppercase();
    let about = network.comment_lines("C99 or C++", " *");
    let classification = network.model.is_classification();
    let kind = if classification { "class" } else { "output" };
    let mut text = format!("/*{} */\n", &about[2..]);
    let _ = write!(
        text,
        "#ifndef ONEFOLD_{upper}_H\n#define ONEFOLD_{upper}_H\n\n#include <math.h>\n{}\n\
         #define {upper}_INPUTS {}\n#define {upper}_OUTPUTS {}\n\n{}{}\n",
        if network.encoding.as_ref().is_some_and(Encoding::has_text) { "#include <string.h>\n" } else { "" },
        network.inputs(),
        network.outputs(),
        names(&format!("{name}_input_names"), network.model.input_names()),
        names(&format!("{name}_{kind}_names"), network.model.output_names()),
    );
    let outputs = network.what_outputs_are();
    let _ = writeln!(
        text,
        "/* The {upper}_OUTPUTS {outputs} for {upper}_INPUTS inputs as they are measured: scaling is included. */\n\
         static inline void {name}_predict(const {real} in[], {real} out[])\n{{"
    );
    text += &body(network, &style);
    text += "}\n";
    if classification {
        text += &classify(name, real);
    }
    text += &interval(network, real, style.suffix);
    if let Some(encoding) = &network.encoding {
        text += &columns::functions(encoding, network);
    }
    text + &format!("\n#endif /* ONEFOLD_{upper}_H */\n")
}

pub(super) fn names(table: &str, names: &[String]) -> String {
    let list = wrap(names.iter().map(|name| literal(name)), BRACES, 0);
    format!("static const char *const {table}[{}] = {list};\n", names.len())
}

fn body(network: &Network, style: &Style) -> String {
    let real = style.real;
    let mut text = String::new();
    for (what, values) in network.tables_of_scaling() {
        let list = network.list(values, BRACES, style.suffix, 4);
        let _ = writeln!(text, "    static const {real} {what}[{}] = {list};", values.len());
    }
    let last = network.hidden.len();
    for (l, layer) in network.hidden.iter().chain([&network.readout]).enumerate() {
        text += &tables(network, style, layer, &suffix(l, last));
    }
    if network.is_constant() {
        text += "    (void)in;\n";
    }
    let mut x = "in".to_string();
    if let Some(scaling) = &network.scaling {
        let inputs = network.inputs();
        let difference =
            if scaling.scale.is_some() { "(in[i] - offset[i]) / scale[i]" } else { "in[i] - offset[i]" };
        let _ = write!(
            text,
            "    {real} scaled[{inputs}];\n    for (int i = 0; i < {inputs}; i++)\n        \
             scaled[i] = {difference};\n"
        );
        x = "scaled".into();
    }
    let mut columns = Vec::new();
    if network.has_linear_part() {
        columns.push((x.clone(), network.inputs()));
    }
    for (l, layer) in network.hidden.iter().enumerate() {
        let y = format!("hidden_{}", l + 1);
        let _ = writeln!(text, "    {real} {y}[{}];", layer.neurons());
        text += &dense(style, layer, &suffix(l, last), &[(x, layer.inputs())], &y);
        x = y;
    }
    if let Some(layer) = network.hidden.last() {
        columns.insert(0, (x, layer.neurons()));
    }
    text += &dense(style, &network.readout, "readout", &columns, "out");
    if network.model.has_probabilities() {
        text + &softmax(style.real, style.exp, network.outputs())
    } else {
        text
    }
}

/// The function on encoded inputs that gives a class.
pub(super) fn classify(name: &str, real: &str) -> String {
    let upper = name.to_uppercase();
    format!(
        "\n/* The class whose output is largest, the first of equal ones: an index into {name}_class_names. */\n\
         static inline int {name}_classify(const {real} in[])\n{{\n\
         \x20   {real} out[{upper}_OUTPUTS];\n    int best = 0;\n    {name}_predict(in, out);\n\
         \x20   for (int n = 1; n < {upper}_OUTPUTS; n++)\n        if (out[n] > out[best])\n            best = n;\n\
         \x20   return best;\n}}\n"
    )
}

/// Half-widths of prediction intervals, and the function on encoded inputs that gives these.
pub(super) fn interval(network: &Network<'_>, real: &str, suffix: &str) -> String {
    let Some(Interval { level, half_widths }) = &network.interval else { return String::new() };
    let (name, upper) = (network.name, network.name.to_uppercase());
    let list = network.list(half_widths, BRACES, suffix, 0);
    format!(
        "\n/* Half-widths of prediction intervals at the level {level}. */\n\
         static const {real} {name}_half_widths[{upper}_OUTPUTS] = {list};\n{}",
        template(include_str!("c/interval.h"), name, &[("REAL", real)])
    )
}

/// A template with the names of a network, and other values.
pub(super) fn template(text: &str, name: &str, values: &[(&str, &str)]) -> String {
    let (name, upper) = (format!("{name}_"), format!("{}_", name.to_uppercase()));
    fill(text, &[&[("NAME_", name.as_str()), ("UPPER_", upper.as_str())], values].concat())
}

/// The loops that turn scores into probabilities.
pub(super) fn softmax(real: &str, exp: &str, outputs: usize) -> String {
    format!(
        "    {real} highest = out[0], total = 0;
    for (int n = 1; n < {outputs}; n++)
        if (out[n] > highest)
            highest = out[n];
    for (int n = 0; n < {outputs}; n++)
        total += out[n] = {exp}(out[n] - highest);
    for (int n = 0; n < {outputs}; n++)
        out[n] /= total;
"
    )
}

fn suffix(l: usize, last: usize) -> String {
    if l == last { "readout".into() } else { (l + 1).to_string() }
}

fn tables(network: &Network, style: &Style, layer: &Layer, suffix: &str) -> String {
    let (real, rows) = (style.real, network.rows(&layer.weights, BRACES, style.suffix, 4));
    let (neurons, inputs) = (layer.neurons(), layer.inputs());
    let mut text = String::new();
    if inputs > 0 {
        let _ = writeln!(text, "    static const {real} weights_{suffix}[{neurons}][{inputs}] = {rows};");
    }
    if !layer.shifts.is_empty() {
        let list = network.list(&layer.shifts, BRACES, style.suffix, 4);
        let _ = writeln!(text, "    static const {real} shifts_{suffix}[{neurons}] = {list};");
    }
    text
}

/// The loops over one layer, in the order of the library's own sums, given the arrays of its inputs.
fn dense(style: &Style, layer: &Layer, suffix: &str, inputs: &[(String, usize)], y: &str) -> String {
    let Style { real, tanh, .. } = style;
    let (mut loops, mut first) = (String::new(), 0);
    for (x, count) in inputs {
        let place = if first == 0 { "i".to_string() } else { format!("{first} + i") };
        let _ = write!(
            loops,
            "        for (int i = 0; i < {count}; i++)\n            sum += weights_{suffix}[n][{place}] * {x}[i];\n"
        );
        first += count;
    }
    let sum = if layer.shifts.is_empty() { "sum".to_string() } else { format!("sum + shifts_{suffix}[n]") };
    let value = if y == "out" { sum } else { format!("{tanh}({sum})") };
    format!(
        "    for (int n = 0; n < {}; n++) {{\n        {real} sum = 0;\n{loops}        {y}[n] = {value};\n    }}\n",
        layer.neurons()
    )
}

/// A string literal: bytes outside printable ASCII as three octal digits, which cannot swallow what follows,
/// and no trigraphs.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => quoted.extend(['\\', byte as char]),
            b' '..=b'~' => quoted.push(byte as char),
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted + "\""
}
