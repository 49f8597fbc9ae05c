//! The output layer of a classification as multinomial logistic regression on the hidden outputs.
//!
//! With columns $x_i$ (hidden outputs and a one), classes $c_i$ and weights $W$, the mean log loss with an L2
//! penalty is convex:
//!
//! $$ -\frac1K \sum_i \ln p_{c_i}(x_i) + \lambda \lVert W \rVert^2, \qquad
//! p_c(x) = \frac{e^{w_c \cdot x}}{\sum_k e^{w_k \cdot x}}. $$
//!
//! Where rows have weights, it is the weighted mean. Its Hessian is at most that of $\frac14 \lVert X W
//! \rVert^2 / K + \lambda \lVert W \rVert^2$ (Böhning 1992). In coordinates in which this bound is the
//! identity, limited-memory BFGS takes few steps, each of which needs two products with the columns. At zero
//! weights, a step to the minimum of the bound leads to twice the least-squares weights of 0 and 1 for the
//! classes: a good start where these are known.

mod descent;

use crate::Error;
use crate::kernel::dot;
use crate::resources::in_order;
use descent::{Descent, Step};
use rayon::ThreadPool;
use std::ops::Range;

/// The gradient, in units of the bound, at which the minimum is found: for a model, and to compare networks.
pub(crate) const PRECISE: f64 = 1e-7;
const ROUGH: f64 = 1e-3;
/// Maximum number of steps.
const STEPS: usize = 300;
/// Added to the diagonal of the bound, as a fraction of it: columns may be collinear.
const SHIFT: f64 = 1e-10;
/// Rows whose sums one thread computes at a time. The sums of such parts are added in order, so that the
/// number of threads does not change the result.
const PART: usize = 1024;

/// Rows of a classification as the output layer sees them.
pub(crate) trait SeenRows: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns, without the one for the bias.
    fn columns(&self) -> usize;
    /// The columns of some rows: parts of what is stored, or computed into `buffer`.
    fn part<'b>(&'b self, rows: Range<usize>, buffer: &'b mut Vec<f64>) -> Vec<&'b [f64]>;
    /// The class of a row.
    fn class(&self, row: usize) -> usize;
    /// The weights of the rows, if there are any.
    fn weights(&self) -> Option<&[f64]> {
        None
    }
}

/// A multinomial logistic regression.
pub(crate) struct Regression<'a, R> {
    pub(crate) rows: &'a R,
    /// Number of classes.
    pub(crate) count: usize,
    /// Whether each class has a bias.
    pub(crate) bias: bool,
    /// L2 penalty on all weights except the biases; positive, so that weights stay finite where the classes
    /// can be separated.
    pub(crate) penalty: f64,
    pub(crate) pool: Option<&'a ThreadPool>,
    /// The gradient, in units of the bound, at which the minimum is found.
    pub(crate) least_gradient: f64,
    /// Whether to end with the weights so far.
    pub(crate) is_over: &'a (dyn Fn() -> bool + Sync),
}

/// The weights of a regression.
pub(crate) struct Fitted {
    /// For each class those of the columns, and its bias last if there is one.
    pub(crate) weights: Vec<Vec<f64>>,
    /// Whether it was not ended before the minimum.
    pub(crate) is_complete: bool,
}

impl<R: SeenRows> Regression<'_, R> {
    /// The weights with the least cost, from these on, or from zero where that costs less.
    ///
    /// # Errors
    /// If columns are not finite.
    pub(crate) fn solve(&self, start: Option<&[Vec<f64>]>) -> Result<Fitted, Error> {
        let mut weights = start.map_or_else(|| vec![0.0; self.count * self.size()], <[Vec<f64>]>::concat);
        let is_complete = self.descend(&mut weights)?;
        let of_class = |class: usize| weights[class * self.size()..][..self.size()].to_vec();
        Ok(Fitted { weights: (0..self.count).map(of_class).collect(), is_complete })
    }

    /// Whether the descent reached its end.
    fn descend(&self, weights: &mut Vec<f64>) -> Result<bool, Error> {
        let Some(products) = self.products() else { return Ok(false) };
        let factor = self.factor(products).ok_or(Error::NoFiniteCost)?;
        let Some(mut descent) = Descent::new(self, factor, weights)? else { return Ok(false) };
        let mut step = Step::Descended;
        for _ in 0..STEPS {
            step = descent.step();
            if step != Step::Descended {
                break;
            }
        }
        *weights = descent.into_weights();
        Ok(step != Step::Ended)
    }

    /// The sum of the rows' weights, or their number.
    fn total_weight(&self) -> f64 {
        self.rows.weights().map_or(self.rows.rows() as f64, |weights| weights.iter().sum())
    }

    /// Number of weights of a class.
    fn size(&self) -> usize {
        self.rows.columns() + usize::from(self.bias)
    }

    /// Computes something for each part of the rows and adds it up in order; none if it was ended.
    fn sum(&self, size: usize, of_part: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Option<Vec<f64>> {
        let rows = self.rows.rows();
        let compute = |part: usize| {
            let mut sums = vec![0.0; size];
            let is_over = (self.is_over)();
            if !is_over {
                of_part(part * PART..((part + 1) * PART).min(rows), &mut sums);
            }
            (!is_over).then_some(sums)
        };
        let mut total = Some(vec![0.0; size]);
        in_order(self.pool, rows.div_ceil(PART), compute, |sums| {
            total = total.take().zip(sums).map(|(mut total, sums)| {
                total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                total
            });
        });
        total
    }

    /// The mean log loss with its penalty, and its gradient by the weights, in the layout of the weights;
    /// none if it was ended.
    fn cost(&self, weights: &[f64], gradient: &mut [f64]) -> Option<f64> {
        let sums = self.sum(weights.len() + 1, |rows, sums| self.add_part(rows, weights, sums))?;
        let (loss, sums) = sums.split_last()?;
        let (scale, columns) = (1.0 / self.total_weight(), self.rows.columns());
        let mut squares = 0.0;
        for (i, ((g, sum), w)) in gradient.iter_mut().zip(sums).zip(weights).enumerate() {
            let is_bias = i % self.size() == columns;
            *g = scale * sum + if is_bias { 0.0 } else { 2.0 * self.penalty * w };
            squares += if is_bias { 0.0 } else { w * w };
        }
        Some(scale * loss + self.penalty * squares)
    }

    /// The sums over some rows: the gradient of the loss, and last the loss.
    fn add_part(&self, rows: Range<usize>, weights: &[f64], sums: &mut [f64]) {
        let (size, mut buffer) = (self.size(), Vec::new());
        let columns = self.rows.part(rows.clone(), &mut buffer);
        let mut scores: Vec<Vec<f64>> =
            weights.chunks_exact(size).map(|w| scores(&columns, w, rows.len())).collect();
        let (mut loss, weights) = (0.0, self.rows.weights());
        for (i, row) in rows.enumerate() {
            let class = self.rows.class(row);
            let highest = scores.iter().map(|s| s[i]).fold(f64::NEG_INFINITY, f64::max);
            let own = scores[class][i];
            let mut sum = 0.0;
            for score in &mut scores {
                score[i] = libm::exp(score[i] - highest);
                sum += score[i];
            }
            let weight = weights.map_or(1.0, |weights| weights[row]);
            loss += weight * (libm::log(sum) + highest - own);
            scores.iter_mut().for_each(|score| score[i] /= sum);
            scores[class][i] -= 1.0;
            if weights.is_some() {
                scores.iter_mut().for_each(|score| score[i] *= weight);
            }
        }
        for (residuals, sums) in scores.iter().zip(sums.chunks_mut(size)) {
            sums.iter_mut().zip(&columns).for_each(|(sum, column)| *sum = dot(column, residuals));
            if self.bias {
                sums[size - 1] = residuals.iter().sum();
            }
        }
        if let Some(last) = sums.last_mut() {
            *last = loss;
        }
    }

    /// The scalar products of all pairs of columns, the ones included, by rows; none if it was ended.
    fn products(&self) -> Option<Vec<f64>> {
        let size = self.size();
        self.sum(size * size, |rows, sums| {
            let (ones, mut buffer) = (vec![1.0; rows.len()], Vec::new());
            let mut columns = self.rows.part(rows.clone(), &mut buffer);
            columns.extend(self.bias.then_some(&ones[..]));
            for i in 0..size {
                let weighted: Option<Vec<f64>> = self.rows.weights().map(|weights| {
                    columns[i].iter().zip(&weights[rows.clone()]).map(|(x, weight)| x * weight).collect()
                });
                let column = weighted.as_deref().unwrap_or(columns[i]);
                for j in i..size {
                    sums[i * size + j] = dot(column, columns[j]);
                }
            }
        })
    }

    /// The upper triangular Cholesky factor of the bound of the Hessian, by rows; none if it is not finite.
    fn factor(&self, mut factor: Vec<f64>) -> Option<Vec<f64>> {
        let size = self.size();
        let scale = 0.5 / self.total_weight();
        factor.iter_mut().for_each(|v| *v *= scale);
        for i in 0..size {
            let penalty = if i == self.rows.columns() { 0.0 } else { 2.0 * self.penalty };
            factor[i * size + i] = factor[i * size + i] * (1.0 + SHIFT) + penalty + SHIFT;
        }
        for i in 0..size {
            let (done, rest) = factor.split_at_mut(i * size);
            let row = &mut rest[..size];
            for above in done.chunks_exact(size) {
                let factor = above[i];
                row[i..].iter_mut().zip(&above[i..]).for_each(|(v, a)| *v -= factor * a);
            }
            // A NaN is not positive.
            if !(row[i] > 0.0 && row[i].is_finite()) {
                return None;
            }
            let root = row[i].sqrt();
            row[i..].iter_mut().for_each(|v| *v /= root);
        }
        Some(factor)
    }
}

/// The scores of one class for all rows.
fn scores(columns: &[&[f64]], weights: &[f64], rows: usize) -> Vec<f64> {
    let mut scores = vec![weights.get(columns.len()).copied().unwrap_or(0.0); rows];
    for (column, w) in columns.iter().zip(weights) {
        scores.iter_mut().zip(*column).for_each(|(score, x)| *score += w * x);
    }
    scores
}

/// A classification of rows by columns that are stored, with biases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logistic<'a> {
    /// The columns over all rows, without the ones.
    pub(crate) columns: &'a [Vec<f64>],
    /// The class of each row.
    pub(crate) classes: &'a [usize],
    /// Number of classes.
    pub(crate) count: usize,
    /// L2 penalty on all weights except the biases, positive.
    pub(crate) penalty: f64,
    /// The weights of the rows, if there are any.
    pub(crate) of_rows: Option<&'a [f64]>,
}

impl Logistic<'_> {
    /// The weights with about the least cost, from these on: for each class those of the columns, and its
    /// bias last. It is precise enough to compare networks.
    ///
    /// # Errors
    /// If columns are not finite.
    pub(crate) fn solve(&self, start: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, Error> {
        let Self { count, penalty, .. } = *self;
        let least_gradient = ROUGH;
        let is_over = &|| false;
        let regression =
            Regression { rows: self, count, bias: true, penalty, pool: None, least_gradient, is_over };
        regression.solve(Some(start)).map(|fitted| fitted.weights)
    }
}

impl SeenRows for Logistic<'_> {
    fn rows(&self) -> usize {
        self.classes.len()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn part<'b>(&'b self, rows: Range<usize>, _buffer: &'b mut Vec<f64>) -> Vec<&'b [f64]> {
        self.columns.iter().map(|column| &column[rows.clone()]).collect()
    }

    fn class(&self, row: usize) -> usize {
        self.classes[row]
    }

    fn weights(&self) -> Option<&[f64]> {
        self.of_rows
    }
}

#[cfg(test)]
mod tests;
