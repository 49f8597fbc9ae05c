//! ONNX, opset 17, IR version 8.
//!
//! The few messages of ONNX that a network needs are written by hand: protobuf's wire format is keys, varints
//! and lengths, and that is shorter than the declarations that a protobuf library would want, and one
//! dependency less.

mod columns;
mod dates;
mod graph;
mod message;
mod tests_program;

use super::encoding::Encoding;
use super::{Exporter, Layer, Network, Precision};
use graph::{Element, Graph, value};
use message::Message;
use serde_json::json;

/// Of ONNX 1.12 (2022): old enough for runtimes to have it.
const OPSET: u64 = 17;
const IR_VERSION: u64 = 8;

/// Of its domain `ai.onnx.ml`, which has what texts need.
const ML_OPSET: u64 = 3;

pub(super) static EXPORTER: Exporter = Exporter {
    name: "onnx",
    description: "an ONNX file, opset 17",
    endings: &["onnx"],
    precision: Precision::Float,
    has_float: true,
    is_fixed: false,
    is_text: false,
    write,
    tests_ending: "py",
    write_tests: tests_program::write,
};

fn write(network: &Network) -> Vec<u8> {
    let mut graph = Graph::new(network);
    let encoding = network.encoding.as_ref();
    let named = encoding.map(|encoding| columns::inputs(encoding, network));
    let mut x = "input".to_string();
    if let (Some(encoding), Some(named)) = (encoding, &named) {
        graph.encode(encoding, named);
    }
    for (what, values) in network.tables_of_scaling() {
        let by = if what == "offset" { "Sub" } else { "Div" };
        let y = if what == "offset" { "centred" } else { "scaled" };
        graph.tensor(what, &[values.len()], values);
        graph.node(by, &[&x, what], y, &[]);
        x = y.into();
    }
    let scaled = x.clone();
    for (l, layer) in network.hidden.iter().enumerate() {
        let (sum, y) = (format!("sum_{}", l + 1), format!("hidden_{}", l + 1));
        graph.dense(&x, layer, &sum, &(l + 1).to_string());
        graph.node("Tanh", &[&sum], &y, &[]);
        x = y;
    }
    if network.model.has_probabilities() {
        graph.readout(&x, &scaled, "scores");
        graph.node("Softmax", &["scores"], "output", &[("axis", 1)]);
    } else {
        graph.readout(&x, &scaled, "output");
    }
    let (inputs, outputs) = (network.inputs(), network.outputs());
    let element = graph.real();
    let mut results = vec![value("output", element, Some(outputs))];
    if network.model.is_classification() {
        graph.classify(outputs);
        results.push(value("class", Element::Int64, None));
    }
    if let Some(interval) = &network.interval {
        graph.tensor("half_width", &[outputs], &interval.half_widths);
        for (op, end) in [("Sub", "low"), ("Add", "high")] {
            graph.node(op, &["output", "half_width"], end, &[]);
            results.push(value(end, element, Some(outputs)));
        }
    }
    let values = match &named {
        Some(named) => named.iter().map(|input| value(&input.input, input.element, Some(1))).collect(),
        None => vec![value("input", element, Some(inputs))],
    };
    let graph = Message::default()
        .messages(1, graph.nodes)
        .text(2, network.name)
        .messages(5, graph.tensors)
        .messages(11, values)
        .messages(12, results);
    let model = network.model;
    let names = |names: &[String]| json!(names).to_string();
    let of_outputs = if model.is_classification() { "class_names" } else { "output_names" };
    let mut metadata = vec![
        ("input_names", names(model.input_names())),
        (of_outputs, names(model.output_names())),
        ("topology", model.topology().to_string()),
        ("trained_on", model.origin().data.clone()),
    ];
    if let Some(named) = &named {
        metadata.push(("columns", columns::metadata(named)));
    }
    if let Some(interval) = &network.interval {
        metadata.push(("interval", interval.level.to_string()));
    }
    let has_words = encoding.is_some_and(Encoding::has_words);
    let opset = |domain: &str, version| Message::default().text(1, domain).int(2, version);
    Message::default()
        .int(1, IR_VERSION)
        .text(2, "onefold")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph)
        .message(8, &opset("", OPSET))
        .messages(8, has_words.then(|| opset("ai.onnx.ml", ML_OPSET)))
        .messages(14, metadata.into_iter().map(|(key, text)| Message::default().text(1, key).text(2, &text)))
        .0
}

impl Graph<'_> {
    /// The sums of the output layer, given the outputs of the last hidden layer and the scaled inputs.
    fn readout(&mut self, hidden: &str, scaled: &str, y: &str) {
        let network = self.network;
        if network.is_constant() {
            // A product of matrices without columns is not everywhere what it should be.
            self.integers("width", &[network.outputs()]);
            self.node("Shape", &["input"], "rows", &[("start", 0), ("end", 1)]);
            self.node("Concat", &["rows", "width"], "shape", &[("axis", 0)]);
            self.tensor("shifts_readout", &[network.outputs()], &network.readout.shifts);
            self.node("Expand", &["shifts_readout", "shape"], y, &[]);
        } else if network.has_linear_part() && !network.hidden.is_empty() {
            self.node("Concat", &[hidden, scaled], "columns", &[("axis", 1)]);
            self.dense("columns", &network.readout, y, "readout");
        } else {
            self.dense(hidden, &network.readout, y, "readout");
        }
    }

    /// `y = x Wᵀ + b`.
    fn dense(&mut self, x: &str, layer: &Layer, y: &str, suffix: &str) {
        let (weights, shifts) = (format!("weights_{suffix}"), format!("shifts_{suffix}"));
        self.tensor(&weights, &[layer.neurons(), layer.inputs()], &layer.weights.concat());
        let mut operands = vec![x, &weights];
        if !layer.shifts.is_empty() {
            self.tensor(&shifts, &[layer.neurons()], &layer.shifts);
            operands.push(&shifts);
        }
        self.node("Gemm", &operands, y, &[("transB", 1)]);
    }

    /// The class as the library chooses it: the largest output, the first of equal ones. ONNX does not say
    /// what `ArgMax` makes of NaN; the library keeps the first output where that is NaN and passes over
    /// others, and so does this.
    fn classify(&mut self, outputs: usize) {
        let mut instead = vec![f64::NEG_INFINITY; outputs];
        instead[0] = f64::INFINITY;
        self.tensor("instead_of_nan", &[outputs], &instead);
        self.node("IsNaN", &["output"], "is_nan", &[]);
        self.node("Where", &["is_nan", "instead_of_nan", "output"], "comparable", &[]);
        self.node("ArgMax", &["comparable"], "class", &[("axis", 1), ("keepdims", 0)]);
    }
}
