//! The candidates of a race: hidden layers, with or without a linear part, and decays.

use super::race::Size;
use super::settings::SelectionSettings;
use crate::settings::OutputLayer;
use crate::{Dataset, Error, FitSettings, Topology};

/// Candidates have at most this many parameters for each target value; decay makes up for what is too much.
const MOST_PARAMETERS: usize = 4;

/// One network of a race, with its decays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) topology: Topology,
    /// The first of its candidates; they follow each other by output layer, and then by increasing decay.
    pub(super) first: usize,
    pub(super) variants: Vec<Variant>,
}

/// How a network is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) decay: f64,
    pub(super) output_layer: OutputLayer,
}

impl Shape {
    /// The places of its candidates.
    pub(super) fn candidates(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.variants.len()
    }
}

/// The candidates of a race, by increasing size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidates {
    pub(super) shapes: Vec<Shape>,
    pub(super) sizes: Vec<Size>,
}

impl Candidates {
    /// The candidates for these training rows: the baselines, and all networks that are not too large for the
    /// number of target values, and affordable; the smallest ones in any case.
    pub(super) fn new(
        data: &Dataset,
        template: &FitSettings,
        settings: &SelectionSettings,
        is_affordable: impl Fn(&Topology) -> bool,
    ) -> Result<Self, Error> {
        let (inputs, outputs) = (data.inputs.len(), data.outputs.len());
        let network = |hidden: &str| Topology::with_hidden(inputs, hidden, outputs);
        let parameters = |topology: &Topology| topology.parameters(template.cost.output_bias);
        let mut topologies = vec![network("none")?, network("none+linear")?];
        let given = settings.hidden.as_deref().map(network).transpose()?;
        topologies.retain(|topology| Some(topology) != given.as_ref());
        topologies.extend(given.clone());
        let shapes = if given.is_some() { &[] } else { &settings.shapes[..] };
        for (place, hidden) in shapes.iter().enumerate() {
            for linear_part in [false, true] {
                let topology = network(hidden)?.with_linear_part(linear_part);
                let is_wanted = settings.linear_part.is_none_or(|wanted| wanted == linear_part);
                let is_small = parameters(&topology) <= MOST_PARAMETERS * data.rows() * outputs
                    && is_affordable(&topology);
                if is_wanted && (place == 0 || is_small) && !topologies.contains(&topology) {
                    topologies.push(topology);
                }
            }
        }
        topologies.sort_by_key(parameters);
        let (mut shapes, mut sizes) = (Vec::new(), Vec::new());
        for topology in topologies {
            // Nothing of a constant is penalised. A network with more parameters than target values needs a
            // penalty: without one, descents follow valleys of equal error for as long as they may.
            let is_constant = topology.readout_columns() == 0;
            let needs_penalty = parameters(&topology) > data.rows() * outputs;
            let decays = match &settings.decays[..] {
                [first, ..] if is_constant => std::slice::from_ref(first),
                [0.0, positive @ ..] if needs_penalty && !positive.is_empty() => positive,
                all => all,
            };
            let layers = output_layers(data, settings, &topology);
            let of_layer = |output_layer: OutputLayer| {
                let mut decays = match output_layer {
                    OutputLayer::CrossEntropy => settings.cross_entropy_decays.clone(),
                    _ => decays.to_vec(),
                };
                if data.classification && topology.dim() == 0 && !is_constant {
                    // The linear model of classes, too, is trained for cross-entropy.
                    decays.extend(&settings.cross_entropy_decays);
                    decays.sort_by(f64::total_cmp);
                    decays.dedup();
                }
                decays.into_iter().map(move |decay| Variant { decay, output_layer })
            };
            let variants: Vec<Variant> = layers.into_iter().flat_map(of_layer).collect();
            let first = sizes.len();
            sizes.extend(variants.iter().map(|variant| Size {
                parameters: parameters(&topology),
                decay: variant.decay,
                is_baseline: topology.hidden().is_empty() && Some(&topology) != given.as_ref(),
            }));
            shapes.push(Shape { topology, first, variants });
        }
        Ok(Self { shapes, sizes })
    }

    /// The shape of a candidate.
    pub(super) fn shape(&self, candidate: usize) -> &Shape {
        let shape = self.shapes.partition_point(|shape| shape.first <= candidate);
        &self.shapes[shape - 1]
    }

    /// How a candidate is trained.
    pub(super) fn variant(&self, candidate: usize) -> Variant {
        let shape = self.shape(candidate);
        shape.variants[candidate - shape.first]
    }

    /// The network of a candidate.
    pub(super) fn topology(&self, candidate: usize) -> &Topology {
        &self.shape(candidate).topology
    }
}

/// The output layers that are tried with a network.
fn output_layers(data: &Dataset, settings: &SelectionSettings, topology: &Topology) -> Vec<OutputLayer> {
    if !data.classification {
        return vec![OutputLayer::LeastSquares];
    }
    match settings.output_layer {
        // Without hidden layers, logistic regression gives the least cross-entropy.
        _ if topology.dim() == 0 || settings.cross_entropy_decays.is_empty() => vec![OutputLayer::Logistic],
        None => vec![OutputLayer::Logistic, OutputLayer::CrossEntropy],
        Some(OutputLayer::CrossEntropy) => vec![OutputLayer::CrossEntropy],
        Some(_) => vec![OutputLayer::Logistic],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;

    #[test]
    fn candidates_are_ordered_by_size_and_baselines_are_among_them() {
        let column: Vec<f64> = (0..40).map(f64::from).collect();
        let data = Dataset {
            inputs: vec![column.clone().into(), column.clone().into()],
            outputs: vec![column],
            input_names: vec!["a".into(), "b".into()],
            output_names: vec!["y".into()],
            classification: false,
            weights: None,
        };
        let template = FitSettings::for_data(&data, "1", Method::AUTO).unwrap();
        let candidates = Candidates::new(&data, &template, &SelectionSettings::default(), |_| true).unwrap();
        assert!(candidates.sizes.is_sorted_by_key(|size| size.parameters));
        let text: Vec<String> = candidates.shapes.iter().map(|s| s.topology.to_string()).collect();
        assert_eq!(text[..2], ["2-1", "2-1+linear"]);
        assert!(text.contains(&"2-32-1".into()) && !text.contains(&"2-48-1".into()), "{text:?}");
        for (i, shape) in candidates.shapes.iter().enumerate() {
            let is_large = candidates.sizes[shape.first].parameters > 40;
            let decays = [7, 6][usize::from(is_large)];
            assert_eq!(shape.variants.len(), if i == 0 { 1 } else { decays });
            shape.candidates().for_each(|c| assert_eq!(candidates.topology(c), &shape.topology));
        }
        let given = SelectionSettings { hidden: Some("48".into()), ..Default::default() };
        let candidates = Candidates::new(&data, &template, &given, |_| false).unwrap();
        assert_eq!(candidates.shapes.last().unwrap().topology.to_string(), "2-48-1");
        assert_eq!(candidates.shapes.len(), 3);
    }
}
