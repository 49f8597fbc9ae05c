//! Random numbers in streams: each is keyed by seed, purpose, generation and individual.
//!
//! A stream can be opened anywhere, in any order, on any thread, and gives the same numbers. A resumed run
//! therefore needs no generator state. The numbers are fixed by this file, not by the version of a
//! distribution library.

/// A stream of random numbers: SplitMix64, which costs nothing to open, for the few numbers of a symmetry
/// operator.
#[derive(Clone, Debug)]
pub struct Rng<G = SplitMix>(G);

/// A stream of many random numbers: Xoshiro256++.
pub type LongRng = Rng<Xoshiro>;

/// What a stream draws its bits from.
pub trait Generator {
    /// The next 64 bits.
    fn next(&mut self) -> u64;
}

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

/// Xoshiro256++ (Blackman and Vigna 2019). Written out here so that eight streams can be drawn from in step.
#[derive(Clone, Debug)]
pub struct Xoshiro([u64; 4]);

impl Generator for SplitMix {
    #[inline]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

impl Xoshiro {
    #[inline]
    fn new(seed: u64) -> Self {
        let mut seeds = SplitMix(seed);
        Self(std::array::from_fn(|_| seeds.next()))
    }
}

impl Generator for Xoshiro {
    #[inline]
    fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a stream is for. Different purposes never share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The initial population.
    Start = 1,
    /// Choosing a symmetry operator.
    Align = 2,
    /// Building a candidate.
    Propose = 3,
    /// Settings drawn once per generation.
    Generation = 4,
    /// Data sets.
    Data = 5,
    /// Choices of a restart and the seed of the run that it starts; in DE, the elite individual to align to.
    Restart = 6,
    /// The order of rows from which samples are taken.
    Sample = 7,
    /// Orders in which the values of a column are exchanged between rows.
    Permutation = 8,
}

/// All streams of one purpose in one generation.
#[derive(Clone, Copy, Debug)]
pub struct Streams(u64);

impl Streams {
    /// The streams for this purpose in this generation.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, generation: u64) -> Self {
        let key = mix(seed.wrapping_add(GOLDEN));
        Self(add_to_key(add_to_key(key, purpose as u64), generation))
    }

    /// The one for this individual.
    #[inline]
    #[must_use]
    pub fn of(self, individual: usize) -> Rng {
        Rng(SplitMix(add_to_key(self.0, individual as u64)))
    }
}

impl Streams {
    /// The one for this individual (or this row of a data set), from a generator with more state: for many
    /// numbers.
    #[inline]
    #[must_use]
    pub fn long(self, individual: usize) -> LongRng {
        Rng(Xoshiro::new(add_to_key(self.0, individual as u64)))
    }
}

impl Rng {
    /// The stream for one individual in one generation.
    #[must_use]
    pub fn stream(seed: u64, purpose: Purpose, generation: u64, individual: usize) -> Self {
        Streams::new(seed, purpose, generation).of(individual)
    }
}

impl LongRng {
    /// What the numbers to come depend on.
    #[inline]
    pub(crate) fn into_state(self) -> [u64; 4] {
        self.0.0
    }
}

impl<G: Generator> Rng<G> {
    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next()
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in `0..n`; the bias of at most `n / 2^64` is not observable.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Fills a slice with standard normal numbers, by Marsaglia's polar method with both numbers of each
    /// pair.
    pub fn normals(&mut self, out: &mut [f64]) {
        for part in out.chunks_mut(2 * PAIRS) {
            // First the points of the disc, without a branch for those outside; then all radii, which
            // compiles to vector instructions.
            let pairs = part.len().div_ceil(2);
            let (mut u, mut v, mut s, mut count) = ([0.0; PAIRS], [0.0; PAIRS], [0.0; PAIRS], 0);
            while count < pairs {
                (u[count], v[count]) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
                s[count] = u[count] * u[count] + v[count] * v[count];
                count += usize::from(s[count] > 0.0) & usize::from(s[count] < 1.0);
            }
            for s in &mut s[..pairs] {
                *s = (-2.0 * log_of_fraction(*s) / *s).sqrt();
            }
            for (pair, ((u, v), r)) in part.chunks_mut(2).zip(u.iter().zip(&v).zip(&s)) {
                pair[0] = u * r;
                if let Some(second) = pair.get_mut(1) {
                    *second = v * r;
                }
            }
        }
    }

    /// Standard normal, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * libm::log(s) / s).sqrt();
            }
        }
    }
}

/// Pairs of normal numbers that are computed together.
const PAIRS: usize = 16;

/// The natural logarithm of a normal number between 0 and 1: the bits of [`libm::log`], which has branches
/// for all other numbers and therefore is not compiled to vector instructions.
#[inline]
fn log_of_fraction(x: f64) -> f64 {
    const LN2_HI: f64 = 6.931_471_803_691_238e-1;
    const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
    const ODD: [f64; 4] = [
        6.666_666_666_666_735e-1,
        2.857_142_874_366_239e-1,
        1.818_357_216_161_805e-1,
        1.479_819_860_511_658_6e-1,
    ];
    const EVEN: [f64; 3] = [3.999_999_999_940_942e-1, 2.222_219_843_214_978_4e-1, 1.531_383_769_920_937_3e-1];
    /// The upper half of sqrt(1/2).
    const ROOT: u64 = 0x3fe6_a09e << 32;
    // x = 2^k m with m between sqrt(1/2) and sqrt(2).
    let shifted = x.to_bits().wrapping_add((0x3ff0_0000 << 32) - ROOT);
    let m = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff) + ROOT);
    // The integer is put into the low bits of 2^52: exact.
    let k = f64::from_bits(0x4330_0000_0000_0000 | (shifted >> 52)) - (4_503_599_627_370_496.0 + 1023.0);
    let f = m - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (EVEN[0] + w * (EVEN[1] + w * EVEN[2]));
    let odd = z * (ODD[0] + w * (ODD[1] + w * (ODD[2] + w * ODD[3])));
    s * (half_square + (odd + even)) + k * LN2_LO - half_square + f + k * LN2_HI
}

#[inline]
fn add_to_key(key: u64, part: u64) -> u64 {
    mix(key ^ part.wrapping_mul(0xD1B5_4A32_D192_ED03).wrapping_add(0x8CB9_2BA7_2F3D_8DD7))
}

/// The finaliser of SplitMix64: a bijection in which every input bit changes half of the output bits.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_repeatable_and_distinct() {
        let first =
            |seed, purpose, generation, individual| Rng::stream(seed, purpose, generation, individual).bits();
        let base = first(0, Purpose::Propose, 0, 0);
        assert_eq!(base, first(0, Purpose::Propose, 0, 0));
        for other in [
            first(1, Purpose::Propose, 0, 0),
            first(0, Purpose::Align, 0, 0),
            first(0, Purpose::Propose, 1, 0),
            first(0, Purpose::Propose, 0, 1),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn generators_are_those_of_the_literature() {
        use rand_core::{Rng as _, SeedableRng};
        for seed in [0, 1, u64::MAX, 0x0123_4567_89AB_CDEF] {
            let (mut split, mut long) = (SplitMix(seed), Xoshiro::new(seed));
            let mut reference = rand_xoshiro::SplitMix64::seed_from_u64(seed);
            let mut long_reference = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
            for _ in 0..1000 {
                assert_eq!(split.next(), reference.next_u64());
                assert_eq!(long.next(), long_reference.next_u64());
            }
        }
    }

    #[test]
    fn logarithms_of_fractions_have_the_bits_of_the_library() {
        let mut rng = Rng::stream(3, Purpose::Data, 0, 0);
        let smallest = 2.0_f64.powi(-104); // of a sum of two squares of multiples of 2^-52
        let near_one = (1..100).map(|i| 1.0 - f64::from(i) * f64::EPSILON / 2.0);
        let many = (0..200_000).map(|i| rng.uniform() * 2.0_f64.powi(-(i % 104)));
        let special = [smallest, 0.5, 0.5_f64.sqrt(), 0.5_f64.sqrt().next_down(), 0.25];
        for x in near_one.chain(special).chain(many).filter(|x| *x >= smallest) {
            assert_eq!(log_of_fraction(x).to_bits(), libm::log(x).to_bits(), "{x}");
        }
    }

    #[test]
    fn many_normal_numbers_are_those_of_the_polar_method_pair_by_pair() {
        for count in [1, 2, 31, 32, 33, 100] {
            let mut all = vec![0.0; count];
            let mut rng = Rng::stream(4, Purpose::Data, 0, count);
            let mut pairwise = rng.clone();
            rng.normals(&mut all);
            for pair in all.chunks(2) {
                let mut expected = [0.0; 2];
                pairwise.normals(&mut expected);
                assert_eq!(pair, &expected[..pair.len()]);
            }
            assert_eq!(rng.bits(), pairwise.bits());
        }
    }

    #[test]
    fn distributions_have_the_right_moments() {
        let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
        let n = 100_000;
        let (mut mean, mut square, mut uniform, mut counts) = (0.0, 0.0, 0.0, [0u32; 7]);
        for _ in 0..n {
            let z = rng.normal();
            mean += z / f64::from(n);
            square += z * z / f64::from(n);
            uniform += rng.uniform() / f64::from(n);
            counts[rng.below(7)] += 1;
        }
        assert!(mean.abs() < 0.012, "{mean}");
        assert!((square - 1.0).abs() < 0.02, "{square}");
        assert!((uniform - 0.5).abs() < 0.004, "{uniform}");
        let expected = f64::from(n) / 7.0;
        let chi2: f64 = counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
        assert!(chi2 < 22.5, "{chi2}"); // 0.1 % point of chi squared with 6 degrees of freedom
    }
}
