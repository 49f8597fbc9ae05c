//! The cost of a network: mean squared error with the best output weights, plus the penalty outside the
//! sphere.

mod context;
mod full;
mod generation;
mod in_tiles;
mod solved;
mod sphere;

use super::Objective;
use super::cost_settings::CostSettings;
use super::gauss_newton::cost_of_slopes;
use super::pace::Pace;
use super::screening::Part;
use super::tiled::Tiled;
use crate::cancellation::{Cancellation, check};
use crate::kernel::Isa;
use crate::resources::pool;
use crate::rows::{Columns, Samples, Source};
use crate::{Dataset, Derivatives, Error, Evaluations, Population, Request, Topology};
use context::{Context, Worker, check_memory, work};
pub(crate) use solved::Solved;
use sphere::Sphere;
use std::borrow::Cow;
use std::time::Instant;

/// The paper's cost function.
///
/// With $K$ samples, $q$ outputs and output weights solved by least squares (eq. 18 and the text below it):
///
/// $$ f(\theta) = \begin{cases} \epsilon(\theta) & \lVert\theta\rVert \le R \\\\
/// \epsilon(\theta / \lVert\theta\rVert) + 50 (\lVert\theta\rVert - R) & \text{otherwise} \end{cases}
/// \qquad \epsilon = \frac{1}{Kq} \sum_{k} \lVert y_k - \Omega(\theta; x_k) \rVert^2, \quad R = \sqrt D $$
///
/// Where rows have [weights](Dataset::with_weights), squared errors are multiplied by them, in units of their
/// mean. Candidates are then not rejected early, so that methods without derivatives take longer.
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
pub struct NetworkCost<'a> {
    context: Context,
    columns: Columns<'a>,
    /// One for each thread from the first generation on that several threads evaluate, before that a single
    /// one, with hidden outputs of all rows; none for large tables while their rows are read in tiles.
    workers: Vec<Worker>,
    /// For large tables, and for gradients.
    tiled: Option<Tiled>,
    /// The derivatives that are computed, if any.
    derivatives: Option<Derivatives>,
    /// The number of times that the rows of a large table were halved for `context.samples`.
    halvings: Option<u32>,
    pool: Option<rayon::ThreadPool>,
    pace: Pace,
    /// The last network that was solved, with its parameters.
    solved: Option<(Vec<f64>, Solved)>,
}

/// Seconds spent in the two parts of full evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Hidden layers.
    pub forward: f64,
    /// The least-squares output layer.
    pub readout: f64,
}

impl<'a> NetworkCost<'a> {
    /// The cost of networks of this topology on these samples, with the fastest kernels of this processor.
    ///
    /// # Errors
    /// If topology and data do not fit together, the data is empty or not finite, or a setting is out of
    /// range.
    pub fn new(
        topology: Topology,
        data: impl Into<Cow<'a, Dataset>>,
        settings: &CostSettings,
    ) -> Result<Self, Error> {
        Self::with_isa(topology, data, settings, Isa::detect())
    }

    /// Like [`new`](Self::new), with a given instruction set, for tests and benchmarks. The costs are the
    /// same bits.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_isa(
        topology: Topology,
        data: impl Into<Cow<'a, Dataset>>,
        settings: &CostSettings,
        isa: Isa,
    ) -> Result<Self, Error> {
        let columns = Columns::unscaled(data);
        columns.data().check_usable()?;
        Self::of_columns(topology, columns, settings, isa)
    }

    /// The cost of networks on rows that are scaled while they are read, and of which it is known that they
    /// are usable.
    pub(crate) fn of_columns(
        topology: Topology,
        columns: Columns<'a>,
        settings: &CostSettings,
        isa: Isa,
    ) -> Result<Self, Error> {
        settings.validate()?;
        let data = columns.data();
        topology.check_fits(data.inputs.len(), data.outputs.len())?;
        topology.check_columns(settings.output_bias)?;
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        let pool = pool(threads);
        let mut cost = Self {
            context: Context {
                isa,
                samples: Samples::default(),
                sphere: Sphere {
                    radius: settings.penalty_radius.of(topology.dim()),
                    weight: settings.penalty_weight,
                },
                settings: settings.clone(),
                terms: (data.rows() * data.outputs.len()) as f64,
                work: work(&topology, data.rows()),
                topology,
            },
            columns,
            workers: Vec::new(),
            tiled: None,
            derivatives: None,
            halvings: None,
            pool,
            pace: Pace::default(),
            solved: None,
        };
        if cost.is_small() {
            cost.keep_rows()?;
        } else {
            cost.tiled = Some(cost.context.tiled(Derivatives::Gradient, cost.threads())?);
        }
        Ok(cost)
    }

    /// Whether hidden outputs of all rows are kept, whatever the method.
    fn is_small(&self) -> bool {
        self.columns.rows() <= MOST_RESIDENT_ROWS
    }

    fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Keeps all rows in memory, and room for their hidden outputs for each thread.
    fn keep_rows(&mut self) -> Result<(), Error> {
        let threads = self.threads();
        check_memory(&self.context, self.columns.rows(), threads)?;
        let scaled = self.columns.to_dataset();
        self.context.samples = Samples::new(&scaled);
        self.halvings = Some(0);
        self.workers = vec![Worker::new(&self.context, &scaled)?];
        Ok(())
    }

    /// Whether costs without derivatives are computed in tiles. Otherwise there are workers.
    fn is_tiled(&mut self) -> bool {
        if !self.workers.is_empty() {
            return false;
        }
        // Screens, which need the rows in memory, reject most candidates of methods without derivatives.
        let is_kept = self.derivatives.is_none()
            && self.context.resident_bytes(self.columns.rows()) <= MOST_RESIDENT_BYTES
            && self.keep_rows().is_ok();
        !is_kept
    }

    /// Whether costs have an L2 penalty.
    pub(crate) fn has_decay(&self) -> bool {
        self.context.settings.decay > 0.0
    }

    /// Evaluates every candidate in full, whatever its cutoff, and tells where the time goes.
    ///
    /// Rows of large tables are evaluated in tiles, where the parts are not timed: none.
    pub fn profile(&mut self, candidates: &Population) -> Option<Profile> {
        if self.is_tiled() {
            return None;
        }
        let Self { context, workers, .. } = self;
        let full = &mut workers.first_mut()?.full;
        let mut profile = Profile { forward: 0.0, readout: 0.0 };
        for theta in candidates.rows() {
            let started = Instant::now();
            full.fill_columns(context, theta);
            let filled = Instant::now();
            std::hint::black_box(full.readout.residual());
            profile.forward += (filled - started).as_secs_f64();
            profile.readout += filled.elapsed().as_secs_f64();
        }
        Some(profile)
    }

    /// The threads that compute costs, if there are several.
    pub(crate) fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.pool.as_ref()
    }

    fn all_rows(&self) -> Source<'_> {
        match self.halvings {
            Some(0) => Source::Samples(&self.context.samples),
            _ => Source::Columns(&self.columns),
        }
    }
}

/// Hidden outputs of so many rows are kept, whatever the method; more are evaluated in tiles by methods with
/// derivatives.
const MOST_RESIDENT_ROWS: usize = 4096;
/// Bytes of hidden outputs for each thread above which all methods evaluate the rows in tiles.
const MOST_RESIDENT_BYTES: usize = 1 << 28;

impl Objective for NetworkCost<'_> {
    fn dim(&self) -> usize {
        self.context.topology.dim()
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let Request { candidates, cutoffs, slopes, .. } = *request;
        let has_tiled_slopes = slopes.is_some() && self.tiled.is_some();
        if has_tiled_slopes || self.is_tiled() {
            self.evaluate_in_tiles(request, evaluations);
            return;
        }
        // Beside derivatives, single evaluations take little time.
        let is_alone = self.derivatives.is_some();
        let Self { context, workers, pool, pace, .. } = self;
        let costs = &mut *evaluations.costs;
        if slopes.is_some() {
            context.costs_with_slopes(request, costs, &mut evaluations.slopes, &mut workers[0]);
            return;
        }
        let started = Instant::now();
        match pool {
            Some(pool) if !is_alone && pace.is_worth_splitting(costs.len()) => {
                if workers.len() < pool.current_num_threads() {
                    workers.resize(pool.current_num_threads(), workers[0].clone());
                }
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

    fn prepare_slopes(&mut self, derivatives: Derivatives) -> Result<(), Error> {
        self.derivatives = Some(derivatives);
        match self.workers.first_mut() {
            // Slopes are computed by the first worker alone. With a decay it has what is needed from the
            // start.
            Some(Worker { full, .. }) if derivatives == Derivatives::Matrix && self.tiled.is_none() => {
                if full.gauss_newton.is_none() {
                    full.gauss_newton = Some(self.context.gauss_newton()?);
                }
            }
            _ => {
                let mut tiled = self.context.tiled(derivatives, self.threads())?;
                if !self.workers.is_empty() {
                    tiled.keep(self.all_rows());
                }
                self.tiled = Some(tiled);
            }
        }
        self.solved = None;
        Ok(())
    }

    fn cost_of_slopes(&self) -> f64 {
        let Some(derivatives) = self.derivatives else { return 0.0 };
        let bias = self.context.settings.output_bias;
        cost_of_slopes(derivatives, &self.context.topology, self.columns.rows(), bias)
    }

    /// Mean squared error of the solved network, on small tables by a plain forward pass with the standard
    /// library's `tanh`, plus the penalty.
    fn confirm(&mut self, candidate: &[f64], _cost: f64) -> f64 {
        let solved = self.solve(candidate);
        solved.mse + solved.penalty
    }
}

#[cfg(test)]
mod tests;
