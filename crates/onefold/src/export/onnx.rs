//! ONNX, opset 17, IR version 8.
//!
//! The few messages of ONNX that a network needs are written by hand: protobuf's wire format is keys, varints
//! and lengths, and that is shorter than the declarations that a protobuf library would want, and one
//! dependency less.

use super::{Exporter, Layer, Network, Precision};
use serde_json::json;

/// Of ONNX 1.12 (2022): old enough for runtimes to have it.
const OPSET: u64 = 17;
const IR_VERSION: u64 = 8;

/// `TensorProto.DataType`.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
const DOUBLE: u64 = 11;
/// `AttributeProto.AttributeType`.
const INT: u64 = 2;

/// A protobuf message in the making.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn int(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    fn messages(self, field: u64, messages: impl IntoIterator<Item = Self>) -> Self {
        messages.into_iter().fold(self, |all, one| all.message(field, &one))
    }
}

/// `GraphProto` in the making.
struct Graph<'a> {
    network: &'a Network<'a>,
    nodes: Vec<Message>,
    tensors: Vec<Message>,
}

pub(super) static EXPORTER: Exporter = Exporter {
    name: "onnx",
    description: "an ONNX file, opset 17",
    endings: &["onnx"],
    precision: Precision::Float,
    has_float: true,
    is_text: false,
    write,
};

fn write(network: &Network) -> Vec<u8> {
    let mut graph = Graph { network, nodes: Vec::new(), tensors: Vec::new() };
    let mut x = "input".to_string();
    if let Some([offset, scale]) = &network.scaler {
        graph.tensor("offset", &[offset.len()], offset.iter().copied());
        graph.tensor("scale", &[scale.len()], scale.iter().copied());
        graph.node("Sub", &["input", "offset"], "centred", &[]);
        graph.node("Div", &["centred", "scale"], "scaled", &[]);
        x = "scaled".into();
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
    let element = graph.element();
    let mut results = vec![value("output", element, Some(outputs))];
    if network.model.is_classification() {
        graph.classify(outputs);
        results.push(value("class", INT64, None));
    }
    let graph = Message::default()
        .messages(1, graph.nodes)
        .text(2, network.name)
        .messages(5, graph.tensors)
        .message(11, &value("input", element, Some(inputs)))
        .messages(12, results);
    let model = network.model;
    let names = |names: &[String]| json!(names).to_string();
    let of_outputs = if model.is_classification() { "class_names" } else { "output_names" };
    let metadata = [
        ("input_names", names(model.input_names())),
        (of_outputs, names(model.output_names())),
        ("topology", model.topology().to_string()),
        ("trained_on", model.origin().data.clone()),
    ];
    Message::default()
        .int(1, IR_VERSION)
        .text(2, "onefold")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph)
        .message(8, &Message::default().text(1, "").int(2, OPSET))
        .messages(14, metadata.map(|(key, text)| Message::default().text(1, key).text(2, &text)))
        .0
}

impl Graph<'_> {
    fn element(&self) -> u64 {
        match self.network.precision {
            Precision::Float => FLOAT,
            Precision::Double => DOUBLE,
        }
    }

    /// `TensorProto`, a constant.
    fn tensor(&mut self, name: &str, dims: &[usize], values: impl Iterator<Item = f64>) {
        let raw: Vec<u8> = match self.network.precision {
            Precision::Float => values.flat_map(|v| (v as f32).to_le_bytes()).collect(),
            Precision::Double => values.flat_map(f64::to_le_bytes).collect(),
        };
        let dims = dims.iter().fold(Message::default(), |tensor, dim| tensor.int(1, *dim as u64));
        self.tensors.push(dims.int(2, self.element()).text(8, name).bytes(9, &raw));
    }

    /// The sums of the output layer, given the outputs of the last hidden layer and the scaled inputs.
    fn readout(&mut self, hidden: &str, scaled: &str, y: &str) {
        let network = self.network;
        if network.is_constant() {
            // A product of matrices without columns is not everywhere what it should be.
            let width = (network.outputs() as u64).to_le_bytes();
            self.tensors.push(Message::default().int(1, 1).int(2, INT64).text(8, "width").bytes(9, &width));
            self.node("Shape", &["input"], "rows", &[("start", 0), ("end", 1)]);
            self.node("Concat", &["rows", "width"], "shape", &[("axis", 0)]);
            self.tensor("shifts_readout", &[network.outputs()], network.readout.shifts.iter().copied());
            self.node("Expand", &["shifts_readout", "shape"], y, &[]);
        } else if network.has_linear_part() && !network.hidden.is_empty() {
            self.node("Concat", &[hidden, scaled], "columns", &[("axis", 1)]);
            self.dense("columns", &network.readout, y, "readout");
        } else {
            self.dense(hidden, &network.readout, y, "readout");
        }
    }

    /// `NodeProto`, with integer attributes.
    fn node(&mut self, op: &str, inputs: &[&str], output: &str, attributes: &[(&str, u64)]) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let attributes = attributes
            .iter()
            .map(|(name, value)| Message::default().text(1, name).int(3, *value).int(20, INT));
        self.nodes.push(node.text(2, output).text(3, output).text(4, op).messages(5, attributes));
    }

    /// `y = x Wᵀ + b`.
    fn dense(&mut self, x: &str, layer: &Layer, y: &str, suffix: &str) {
        let (weights, shifts) = (format!("weights_{suffix}"), format!("shifts_{suffix}"));
        let all = layer.weights.iter().flatten().copied();
        self.tensor(&weights, &[layer.neurons(), layer.inputs()], all);
        let mut operands = vec![x, &weights];
        if !layer.shifts.is_empty() {
            self.tensor(&shifts, &[layer.neurons()], layer.shifts.iter().copied());
            operands.push(&shifts);
        }
        self.node("Gemm", &operands, y, &[("transB", 1)]);
    }

    /// The class as the library chooses it: the largest output, the first of equal ones. ONNX does not say
    /// what `ArgMax` makes of NaN; the library keeps the first output where that is NaN and passes over
    /// others, and so does this.
    fn classify(&mut self, outputs: usize) {
        let instead = (0..outputs).map(|n| if n == 0 { f64::INFINITY } else { f64::NEG_INFINITY });
        self.tensor("instead_of_nan", &[outputs], instead);
        self.node("IsNaN", &["output"], "is_nan", &[]);
        self.node("Where", &["is_nan", "instead_of_nan", "output"], "comparable", &[]);
        self.node("ArgMax", &["comparable"], "class", &[("axis", 1), ("keepdims", 0)]);
    }
}

/// `ValueInfoProto`: a tensor of N rows.
fn value(name: &str, element: u64, columns: Option<usize>) -> Message {
    let rows = Message::default().text(2, "N");
    let columns = columns.map(|n| Message::default().int(1, n as u64));
    let shape = Message::default().messages(1, [rows].into_iter().chain(columns));
    let tensor = Message::default().int(1, element).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
