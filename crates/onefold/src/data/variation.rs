//! Whether a column varies by numbers whose squares are numbers too.

use crate::error::DatasetProblem;

/// The smallest standard deviation of a target: errors as small as its rounding still have squares that are
/// neither zero nor subnormal, so that no error of 0 is reported which is none.
const LEAST_OF_TARGET: f64 = 1e-138;
/// The largest number of any column: the sum of squares over as many rows as fit into memory is finite.
const MOST: f64 = 1e150;

/// What is wrong with a target, where something is. One that is constant has nothing to learn, and no error
/// that could vanish.
pub(crate) fn variation_of_target(column: &[f64]) -> Option<DatasetProblem> {
    check(column, LEAST_OF_TARGET)
}

/// What is wrong with an input, where something is. Inputs are not squared before they are scaled, so one may
/// vary by much less than a target.
pub(crate) fn variation_of_input(column: &[f64]) -> Option<DatasetProblem> {
    check(column, f64::MIN_POSITIVE / f64::EPSILON)
}

fn check(column: &[f64], least: f64) -> Option<DatasetProblem> {
    let low = column.iter().copied().fold(f64::INFINITY, f64::min);
    let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let by = high - low;
    let size = low.abs().max(high.abs());
    if size > MOST {
        return Some(DatasetProblem::TooLarge { size, exponent: size.log10().floor() as i32 });
    }
    // The standard deviation is at least the range over the root of twice the number of rows.
    let deviation = by / (2.0 * column.len() as f64).sqrt();
    if by > 0.0 && deviation < least {
        return Some(DatasetProblem::TooNarrow { by, exponent: -by.log10().floor() as i32 });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_whose_squares_vanish_or_overflow_are_refused() {
        let wave = |scale: f64| -> Vec<f64> { (0..20).map(|i| scale * f64::from(i).sin()).collect() };
        for scale in [1e-320, 1e-310, 1e-200, 1e-160, 1e-145] {
            assert!(
                matches!(variation_of_target(&wave(scale)), Some(DatasetProblem::TooNarrow { .. })),
                "{scale}"
            );
        }
        for scale in [1e155, 1e200, 1e308] {
            for check in [variation_of_target, variation_of_input] {
                assert!(matches!(check(&wave(scale)), Some(DatasetProblem::TooLarge { .. })), "{scale}");
            }
        }
        for scale in [1e-130, 1e-12, 1.0, 1e15, 1e150] {
            assert_eq!(variation_of_target(&wave(scale)), None, "{scale}");
        }
        assert_eq!(variation_of_input(&wave(1e-200)), None);
        assert!(variation_of_input(&wave(1e-310)).is_some());
        assert_eq!(variation_of_target(&[1e-300; 5]), None, "a constant column does not vary");
    }
}
