//! Inner loops of the screens, which reject candidates by lower bounds of their costs.
//!
//! In all of them a lane is a candidate, not a sample: there are no sums across lanes and no padding, and
//! eight small least-squares problems cost hardly more than one. The bounds are derived in the files of the
//! same names under `objective/screening/`.

pub(crate) mod error_bounds;
pub(crate) mod incremental;
pub(crate) mod quadrature;
pub(crate) mod single_precision;
pub(crate) mod subset;
mod triangle;

#[cfg(test)]
mod tests;
