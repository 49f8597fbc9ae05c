//! What the bounds of several screens have in common: least squares with columns that have errors.
//!
//! Notation: $H$ has the outputs of the last hidden layer in the full evaluation as its columns, and ones if
//! there is an output bias; $y$ is a column of targets, $w$ the weights of its output, and $K$ the number of
//! samples. A hat marks what a screen computes in their place.
//!
//! # Any weights
//!
//! Let $\lVert \hat H - H \rVert \le \eta$ in the spectral norm. For all weights $w$
//!
//! $$ \lVert H w - y \rVert \ge \lVert \hat H w - y \rVert - \eta \lVert w \rVert. $$
//!
//! Let $\hat w$ be the best weights for $\hat H$, $\hat r$ the norm of their residual, $\sigma$ the least
//! singular value of $\hat H$, and $d = \lVert w - \hat w \rVert$. The residual of $\hat w$ is orthogonal to
//! the columns of $\hat H$, so the right-hand side is at least
//! $\sqrt{\hat r^2 + \sigma^2 d^2} - \eta d - \eta \lVert \hat w \rVert$. Where $\sigma > \eta$, its minimum
//! over $d$ is
//!
//! $$ \hat r \sqrt{1 - \eta^2 / \sigma^2} - \eta \lVert \hat w \rVert. $$
//!
//! $\sigma^{-2}$ is at most the trace of $(\hat H^\top \hat H)^{-1}$.
//!
//! # Weights limited by the rank tolerance
//!
//! Where columns are so nearly collinear that this is not positive, there is another bound, because the full
//! evaluation uses only columns that keep a share of at least $\tau$, the rank tolerance, of their squared
//! norm after the columns before them are projected out. (Its normal equations demand ten times as much.) Let
//! its $n$ columns have length one. Their triangular factor is $R = D C$, where $D$ is diagonal with entries
//! of at least $\sqrt \tau$, and $C$ has ones on its diagonal and no larger entries elsewhere, because the
//! column that keeps the largest share is taken first. In the back-substitution $C w = D^{-1} Q^\top y$ the
//! right-hand side is at most $\lVert y \rVert / \sqrt \tau$, and the bound on the weights at most doubles at
//! every step, so that
//!
//! $$ \lVert w \rVert \le \sqrt{\frac{4^n - 1}{3 \tau}} \, \lVert y \rVert. $$
//!
//! The residual of the full evaluation is therefore at least $\hat r - \eta \lVert w \rVert$, where $\eta$ is
//! relative to the norms of the columns. These norms are over all samples, and no less than those over a part
//! of them.

use super::Problem;

/// Fraction by which every bound is reduced: covers rounding in the full evaluation.
const SLACK: f64 = 1e-6;

/// The lower bound of a cost that follows from one of the sum of squared residuals, given the number of
/// squares.
pub(super) fn of_cost(squares: f64, terms: f64) -> f64 {
    squares / terms * (1.0 - SLACK)
}

/// Norms of the target columns; none where one overflows or nearly vanishes, and nothing can be proved.
pub(super) fn target_norms(problem: Problem<'_>) -> Option<Vec<f64>> {
    let norm = |column: &Vec<f64>| column.iter().map(|v| v * v).sum::<f64>().sqrt();
    let norms: Vec<f64> = problem.data.outputs.iter().map(norm).collect();
    norms.iter().all(|norm| *norm == 0.0 || (1e-140..1e150).contains(norm)).then_some(norms)
}

/// The largest ratio of the norms of weights and targets in the full evaluation, by the rank tolerance.
pub(super) fn largest_weights(problem: Problem<'_>) -> f64 {
    let columns = problem.shape.columns();
    ((4_f64.powf(columns as f64) - 1.0) / (3.0 * problem.tolerance)).sqrt()
}
