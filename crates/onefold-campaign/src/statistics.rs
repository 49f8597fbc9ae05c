//! Means, confidence intervals and tests for the tables.

use statrs::distribution::{ContinuousCDF as _, StudentsT};
use statrs::function::factorial::ln_binomial;

/// An estimate with the lower and upper end of its 95 % interval.
pub type Interval = (f64, f64, f64);

/// Two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Mean and standard deviation (with n − 1); the deviation of one value is 0.
#[must_use]
pub fn mean_and_deviation(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    (n > 0.0).then(|| {
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        (mean, if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
    })
}

/// The quantile `q` of sorted values, interpolated.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = q * (sorted.len() - 1) as f64;
    let (low, weight) = (position.floor() as usize, position.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + weight * (sorted[high] - sorted[low])
}

/// Wilson's 95 % interval of a proportion.
#[must_use]
pub fn wilson(successes: usize, runs: usize) -> (f64, f64) {
    let (n, p) = (runs as f64, successes as f64 / runs as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
}

/// A sample, summarised by its mean, standard deviation and size.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Number of values.
    pub count: f64,
}

/// An estimated variance, with the degrees of freedom of the estimate.
#[derive(Clone, Copy, Debug)]
pub struct Variance {
    /// The estimate.
    pub value: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
}

impl Sample {
    /// Variance of the logarithm of the mean, to first order.
    #[must_use]
    pub fn variance(self) -> Variance {
        Variance { value: (self.deviation / self.mean).powi(2) / self.count, freedom: self.count - 1.0 }
    }
}

/// The ratio of two means with its 95 % interval: Welch's interval on the logarithmic scale. None with fewer
/// than two values.
#[must_use]
pub fn ratio(a: Sample, b: Sample) -> Option<Interval> {
    ratio_to_repeat(a, b, &[])
}

/// The same with the prediction interval for a repetition, whose own variances are `repeat`.
#[must_use]
pub fn ratio_to_repeat(a: Sample, b: Sample, repeat: &[Variance]) -> Option<Interval> {
    if a.count < 2.0 || b.count < 2.0 {
        return None;
    }
    let terms = || [a.variance(), b.variance()].into_iter().chain(repeat.iter().copied());
    let variance: f64 = terms().map(|v| v.value).sum();
    let nu = variance * variance / terms().map(|v| v.value * v.value / v.freedom).sum::<f64>();
    let (ratio, width) = (a.mean / b.mean, (student(nu) * variance.sqrt()).exp());
    Some((ratio, ratio / width, ratio * width))
}

/// Two-sided 95 % quantile of Student's t distribution with at least one degree of freedom.
#[must_use]
pub fn student(nu: f64) -> f64 {
    StudentsT::new(0.0, 1.0, nu.max(1.0)).map_or(Z, |t| t.inverse_cdf(0.975))
}

/// Fisher's exact test, two-sided: the probability of success counts at most as likely as these if both
/// proportions are equal.
#[must_use]
pub fn fisher(successes: (usize, usize), runs: (usize, usize)) -> f64 {
    let (a, b) = (successes.0, successes.1);
    let (n, m) = (runs.0, runs.1);
    let total = a + b;
    let log = |k: usize| ln_choose(n, k) + ln_choose(m, total - k) - ln_choose(n + m, total);
    let observed = log(a);
    let p: f64 = (total.saturating_sub(m)..=n.min(total))
        .map(log)
        .filter(|l| *l <= observed + 1e-7)
        .map(f64::exp)
        .sum();
    p.min(1.0)
}

/// Logarithm of the binomial coefficient n over k.
#[must_use]
pub fn ln_choose(n: usize, k: usize) -> f64 {
    ln_binomial(n as u64, k as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_known_values() {
        let near = |a: f64, b: f64, eps: f64| assert!((a - b).abs() < eps, "{a} {b}");
        let (mean, deviation) = mean_and_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        near(mean, 5.0, 1e-12);
        near(deviation, 2.138_089_935, 1e-8);
        assert_eq!(mean_and_deviation(&[]), None);
        near(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5, 1e-12);
        near(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75, 1e-12);
        // scipy.stats.binomtest(18, 50).proportion_ci(method="wilson")
        let (low, high) = wilson(18, 50);
        near(low, 0.241_387_496_518, 1e-9);
        near(high, 0.498_589_831_239, 1e-9);
        near(wilson(50, 50).0, 0.928_652_400_867, 1e-9);
        near(wilson(50, 50).1, 1.0, 1e-12);
        // scipy.stats.t.ppf(0.975, nu)
        for (nu, expected) in
            [(1.0, 12.706_205), (4.0, 2.776_445), (9.0, 2.262_157), (30.0, 2.042_272), (98.0, 1.984_467)]
        {
            near(student(nu), expected, 1e-5);
        }
        // scipy.stats.fisher_exact
        near(fisher((8, 1), (10, 6)), 0.034_965_034_965, 1e-9);
        near(fisher((18, 0), (50, 20)), 0.001_595_323_839, 1e-9);
        near(fisher((50, 50), (50, 50)), 1.0, 1e-9);
        near(fisher((0, 0), (50, 50)), 1.0, 1e-9);
    }

    #[test]
    fn the_interval_of_a_ratio_has_its_nominal_coverage() {
        use onefold::rng::{Purpose, Streams};
        let (mut covered, trials) = (0, 2000);
        for trial in 0..trials {
            let mut rng = Streams::new(1, Purpose::Data, trial).long(0);
            let mut sample = |mean: f64, n: usize| {
                let values: Vec<f64> = (0..n).map(|_| mean * (1.0 + 0.3 * rng.normal())).collect();
                let (mean, deviation) = mean_and_deviation(&values).unwrap();
                Sample { mean, deviation, count: n as f64 }
            };
            let (_, low, high) = ratio(sample(2.0, 10), sample(1.0, 50)).unwrap();
            covered += u64::from((low..high).contains(&2.0));
        }
        let coverage = covered as f64 / trials as f64;
        assert!((0.93..0.97).contains(&coverage), "{coverage}");
    }
}
