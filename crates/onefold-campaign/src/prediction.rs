//! Prediction intervals for results on a new noisy sample, from runs on several samples.
//!
//! The paper used one noisy sample of each generated set. The variance of its mean is therefore the variance
//! between samples plus that of the runs on one sample. With runs on several samples both variances are
//! estimated (one-way analysis of variance), and the paper's mean is compared with the prediction interval
//! for a new sample.

use super::statistics::{Interval, Sample, Variance, ln_choose, mean_and_deviation, student};
use statrs::function::beta::ln_beta;

/// Minimum degrees of freedom, as a fraction of those of the samples. If the variance within samples is most
/// of the variance, Satterthwaite's formula gives close to zero degrees of freedom and useless intervals.
/// With this minimum, simulated intervals still have their nominal coverage (the tests below).
const LEAST_FREEDOM: f64 = 0.25;

/// Means over the runs on each of several noisy samples, on the logarithmic scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SampleMeans {
    /// Data seed, logarithm of the mean and number of runs, of the samples with at least one successful run.
    means: Vec<(u64, f64, f64)>,
    /// Squared coefficient of variation of the runs on one sample, pooled over samples.
    run_variance: f64,
    run_freedom: f64,
}

impl SampleMeans {
    /// From positive values by data seed. None with fewer than two samples, or with only one run on each.
    pub(crate) fn new(samples: &[(u64, Vec<f64>)]) -> Option<Self> {
        let used: Vec<_> = samples.iter().filter(|(_, values)| !values.is_empty()).collect();
        let count = used.len() as f64;
        let runs: usize = used.iter().map(|(_, values)| values.len()).sum();
        let run_freedom = runs as f64 - count;
        if count < 2.0 || run_freedom < 1.0 {
            return None;
        }
        let (mut means, mut squares) = (Vec::new(), 0.0);
        for (seed, values) in used {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            squares += values.iter().map(|v| (v / mean - 1.0).powi(2)).sum::<f64>();
            means.push((*seed, mean.ln(), n));
        }
        Some(Self { means, run_variance: squares / run_freedom, run_freedom })
    }

    /// Variance of the logarithm of a sample's mean that is due to its runs, averaged over samples with these
    /// numbers of runs.
    fn noise(&self, runs: &[f64]) -> Variance {
        let inverse = runs.iter().map(|n| 1.0 / n).sum::<f64>() / runs.len() as f64;
        Variance { value: self.run_variance * inverse, freedom: self.run_freedom }
    }

    /// The ratio of these means to an independent mean on one sample. If that sample is from the same
    /// distribution and the method is the same, the interval contains 1 with probability 95 %. None with
    /// fewer than two independent runs.
    pub(crate) fn ratio_to(&self, theirs: Sample) -> Option<Interval> {
        if theirs.count < 2.0 {
            return None;
        }
        let values: Vec<f64> = self.means.iter().map(|(_, log, _)| log - theirs.mean.ln()).collect();
        let runs: Vec<f64> = self.means.iter().map(|(_, _, n)| *n).collect();
        predict(&values, &[self.noise(&runs)], &[theirs.variance()])
    }

    /// The ratio to `other` on the samples that both have, with the interval that contains the ratio on a new
    /// sample with probability 95 %. `theirs` are the variances of the logarithms of the two means there.
    pub(crate) fn ratio_on_common(&self, other: &Self, theirs: &[Variance]) -> Option<Interval> {
        let (mut values, mut ours, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (seed, log, n) in &self.means {
            if let Some((_, other_log, other_n)) = other.means.iter().find(|(s, _, _)| s == seed) {
                values.push(log - other_log);
                ours.push(*n);
                others.push(*other_n);
            }
        }
        if values.len() < 2 {
            return None;
        }
        predict(&values, &[self.noise(&ours), other.noise(&others)], theirs)
    }
}

/// The mean of `values`, one for each sample, and the 95 % prediction interval for one more, both
/// exponentiated. `noise` are the variances of one value that are due to runs; `theirs` are those of the new
/// value. Degrees of freedom by Welch and Satterthwaite.
fn predict(values: &[f64], noise: &[Variance], theirs: &[Variance]) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let (centre, deviation) = mean_and_deviation(values)?;
    let count = values.len() as f64;
    let of_values = Variance { value: deviation * deviation, freedom: count - 1.0 };
    let due_to_runs: f64 = noise.iter().map(|v| v.value).sum();
    // The variance between samples is never negative: if runs explain all of the variance, only the standard
    // error of the mean is left.
    let (factor, noise) =
        if of_values.value > due_to_runs { (1.0 + 1.0 / count, noise) } else { (1.0 / count, &[][..]) };
    let plus = std::iter::once(Variance { value: factor * of_values.value, ..of_values })
        .chain(theirs.iter().copied());
    let (mut variance, mut squares) = (0.0, 0.0);
    for (sign, term) in plus.map(|t| (1.0, t)).chain(noise.iter().map(|t| (-1.0, *t))) {
        variance += sign * term.value;
        squares += term.value.powi(2) / term.freedom;
    }
    let freedom = (variance * variance / squares).max(LEAST_FREEDOM * of_values.freedom);
    let width = (student(freedom) * variance.sqrt()).exp();
    Some((centre.exp(), centre.exp() / width, centre.exp() * width))
}

/// The two-sided probability of `theirs` successes in `runs` on another sample, twice that of the smaller
/// tail, given successes and runs on several samples: a beta-binomial distribution with the correlation
/// within samples by analysis of variance. None if all runs or no runs succeed, or with fewer than two
/// samples: then the variance of the proportion cannot be estimated.
pub(crate) fn proportion_on_new_sample(
    samples: &[(usize, usize)],
    theirs: usize,
    runs: usize,
) -> Option<f64> {
    let count = samples.len() as f64;
    let (successes, all) = samples.iter().fold((0, 0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
    let (n, proportion) = (all as f64, successes as f64 / all as f64);
    if count < 2.0 || !(proportion > 0.0 && proportion < 1.0) {
        return None;
    }
    let of = |s: &(usize, usize)| (s.1 as f64, s.0 as f64 / s.1 as f64);
    let between: f64 =
        samples.iter().map(of).map(|(r, p)| r * (p - proportion).powi(2)).sum::<f64>() / (count - 1.0);
    let within: f64 = samples.iter().map(of).map(|(r, p)| r * p * (1.0 - p)).sum();
    let typical = (n - samples.iter().map(|s| (s.1 * s.1) as f64).sum::<f64>() / n) / (count - 1.0);
    let correlation = if n > count {
        let within = within / (n - count);
        ((between - within) / (between + (typical - 1.0) * within)).max(0.0)
    } else {
        0.0
    };
    // Variance of the proportion on a new sample plus that of our own estimate, divided by
    // proportion (1 - proportion).
    let variance = (correlation + (1.0 + (typical - 1.0) * correlation) / n).min(0.999);
    let (a, b) = (proportion * (1.0 / variance - 1.0), (1.0 - proportion) * (1.0 / variance - 1.0));
    let log = |k: usize| ln_choose(runs, k) + ln_beta(a + k as f64, b + (runs - k) as f64) - ln_beta(a, b);
    let of = |counts: std::ops::RangeInclusive<usize>| counts.map(|k| log(k).exp()).sum::<f64>();
    Some((2.0 * of(0..=theirs).min(of(theirs..=runs))).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onefold::rng::{Purpose, Streams};

    /// Coverage in simulated campaigns: runs with a coefficient of variation of 0.4 on samples whose
    /// logarithmic means have the standard deviation `scatter`, and one more sample with 50 runs.
    fn covered(count: u64, runs: usize, scatter: f64) -> f64 {
        let trials = 3000;
        let mut inside = 0;
        for trial in 0..trials {
            let mut rng = Streams::new(1, Purpose::Data, trial).long(0);
            let mut values = |runs: usize| -> Vec<f64> {
                let mean = (scatter * rng.normal()).exp();
                (0..runs).map(|_| mean * (1.0 + 0.4 * rng.normal()).max(0.05)).collect()
            };
            let samples: Vec<_> = (1..=count).map(|seed| (seed, values(runs))).collect();
            let theirs = values(50);
            let (mean, deviation) = mean_and_deviation(&theirs).unwrap();
            let theirs = Sample { mean, deviation, count: 50.0 };
            let (_, low, high) = SampleMeans::new(&samples).unwrap().ratio_to(theirs).unwrap();
            inside += u64::from((low..=high).contains(&1.0));
        }
        inside as f64 / trials as f64
    }

    #[test]
    fn the_prediction_interval_has_its_nominal_coverage() {
        for (count, runs, scatter) in
            [(20, 10, 0.3), (20, 10, 0.1), (20, 4, 0.3), (20, 4, 0.0), (20, 10, 0.6)]
        {
            let coverage = covered(count, runs, scatter);
            assert!(
                (0.93..=0.98).contains(&coverage),
                "{count} samples, {runs} runs, scatter {scatter}: {coverage}"
            );
        }
    }

    /// With two runs on each sample the estimate of the variance within samples is poor: the interval is too
    /// short, and up to 15 % instead of 5 % of the means on a new sample are called different.
    #[test]
    fn with_two_runs_on_each_sample_the_coverage_is_lower() {
        for (count, scatter) in [(10, 0.3), (10, 0.15), (20, 0.3), (20, 0.15)] {
            let coverage = covered(count, 2, scatter);
            assert!((0.84..0.95).contains(&coverage), "{count} samples, scatter {scatter}: {coverage}");
        }
    }

    #[test]
    fn a_ratio_on_common_samples_does_not_depend_on_their_difficulty() {
        let hard = |seed: u64| 1.0 + seed as f64;
        let of = |factor: f64, seeds: u64| -> SampleMeans {
            let values = |s: u64| [0.9, 1.0, 1.1].map(|noise| factor * hard(s) * noise).to_vec();
            SampleMeans::new(&(1..=seeds).map(|s| (s, values(s))).collect::<Vec<_>>()).unwrap()
        };
        let (ratio, low, high) = of(8.0, 12).ratio_on_common(&of(2.0, 20), &[]).unwrap();
        assert!((ratio - 4.0).abs() < 1e-9 && low > 3.9 && high < 4.1, "{ratio} {low} {high}");
    }

    #[test]
    fn too_few_samples_or_runs_give_no_interval() {
        assert_eq!(SampleMeans::new(&[(1, vec![1.0, 2.0])]), None);
        assert_eq!(SampleMeans::new(&[(1, vec![1.0]), (2, vec![2.0])]), None);
        assert_eq!(SampleMeans::new(&[(1, vec![1.0, 2.0]), (2, vec![])]), None);
        assert_eq!(proportion_on_new_sample(&[(4, 4), (4, 4)], 50, 50), None);
        assert_eq!(proportion_on_new_sample(&[(2, 4)], 50, 50), None);
    }

    #[test]
    fn proportions_that_differ_between_samples_predict_a_wide_range() {
        // Half of the runs succeed: first half of them on every sample, then all or none on a sample.
        let alike = [(2, 4); 20];
        let all_or_nothing: Vec<_> = (0..20).map(|i| (4 * (i % 2), 4)).collect();
        assert!(proportion_on_new_sample(&alike, 49, 50).unwrap() < 0.001);
        assert!(proportion_on_new_sample(&alike, 25, 50).unwrap() > 0.5);
        assert!(proportion_on_new_sample(&all_or_nothing, 49, 50).unwrap() > 0.3);
        // A new sample with 50 runs from the same distribution should be called different in 5 % of the
        // cases; with five runs on each sample it is about 10 %.
        let mut rejected = 0;
        for trial in 0..1000 {
            let mut rng = Streams::new(2, Purpose::Data, trial).long(0);
            let mut draw = |runs: usize| {
                let proportion = (0.6 + 0.2 * rng.normal()).clamp(0.02, 0.98);
                (0..runs).filter(|_| rng.between(0.0, 1.0) < proportion).count()
            };
            let samples: Vec<_> = (0..20).map(|_| (draw(5), 5)).collect();
            rejected += usize::from(proportion_on_new_sample(&samples, draw(50), 50).unwrap() < 0.05);
        }
        assert!((10..=120).contains(&rejected), "{rejected} of 1000");
    }
}
