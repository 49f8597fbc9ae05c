use super::singles::{SingleBlock, TANH_ERROR, tanh_of_singles};
use super::*;
use crate::oracle;
use crate::rng::{Purpose, Rng};
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
    use super::tanh::{QUICK_ERROR, SIXTEENTHS, TOGETHER};
    // Four very different numbers share a division.
    let argument = |i: i32| f64::from(i) * 4.321e-4 * [1.0, 3.0, -0.01, -1.0][i.unsigned_abs() as usize % 4];
    let mut worst: f64 = 0.0;
    for first in -40_000..40_000 {
        let arguments: [f64; TOGETHER] = [0, 331, 662, 993].map(|further| argument(first + further));
        let all = Isa::available().into_iter().map(|isa| {
            let mut blocks = arguments.map(|x| Block::splat(x * SIXTEENTHS));
            layer::quick_tanh_blocks(isa, &mut blocks);
            blocks.map(|block| block[5])
        });
        let all: Vec<[f64; TOGETHER]> = all.collect();
        assert!(
            all.iter().all(|v| v.map(f64::to_bits) == all[0].map(f64::to_bits)),
            "{arguments:?}: {all:?}"
        );
        for (y, x) in all[0].into_iter().zip(arguments) {
            worst = worst.max((y - f64::from(oracle::tanh(x))).abs());
        }
    }
    assert!(worst <= QUICK_ERROR && worst > 0.3 * QUICK_ERROR, "{worst}");
    for isa in Isa::available() {
        let special = Block([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 0.0, -0.0, 1e-300, -1e9]);
        let mut special = [special; TOGETHER];
        layer::quick_tanh_blocks(isa, &mut special);
        for block in special {
            assert!(block[0].is_nan());
            for (v, expected) in block[1..].iter().zip([1.0, -1.0, 1.0, 0.0, 0.0, 0.0, -1.0]) {
                assert!((v - expected).abs() <= QUICK_ERROR);
            }
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

/// Sixteen numbers through the single-precision `tanh` of an instruction set.
fn single_tanh(isa: Isa, x: [f32; SINGLES]) -> [f32; SINGLES] {
    let mut block = SingleBlock(x);
    tanh_of_singles(isa, &mut block);
    block.0
}

#[test]
fn the_single_precision_tanh_is_within_its_stated_bound_on_every_instruction_set() {
    for isa in Isa::available() {
        let mut worst: f64 = 0.0;
        // Every exponent, and a fine linear sweep.
        let sweep = (0..=0x7f7f_ffff_u32).step_by(4099).map(f32::from_bits);
        let mut all: Vec<f32> = sweep.chain((0..400_000).map(|i| i as f32 * 2.3e-5)).collect();
        all.resize(all.len().next_multiple_of(SINGLES / 2), 0.0);
        for part in all.chunks_exact(SINGLES / 2) {
            let x = std::array::from_fn(|i| if i % 2 == 0 { part[i / 2] } else { -part[i / 2] });
            for (x, y) in x.iter().zip(single_tanh(isa, x)) {
                worst = worst.max((f64::from(y) - f64::from(*x).tanh()).abs());
            }
        }
        assert!(worst <= TANH_ERROR, "{worst:e} on {}", isa.name());
        assert!(worst > 1e-7, "the reference sees single-precision errors at all: {worst:e}");
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0];
        let y = single_tanh(isa, std::array::from_fn(|i| special[i % 4]));
        assert!(y[0].is_nan() && (y[1] - 1.0).abs() < 4e-7 && (y[2] + 1.0).abs() < 4e-7 && y[3] == 0.0);
    }
}
