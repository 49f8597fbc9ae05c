use super::*;
use crate::objective::gauss_newton::GaussNewton;
use crate::rng::{Purpose, Rng};
use crate::rows::Samples;
use crate::{Builtin, Dataset};

fn random(rows: usize, inputs: usize, outputs: usize) -> Dataset {
    let mut rng = Rng::stream(3, Purpose::Data, 0, 0);
    let mut column = |_: usize| (0..rows).map(|_| rng.between(-1.0, 1.0)).collect::<Vec<f64>>();
    let inputs: Vec<_> = (0..inputs).map(&mut column).collect();
    let outputs =
        (0..outputs).map(|o| inputs[0].iter().map(|x| (3.0 * x + o as f64).sin()).collect()).collect();
    let inputs = inputs.into_iter().map(crate::data::Column::from).collect();
    Dataset { inputs, outputs, ..Dataset::default() }
}

fn cases() -> Vec<(Dataset, Topology)> {
    let builtin = |builtin: Builtin| builtin.load(&Default::default()).unwrap().train;
    [
        (builtin(Builtin::Sinc), "1-5-1"),
        (builtin(Builtin::Sinc2d), "2-3-1-3-1"),
        (builtin(Builtin::Iris), "4-3-3"),
        (builtin(Builtin::Balance), "4-5-2-3-5-3"),
        (random(4999, 3, 2), "3-9-2"),
        (random(6001, 3, 2), "3-6-5-2"),
        (builtin(Builtin::Iris), "4-3-3+linear"),
        (random(4999, 3, 2), "3-9-2+linear"),
        (random(6001, 3, 2), "3-6-5-2+linear"),
    ]
    .map(|(data, topology)| (data, topology.parse().unwrap()))
    .to_vec()
}

fn point(dim: usize, seed: u64) -> Vec<f64> {
    let mut rng = Rng::stream(seed, Purpose::Start, 0, 0);
    (0..dim).map(|_| 0.6 * rng.between(-1.0, 1.0)).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| v.abs().max(m))
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    let scale = largest(b);
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {a} instead of {b}, largest {scale}");
    }
}

#[test]
fn cost_and_derivatives_are_those_of_the_orthogonal_factorisation() {
    for (data, topology) in cases() {
        let samples = Samples::new(&data);
        for (bias, decay) in [(false, 0.0), (true, 0.0), (true, 1e-2)] {
            let isa = Isa::detect();
            let theta = point(topology.dim(), 5);
            let mut reference = GaussNewton::new(isa, &topology, &samples, bias, decay).unwrap();
            let (mut expected, mut slopes) = (Slopes::default(), Slopes::default());
            let cost = reference.cost(&topology, &theta);
            reference.slopes(&topology, &theta, &mut expected);
            let mut tiled = Tiled::new(isa, &topology, bias, decay, Derivatives::Matrix, 1).unwrap();
            let rows = Rows { source: Source::Samples(&samples), pool: None };
            let wanted = Wanted { cutoff: f64::INFINITY, above: f64::NEG_INFINITY, slopes: &mut slopes };
            let computed = tiled.cost(rows, &theta, Some(wanted));
            let what = format!("{topology} bias {bias} decay {decay}");
            // Normal equations lose digits where hidden outputs are nearly collinear.
            let tolerance = 1e-9_f64.max(1e-12 / tiled.solution().least_share);
            assert!((computed - cost).abs() <= 1e-9 * cost, "{what}: {computed} instead of {cost}");
            close(&slopes.half_gradient, &expected.half_gradient, tolerance, &what);
            close(&slopes.matrix, &expected.matrix, tolerance, &what);
        }
    }
}

#[test]
fn results_do_not_depend_on_threads_or_instruction_set() {
    let data = random(9000, 3, 2);
    let samples = Samples::new(&data);
    for topology in ["3-6-5-2", "3-6-5-2+linear"].map(|text| text.parse::<Topology>().unwrap()) {
        let theta = point(topology.dim(), 5);
        let mut first: Option<(u64, Slopes)> = None;
        for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [1, 2, 3, 7].map(|n| (isa, n))) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut tiled = Tiled::new(isa, &topology, true, 1e-3, Derivatives::Matrix, threads).unwrap();
            let mut slopes = Slopes::default();
            let wanted = Wanted { cutoff: f64::INFINITY, above: f64::NEG_INFINITY, slopes: &mut slopes };
            let rows = Rows { source: Source::Samples(&samples), pool: Some(&pool) };
            let cost = tiled.cost(rows, &theta, Some(wanted)).to_bits();
            let first = first.get_or_insert_with(|| (cost, slopes.clone()));
            assert_eq!((cost, slopes), *first, "{topology} on {} with {threads} threads", isa.name());
        }
    }
}

#[test]
fn kept_tiles_give_the_same_bits() {
    for (data, topology) in cases() {
        let samples = Samples::new(&data);
        let rows = Rows { source: Source::Samples(&samples), pool: None };
        let derivatives = Derivatives::Gradient;
        let make = || Tiled::new(Isa::detect(), &topology, true, 1e-3, derivatives, 1).unwrap();
        let (mut plain, mut kept) = (make(), make());
        kept.keep(rows.source);
        assert!(!kept.kept.is_empty());
        for (seed, cutoff) in [(1, f64::INFINITY), (2, f64::NEG_INFINITY), (3, 0.5), (4, f64::INFINITY)] {
            let theta = point(topology.dim(), seed);
            let [expected, found] = [&mut plain, &mut kept].map(|tiled| {
                let mut slopes = Slopes::default();
                let wanted = Wanted { cutoff, above: f64::NEG_INFINITY, slopes: &mut slopes };
                (tiled.cost(rows, &theta, Some(wanted)).to_bits(), slopes)
            });
            assert_eq!(found, expected, "{topology}, point {seed}");
        }
    }
}
