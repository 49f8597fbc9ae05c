//! A few samples: the least sum of squares over a subset is a lower bound of that over all of them.
//!
//! If it already exceeds what the cutoff allows for all samples, the candidate has lost, and nobody needs to know by how much.

use super::SLACK;
use crate::kernel::{Block, Isa, Probe, ScreenWork, Screened, WIDTH, screen};
use crate::{Dataset, Topology};

/// More samples than this would not stay in the cache.
const MOST_ROWS: usize = 512;

/// The samples to look at first, and what they may prove.
#[derive(Clone, Debug)]
pub(in super::super) struct Sampled {
    isa: Isa,
    probe: Probe,
    /// Bound on the rounding error of a residual's norm, times the square root of the least share.
    rounding: f64,
    /// Number of squares in the full sum.
    terms: f64,
    /// Share of rejections from which on screening pays: what it costs in full evaluations, with a little to spare.
    pub(in super::super) worthwhile: f64,
}

impl Sampled {
    /// A forty-eighth of the samples, but enough of them to exceed the number of columns well; none where that is
    /// too large a part.
    pub(in super::super) fn new(isa: Isa, topology: &Topology, data: &Dataset, bias: bool) -> Option<Self> {
        let columns = topology.last_hidden() + usize::from(bias);
        let rows = (data.rows() / 48).max(columns + 8).min(MOST_ROWS);
        if 3 * rows > data.rows() || rows <= columns {
            return None;
        }
        let part = data.select(&spread_out(data, rows));
        let probe = Probe {
            rows,
            inputs: (0..rows).flat_map(|row| part.input(row)).collect(),
            targets: part.outputs.concat(),
            bias,
        };
        let norm = probe.targets.iter().map(|y| y * y).sum::<f64>().sqrt();
        Some(Self {
            isa,
            probe,
            rounding: 64.0 * f64::EPSILON * columns as f64 * norm,
            terms: (data.rows() * topology.outputs()) as f64,
            worthwhile: 1.25 * rows as f64 / data.rows() as f64,
        })
    }

    pub(in super::super) fn work(&self, topology: &Topology) -> ScreenWork {
        ScreenWork::new(topology, &self.probe)
    }

    /// For up to eight candidates, lower bounds of their costs: zero where nothing can be proved.
    pub(in super::super) fn bounds(
        &self,
        topology: &Topology,
        candidates: &[&[f64]; WIDTH],
        work: &mut ScreenWork,
    ) -> [f64; WIDTH] {
        for (i, block) in work.parameters.iter_mut().enumerate() {
            *block = Block(std::array::from_fn(|lane| candidates[lane][i]));
        }
        let Screened { squares, least_share } = screen(self.isa, topology, &self.probe, work);
        std::array::from_fn(|lane| {
            let norm = squares[lane].sqrt() - self.rounding / least_share[lane].sqrt();
            // A NaN or a share of zero proves nothing.
            if norm > 0.0 { norm * norm / self.terms * (1.0 - SLACK) } else { 0.0 }
        })
    }
}

/// Indices of `count` samples, each as far as possible from those before it: a subset that covers the inputs.
fn spread_out(data: &Dataset, count: usize) -> Vec<usize> {
    let distance = |a: usize, b: usize| data.inputs.iter().map(|c| (c[a] - c[b]).powi(2)).sum::<f64>();
    let mut nearest = vec![f64::INFINITY; data.rows()];
    let mut chosen = vec![0];
    while chosen.len() < count {
        let last = chosen[chosen.len() - 1];
        let mut farthest = 0;
        nearest[last] = f64::NEG_INFINITY;
        for row in 0..data.rows() {
            nearest[row] = nearest[row].min(distance(row, last));
            if nearest[row] > nearest[farthest] {
                farthest = row;
            }
        }
        chosen.push(farthest);
    }
    chosen
}
