//! All samples, in single precision: a lower bound that knows how rough its columns are.
//!
//! Let $\hat H$ be the rough hidden outputs and $H$ those of the exact evaluation, $\lVert \hat H - H \rVert \le \eta$. For all output weights $w$
//!
//! $$ \lVert H w - y \rVert \ge \lVert \hat H w - y \rVert - \eta \lVert w \rVert. $$
//!
//! With the best weights $\hat w$ for $\hat H$, their residual $\hat r$, the least singular value $\sigma$ of $\hat H$ and $d = \lVert w - \hat w \rVert$ this is at least
//! $\sqrt{\hat r^2 + \sigma^2 d^2} - \eta d - \eta \lVert \hat w \rVert$, whose minimum over $d$ is, where $\sigma > \eta$,
//!
//! $$ \hat r \sqrt{1 - \eta^2 / \sigma^2} - \eta \lVert \hat w \rVert. $$
//!
//! It lies within a thousandth of the residual unless columns are so nearly collinear that output weights are in the thousands.
//! $\sigma^{-2}$ is at most the trace of $(\hat H^\top \hat H)^{-1}$. The elimination that yields all of this is in double precision; it is exact for a matrix of scalar
//! products that differs from the right one by a share $\delta$ of the norms of the two columns, which takes at most $2 \delta A^2$ from $\hat r^2$ and $2 \delta B^2$ from $\sigma^2$, with
//! $B^2 = \lVert \hat H \rVert_F^2$ and $A = \lVert y \rVert + B \lVert \hat w \rVert$.

use super::SLACK;
use crate::kernel::{Isa, Rough, RoughFound, RoughWork, SINGLES, rough};
use crate::{Dataset, Topology};

/// Share of rejections from which on this look pays: about what it costs in full evaluations, with a little to spare.
const WORTHWHILE: f64 = 0.5;
/// Inputs beyond this are not looked at: they, or what tiny weights make of them, may be out of the range of singles.
const LARGEST: f64 = 1e30;
/// Covers roundings in the bound itself.
const SPARE: f64 = 1e-3;

/// All samples, and what they may prove.
#[derive(Clone, Debug)]
pub(in super::super) struct Single {
    isa: Isa,
    samples: Rough,
    rows: f64,
    /// Number of squares in the full sum.
    terms: f64,
    /// Relative error of scalar products and of their elimination.
    rounding: f64,
}

impl Single {
    pub(in super::super) const WORTHWHILE: f64 = WORTHWHILE;

    pub(in super::super) fn new(isa: Isa, topology: &Topology, data: &Dataset, bias: bool) -> Option<Self> {
        let rows = data.rows();
        let columns = topology.last_hidden() + usize::from(bias);
        let samples = Rough::new(&data.inputs, &data.outputs, bias);
        // What overflows or nearly vanishes, in double or in single precision, proves nothing.
        let is_usable = |square: &f64| *square == 0.0 || (1e-280..f64::MAX).contains(square);
        let is_small = |column: &Vec<f64>| column.iter().all(|x| x.abs() <= LARGEST);
        if rows <= columns || !samples.squares.iter().all(is_usable) || !data.inputs.iter().all(is_small) {
            return None;
        }
        Some(Self {
            isa,
            samples,
            rows: rows as f64,
            terms: (rows * topology.outputs()) as f64,
            rounding: (rows + 8 * (columns + topology.outputs() + 2)) as f64 * f64::EPSILON,
        })
    }

    pub(in super::super) fn work(&self, topology: &Topology) -> RoughWork {
        RoughWork::new(topology, &self.samples)
    }

    /// For up to sixteen candidates, lower bounds of their costs: zero where nothing can be proved.
    pub(in super::super) fn bounds(
        &self,
        topology: &Topology,
        candidates: &[&[f64]; SINGLES],
        work: &mut RoughWork,
    ) -> [f64; SINGLES] {
        for (i, block) in work.parameters.iter_mut().enumerate() {
            block.0 = std::array::from_fn(|lane| candidates[lane][i] as f32);
        }
        rough(self.isa, topology, &self.samples, work);
        std::array::from_fn(|lane| self.bound(work, lane))
    }

    fn bound(&self, work: &RoughWork, lane: usize) -> f64 {
        let RoughFound { found, lane, trace, error } = work.found(lane);
        let delta = self.rounding;
        let least = (1.0 - SPARE) / found.inverse_trace[lane] - 2.0 * delta * trace;
        let error = (1.0 + SPARE) * self.rows * error;
        // A NaN proves nothing.
        if !(least > 2.0 * error && least > 2.0 * delta * trace) {
            return 0.0;
        }
        let kept = (1.0 - error / least).sqrt();
        let mut sum = 0.0;
        for (t, squares) in self.samples.squares.iter().enumerate() {
            let weights = (1.0 + SPARE) * found.weights[t][lane];
            let reach = squares.sqrt() + (weights * trace).sqrt();
            let left = found.squares[t][lane] - 2.0 * delta * reach * reach;
            let norm = left.max(0.0).sqrt() * kept - (error * weights).sqrt();
            if norm > 0.0 {
                sum += norm * norm;
            }
        }
        sum / self.terms * (1.0 - SLACK)
    }
}
