//! `GraphProto` in the making: nodes and constants.

use super::super::{Network, Precision};
use super::message::Message;

/// `TensorProto.DataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Float = 1,
    Int64 = 7,
    Text = 8,
    Double = 11,
}

/// The attributes that nodes have here, with their `AttributeProto.AttributeType`.
pub(super) enum Attribute<'a> {
    Int(&'static str, u64),
    Integers(&'static str, &'a [usize]),
    Texts(&'static str, &'a [String]),
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        let named = |name: &str, kind| Message::default().text(1, name).int(20, kind);
        match self {
            Self::Int(name, value) => named(name, 2).int(3, *value),
            Self::Integers(name, values) => {
                values.iter().fold(named(name, 7), |all, v| all.int(8, *v as u64))
            }
            Self::Texts(name, values) => values.iter().fold(named(name, 8), |all, v| all.text(9, v)),
        }
    }
}

/// `GraphProto` in the making.
pub(super) struct Graph<'a> {
    pub(super) network: &'a Network<'a>,
    pub(super) nodes: Vec<Message>,
    pub(super) tensors: Vec<Message>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(network: &'a Network<'a>) -> Self {
        Self { network, nodes: Vec::new(), tensors: Vec::new() }
    }

    /// What the network computes with.
    pub(super) fn real(&self) -> Element {
        match self.network.precision {
            Precision::Float => Element::Float,
            Precision::Double => Element::Double,
        }
    }

    /// `TensorProto`, a constant of the network's precision.
    pub(super) fn tensor(&mut self, name: &str, dims: &[usize], values: &[f64]) {
        match self.network.precision {
            Precision::Float => {
                let raw: Vec<u8> = values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
                self.constant(name, Element::Float, dims, &raw);
            }
            Precision::Double => self.doubles(name, dims, values),
        }
    }

    /// The same in double precision.
    pub(super) fn doubles(&mut self, name: &str, dims: &[usize], values: &[f64]) {
        let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Element::Double, dims, &raw);
    }

    /// A list of integers.
    pub(super) fn integers(&mut self, name: &str, values: &[usize]) {
        let raw: Vec<u8> = values.iter().flat_map(|v| (*v as u64).to_le_bytes()).collect();
        self.constant(name, Element::Int64, &[values.len()], &raw);
    }

    fn constant(&mut self, name: &str, element: Element, dims: &[usize], raw: &[u8]) {
        let dims = dims.iter().fold(Message::default(), |tensor, dim| tensor.int(1, *dim as u64));
        self.tensors.push(dims.int(2, element as u64).text(8, name).bytes(9, raw));
    }

    /// `NodeProto`, with integer attributes.
    pub(super) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&'static str, u64)],
    ) {
        let attributes: Vec<Attribute> =
            attributes.iter().map(|(name, v)| Attribute::Int(name, *v)).collect();
        self.node_of("", op, inputs, output, &attributes);
    }

    /// `NodeProto` of a domain.
    pub(super) fn node_of(
        &mut self,
        domain: &str,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[Attribute],
    ) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let node = node.text(2, output).text(3, output).text(4, op);
        let node = node.messages(5, attributes.iter().map(Attribute::message));
        self.nodes.push(if domain.is_empty() { node } else { node.text(7, domain) });
    }
}

/// `ValueInfoProto`: a tensor of N rows.
pub(super) fn value(name: &str, element: Element, columns: Option<usize>) -> Message {
    let rows = Message::default().text(2, "N");
    let columns = columns.map(|n| Message::default().int(1, n as u64));
    let shape = Message::default().messages(1, [rows].into_iter().chain(columns));
    let tensor = Message::default().int(1, element as u64).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
