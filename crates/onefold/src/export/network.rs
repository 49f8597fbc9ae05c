//! What all formats write: the numbers of a network.

use super::encoding::Encoding;
use super::fixed::Fixed;
use super::{ExportSettings, Exporter, Inputs, Precision};
use crate::data::Scaler;
use crate::{Error, Model};

/// What all formats write.
pub(super) struct Network<'a> {
    pub(super) model: &'a Model,
    pub(super) name: &'a str,
    pub(super) precision: Precision,
    /// What is left of the scaling of the inputs; none where it would change nothing.
    pub(super) scaling: Option<InputScaling>,
    pub(super) hidden: Vec<Layer>,
    /// The columns that it has weights for are the outputs of the last hidden layer and, with a linear part,
    /// then the scaled inputs.
    pub(super) readout: Layer,
    /// How the columns of the table become inputs, unless only the network is exported.
    pub(super) encoding: Option<Encoding>,
    /// Half-widths of prediction intervals, and their level.
    pub(super) interval: Option<Interval>,
    /// The same in integers, for a format of integers.
    pub(super) fixed: Option<Fixed>,
}

/// What is done with inputs before the first layer and the linear part. Scales are factors of their weights
/// instead. Offsets stay: as a part of the sums they would cost digits, many of them in `float`, where an
/// input is far from zero and varies little, like a year.
pub(super) struct InputScaling {
    /// What is subtracted from each input.
    pub(super) offset: Vec<f64>,
    /// What each is divided by then; none but where a weight would become too large or too small for the
    /// precision.
    pub(super) scale: Option<Vec<f64>>,
}

/// Prediction intervals: an output plus and minus its half-width.
pub(super) struct Interval {
    pub(super) level: f64,
    pub(super) half_widths: Vec<f64>,
}

/// Weights of each neuron, and what is added to each; nothing where a readout has no bias.
pub(super) struct Layer {
    pub(super) weights: Vec<Vec<f64>>,
    pub(super) shifts: Vec<f64>,
}

impl Layer {
    /// Rows of `inputs` weights, with or without a shift behind them.
    fn new<'a>(inputs: usize, rows: impl Iterator<Item = &'a [f64]>) -> Self {
        let (weights, shifts): (Vec<_>, Vec<_>) = rows.map(|row| row.split_at(inputs)).unzip();
        Self { weights: weights.into_iter().map(<[f64]>::to_vec).collect(), shifts: shifts.concat() }
    }

    /// Makes up for another scaling of the inputs, whose weights stand from `first` on: where they are
    /// `(x - o') / s'` instead of `(x - o) / s`.
    fn make_up_for(&mut self, first: usize, scaler: &Scaler, [offset, scale]: &[Vec<f64>; 2]) {
        let is_moved = scaler.offset.iter().zip(offset).any(|(exact, offset)| exact - offset != 0.0);
        if self.shifts.is_empty() && is_moved {
            self.shifts = vec![0.0; self.neurons()];
        }
        for (n, weights) in self.weights.iter_mut().enumerate() {
            for (i, w) in weights[first..].iter_mut().enumerate() {
                let rest = scaler.offset[i] - offset[i];
                if rest != 0.0 {
                    self.shifts[n] -= *w * (rest / scaler.scale[i]);
                }
                if scale[i].to_bits() != scaler.scale[i].to_bits() {
                    *w = *w * scale[i] / scaler.scale[i];
                }
            }
        }
    }

    pub(super) fn inputs(&self) -> usize {
        self.weights[0].len()
    }

    pub(super) fn neurons(&self) -> usize {
        self.weights.len()
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.weights.iter().flatten().chain(&self.shifts).copied()
    }
}

impl<'a> Network<'a> {
    pub(super) fn new(model: &'a Model, settings: &'a ExportSettings) -> Result<Self, Error> {
        let name = settings.name.as_str();
        if name != ExportSettings::identifier(name) {
            let expected = "must be an identifier: letters, digits and underscores, a letter first and no underscore last";
            return Err(Error::setting("name", format!("{name:?}"), expected));
        }
        let precision = settings.precision.unwrap_or(settings.format.precision());
        let Exporter { name: of_format, has_float, is_fixed, .. } = settings.format.exporter();
        if let (Some(precision), true) = (settings.precision, is_fixed) {
            let expected = format!("{of_format} computes with integers; leave it out");
            return Err(Error::setting("precision", precision, expected));
        }
        if precision == Precision::Float && !has_float {
            let expected = format!("{of_format} computes in double; leave it out");
            return Err(Error::setting("precision", precision, expected));
        }
        let (topology, scaler) = (model.topology(), model.scaler());
        let (hidden, readout) = (model.hidden(), model.readout());
        let mut inputs = topology.inputs();
        let mut layers = Vec::new();
        for (l, width) in topology.hidden().iter().enumerate() {
            layers.push(Layer::new(inputs, (0..*width).map(|n| &hidden[topology.neuron(l, n)])));
            inputs = *width;
        }
        let one = 1_f64.to_bits();
        let plain =
            scaler.offset.iter().all(|o| *o == 0.0) && scaler.scale.iter().all(|s| s.to_bits() == one);
        let is_constant = layers.is_empty() && !topology.has_linear_part();
        let mut network = Self {
            model,
            name,
            precision,
            scaling: (!plain && !is_constant)
                .then(|| InputScaling { offset: scaler.offset.clone(), scale: Some(scaler.scale.clone()) }),
            hidden: layers,
            readout: Layer::new(topology.readout_columns(), readout.iter().map(Vec::as_slice)),
            encoding: (settings.inputs == Inputs::Columns).then(|| Encoding::new(&model.schema())),
            interval: None,
            fixed: None,
        };
        if let Some(level) = settings.interval {
            network.interval = Some(Interval { level, half_widths: model.half_widths(level)? });
        }
        network.check()?;
        if *is_fixed {
            network.fixed = Some(Fixed::new(model, &network.hidden, &network.readout)?);
        }
        network.fold_scaling();
        network.check().map(|()| network)
    }

    /// Makes scales a part of the weights. Rounds offsets (and scales, where these stay), and makes up for it
    /// in the first layer and in the linear part: a difference of an input and its offset may be so small that
    /// rounding of the offset would change it.
    fn fold_scaling(&mut self) {
        let Some(InputScaling { offset, .. }) = &self.scaling else { return };
        let exact = self.model.scaler();
        let offset: Vec<f64> = offset.iter().map(|v| self.rounded(*v)).collect();
        let is_folded = self.can_fold(&exact.scale);
        let scale: Vec<f64> =
            exact.scale.iter().map(|v| if is_folded { 1.0 } else { self.rounded(*v) }).collect();
        let scaling = [offset, scale];
        let topology = self.model.topology();
        if let Some(first) = self.hidden.first_mut() {
            first.make_up_for(0, exact, &scaling);
        }
        if topology.has_linear_part() {
            self.readout.make_up_for(topology.last_hidden(), exact, &scaling);
        }
        let [offset, scale] = scaling;
        let is_needed = !is_folded || offset.iter().any(|o| *o != 0.0);
        self.scaling = is_needed.then(|| InputScaling { offset, scale: (!is_folded).then_some(scale) });
    }

    /// Whether all weights of inputs, divided by these scales, keep their digits.
    fn can_fold(&self, scale: &[f64]) -> bool {
        let least = match self.precision {
            Precision::Float => f64::from(f32::MIN_POSITIVE),
            Precision::Double => f64::MIN_POSITIVE,
        };
        let topology = self.model.topology();
        let first = self.hidden.first().map(|layer| (layer, 0));
        let linear_part = topology.has_linear_part().then(|| (&self.readout, topology.last_hidden()));
        let keeps = |(w, s): (&f64, &f64)| {
            let folded = self.rounded(w / s).abs();
            *w == 0.0 || folded >= least && folded.is_finite()
        };
        let of_layer = |(layer, first): (&Layer, usize)| {
            layer.weights.iter().all(|row| row[first..].iter().zip(scale).all(keeps))
        };
        first.into_iter().chain(linear_part).all(of_layer)
    }

    /// Every number must be one in the precision asked for, and no divisor may vanish in it.
    fn check(&self) -> Result<(), Error> {
        let layers = self.hidden.iter().chain([&self.readout]);
        let scaling = self.scaling.as_ref();
        let offsets = scaling.map_or(&[][..], |scaling| &scaling.offset);
        let scales = scaling.and_then(|scaling| scaling.scale.as_deref()).unwrap_or_default();
        let mut numbers = layers.flat_map(Layer::numbers).chain(offsets.iter().chain(scales).copied());
        let wrong = numbers.find(|v| !self.rounded(*v).is_finite());
        match wrong.or(scales.iter().copied().find(|v| self.rounded(*v) == 0.0)) {
            None => Ok(()),
            Some(v) if v.is_finite() => Err(Error::setting(
                "precision",
                self.precision,
                format!("the model's {v:e} does not fit it; use double"),
            )),
            Some(value) => Err(Error::InfiniteWeight { value }),
        }
    }

    /// The tables of offsets and scales that are left of the scaling, with their names.
    pub(super) fn tables_of_scaling(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        let scaling = self.scaling.as_ref();
        let offset = scaling.map(|scaling| ("offset", &scaling.offset[..]));
        let scale = scaling.and_then(|scaling| Some(("scale", scaling.scale.as_deref()?)));
        offset.into_iter().chain(scale)
    }

    /// A number as the exported network has it.
    pub(super) fn rounded(&self, v: f64) -> f64 {
        match self.precision {
            Precision::Float => f64::from(v as f32),
            Precision::Double => v,
        }
    }

    /// Whether the readout has weights for the inputs.
    pub(super) fn has_linear_part(&self) -> bool {
        self.model.topology().has_linear_part()
    }

    /// Whether the outputs do not depend on the inputs: there are neither hidden layers nor a linear part.
    pub(super) fn is_constant(&self) -> bool {
        self.hidden.is_empty() && !self.has_linear_part()
    }

    /// What the outputs are, for a comment.
    pub(super) fn what_outputs_are(&self) -> &'static str {
        if self.model.has_probabilities() { "probabilities" } else { "outputs" }
    }

    pub(super) fn inputs(&self) -> usize {
        self.model.topology().inputs()
    }

    pub(super) fn outputs(&self) -> usize {
        self.model.topology().outputs()
    }
}
