//! The candidates of a race: hidden layers, with or without a linear part, and decays.

use super::race::Size;
use crate::{Dataset, Error, FitSettings, Topology};

/// Hidden layers that are tried, from none to three. A narrow layer between wide ones, as in the paper's
/// networks for two-spirals, is a coordinate that the network finds.
const SHAPES: [&str; 20] = [
    "1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64", "3-3", "6-6", "12-12", "20-20",
    "5-1-5", "10-1-10", "6-6-6", "12-12-12",
];

/// L2 penalties that are tried, from the weakest on.
const DECAYS: [f64; 7] = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// One network of a race, with its decays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) topology: Topology,
    /// The first of its candidates; they follow each other by increasing decay.
    pub(super) first: usize,
}

/// The candidates of a race, by increasing size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidates {
    pub(super) shapes: Vec<Shape>,
    pub(super) decays: Vec<f64>,
    pub(super) sizes: Vec<Size>,
}

impl Candidates {
    /// The candidates for this data: the baselines, and all networks with no more parameters than there are
    /// target values, the smallest ones in any case.
    pub(super) fn new(data: &Dataset, template: &FitSettings, decays: Option<&[f64]>) -> Result<Self, Error> {
        let (inputs, outputs) = (data.inputs.len(), data.outputs.len());
        let decays = decays.unwrap_or(&DECAYS).to_vec();
        let mut topologies = vec![
            Topology::with_hidden(inputs, "none", outputs)?,
            Topology::with_hidden(inputs, "none+linear", outputs)?,
        ];
        for shape in SHAPES {
            for linear_part in ["", "+linear"] {
                let topology = Topology::with_hidden(inputs, &format!("{shape}{linear_part}"), outputs)?;
                if shape == "1" || topology.parameters(template.cost.output_bias) <= data.rows() * outputs {
                    topologies.push(topology);
                }
            }
        }
        topologies.sort_by_key(|topology| topology.parameters(template.cost.output_bias));
        let (mut shapes, mut sizes) = (Vec::new(), Vec::new());
        for topology in topologies {
            shapes.push(Shape { topology: topology.clone(), first: sizes.len() });
            sizes.extend(decays.iter().map(|decay| Size {
                parameters: topology.parameters(template.cost.output_bias),
                decay: *decay,
                is_baseline: topology.hidden().is_empty(),
            }));
        }
        Ok(Self { shapes, decays, sizes })
    }
}
