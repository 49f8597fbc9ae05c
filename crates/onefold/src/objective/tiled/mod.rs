//! Cost, gradient and Gauss-Newton matrix of a network in tiles of rows, on one thread or several.
//!
//! Hidden outputs are computed for a tile of rows that stays in the cache, used, and forgotten: memory
//! beyond the data does not depend on the number of rows. The first pass over the rows sums up the normal
//! equations of the output layer, the second one residuals, gradient and, if requested, the Gauss-Newton
//! matrix. With derivatives $D$ of outputs by hidden parameters, hidden outputs $H$ and ridge $\Lambda$,
//! the matrix of Kaufman's Jacobian (see [`GaussNewton`](super::gauss_newton)) is
//!
//! $$ J^\top J = D^\top D - D^\top H (H^\top H + \Lambda^2)^{-1} H^\top D. $$
//!
//! The cost is the residual of actual weights, so errors of the normal equations can only increase it.
//!
//! Sums are over tiles in order, then over chunks of tiles in order, and each thread computes whole chunks,
//! whose size depends only on the number of rows: the results do not depend on the number of threads.

mod cross_entropy;
mod matrix;
mod output_layer;
mod tile;

use super::gauss_newton::RIDGE;
use crate::cancellation::check;
use crate::error::check_size;
use crate::kernel::{Isa, WIDTH};
use crate::readout::Solution;
use crate::request::{Derivatives, Slopes};
use crate::rows::Source;
use crate::{Error, Topology};
use output_layer::OutputLayer;
use rayon::ThreadPool;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tile::{Network, Pass, Sums, Tile, has_pairs, pairs};

/// Bytes of the columns of a tile: a part of the second-level cache.
const TILE_BYTES: usize = 1 << 19;
/// Maximum number of blocks of a tile.
const LARGEST_TILE: usize = 64;
/// Chunks of tiles that are summed up before the sums are added in order.
const WAVE: usize = 16;
/// Least and largest number of blocks of a chunk.
const CHUNKS: [usize; 2] = [16, 4096];
/// Most bytes of tiles that are kept.
const MOST_KEPT: usize = 1 << 24;
/// Products of blocks in a pass for which other threads are woken; twice as many for kept tiles, where the
/// second pass takes less.
const LEAST_SHARED: usize = 200_000;
/// Products that take as long as a `tanh`.
const TANH: usize = 10;

/// The rows that costs are computed on, and threads to compute them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) pool: Option<&'a ThreadPool>,
}

/// Derivatives that are wanted where the cost is at most the cutoff.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) cutoff: f64,
    /// The cost above which they are wanted.
    pub(crate) above: f64,
    pub(crate) slopes: &'a mut Slopes,
}

impl Wanted<'_> {
    fn is_for(&self, cost: f64) -> bool {
        cost > self.above && cost <= self.cutoff && cost.is_finite()
    }
}

/// Workspace for the costs and slopes of one network at a time.
#[derive(Debug)]
pub(crate) struct Tiled {
    topology: Topology,
    derivatives: Derivatives,
    /// Blocks of a tile.
    blocks: usize,
    output_layer: OutputLayer,
    /// L2 penalty on all parameters.
    decay: f64,
    /// One for each thread.
    tiles: Vec<Tile>,
    /// Those of a small table, in order, see [`keep`](Self::keep); otherwise none.
    kept: Vec<Mutex<Tile>>,
    /// Bytes of the columns of a block.
    block_bytes: usize,
    sums: Sums,
    /// Those of the chunks that are computed at the same time.
    of_chunks: Vec<Mutex<Sums>>,
}

impl Tiled {
    /// Buffers for networks of this topology, for each of some threads. `decay` is an L2 penalty on all
    /// weights except the bias.
    ///
    /// # Errors
    /// If there is not enough memory for them.
    pub(crate) fn new(
        isa: Isa,
        topology: &Topology,
        bias: bool,
        decay: f64,
        derivatives: Derivatives,
        threads: usize,
    ) -> Result<Self, Error> {
        let (dim, outputs) = (topology.dim(), topology.outputs());
        let penalised = topology.readout_columns();
        let columns = penalised + usize::from(bias);
        let neurons: usize = topology.hidden().iter().sum();
        let linear = penalised - topology.last_hidden();
        let mut width = topology.inputs() + 3 * neurons + linear + outputs;
        let what = || format!("derivatives of a network {topology} with {threads} threads");
        let advice = "use fewer neurons or threads, or a method without derivatives";
        check_size(&[threads, dim + (columns + outputs).pow(2)], what, advice)?;
        if derivatives == Derivatives::Matrix {
            check_size(&[threads + 1, dim, dim + outputs * columns], what, advice)?;
            width += dim + if has_pairs(topology) { pairs(topology) } else { 0 };
        }
        let blocks = (TILE_BYTES / (8 * WIDTH * width)).clamp(4, LARGEST_TILE);
        let mut tile = Tile::new(isa, topology, bias, blocks);
        if derivatives == Derivatives::Matrix {
            tile.make_room_for_matrix(topology);
        }
        let sums = Sums::new(topology, columns, derivatives);
        let chunks = if threads > 1 { WAVE } else { 1 };
        let ridge = RIDGE.powi(2).max(decay * outputs as f64);
        let ridges = (0..columns).map(|n| if n < penalised { ridge } else { RIDGE.powi(2) });
        Ok(Self {
            derivatives,
            blocks,
            output_layer: OutputLayer::new(isa, outputs, penalised, ridges.collect()),
            decay,
            of_chunks: (0..chunks).map(|_| Mutex::new(sums.clone())).collect(),
            sums,
            tiles: vec![tile; threads.max(1)],
            kept: Vec::new(),
            block_bytes: 8 * WIDTH * width,
            topology: topology.clone(),
        })
    }

    /// Keeps the tiles of a small table: inputs are read once, and hidden outputs of the first pass are
    /// used in the second. All costs must be on these rows from now on.
    pub(crate) fn keep(&mut self, source: Source<'_>) {
        let all = source.blocks();
        if self.derivatives == Derivatives::Matrix || all * self.block_bytes > MOST_KEPT {
            return;
        }
        let tile = |range| Mutex::new(self.tiles[0].kept(&self.topology, source, range));
        let chunks = 0..all.div_ceil(chunk(all));
        self.kept = chunks.flat_map(|number| ranges(all, self.blocks, number)).map(tile).collect();
    }

    /// The mean squared error at `theta`, including ridge and L2 penalty. Derivatives are written to `slopes`
    /// unless the cost is above the cutoff.
    pub(crate) fn cost(&mut self, rows: Rows<'_>, theta: &[f64], wanted: Option<Wanted<'_>>) -> f64 {
        self.run(rows, theta, Pass::NormalEquations);
        let count = rows.source.rows() as f64;
        if !self.output_layer.solve(&self.sums.normal, count) {
            return f64::INFINITY;
        }
        let squares: f64 = if self.decay > 0.0 { theta.iter().map(|v| v * v).sum() } else { 0.0 };
        let scale = 1.0 / (count * self.topology.outputs() as f64);
        let cost = |squared: f64| scale * squared + self.decay * squares;
        // From the normal equations alone, which mostly tells whether derivatives are needed.
        let expected = cost(self.output_layer.expected_squares(&self.sums.normal));
        let is_expected = wanted.as_ref().is_some_and(|w| w.is_for(expected));
        self.run_with_weights(rows, theta, is_expected);
        let ridge = self.output_layer.ridge_penalty(count);
        let total = scale * (self.sums.squared + ridge) + self.decay * squares;
        if let Some(wanted) = wanted.filter(|w| w.is_for(total)) {
            if !is_expected {
                self.run_with_weights(rows, theta, true);
            }
            self.write_slopes(theta, scale, wanted.slopes);
        }
        total
    }

    /// The second pass: errors with the output weights, and derivatives where they are needed.
    fn run_with_weights(&mut self, rows: Rows<'_>, theta: &[f64], needs_derivatives: bool) {
        let weights = std::mem::take(&mut self.output_layer.weights);
        let pass = match self.derivatives {
            _ if !needs_derivatives => Pass::Errors(&weights),
            Derivatives::Gradient => Pass::Gradient(&weights),
            Derivatives::Matrix => Pass::Matrix(&weights),
        };
        self.run(rows, theta, pass);
        self.output_layer.weights = weights;
    }

    /// The standard error of the last cost as an estimate of that on all rows. Weights of rows count as if
    /// they were drawn with the rows.
    pub(crate) fn standard_error(&self, rows: Rows<'_>) -> f64 {
        let count = rows.source.rows() as f64;
        let (mean, mean_of_squares) = (self.sums.squared / count, self.sums.fourth / count);
        ((mean_of_squares - mean * mean).max(0.0) / count).sqrt() / self.topology.outputs() as f64
    }

    /// The sum of squared errors of the last [`cost`](Self::cost).
    pub(crate) fn squared_error(&self) -> f64 {
        self.sums.squared
    }

    /// The output weights of the last [`cost`](Self::cost).
    pub(crate) fn solution(&self) -> Solution {
        let (rank, least_share) = (self.output_layer.columns(), self.output_layer.least_share());
        Solution { weights: self.output_layer.rows(), rank, least_share }
    }

    /// Sums over all rows: chunks of tiles, added up in order.
    fn run(&mut self, rows: Rows<'_>, theta: &[f64], pass: Pass<'_>) {
        let Self { topology, blocks, tiles, kept, sums, of_chunks, .. } = self;
        let network = Network { topology, source: rows.source, theta };
        let all = rows.source.blocks();
        let chunks = all.div_ceil(chunk(all));
        let tiles_of_chunk = chunk(all).div_ceil(*blocks);
        let compute = |own: &mut Tile, number: usize, sums: &mut Sums| {
            sums.clear();
            for (i, range) in ranges(all, *blocks, number).enumerate() {
                match kept.get(number * tiles_of_chunk + i) {
                    Some(kept) => lock(kept).add(network, range, pass, sums),
                    None => own.add(network, range, pass, sums),
                }
            }
        };
        let least = if kept.is_empty() { LEAST_SHARED } else { 2 * LEAST_SHARED };
        let is_shared = all * products(topology, pass) >= least;
        sums.clear();
        for wave in (0..chunks).step_by(of_chunks.len()) {
            if check() {
                return;
            }
            let count = (chunks - wave).min(of_chunks.len());
            let next = AtomicUsize::new(0);
            let work = |own: &mut Tile| {
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                for i in numbers.take_while(|i| *i < count) {
                    compute(own, wave + i, &mut lock(&of_chunks[i]));
                }
            };
            match (rows.pool, &mut tiles[..]) {
                // This thread begins at once, as waking others takes time.
                (Some(pool), [own, others @ ..]) if count > 1 && is_shared => pool.in_place_scope(|scope| {
                    others.iter_mut().for_each(|other| scope.spawn(|_| work(other)));
                    work(own);
                }),
                (_, tiles) => work(&mut tiles[0]),
            }
            for of_chunk in &mut of_chunks[..count] {
                sums.add(of_chunk.get_mut().unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// Derivatives from the sums of the last pass.
    fn write_slopes(&mut self, theta: &[f64], scale: f64, slopes: &mut Slopes) {
        let Self { sums, decay, .. } = self;
        slopes.half_gradient.clear();
        let with_decay = |(g, v): (&f64, &f64)| *decay * v - scale * g;
        slopes.half_gradient.extend(sums.gradient.iter().zip(theta).map(with_decay));
        slopes.matrix.clear();
        if self.derivatives == Derivatives::Matrix {
            self.write_matrix(scale, &mut slopes.matrix);
        }
    }
}

/// Products of blocks that a pass takes for each block of rows, about.
fn products(topology: &Topology, pass: Pass<'_>) -> usize {
    let columns = topology.readout_columns() + topology.outputs();
    let forward = topology.dim() + TANH * topology.hidden().iter().sum::<usize>() + columns * columns / 2;
    match pass {
        Pass::Matrix(_) => forward + topology.dim().pow(2) / 4,
        _ => forward,
    }
}

/// Blocks of a chunk of tiles, of a table with this many.
fn chunk(all: usize) -> usize {
    all.div_ceil(WAVE).clamp(CHUNKS[0], CHUNKS[1])
}

/// The ranges of blocks of the tiles of a chunk.
fn ranges(all: usize, blocks: usize, number: usize) -> impl Iterator<Item = Range<usize>> {
    let start = number * chunk(all);
    let end = (start + chunk(all)).min(all);
    (start..end).step_by(blocks).map(move |first| first..(first + blocks).min(end))
}

/// What a thread left that panicked is not used: the panic goes on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
