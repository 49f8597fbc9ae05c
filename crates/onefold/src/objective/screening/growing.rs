//! A growing part of the samples, in double precision: the least sum of squares over it is a lower bound of that over all of them.
//!
//! The factorisation is exact for columns that differ from the right ones by $\eta$ in norm, mostly by rounding, so the bound is that of `single.rs`, with an $\eta$ which leaves something to be proved even where output weights are in the
//! millions. With one input and one hidden layer, a few nodes stand for all samples ([`Condensed`]).

use super::SLACK;
use super::condensed::{Condensed, NODES};
use crate::kernel::{Block, GrowingWork, Isa, Strips, WIDTH, approximation_errors, grow};
use crate::{Dataset, Topology};

/// Share of rejections from which on this look pays: about what it costs in full evaluations, with a little to spare.
const WORTHWHILE: f64 = 0.6;
/// The look ends when residuals exceed what is allowed by this share: then the rest of the proof nearly always succeeds.
const MARGIN: f64 = 0.002;
/// Covers roundings in the bound itself.
const SPARE: f64 = 1e-3;
/// Sum of the Chebyshev coefficients of a neuron with one input and a weight that is not too large.
const COEFFICIENTS: f64 = 8.0;

#[derive(Clone, Debug)]
pub(in super::super) struct Growing {
    isa: Isa,
    strips: Strips,
    condensed: Option<Condensed>,
    rows: f64,
    columns: f64,
    /// Number of squares in the full sum.
    terms: f64,
    /// Norms of the targets.
    norms: Vec<f64>,
    /// Error of the factorisations, here and in the full evaluation, relative to the norm of each column.
    rounding: f64,
    pub(in super::super) worthwhile: f64,
}

impl Growing {
    pub(in super::super) fn new(isa: Isa, topology: &Topology, data: &Dataset, bias: bool) -> Option<Self> {
        let rows = data.rows();
        let columns = topology.last_hidden() + usize::from(bias);
        let norms: Vec<f64> =
            data.outputs.iter().map(|c| c.iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
        // What overflows or nearly vanishes proves nothing.
        if rows <= columns || !norms.iter().all(|n| *n == 0.0 || (1e-140..1e150).contains(n)) {
            return None;
        }
        let is_shallow = topology.hidden().len() == 1;
        let condensed = if is_shallow { Condensed::new(isa, data) } else { None };
        let strips = if let Some(Condensed { nodes, scales, targets, .. }) = &condensed {
            let order = if std::env::var("SC").is_ok() { scattered(NODES) } else { (0..NODES).collect() };
            let q = topology.outputs();
            Strips::new(
                topology,
                order.iter().map(|i| nodes[*i]).collect(),
                order.iter().flat_map(|i| targets[*i * q..(*i + 1) * q].to_vec()).collect(),
                order.iter().map(|i| scales[*i]).collect(),
                bias,
            )
        } else {
            let order = scattered(rows);
            let inputs = order.iter().flat_map(|row| data.input(*row)).collect();
            let targets = order.iter().flat_map(|row| data.outputs.iter().map(|c| c[*row])).collect();
            Strips::new(topology, inputs, targets, Vec::new(), bias)
        };
        let total = columns + topology.outputs();
        let summed = strips.count() * (strips.height() + columns) + rows / WIDTH + WIDTH;
        Some(Self {
            isa,
            worthwhile: WORTHWHILE * strips.rows as f64 / rows as f64,
            strips,
            condensed,
            rows: rows as f64,
            columns: columns as f64,
            terms: (rows * topology.outputs()) as f64,
            norms,
            rounding: (summed * total) as f64 * f64::EPSILON,
        })
    }

    pub(in super::super) fn is_condensed(&self) -> bool {
        self.condensed.is_some()
    }

    pub(in super::super) fn work(&self, topology: &Topology) -> GrowingWork {
        GrowingWork::new(topology, &self.strips)
    }

    /// For up to eight candidates, lower bounds of their costs: zero where nothing can be proved. No more samples are looked at than it
    /// takes to exceed all cutoffs.
    pub(in super::super) fn bounds(
        &self,
        topology: &Topology,
        candidates: &[&[f64]; WIDTH],
        cutoffs: &[f64; WIDTH],
        work: &mut GrowingWork,
    ) -> [f64; WIDTH] {
        for (i, block) in work.parameters.iter_mut().enumerate() {
            *block = Block(std::array::from_fn(|lane| candidates[lane][i]));
        }
        let mut errors = Block::ZERO;
        let mut explained_by_none = 0.0;
        if let Some(Condensed { center, half, rest, .. }) = &self.condensed {
            errors = approximation_errors(self.isa, &work.parameters, *center, *half, NODES);
            explained_by_none = rest.iter().sum();
        }
        let enough = cutoffs.map(|cutoff| (1.0 + MARGIN) * cutoff * self.terms - explained_by_none);
        grow(self.isa, topology, &self.strips, &Block(enough), work);
        std::array::from_fn(|lane| self.bound(errors[lane], work, lane))
    }

    /// `errors`: the sum of the squares of what is between columns and polynomials.
    fn bound(&self, errors: f64, work: &GrowingWork, lane: usize) -> f64 {
        let found = &work.found;
        let of_nodes = self.condensed.as_ref().map_or(0.0, |c| 2.0 * COEFFICIENTS * c.defect);
        let relative = 2.0 * errors.sqrt() + self.columns.sqrt() * (self.rounding + of_nodes);
        let error = (1.0 + SPARE) * self.rows * relative * relative;
        let least = (1.0 - SPARE) / found.inverse_trace[lane];
        if error.is_nan() || least.is_nan() || least <= 2.0 * error {
            return 0.0;
        }
        let kept = (1.0 - error / least).sqrt();
        let mut sum = 0.0;
        for (t, norm) in self.norms.iter().enumerate() {
            let weights = (1.0 + SPARE) * found.weights[t][lane];
            let rest = self.condensed.as_ref().map_or(0.0, |c| c.rest[t]);
            let left = (found.squares[t][lane] + rest).sqrt() * kept;
            let left = left - (error * weights).sqrt() - (self.rounding + of_nodes) * norm;
            if left > 0.0 {
                sum += left * left;
            }
        }
        sum / self.terms * (1.0 - SLACK)
    }
}

/// All numbers below `count`, in an order of which every beginning is spread over all of them.
fn scattered(count: usize) -> Vec<usize> {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (count as f64 * 0.618_033_988_749_894_9) as usize;
    let step = (golden..=count).find(|step| common(*step, count) == 1).unwrap_or(1);
    (0..count).map(|i| i * step % count).collect()
}
