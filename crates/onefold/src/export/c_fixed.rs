//! One C99 header whose network computes with integers alone.

use super::c::{self, BRACES, names};
use super::fixed::{Fixed, FixedLayer};
use super::rounding::Rounding;
use super::text::{doubles, wrap};
use super::{Exporter, Network, Precision};
use std::fmt::Write as _;

pub(super) static EXPORTER: Exporter = Exporter {
    name: "c-fixed",
    description: "a C99 header of integers, for processors without floating point",
    endings: &[],
    precision: Precision::Double,
    has_float: false,
    is_fixed: true,
    is_text: true,
    write: |network| write(network).into_bytes(),
    tests_ending: "c",
    write_tests: c::tests_program::write,
};

fn write(network: &Network) -> String {
    let Some(fixed) = &network.fixed else { return String::new() };
    let name = network.name;
    let upper = name.to_uppercase();
    let is_classification = network.model.is_classification();
    let kind = if is_classification { "class" } else { "output" };
    let about = network.comment_lines("C99 or C++, the network in integers; numbers of rows", " *");
    let mut text = format!("/*{}{} */\n", &about[2..], errors(network, fixed));
    let _ = write!(
        text,
        "#ifndef ONEFOLD_{upper}_H\n#define ONEFOLD_{upper}_H\n\n#include <stdint.h>\n\n\
         #define {upper}_INPUTS {}\n#define {upper}_OUTPUTS {}\n\n{}{}",
        network.inputs(),
        network.outputs(),
        names(&format!("{name}_input_names"), network.model.input_names()),
        names(&format!("{name}_{kind}_names"), network.model.output_names()),
    );
    let bits = list(fixed.readout.bits.iter(), 0);
    let _ = writeln!(
        text,
        "/* Bits behind the binary point of the outputs of {name}_predict_fixed. */\n\
         static const int8_t {name}_output_bits[{upper}_OUTPUTS] = {bits};"
    );
    if !fixed.hidden.is_empty() {
        let (one, table) = ((1 << fixed.bits.hidden).to_string(), list(fixed.tanh_table().iter(), 4));
        text += &c::template(include_str!("c/tanh.h"), name, &[("ONE", &one), ("TABLE", &table)]);
    }
    text += &predict(network, fixed);
    if is_classification {
        text += &c::template(include_str!("c/classify_fixed.h"), name, &[]);
    }
    let _ = write!(text, "\n#ifndef {upper}_INTEGERS_ONLY\n#include <math.h>\n");
    if network.encoding.as_ref().is_some_and(super::encoding::Encoding::has_text) {
        text += "#include <string.h>\n";
    }
    let (middle, half): (Vec<f64>, Vec<f64>) = fixed.inputs.iter().copied().unzip();
    let constant = |name: &str, values: &[f64]| {
        format!("static const double {name}[{upper}_INPUTS] = {};", doubles(values, BRACES, 4))
    };
    let values = [
        ("MIDDLE", constant("middle", &middle)),
        ("HALF", constant("half", &half)),
        ("ONE", (1 << fixed.bits.input).to_string()),
        ("LARGEST", fixed.bits.largest_input().to_string()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(key, value)| (*key, value.as_str())).collect();
    text += &c::template(include_str!("c/quantise.h"), name, &values);
    let softmax = if network.model.has_probabilities() {
        c::softmax("double", "exp", network.outputs())
    } else {
        String::new()
    };
    let what = network.what_outputs_are();
    let _ = write!(
        text,
        "\n/* The {upper}_OUTPUTS {what} for {upper}_INPUTS inputs as they are measured: scaling is included. */\n\
         static inline void {name}_predict(const double in[], double out[])\n{{\n    int16_t values[{upper}_INPUTS];\n    \
         int32_t sums[{upper}_OUTPUTS];\n    {name}_quantise(in, values);\n    {name}_predict_fixed(values, sums);\n    \
         for (int n = 0; n < {upper}_OUTPUTS; n++)\n        out[n] = ldexp((double)sums[n], -{name}_output_bits[n]);\n{softmax}}}\n"
    );
    if is_classification {
        text += &c::classify(name, "double");
    }
    text += &c::interval(network, "double", "");
    if let Some(encoding) = &network.encoding {
        text += &c::columns::functions(encoding, network);
    }
    text + &format!("#endif /* {upper}_INTEGERS_ONLY */\n\n#endif /* ONEFOLD_{upper}_H */\n")
}

/// What is known about errors, for a comment.
fn errors(network: &Network<'_>, fixed: &Fixed) -> String {
    let rounding = Rounding::measure(network);
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let mut text = format!(
        " *\n * Errors of outputs, for inputs in the range of the training rows: at most {:.1e}; the largest of {} such\n \
         * rows {:.1e}, root mean square {:.1e}",
        // With two digits, and not less than it is.
        1.05 * largest(&fixed.bound),
        rounding.rows,
        largest(&rounding.seen),
        largest(&rounding.rms),
    );
    if let Some(classes) = rounding.classes {
        let _ = write!(text, ", another class in {classes} of them");
    }
    text + ".\n"
}

fn predict(network: &Network<'_>, fixed: &Fixed) -> String {
    let name = network.name;
    let upper = name.to_uppercase();
    let mut text = format!(
        "\n/* The sums of the output layer, in units of 2^-{name}_output_bits. An input is 0 in the middle of the\n   \
         range of the training rows, {} at its end, and at most {}. Quotients by powers of two are shifts, which are\n   \
         arithmetic on all compilers. */\n\
         static inline void {name}_predict_fixed(const int16_t in[], int32_t out[])\n{{\n",
        1 << fixed.bits.input,
        fixed.bits.largest_input(),
    );
    for (l, layer) in fixed.hidden.iter().enumerate() {
        text += &tables(layer, &(l + 1).to_string());
        let shift: Vec<i32> = layer.bits.iter().map(|bits| bits - super::fixed::TANH_BITS).collect();
        let _ = writeln!(
            text,
            "    static const uint8_t bits_{}[{}] = {};",
            l + 1,
            shift.len(),
            list(shift.iter(), 4)
        );
    }
    text += &tables(&fixed.readout, "readout");
    if network.is_constant() {
        text += "    (void)in;\n";
    }
    let mut x = "in".to_string();
    for (l, layer) in fixed.hidden.iter().enumerate() {
        let (n, inputs, l) = (layer.weights.len(), layer.weights[0].len(), l + 1);
        let _ = write!(
            text,
            "    int16_t hidden_{l}[{n}];\n    for (int n = 0; n < {n}; n++) {{\n        \
             int32_t sum = shifts_{l}[n];\n        for (int i = 0; i < {inputs}; i++)\n            \
             sum += (int32_t)weights_{l}[n][i] * {x}[i];\n        \
             if (bits_{l}[n] > 0)\n            sum = (sum + ((int32_t)1 << (bits_{l}[n] - 1))) >> bits_{l}[n];\n        \
             hidden_{l}[n] = {name}_tanh(sum);\n    }}\n"
        );
        x = format!("hidden_{l}");
    }
    let _ = write!(
        text,
        "    for (int n = 0; n < {upper}_OUTPUTS; n++) {{\n        int32_t sum = shifts_readout[n];\n"
    );
    let all = fixed.readout.weights[0].len();
    let of_hidden = [(x.as_str(), 0, fixed.last_hidden), ("in", fixed.last_hidden, all - fixed.last_hidden)];
    for (values, first, count) in of_hidden.into_iter().filter(|(.., count)| *count > 0) {
        let place = if first == 0 { "i".to_string() } else { format!("{first} + i") };
        let _ = write!(
            text,
            "        for (int i = 0; i < {count}; i++)\n            \
             sum += (int32_t)weights_readout[n][{place}] * {values}[i];\n"
        );
    }
    text + "        out[n] = sum;\n    }\n}\n"
}

fn tables(layer: &FixedLayer, suffix: &str) -> String {
    let (neurons, inputs) = (layer.weights.len(), layer.weights[0].len());
    let mut text = String::new();
    if inputs > 0 {
        let _ = writeln!(text, "    static const int16_t weights_{suffix}[{neurons}][{inputs}] = {{");
        for row in &layer.weights {
            let _ = writeln!(text, "        {},", list(row.iter(), 8));
        }
        text += "    };\n";
    }
    let shifts = list(layer.shifts.iter(), 4);
    text + &format!("    static const int32_t shifts_{suffix}[{neurons}] = {shifts};\n")
}

fn list<T: ToString>(values: impl Iterator<Item = T>, indent: usize) -> String {
    wrap(values.map(|v| v.to_string()), BRACES, indent)
}
