//! The cost of a network: mean squared error with the best output weights, plus the penalty outside the sphere.

use super::Objective;
use super::cost_settings::CostSettings;
use super::gauss_newton::{GaussNewton, cost_of_slopes};
use super::pace::Pace;
use super::screening::{Growing, Sampled, Single};
use crate::error::check_size;
use crate::kernel::Isa;
use crate::network::{Forward, Samples};
use crate::readout::{Readout, Solution};
use crate::{Dataset, Error, Evaluations, Population, Request, Slopes, Topology};
use looks::{Looks, Part};
use std::time::Instant;

mod looks;

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
    shared: Shared,
    workers: Vec<Worker>,
    pool: Option<rayon::ThreadPool>,
    pace: Pace,
}

/// What all workers read.
#[derive(Debug)]
struct Shared {
    isa: Isa,
    topology: Topology,
    samples: Samples,
    radius: f64,
    /// First, second and third look.
    sampled: Option<Sampled>,
    single: Option<Single>,
    growing: Option<Growing>,
    settings: CostSettings,
}

/// What one thread needs for itself.
#[derive(Clone, Debug)]
struct Worker {
    forward: Forward,
    readout: Readout,
    rescaled: Vec<f64>,
    looks: Looks,
    /// Made when slopes are first asked for, or at once where all costs are its own: with a decay.
    gauss_newton: Option<GaussNewton>,
}

/// Seconds spent in the two parts of full evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Hidden layers.
    pub forward: f64,
    /// The least-squares output layer.
    pub readout: f64,
}

/// A network as a search leaves it: hidden parameters inside the sphere, output weights, and its cost in plain arithmetic.
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
    /// If topology and data do not fit together, the data is empty or not finite, or a setting is out of range.
    pub fn new(topology: Topology, data: &Dataset, settings: &CostSettings) -> Result<Self, Error> {
        Self::with_isa(topology, data, settings, Isa::detect())
    }

    /// Like [`new`](Self::new), with a given instruction set. The costs are the same bits.
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
        for (what, of_network, of_data) in [
            ("inputs", topology.inputs(), data.inputs.len()),
            ("outputs", topology.outputs(), data.outputs.len()),
        ] {
            if of_network != of_data {
                return Err(Error::Mismatch { topology: topology.to_string(), what, of_network, of_data });
            }
        }
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        let columns = topology.last_hidden() + usize::from(settings.output_bias);
        let total = columns + topology.outputs();
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let what = || format!("a network {topology} on {} rows with {threads} threads", data.rows());
        let advice = "use fewer neurons, rows or threads";
        check_size(&[threads, total, 2 * total], what, advice)?;
        check_size(&[threads, data.rows() + 8, total + 2 * widest], what, advice)?;
        let samples = Samples::new(data);
        let radius = settings.penalty_radius.of(topology.dim());
        let (mut sampled, mut single, mut growing) = (None, None, None);
        if settings.early_rejection {
            let bias = settings.output_bias;
            // With a decay, weights are held back by that, not by rank.
            let tolerance = if settings.decay > 0.0 { 0.0 } else { settings.rank_tolerance };
            growing = Growing::new(isa, &topology, data, bias, tolerance);
            sampled = Sampled::new(isa, &topology, data, bias);
            single = Single::new(isa, &topology, data, bias);
        }
        let gauss_newton = (settings.decay > 0.0)
            .then(|| GaussNewton::new(isa, &topology, &samples, settings.output_bias, settings.decay))
            .transpose()?;
        let worker = Worker {
            looks: Looks::new(&topology, sampled.as_ref(), single.as_ref(), growing.as_ref()),
            forward: Forward::new(&topology, samples.blocks),
            readout: Readout::new(isa, settings.rank_tolerance, samples.blocks, columns, topology.outputs()),
            rescaled: vec![0.0; topology.dim()],
            gauss_newton,
        };
        let pool = if threads > 1 {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            Some(builder.build().map_err(|e| Error::setting("threads", threads, e.to_string()))?)
        } else {
            None
        };
        let shared =
            Shared { isa, topology, samples, radius, sampled, single, growing, settings: settings.clone() };
        Ok(Self { shared, workers: vec![worker; threads], pool, pace: Pace::default() })
    }

    /// Evaluates every candidate in full, whatever its cutoff, and tells where the time goes.
    pub fn profile(&mut self, candidates: &Population) -> Profile {
        let Self { shared, workers, .. } = self;
        let worker = &mut workers[0];
        let mut profile = Profile { forward: 0.0, readout: 0.0 };
        for theta in candidates.rows() {
            let started = Instant::now();
            shared.fill_columns(theta, worker);
            let filled = Instant::now();
            std::hint::black_box(worker.readout.residual());
            profile.forward += (filled - started).as_secs_f64();
            profile.readout += filled.elapsed().as_secs_f64();
        }
        profile
    }

    /// The network that these parameters stand for.
    pub(crate) fn solve(&mut self, theta: &[f64]) -> Solved {
        let Self { shared, workers, .. } = self;
        let (hidden, mut penalty) = shared.pulled_into_sphere(theta);
        shared.squared_error(&hidden, &mut workers[0]);
        let mut readout = workers[0].readout.solve();
        let plain =
            |weights: &[Vec<f64>]| shared.samples.plain_squared_error(&shared.topology, &hidden, weights);
        let mut squared = plain(&readout.weights);
        // Local steps saw the cost of other weights, which need no rank.
        if let Some(gauss_newton) = &mut workers[0].gauss_newton {
            gauss_newton.cost(&shared.topology, &hidden);
            let weights = gauss_newton.weights(shared.topology.outputs());
            let with_ridge = plain(&weights);
            let decay = shared.settings.decay;
            if decay > 0.0 {
                // Biases stand behind the others, and pay nothing.
                let of_readout = weights.iter().flat_map(|row| &row[..shared.topology.last_hidden()]);
                penalty += decay * of_readout.chain(&hidden).map(|v| v * v).sum::<f64>();
            }
            if decay > 0.0 || with_ridge < squared {
                (readout.weights, squared) = (weights, with_ridge);
            }
        }
        Solved { hidden, readout, mse: squared / shared.terms(), penalty }
    }
}

impl Shared {
    /// The parameters at which the network is evaluated, and the penalty for getting there.
    fn pulled_into_sphere(&self, theta: &[f64]) -> (Vec<f64>, f64) {
        let norm = norm(theta);
        if norm > self.radius {
            (theta.iter().map(|v| v / norm).collect(), self.penalty(norm))
        } else {
            (theta.to_vec(), 0.0)
        }
    }

    /// What a parameter vector of this length, outside the sphere, pays.
    fn penalty(&self, norm: f64) -> f64 {
        self.settings.penalty_weight * (norm - self.radius)
    }

    /// Number of squared errors that the mean is over.
    fn terms(&self) -> f64 {
        (self.samples.rows * self.topology.outputs()) as f64
    }

    fn squared_error(&self, hidden: &[f64], worker: &mut Worker) -> f64 {
        self.fill_columns(hidden, worker);
        worker.readout.residual()
    }

    /// The least-squares problem of these parameters.
    fn fill_columns(&self, hidden: &[f64], worker: &mut Worker) {
        let (columns, targets) = worker.readout.fill();
        let outputs = self.topology.last_hidden() * self.samples.blocks;
        let (columns, bias) = columns.split_at_mut(outputs);
        worker.forward.run(self.isa, &self.topology, hidden, &self.samples, columns);
        if self.settings.output_bias {
            self.samples.ones(bias);
        }
        targets.copy_from_slice(&self.samples.targets);
    }

    fn cost(&self, theta: &[f64], cutoff: f64, worker: &mut Worker) -> f64 {
        let norm = norm(theta);
        if norm > self.radius {
            let penalty = self.penalty(norm);
            if penalty > cutoff && self.settings.early_rejection {
                return penalty; // the whole cost is no less
            }
            let mut hidden = std::mem::take(&mut worker.rescaled);
            hidden.iter_mut().zip(theta).for_each(|(h, v)| *h = v / norm);
            let error = self.error(&hidden, worker);
            worker.rescaled = hidden;
            return error + penalty;
        }
        self.error(theta, worker)
    }

    /// The mean squared error, with the decay's share.
    fn error(&self, hidden: &[f64], worker: &mut Worker) -> f64 {
        match &mut worker.gauss_newton {
            Some(gauss_newton) if self.settings.decay > 0.0 => gauss_newton.cost(&self.topology, hidden),
            _ => self.squared_error(hidden, worker) / self.terms(),
        }
    }
}

impl Shared {
    /// The cost, and the slopes where it is at most the cutoff and not yet enough. Candidates are inside the sphere.
    fn cost_with_slopes(
        &self,
        theta: &[f64],
        (above, cutoff): (f64, f64),
        slopes: &mut Slopes,
        worker: &mut Worker,
    ) -> f64 {
        let Some(gauss_newton) = &mut worker.gauss_newton else { return f64::INFINITY };
        let cost = gauss_newton.cost(&self.topology, theta);
        if cost > above && cost <= cutoff && cost.is_finite() {
            gauss_newton.slopes(&self.topology, theta, slopes);
        }
        cost
    }
}

impl Shared {
    /// Splits the candidates from `first` on evenly over the workers. Halving with `join` allocates nothing.
    fn shared_costs(
        &self,
        candidates: &Population,
        cutoffs: &[f64],
        first: usize,
        costs: &mut [f64],
        workers: &mut [Worker],
    ) {
        if workers.len() == 1 {
            self.costs(Part { candidates, cutoffs, first, costs }, &mut workers[0]);
            return;
        }
        let half = workers.len() / 2;
        let middle = costs.len() * half / workers.len();
        let (workers, other_workers) = workers.split_at_mut(half);
        let (costs, other_costs) = costs.split_at_mut(middle);
        rayon::join(
            || self.shared_costs(candidates, cutoffs, first, costs, workers),
            || self.shared_costs(candidates, cutoffs, first + middle, other_costs, other_workers),
        );
    }
}

fn norm(theta: &[f64]) -> f64 {
    theta.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Objective for NetworkCost {
    fn dim(&self) -> usize {
        self.shared.topology.dim()
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let Request { candidates, cutoffs, slopes } = *request;
        let Self { shared, workers, pool, pace } = self;
        let costs = &mut *evaluations.costs;
        if let Some(above) = slopes {
            for (i, slopes) in evaluations.slopes.iter_mut().enumerate() {
                costs[i] =
                    shared.cost_with_slopes(candidates.row(i), (above, cutoffs[i]), slopes, &mut workers[0]);
            }
            return;
        }
        let started = Instant::now();
        match pool {
            Some(pool) if pace.is_worth_sharing(costs.len()) => {
                pool.install(|| shared.shared_costs(candidates, cutoffs, 0, costs, workers));
            }
            _ => {
                let count = costs.len();
                shared.costs(Part { candidates, cutoffs, first: 0, costs }, &mut workers[0]);
                pace.learn(count, started.elapsed());
            }
        }
    }

    fn prepare_slopes(&mut self) -> Result<(), Error> {
        let Shared { isa, topology, samples, settings, .. } = &self.shared;
        // Slopes are computed by the first worker alone. With a decay it has what is needed from the start.
        let worker = &mut self.workers[0];
        if worker.gauss_newton.is_none() {
            let made = GaussNewton::new(*isa, topology, samples, settings.output_bias, settings.decay)?;
            worker.gauss_newton = Some(made);
        }
        Ok(())
    }

    fn cost_of_slopes(&self) -> f64 {
        cost_of_slopes(&self.shared.topology, self.shared.samples.rows, self.shared.settings.output_bias)
    }

    /// Mean squared error of the network left behind, by a plain forward pass with the standard library's `tanh`, plus
    /// the penalty.
    fn confirm(&mut self, candidate: &[f64], _cost: f64) -> f64 {
        let solved = self.solve(candidate);
        solved.mse + solved.penalty
    }
}

#[cfg(test)]
mod tests;
