//! The strategy constants, computed from settings and dimension.

use super::{CmaPreset, CmaSettings, Covariance};

/// The constants of one run. Equations and table are those of the tutorial, arXiv:1604.00772v2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constants {
    /// The recombination weight of each rank; those after the first `mu` are zero or, with active update,
    /// negative (eq. 49 to 53).
    pub(super) weights: Vec<f64>,
    /// Number of positive weights.
    pub(super) mu: usize,
    /// Variance effective selection mass (eq. 8).
    pub(super) mueff: f64,
    /// Learning rate of the step-size evolution path (eq. 55).
    pub(super) cs: f64,
    /// Damping of the step size (eq. 55).
    pub(super) damps: f64,
    /// Learning rate of the covariance evolution path (eq. 56).
    pub(super) cc: f64,
    /// Learning rate of the rank-one update (eq. 57).
    pub(super) c1: f64,
    /// Learning rate of the rank-mu update (eq. 58).
    pub(super) cmu: f64,
    /// Expected length of a standard normal vector.
    pub(super) chi: f64,
    /// Generations between two decompositions of the covariance (appendix B.2).
    pub(super) gap: f64,
    /// Largest change of the logarithm of the step size in one generation.
    pub(super) max_change: f64,
}

impl Constants {
    pub(super) fn new(dim: usize, lambda: usize, settings: &CmaSettings) -> Self {
        let n = dim as f64;
        let preset = settings.preset;
        let mut ranks = Ranks::new(lambda, preset);
        let mueff = ranks.mueff;
        let (cc, c1, cmu) = learning_rates(n, lambda, mueff, settings);
        let (cs, damps) = step_size(n, mueff, settings);
        ranks.scale_negative(n, c1, cmu, preset);
        // Decomposes half as often as pycma: the ellipsoid in 30 to 60 dimensions needs the same evaluations
        // within 1 %.
        let lazy = if preset == CmaPreset::Reference { 10.0 } else { 5.0 };
        Self {
            weights: ranks.weights,
            mu: ranks.mu,
            mueff,
            cs,
            damps,
            cc,
            c1,
            cmu,
            chi: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            gap: 1.0 / ((c1 + cmu) * n * lazy),
            max_change: if preset == CmaPreset::Reference { f64::INFINITY } else { 1.0 },
        }
    }
}

/// The recombination weights while they are computed.
struct Ranks {
    /// Positive weights sum to one.
    weights: Vec<f64>,
    mu: usize,
    /// Index of the first negative weight; for odd lambda the middle rank has weight zero.
    first_negative: usize,
    mueff: f64,
    mueff_negative: f64,
}

impl Ranks {
    fn new(lambda: usize, preset: CmaPreset) -> Self {
        let mu = lambda / 2;
        // Eq. 49; the C code has ln(mu + 1) instead of ln((lambda + 1) / 2).
        let head = match preset {
            CmaPreset::Reference => mu as f64 + 1.0,
            _ => f64::midpoint(lambda as f64, 1.0),
        };
        let raw = |rank: usize| libm::log(head) - libm::log(rank as f64);
        let mut weights: Vec<f64> = (1..=lambda).map(raw).collect();
        let mass = |w: &[f64]| w.iter().sum::<f64>().powi(2) / w.iter().map(|v| v * v).sum::<f64>();
        let mueff = mass(&weights[..mu]);
        let first_negative = lambda - mu;
        let mueff_negative = mass(&weights[first_negative..]);
        let positive: f64 = weights[..mu].iter().sum();
        weights[..mu].iter_mut().for_each(|w| *w /= positive);
        weights[mu..first_negative].fill(0.0);
        Self { weights, mu, first_negative, mueff, mueff_negative }
    }

    /// Eq. 50 to 53: the sum of the negative weights is the minimum of three limits, the last of which keeps
    /// the covariance matrix positive definite.
    fn scale_negative(&mut self, n: f64, c1: f64, cmu: f64, preset: CmaPreset) {
        let negative = &mut self.weights[self.first_negative..];
        if preset == CmaPreset::Reference {
            negative.fill(0.0);
            return;
        }
        let alpha_mu = 1.0 + c1 / cmu;
        let alpha_mueff = 1.0 + 2.0 * self.mueff_negative / (self.mueff + 2.0);
        let alpha_posdef = (1.0 - c1 - cmu) / (n * cmu);
        let total: f64 = -negative.iter().sum::<f64>();
        let limit = alpha_mu.min(alpha_mueff).min(alpha_posdef).max(0.0);
        let scale = if cmu > 0.0 { limit / total } else { 0.0 };
        negative.iter_mut().for_each(|w| *w *= scale);
    }
}

/// Learning rates of the covariance evolution path, of the rank-one and of the rank-mu update.
fn learning_rates(n: f64, lambda: usize, mueff: f64, settings: &CmaSettings) -> (f64, f64, f64) {
    let (cc, mut c1, mut cmu) = match settings.preset {
        CmaPreset::Reference => {
            let ccov = 2.0 / (n + std::f64::consts::SQRT_2).powi(2) / mueff
                + (1.0 - 1.0 / mueff) * 1.0_f64.min((2.0 * mueff - 1.0) / ((n + 2.0).powi(2) + mueff));
            (4.0 / (n + 4.0), ccov / mueff, ccov * (1.0 - 1.0 / mueff))
        }
        CmaPreset::Tutorial | CmaPreset::Pycma => {
            let few =
                if settings.preset == CmaPreset::Pycma { 1.0_f64.min(lambda as f64 / 6.0) } else { 1.0 };
            (
                (4.0 + mueff / n) / (n + 4.0 + 2.0 * mueff / n),
                few * 2.0 / ((n + 1.3).powi(2) + mueff),
                2.0 * (0.25 + mueff + 1.0 / mueff - 2.0) / ((n + 2.0).powi(2) + mueff),
            )
        }
    };
    if settings.covariance == Covariance::Diagonal {
        // Ros and Hansen 2008: fewer parameters allow larger learning rates.
        let faster = (n + 2.0) / 3.0;
        (c1, cmu) = (c1 * faster, cmu * faster);
    }
    let c1 = c1.min(1.0);
    (cc, c1, cmu.min(1.0 - c1))
}

/// Learning rate of the step-size evolution path, and the damping of the step size.
fn step_size(n: f64, mueff: f64, settings: &CmaSettings) -> (f64, f64) {
    let preset = settings.preset;
    let path = ((mueff - 1.0) / (n + 1.0)).sqrt();
    let cs = (mueff + 2.0) / (n + mueff + if preset == CmaPreset::Tutorial { 5.0 } else { 3.0 });
    let cs = if preset == CmaPreset::Pycma { cs.min(0.5) } else { cs };
    let damps = match preset {
        CmaPreset::Reference => {
            let lasting = settings.horizon.map_or(1.0, |horizon| 1.0 - n / horizon.max(1) as f64);
            (1.0 + 2.0 * (path - 1.0).max(0.0)) * lasting.max(0.3) + cs
        }
        CmaPreset::Tutorial => 1.0 + 2.0 * (path - 1.0).max(0.0) + cs,
        CmaPreset::Pycma => {
            let inner = (3.0 * (1.0 - libm::pow(0.5, n / 9.0))).max(1.0);
            1.0 + 2.0 * (inner * path - 1.0).max(0.0) + cs
        }
    };
    (cs, damps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CommonSettings;

    fn constants(dim: usize, population: Option<usize>, preset: CmaPreset) -> Constants {
        let common = CommonSettings { population, ..CommonSettings::default() };
        let settings = CmaSettings { preset, ..CmaSettings::default() };
        Constants::new(dim, CmaSettings::population(&common, dim), &settings)
    }

    #[test]
    fn pycma_preset_has_the_constants_of_pycma() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs() + 1e-12, "{a} {b}");
        for (dim, population, expected) in PYCMA {
            let c = constants(*dim, Some(*population), CmaPreset::Pycma);
            let [mueff, cs, damps, cc, c1, cmu, first, last, sum_negative, chi] = *expected;
            near(c.mueff, mueff);
            near(c.cs, cs);
            near(c.damps, damps);
            near(c.cc, cc);
            near(c.c1, c1);
            near(c.cmu, cmu);
            near(c.weights[0], first);
            near(c.weights[population - 1], last);
            near(c.weights.iter().filter(|w| **w < 0.0).sum(), sum_negative);
            // pycma uses the exact expected length, the tutorial and this code the usual series.
            assert!((c.chi - chi).abs() < 1e-3 * chi, "{} {chi}", c.chi);
        }
    }

    /// Dimension, population and constants of pycma 4.5.0, printed by
    /// `benchmarks/cma_functions.py --constants`, in the order of the test above.
    const PYCMA: &[(usize, usize, [f64; 10])] = &[
        (
            2,
            6,
            [
                2.028_611_464_610_061_7,
                0.5,
                1.5,
                0.624_554_539_026_826_4,
                0.154_815_399_896_413_6,
                0.085_592_779_426_664_24,
                0.637_042_571_241_216_8,
                -1.155_981_778_158_921_2,
                -2.207_323_654_840_602,
                1.253_314_137_315_500_3,
            ],
        ),
        (
            5,
            8,
            [
                2.600_178_826_113_18,
                0.433_971_813_266_092_85,
                1.433_971_813_266_092_8,
                0.450_199_557_992_808_03,
                0.047_292_304_159_400_896,
                0.047_859_049_602_982_48,
                0.529_930_184_478_779_2,
                -0.811_149_352_026_059,
                -1.988_158_029_708_424,
                2.127_692_162_140_974_6,
            ],
        ),
        (
            10,
            10,
            [
                3.167_299_281_410_701_7,
                0.319_614_252_910_633_4,
                1.319_614_252_910_633_4,
                0.294_990_383_035_622_25,
                0.015_283_824_524_751_714,
                0.023_551_776_650_417_47,
                0.456_272_646_903_405_97,
                -0.549_749_917_697_385_3,
                -1.648_945_714_440_647,
                3.084_327_759_799_864,
            ],
        ),
        (
            10,
            100,
            [
                26.966_655_064_651_05,
                0.5,
                4.450_942_217_715_024,
                0.345_307_647_355_691_7,
                0.012_931_871_565_203_196,
                0.295_422_962_908_760_1,
                0.082_358_236_564_673_2,
                -0.008_346_853_112_113_736,
                -0.234_120_313_030_523_55,
                3.084_327_759_799_864,
            ],
        ),
        (
            40,
            15,
            [
                4.540_915_209_075_957_5,
                0.137_584_966_135_175_35,
                1.137_584_966_135_175_3,
                0.093_009_216_634_249_17,
                0.001_169_432_725_261_839_7,
                0.003_405_219_643_706_346_6,
                0.344_796_198_592_020_54,
                -0.308_367_259_320_541_7,
                -1.343_423_581_331_450_6,
                6.285_154_207_943_361_5,
            ],
        ),
        (
            20,
            10000,
            [
                2_508.603_208_857_330_6,
                0.5,
                51.013_574_537_766_836,
                0.470_894_307_427_786_9,
                0.000_675_152_612_854_105_7,
                0.999_324_847_387_145_9,
                0.001_705_053_741_245_792,
                0.0,
                0.0,
                4.416_605_124_547_244,
            ],
        ),
    ];

    #[test]
    fn reference_preset_has_the_constants_of_the_c_code_at_the_papers_largest_population() {
        let c = constants(10, Some(10_000), CmaPreset::Reference);
        assert!((c.mueff - 2509.0).abs() < 1.0, "{}", c.mueff);
        assert!((c.c1 + c.cmu - 0.9996).abs() < 1e-4, "{}", c.c1 + c.cmu);
        assert!((c.damps - 30.0).abs() < 0.5, "{}", c.damps);
        assert!(c.weights[5000..].iter().all(|w| *w == 0.0));
    }

    #[test]
    fn constants_are_sound_for_every_size() {
        for preset in CmaPreset::ALL {
            for covariance in [Covariance::Full, Covariance::Diagonal] {
                for dim in [1, 2, 3, 10, 40, 1000] {
                    for population in [None, Some(2), Some(3), Some(5), Some(100), Some(10_000)] {
                        let common = CommonSettings { population, ..CommonSettings::default() };
                        let settings = CmaSettings { preset, covariance, ..CmaSettings::default() };
                        let c = Constants::new(dim, CmaSettings::population(&common, dim), &settings);
                        let positive: f64 = c.weights[..c.mu].iter().sum();
                        let negative: f64 = -c.weights[c.mu..].iter().sum::<f64>();
                        assert!((positive - 1.0).abs() < 1e-12);
                        assert!(negative >= 0.0);
                        assert!(c.weights.is_sorted_by(|a, b| a >= b));
                        assert!(c.c1 >= 0.0 && c.cmu >= 0.0 && c.c1 + c.cmu <= 1.0 + 1e-15);
                        // The covariance matrix stays positive definite with negative weights (eq. 53).
                        assert!(
                            1.0 - c.c1 - c.cmu + c.cmu * negative - dim as f64 * c.cmu * negative >= -1e-12
                        );
                        assert!(c.damps >= 0.3 && c.damps.is_finite());
                        assert!(c.cs > 0.0 && c.cs < 1.0 && c.cc > 0.0 && c.cc <= 1.0);
                    }
                }
            }
        }
    }
}
