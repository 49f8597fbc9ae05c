//! The cost of a network: mean squared error with the best output weights, plus the penalty outside the
//! sphere.

mod full;
mod generation;
mod sphere;

use super::Objective;
use super::cost_settings::CostSettings;
use super::gauss_newton::{GaussNewton, cost_of_slopes};
use super::pace::Pace;
use super::screening::{Cascade, Part, Problem};
use crate::cancellation::{Cancellation, check, shield};
use crate::error::check_size;
use crate::kernel::Isa;
use crate::network::{Samples, shape};
use crate::readout::Solution;
use crate::resources::pool;
use crate::{Dataset, Error, Evaluations, Population, Request, Topology};
use full::FullEvaluation;
use sphere::Sphere;
use std::time::Instant;

/// The paper's cost function.
///
/// With $K$ samples, $q$ outputs and output weights solved by least squares (eq. 18 and the text below it):
///
/// $$ f(\theta) = \begin{cases} \epsilon(\theta) & \lVert\theta\rVert \le R \\\\
/// \epsilon(\theta / \lVert\theta\rVert) + 50 (\lVert\theta\rVert - R) & \text{otherwise} \end{cases}
/// \qquad \epsilon = \frac{1}{Kq} \sum_{k} \lVert y_k - \Omega(\theta; x_k) \rVert^2, \quad R = \sqrt D $$
///
/// ```
/// use onefold::{Builtin, CostSettings, NetworkCost, Objective, Population, Topology};
/// let data = Builtin::Sinc.load(&Default::default())?;
/// let topology: Topology = "1-5-1".parse()?;
/// let mut cost = NetworkCost::new(topology, &data.train, &CostSettings::default())?;
/// let costs = cost.costs(&Population::new(1, 10));
/// assert!(costs[0] > 0.05); // all parameters zero: every hidden output is zero, nothing is explained
/// # Ok::<(), onefold::Error>(())
/// ```
#[derive(Debug)]
pub struct NetworkCost {
    context: Context,
    workers: Vec<Worker>,
    pool: Option<rayon::ThreadPool>,
    pace: Pace,
    /// The last network that was solved, with its parameters.
    solved: Option<(Vec<f64>, Solved)>,
}

/// What all workers read.
#[derive(Debug)]
struct Context {
    isa: Isa,
    topology: Topology,
    samples: Samples,
    sphere: Sphere,
    settings: CostSettings,
    /// Multiplications of a full evaluation, for [`poll`](crate::cancellation::poll).
    work: usize,
}

/// What one thread needs for itself.
#[derive(Clone, Debug)]
struct Worker {
    cascade: Cascade,
    full: FullEvaluation,
}

/// Seconds spent in the two parts of full evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Hidden layers.
    pub forward: f64,
    /// The least-squares output layer.
    pub readout: f64,
}

/// A network as a search leaves it: hidden parameters inside the sphere, output weights, and its cost in
/// plain arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solved {
    pub(crate) hidden: Vec<f64>,
    pub(crate) readout: Solution,
    /// Mean squared error in plain arithmetic with the standard library's `tanh`.
    pub(crate) mse: f64,
    pub(crate) penalty: f64,
}

impl NetworkCost {
    /// The cost of networks of this topology on these samples, with the fastest kernels of this processor.
    ///
    /// # Errors
    /// If topology and data do not fit together, the data is empty or not finite, or a setting is out of
    /// range.
    pub fn new(topology: Topology, data: &Dataset, settings: &CostSettings) -> Result<Self, Error> {
        Self::with_isa(topology, data, settings, Isa::detect())
    }

    /// Like [`new`](Self::new), with a given instruction set, for tests and benchmarks. The costs are the
    /// same bits.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_isa(
        topology: Topology,
        data: &Dataset,
        settings: &CostSettings,
        isa: Isa,
    ) -> Result<Self, Error> {
        settings.validate()?;
        data.check_usable()?;
        topology.check_fits(data.inputs.len(), data.outputs.len())?;
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        check_memory(&topology, data, settings, threads)?;
        let radius = settings.penalty_radius.of(topology.dim());
        let context = Context {
            isa,
            samples: Samples::new(data),
            sphere: Sphere { radius, weight: settings.penalty_weight },
            settings: settings.clone(),
            work: work(&topology, data.rows()),
            topology,
        };
        let worker = Worker::new(&context, data)?;
        let pool = pool(threads);
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        Ok(Self { context, workers: vec![worker; threads], pool, pace: Pace::default(), solved: None })
    }

    /// Whether costs have an L2 penalty.
    pub(crate) fn has_decay(&self) -> bool {
        self.context.settings.decay > 0.0
    }

    /// Evaluates every candidate in full, whatever its cutoff, and tells where the time goes.
    pub fn profile(&mut self, candidates: &Population) -> Profile {
        let Self { context, workers, .. } = self;
        let full = &mut workers[0].full;
        let mut profile = Profile { forward: 0.0, readout: 0.0 };
        for theta in candidates.rows() {
            let started = Instant::now();
            full.fill_columns(context, theta);
            let filled = Instant::now();
            std::hint::black_box(full.readout.residual());
            profile.forward += (filled - started).as_secs_f64();
            profile.readout += filled.elapsed().as_secs_f64();
        }
        profile
    }

    /// The network that these parameters stand for. It is not cut off.
    pub(crate) fn solve(&mut self, theta: &[f64]) -> Solved {
        let is_same = |(other, _): &&(Vec<f64>, Solved)| {
            other.iter().map(|v| v.to_bits()).eq(theta.iter().map(|v| v.to_bits()))
        };
        if let Some((_, solved)) = self.solved.as_ref().filter(is_same) {
            return solved.clone();
        }
        let _shield = shield();
        let solved = self.solve_anew(theta);
        self.solved = Some((theta.to_vec(), solved.clone()));
        solved
    }

    fn solve_anew(&mut self, theta: &[f64]) -> Solved {
        let Self { context, workers, .. } = self;
        let full = &mut workers[0].full;
        let mut hidden = theta.to_vec();
        let mut penalty = context.sphere.pull_in(theta, &mut hidden).unwrap_or(0.0);
        full.squared_error(context, &hidden);
        let mut readout = full.readout.solve();
        let plain =
            |weights: &[Vec<f64>]| context.samples.plain_squared_error(&context.topology, &hidden, weights);
        let mut squared = plain(&readout.weights);
        // Local steps use the cost of other output weights, which do not depend on a rank.
        if let Some(gauss_newton) = &mut full.gauss_newton {
            gauss_newton.cost(&context.topology, &hidden);
            let weights = gauss_newton.weights(context.topology.outputs());
            let with_ridge = plain(&weights);
            let decay = context.settings.decay;
            if decay > 0.0 {
                // Biases, which stand behind the weights, are not penalised.
                let of_readout = weights.iter().flat_map(|row| &row[..context.topology.last_hidden()]);
                penalty += decay * of_readout.chain(&hidden).map(|v| v * v).sum::<f64>();
            }
            if decay > 0.0 || with_ridge < squared {
                (readout.weights, squared) = (weights, with_ridge);
            }
        }
        Solved { hidden, readout, mse: squared / context.terms(), penalty }
    }
}

/// Multiplications of a full evaluation, roughly.
fn work(topology: &Topology, rows: usize) -> usize {
    let columns = topology.last_hidden() + topology.outputs();
    let of_row = topology.dim().saturating_add(columns.saturating_mul(columns));
    rows.saturating_mul(of_row) / 4
}

fn check_memory(
    topology: &Topology,
    data: &Dataset,
    settings: &CostSettings,
    threads: usize,
) -> Result<(), Error> {
    let total = topology.last_hidden() + usize::from(settings.output_bias) + topology.outputs();
    let widest = topology.hidden().iter().max().copied().unwrap_or(0);
    let what = || format!("a network {topology} on {} rows with {threads} threads", data.rows());
    let advice = "use fewer neurons, rows or threads";
    check_size(&[threads, total, 2 * total], what, advice)?;
    check_size(&[threads, data.rows() + 8, total + 2 * widest], what, advice)
}

impl Worker {
    fn new(context: &Context, data: &Dataset) -> Result<Self, Error> {
        let Context { isa, topology, settings, .. } = context;
        let cascade = if settings.early_rejection {
            let shape = shape(topology, settings.output_bias);
            // With a decay, weights are limited by that, not by rank.
            let tolerance = if settings.decay > 0.0 { 0.0 } else { settings.rank_tolerance };
            Cascade::new(Problem { isa: *isa, shape: &shape, data, tolerance })
        } else {
            Cascade::none()
        };
        let gauss_newton = (settings.decay > 0.0).then(|| context.gauss_newton()).transpose()?;
        Ok(Self { cascade, full: FullEvaluation::new(context, gauss_newton) })
    }
}

impl Context {
    /// Number of squared errors that the mean is over.
    fn terms(&self) -> f64 {
        (self.samples.rows * self.topology.outputs()) as f64
    }

    fn gauss_newton(&self) -> Result<GaussNewton, Error> {
        let CostSettings { output_bias, decay, .. } = self.settings;
        GaussNewton::new(self.isa, &self.topology, &self.samples, output_bias, decay)
    }
}

impl Objective for NetworkCost {
    fn dim(&self) -> usize {
        self.context.topology.dim()
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let Request { candidates, cutoffs, slopes } = *request;
        let Self { context, workers, pool, pace, .. } = self;
        let costs = &mut *evaluations.costs;
        if slopes.is_some() {
            context.costs_with_slopes(request, costs, &mut evaluations.slopes, &mut workers[0]);
            return;
        }
        let started = Instant::now();
        match pool {
            Some(pool) if pace.is_worth_splitting(costs.len()) => {
                let cancellation = Cancellation::current();
                pool.install(|| {
                    let _scope = cancellation.enter();
                    context.costs_in_parallel(candidates, cutoffs, 0, costs, workers);
                });
                // What the workers may have seen.
                check();
            }
            _ => {
                let count = costs.len();
                context.costs(Part { candidates, cutoffs, first: 0, costs }, &mut workers[0]);
                pace.learn(count, started.elapsed());
            }
        }
    }

    fn prepare_slopes(&mut self) -> Result<(), Error> {
        // Slopes are computed by the first worker alone. With a decay it has what is needed from the start.
        let gauss_newton = &mut self.workers[0].full.gauss_newton;
        if gauss_newton.is_none() {
            *gauss_newton = Some(self.context.gauss_newton()?);
            self.solved = None;
        }
        Ok(())
    }

    fn cost_of_slopes(&self) -> f64 {
        cost_of_slopes(&self.context.topology, self.context.samples.rows, self.context.settings.output_bias)
    }

    /// Mean squared error of the solved network, by a plain forward pass with the standard library's `tanh`,
    /// plus the penalty.
    fn confirm(&mut self, candidate: &[f64], _cost: f64) -> f64 {
        let solved = self.solve(candidate);
        solved.mse + solved.penalty
    }
}

#[cfg(test)]
mod tests;
