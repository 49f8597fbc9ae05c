use super::*;
use crate::{Purpose, Rng, Topology, oracle};
use proptest::prelude::*;

/// Distance in units of the last place of the exact value.
fn ulp_error(computed: f64, x: f64) -> f64 {
    let exact = oracle::tanh(x);
    let rounded = f64::from(exact);
    let ulp = rounded.abs().next_up() - rounded.abs();
    f64::from(oracle::Double::from(computed) - exact).abs() / ulp
}

fn tanh_of(isa: Isa, x: f64) -> f64 {
    let mut v = [x; 3];
    tanh_in_place(isa, &mut v);
    assert_eq!(v[0].to_bits(), v[2].to_bits());
    v[0]
}

#[test]
fn tanh_is_within_its_stated_bound_everywhere() {
    let mut worst: f64 = 0.0;
    let isa = Isa::detect();
    // Logarithmic sweep from denormals to saturation, and a fine linear one.
    let sweep = (0..40_000).map(|i| 2f64.powf(-1074.0 + 1079.0 * f64::from(i) / 40_000.0));
    for x in sweep.chain((0..60_000).map(|i| f64::from(i) * 3.7e-4)) {
        // Below the normal range half a unit is all there is.
        worst = worst.max(ulp_error(tanh_of(isa, x), x));
    }
    assert!(worst <= TANH_MAX_ULP, "{worst}");
    assert!(worst > 0.5, "the oracle sees rounding errors at all: {worst}");
}

#[test]
fn tanh_at_special_values() {
    for isa in Isa::available() {
        assert!(tanh_of(isa, f64::NAN).is_nan());
        for (x, expected) in [
            (0.0_f64, 0.0_f64),
            (-0.0, -0.0),
            (f64::INFINITY, 1.0),
            (f64::NEG_INFINITY, -1.0),
            (f64::MAX, 1.0),
            (20.0, 1.0),
            (-19.5, -1.0),
            (5e-324, 5e-324),
            (-f64::MIN_POSITIVE, -f64::MIN_POSITIVE),
            (1e-200, 1e-200),
        ] {
            assert_eq!(tanh_of(isa, x).to_bits(), expected.to_bits(), "{x} on {}", isa.name());
        }
    }
}

#[test]
fn the_quick_tanh_is_within_its_stated_bound_and_the_same_everywhere() {
    use super::tanh::{QUICK_ERROR, SIXTEENTHS};
    let mut worst: f64 = 0.0;
    for i in -40_000..40_000 {
        let x = f64::from(i) * 4.321e-4 * if i % 3 == 0 { 3.0 } else { 1.0 };
        let all = Isa::available().into_iter().map(|isa| {
            let mut block = [Block::splat(x * SIXTEENTHS)];
            layer::quick_tanh_blocks(isa, &mut block);
            block[0][5]
        });
        let all: Vec<f64> = all.collect();
        assert!(all.iter().all(|v| v.to_bits() == all[0].to_bits()), "{x}: {all:?}");
        worst = worst.max((all[0] - f64::from(oracle::tanh(x))).abs());
    }
    assert!(worst <= QUICK_ERROR && worst > 0.3 * QUICK_ERROR, "{worst}");
    for isa in Isa::available() {
        let mut special =
            [Block([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0, -0.0, 1e-300, -1e9])];
        layer::quick_tanh_blocks(isa, &mut special);
        assert!(special[0][0].is_nan());
        for (v, expected) in special[0][1..].iter().zip([1.0, -1.0, 1.0, 0.0, 0.0, 0.0, -1.0]) {
            assert!((v - expected).abs() <= QUICK_ERROR);
        }
    }
}

fn any_argument() -> impl Strategy<Value = f64> {
    prop_oneof![-3.0..3.0, -25.0..25.0, any::<f64>(), (-1074.0..10.0).prop_map(|e: f64| e.exp2())]
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #[test]
    fn tanh_is_odd_bounded_and_the_same_on_every_instruction_set(x in any_argument()) {
        let y = tanh_of(Isa::available()[0], x);
        prop_assert!(x.is_nan() || y.abs() <= 1.0);
        for isa in Isa::available() {
            prop_assert!(same(tanh_of(isa, x), y), "{x} on {}", isa.name());
            prop_assert!(same(tanh_of(isa, -x), -y));
        }
    }

    #[test]
    fn layers_and_factorisations_are_the_same_on_every_instruction_set(
        blocks in 1..7_usize,
        inputs in 1..5_usize,
        width in 1..6_usize,
        values in prop::collection::vec(-2.0..2.0_f64, 400),
        tolerance in prop_oneof![Just(1e-13), Just(1e-2), Just(0.5)],
    ) {
        let mut numbers = values.into_iter().cycle();
        let mut next = || numbers.next().unwrap();
        let x: Vec<Block> = (0..inputs * blocks).map(|_| Block(std::array::from_fn(|_| next()))).collect();
        let parameters: Vec<f64> = (0..width * (inputs + 1)).map(|_| next()).collect();
        let target: Vec<Block> = (0..blocks).map(|_| Block(std::array::from_fn(|_| next()))).collect();
        let run = |isa: Isa| {
            let mut matrix = vec![Block::ZERO; width * blocks];
            layer(isa, &parameters, &x, blocks, &mut matrix);
            matrix.extend(&target);
            let outputs = matrix.clone();
            let mut normal = Normal::new(width, 1);
            gram(isa, &matrix, blocks, &mut normal.products);
            let share = solve_normal(isa, &mut normal, tolerance).map(f64::to_bits);
            let explicit = residual(isa, &matrix, blocks, width, &normal.weights);
            let mut factor = Factor::new(width, 1);
            let squares = factorise(isa, &mut matrix, blocks, tolerance, &mut factor);
            let kept = factor.pivots.order[..factor.rank].to_vec();
            (outputs, share, bits(&normal.weights), explicit.to_bits(), squares.to_bits(), kept, matrix)
        };
        let expected = run(Isa::available()[0]);
        for isa in Isa::available() {
            prop_assert_eq!(&run(isa), &expected, "{}", isa.name());
        }
    }
}

#[test]
fn a_layer_is_the_formula() {
    let x: Vec<Block> =
        (0..2).map(|i| Block(std::array::from_fn(|k| 0.1 * (i * 8 + k) as f64 - 0.7))).collect();
    let mut out = vec![Block::ZERO; 1];
    layer(Isa::detect(), &[1.5, -0.5, 0.25], &x, 1, &mut out);
    for k in 0..WIDTH {
        let expected = (1.5 * x[0][k] - 0.5 * x[1][k] + 0.25).tanh();
        assert!((out[0][k] - expected).abs() < 1e-15);
    }
}

/// Eight networks and a few samples for them.
fn eight_networks(topology: &Topology, rows: usize, bias: bool) -> (Probe, ScreenWork, Vec<Vec<f64>>) {
    let mut rng = Rng::stream(11, Purpose::Data, 0, 0);
    let mut numbers = |n: usize| (0..n).map(|_| rng.between(-1.0, 1.0)).collect::<Vec<f64>>();
    let probe = Probe {
        rows,
        inputs: numbers(rows * topology.inputs()),
        targets: numbers(rows * topology.outputs()),
        bias,
    };
    let mut work = ScreenWork::new(topology, &probe);
    let candidates: Vec<Vec<f64>> = (0..WIDTH).map(|_| numbers(topology.dim())).collect();
    for (i, block) in work.parameters.iter_mut().enumerate() {
        *block = Block(std::array::from_fn(|lane| candidates[lane][i]));
    }
    (probe, work, candidates)
}

#[test]
fn a_screen_finds_the_least_squares_of_each_candidate_over_its_samples() {
    for (text, bias) in [("1-5-1", false), ("2-3-1-3-2", true), ("4-3-3", false), ("2-2-4-3-1", true)] {
        let topology: Topology = text.parse().unwrap();
        let (probe, mut work, candidates) = eight_networks(&topology, 20, bias);
        let found: Vec<Screened> =
            Isa::available().into_iter().map(|isa| screen(isa, &topology, &probe, &mut work)).collect();
        for other in &found[1..] {
            assert_eq!(bits(&*other.squares), bits(&*found[0].squares), "{text}");
            assert_eq!(bits(&*other.least_share), bits(&*found[0].least_share), "{text}");
        }
        for (lane, theta) in candidates.iter().enumerate() {
            // The outputs of the last hidden layer, one after the other, by the plain forward pass.
            let unit = |n: usize| {
                (0..topology.last_hidden()).map(|k| f64::from(u8::from(k == n))).collect::<Vec<_>>()
            };
            let mut columns: Vec<Vec<f64>> = (0..topology.last_hidden())
                .map(|n| {
                    let rows = probe.inputs.chunks(topology.inputs());
                    rows.map(|x| crate::network::plain(&topology, theta, &[unit(n)], x)[0]).collect()
                })
                .collect();
            if bias {
                columns.push(vec![1.0; 20]);
            }
            let targets: Vec<Vec<f64>> = probe.targets.chunks(20).map(<[f64]>::to_vec).collect();
            let exact = oracle::least_squares(&columns, &targets);
            let error = 1e-14 * targets.concat().iter().map(|y| y * y).sum::<f64>()
                / found[0].least_share[lane].sqrt();
            assert!(
                (found[0].squares[lane] - exact).abs() < error,
                "{text} {lane}: {} {exact}",
                found[0].squares[lane]
            );
        }
    }
}

#[test]
fn a_screen_trusts_nothing_about_collinear_columns() {
    let topology: Topology = "1-2-1".parse().unwrap();
    let (probe, mut work, _) = eight_networks(&topology, 12, false);
    // Both neurons equal in lane 3, a neuron without input or shift in lane 5, NaN in lane 6.
    for i in 0..2 {
        work.parameters[i + 2][3] = work.parameters[i][3];
        work.parameters[i][5] = 0.0;
    }
    work.parameters[0][6] = f64::NAN;
    let found = screen(Isa::detect(), &topology, &probe, &mut work);
    assert!(
        found.least_share[3] < 1e-25
            && found.least_share[5].to_bits() == 0
            && found.least_share[6].to_bits() == 0
    );
    assert!(found.least_share[0] > 1e-6);
}

#[test]
fn cholesky_factors_solve_and_are_the_same_on_every_instruction_set() {
    for dim in [1, 2, 7, 8, 9, 17, 40] {
        let mut rng = Rng::stream(dim as u64, Purpose::Data, 0, 0);
        let root = nalgebra::DMatrix::from_fn(dim, dim, |_, _| rng.between(-1.0, 1.0));
        let matrix = root.transpose() * &root + nalgebra::DMatrix::identity(dim, dim) * 0.1;
        let right = nalgebra::DVector::from_fn(dim, |_, _| rng.between(-1.0, 1.0));
        let exact = matrix.clone().lu().solve(&right).unwrap();
        let run = |isa: Isa| {
            let blocks = stride(dim);
            let mut u = vec![Block::ZERO; dim * blocks];
            let mut x = vec![Block::ZERO; blocks];
            for i in 0..dim {
                (0..dim).for_each(|j| u[i * blocks + j / WIDTH][j % WIDTH] = matrix[(i, j)]);
                x[i / WIDTH][i % WIDTH] = right[i];
            }
            assert!(cholesky(isa, &mut u, dim));
            solve_lower(isa, &u, dim, &mut x);
            solve_upper(isa, &u, dim, &mut x);
            x.iter().flat_map(|block| block.to_vec()).take(dim).collect::<Vec<f64>>()
        };
        let found = run(Isa::available()[0]);
        for (found, exact) in found.iter().zip(&exact) {
            assert!((found - exact).abs() < 1e-10 * exact.abs().max(1.0), "{dim}: {found} {exact}");
        }
        for isa in Isa::available() {
            assert_eq!(bits(&run(isa)), bits(&found), "{dim} on {}", isa.name());
        }
    }
    let mut indefinite = vec![Block::ZERO; 2];
    (indefinite[0][0], indefinite[1][1]) = (1.0, -1.0);
    assert!(!cholesky(Isa::detect(), &mut indefinite, 2));
}

/// Sixteen singles through the rough `tanh` of an instruction set.
fn rough_tanh(isa: Isa, x: [f32; SINGLES]) -> [f32; SINGLES] {
    let mut block = SingleBlock(x);
    tanh_of_singles(isa, &mut block);
    block.0
}

#[test]
fn rough_tanh_is_within_its_stated_bound_on_every_instruction_set() {
    for isa in Isa::available() {
        let mut worst: f64 = 0.0;
        // Every exponent, and a fine linear sweep.
        let sweep = (0..=0x7f7f_ffff_u32).step_by(4099).map(f32::from_bits);
        let mut all: Vec<f32> = sweep.chain((0..400_000).map(|i| i as f32 * 2.3e-5)).collect();
        all.resize(all.len().next_multiple_of(SINGLES / 2), 0.0);
        for part in all.chunks_exact(SINGLES / 2) {
            let x = std::array::from_fn(|i| if i % 2 == 0 { part[i / 2] } else { -part[i / 2] });
            for (x, y) in x.iter().zip(rough_tanh(isa, x)) {
                worst = worst.max((f64::from(y) - f64::from(*x).tanh()).abs());
            }
        }
        assert!(worst <= super::singles::TANH_ERROR, "{worst:e} on {}", isa.name());
        assert!(worst > 1e-7, "singles are that rough: {worst:e}");
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0];
        let y = rough_tanh(isa, std::array::from_fn(|i| special[i % 4]));
        assert!(y[0].is_nan() && (y[1] - 1.0).abs() < 4e-7 && (y[2] + 1.0).abs() < 4e-7 && y[3] == 0.0);
    }
}

/// The largest error that a Chebyshev series of `f`, cut off before `degree`, leaves on a grid.
fn error_of_series(f: impl Fn(f64) -> f64, degree: usize) -> f64 {
    use std::f64::consts::PI;
    const POINTS: usize = 512;
    let angles: Vec<f64> = (0..POINTS).map(|k| PI * (k as f64 + 0.5) / POINTS as f64).collect();
    let coefficients: Vec<f64> = (0..degree)
        .map(|j| {
            let sum: f64 = angles.iter().map(|a| f(a.cos()) * (j as f64 * a).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / POINTS as f64
        })
        .collect();
    let at = |a: f64| coefficients.iter().enumerate().map(|(j, c)| c * (j as f64 * a).cos()).sum::<f64>();
    angles.iter().map(|a| (f(a.cos()) - at(*a)).abs()).fold(0.0, f64::max)
}

#[test]
fn polynomials_are_as_near_to_neurons_as_promised() {
    let mut rng = Rng::stream(4, Purpose::Data, 0, 0);
    let (center, half) = (0.3, 2.0);
    let mut worst: f64 = f64::INFINITY;
    for _ in 0..40 {
        let neurons: [(f64, f64); 8] =
            std::array::from_fn(|_| (rng.between(-1.99, 1.99), rng.between(-4.0, 4.0)));
        let parameters = [Block(neurons.map(|(w, _)| w)), Block(neurons.map(|(_, b)| b))];
        for isa in Isa::available() {
            let errors = approximation_errors(isa, &parameters, center, half, LEAST_DEGREE);
            for ((w, b), error) in neurons.into_iter().zip(*errors) {
                let truth = error_of_series(|u| (w * (center + half * u) + b).tanh(), LEAST_DEGREE);
                let bound = error.sqrt();
                // Sums of 512 terms have errors of their own.
                assert!(truth <= bound + 1e-14, "{w} {b}: {truth} above {bound}");
                if truth > 1e-9 {
                    worst = worst.min(truth / bound);
                }
            }
        }
    }
    assert!(worst > 0.01, "the promise is too modest: {worst}");
    let beyond = approximation_errors(Isa::detect(), &[Block::splat(2.1), Block::ZERO], center, half, 32);
    assert!(beyond.iter().all(|error| *error > 1e6));
}
