//! The data that optimiser and objective exchange in each generation: a request and its evaluations.

use crate::Population;

/// The request of an optimiser: the costs of some candidates and, optionally, their slopes.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The candidates.
    pub candidates: &'a Population,
    /// For each candidate, the cost above which the optimiser does not need an exact value.
    pub cutoffs: &'a [f64],
    /// If given, slopes are requested for candidates whose cost is at most their cutoff and above this value,
    /// at which the search ends.
    pub slopes: Option<f64>,
    /// Costs may be those on a random sample of the rows: all rows, halved this many times.
    pub halvings: u32,
}

impl<'a> Request<'a> {
    /// A request for costs only.
    #[must_use]
    pub fn costs(candidates: &'a Population, cutoffs: &'a [f64]) -> Self {
        Self { candidates, cutoffs, slopes: None, halvings: 0 }
    }

    /// Whether the slopes of a candidate that has this cost are requested. An infinite cost has none.
    #[must_use]
    pub fn wants_slopes(&self, candidate: usize, cost: f64) -> bool {
        let is_wanted = |above| cost > above && cost <= self.cutoffs[candidate] && cost.is_finite();
        self.slopes.is_some_and(is_wanted)
    }
}

/// Which derivatives an optimiser requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivatives {
    /// The gradient.
    Gradient,
    /// The gradient and the Gauss-Newton matrix.
    Matrix,
}

/// The result of a [`Request`], in the order of its candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// The cost of each candidate; above its cutoff it need not be exact.
    pub costs: Vec<f64>,
    /// The slopes of each candidate, if they were requested; otherwise empty.
    pub slopes: Vec<Slopes>,
    /// The standard error of each cost as an estimate of the mean over all rows that might be drawn; empty
    /// if it is not known.
    pub standard_errors: Vec<f64>,
}

/// The quadratic model of the cost near a point: $f(x + s) \approx f(x) + 2 g^\top s + s^\top A s$.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slopes {
    /// Half of the gradient, $g$.
    pub half_gradient: Vec<f64>,
    /// The Gauss-Newton matrix $A$, symmetric, in row-major order; empty if only the gradient is requested.
    pub matrix: Vec<f64>,
}

impl Evaluations {
    /// Resizes to fit a request. Memory is reused between generations.
    pub fn make_room(&mut self, request: &Request<'_>) {
        let count = request.candidates.len();
        self.costs.resize(count, f64::NAN);
        self.slopes.resize_with(if request.slopes.is_some() { count } else { 0 }, Slopes::default);
        self.standard_errors.clear();
    }

    /// Costs that are NaN or infinite become $+\infty$: a failed evaluation is never the best.
    pub fn sanitise(&mut self) {
        self.costs.iter_mut().filter(|cost| !cost.is_finite()).for_each(|cost| *cost = f64::INFINITY);
    }
}

impl From<Vec<f64>> for Evaluations {
    fn from(costs: Vec<f64>) -> Self {
        Self { costs, ..Self::default() }
    }
}
