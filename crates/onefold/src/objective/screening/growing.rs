//! A growing part of the samples, in double precision: the least sum of squares over it is a lower bound of that over all of them.
//!
//! The factorisation is exact for columns that differ from the right ones by $\eta$ in norm, so the bound is that of `single.rs`, with a much smaller $\eta$. With one input and one hidden layer, a few nodes stand for all
//! samples ([`Condensed`]).
//!
//! Where columns are so nearly collinear that this proves nothing, there is another bound, since the full evaluation takes its weights only from columns that keep a share $\tau$ of their squared norm. With columns of length one its
//! triangle is $R = D C$, where $D \ge \sqrt \tau$ is diagonal and, because the largest share is taken first, $C$ has ones on the diagonal and nothing larger elsewhere. Back-substitution at most doubles at every step, so that
//! $n$ weights have a norm of at most
//!
//! $$ \lVert w \rVert \le \sqrt{\frac{4^n - 1}{3 \tau}} \, \lVert y \rVert, $$
//!
//! and the full evaluation's residual is at least $\hat r - \eta \lVert w \rVert$, with $\eta$ relative to the columns' norms: those over all samples, which are no less than those over the samples looked at. Its normal
//! equations demand shares ten times as large. Its own roundings count as errors of the columns too, and targets have an error of their own.

use super::SLACK;
use super::condensed::{Condensed, NODES};
use crate::kernel::{
    Block, GrowingWork, Isa, Proof, Strips, WIDTH, approximation_errors, grow, lower_bounds,
};
use crate::{Dataset, Topology};

/// Share of rejections from which on this look pays: about what it costs in full evaluations, with a little to spare.
const WORTHWHILE: f64 = 0.6;
/// The look ends when residuals exceed what is allowed by this share: then the rest of the proof nearly always succeeds.
const MARGIN: f64 = 0.002;
/// Sum of the Chebyshev coefficients of a neuron with one input and a weight that is not too large.
const COEFFICIENTS: f64 = 8.0;

#[derive(Clone, Debug)]
pub(in super::super) struct Growing {
    isa: Isa,
    strips: Strips,
    condensed: Option<Condensed>,
    proof: Proof,
    /// Number of squares in the full sum.
    terms: f64,
    pub(in super::super) worthwhile: f64,
}

impl Growing {
    /// `tolerance`: the least share of its squared norm that a column keeps in the full evaluation, zero if there is none.
    pub(in super::super) fn new(
        isa: Isa,
        topology: &Topology,
        data: &Dataset,
        bias: bool,
        tolerance: f64,
    ) -> Option<Self> {
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
        let largest = data.inputs.iter().map(|c| c.iter().fold(0.0, |a: f64, v| a.max(v.abs()))).collect();
        let strips = if let Some(Condensed { nodes, scales, targets, .. }) = &condensed {
            Strips::new(topology, nodes.clone(), targets.clone(), scales.clone(), bias, largest)
        } else {
            let order = scattered(rows);
            let inputs = order.iter().flat_map(|row| data.input(*row)).collect();
            let targets = order.iter().flat_map(|row| data.outputs.iter().map(|c| c[*row])).collect();
            Strips::new(topology, inputs, targets, Vec::new(), bias, largest)
        };
        let total = columns + topology.outputs();
        let summed = strips.count() * (strips.height() + columns) + rows / WIDTH + WIDTH;
        let proof = Proof {
            rows: rows as f64,
            relative: (summed * total) as f64 * f64::EPSILON,
            of_nodes: condensed.as_ref().map_or(0.0, |c| 2.0 * COEFFICIENTS * c.defect),
            largest_weights: ((4_f64.powf(columns as f64) - 1.0) / (3.0 * tolerance)).sqrt(),
            rest: condensed.as_ref().map_or(vec![0.0; norms.len()], |c| c.rest.clone()),
            norms,
        };
        Some(Self {
            isa,
            worthwhile: WORTHWHILE * strips.rows as f64 / rows as f64,
            strips,
            condensed,
            proof,
            terms: (rows * topology.outputs()) as f64,
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
        if let Some(Condensed { center, half, .. }) = &self.condensed {
            errors = approximation_errors(self.isa, &work.parameters, *center, *half, NODES);
            // Once on the samples, once at the nodes.
            errors.iter_mut().for_each(|error| *error *= 4.0);
        }
        let unexplained: f64 = self.proof.rest.iter().sum();
        let enough = cutoffs.map(|cutoff| (1.0 + MARGIN) * cutoff * self.terms - unexplained);
        grow(self.isa, topology, &self.strips, &Block(enough), work);
        lower_bounds(self.isa, &self.proof, &errors, work).map(|squares| squares / self.terms * (1.0 - SLACK))
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
