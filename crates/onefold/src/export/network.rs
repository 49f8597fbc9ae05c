//! What all formats write: the numbers of a network.

use super::{ExportSettings, Exporter, Precision};
use crate::data::Scaler;
use crate::{Error, Model};

/// What all formats write.
pub(super) struct Network<'a> {
    pub(super) model: &'a Model,
    pub(super) name: &'a str,
    pub(super) precision: Precision,
    /// Offsets and scales of the inputs; none where they change nothing.
    pub(super) scaler: Option<[Vec<f64>; 2]>,
    pub(super) hidden: Vec<Layer>,
    pub(super) readout: Layer,
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

    /// Makes up for another scaling of the inputs: where they are `(x - o') / s'` instead of `(x - o) / s`.
    fn make_up_for(&mut self, scaler: &Scaler, [offset, scale]: &[Vec<f64>; 2]) {
        for (weights, shift) in self.weights.iter_mut().zip(&mut self.shifts) {
            for (i, w) in weights.iter_mut().enumerate() {
                let rest = scaler.offset[i] - offset[i];
                if rest != 0.0 {
                    *shift -= *w * (rest / scaler.scale[i]);
                }
                if scale[i].to_bits() != scaler.scale[i].to_bits() {
                    *w *= scale[i] / scaler.scale[i];
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
        let Exporter { name: of_format, has_float, .. } = settings.format.exporter();
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
        let mut network = Self {
            model,
            name,
            precision,
            scaler: (!plain).then(|| [scaler.offset.clone(), scaler.scale.clone()]),
            hidden: layers,
            readout: Layer::new(inputs, readout.iter().map(Vec::as_slice)),
        };
        network.check()?;
        network.round_scaler();
        network.check().map(|()| network)
    }

    /// Rounds offsets and scales, and makes up for it in the first layer: a difference of an input and its
    /// offset may be so small that rounding of the offset would change it.
    fn round_scaler(&mut self) {
        let Some(scaler) = &self.scaler else { return };
        let rounded = [0, 1].map(|part: usize| scaler[part].iter().map(|v| self.rounded(*v)).collect());
        self.hidden[0].make_up_for(self.model.scaler(), &rounded);
        self.scaler = Some(rounded);
    }

    /// Every number must be one in the precision asked for, and no divisor may vanish in it.
    fn check(&self) -> Result<(), Error> {
        let layers = self.hidden.iter().chain([&self.readout]);
        let [offsets, scales] = self.scaler.as_ref().map_or([&[][..], &[]], |[o, s]| [&o[..], &s[..]]);
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

    /// A number as the exported network has it.
    pub(super) fn rounded(&self, v: f64) -> f64 {
        match self.precision {
            Precision::Float => f64::from(v as f32),
            Precision::Double => v,
        }
    }

    pub(super) fn inputs(&self) -> usize {
        self.model.topology().inputs()
    }

    pub(super) fn outputs(&self) -> usize {
        self.model.topology().outputs()
    }
}
