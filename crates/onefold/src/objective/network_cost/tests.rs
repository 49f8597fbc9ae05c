use super::sphere::norm;
use super::*;
use crate::objective::Radius;
use crate::rng::{Purpose, Rng};
use crate::{Builtin, BuiltinSettings};

fn train(builtin: Builtin) -> Dataset {
    builtin.load(&BuiltinSettings::default()).unwrap().train
}

/// Random candidates, some of them far outside the sphere.
fn candidates(dim: usize, n: usize, seed: u64) -> Population {
    let mut population = Population::new(n, dim);
    for (i, row) in population.rows_mut().enumerate() {
        let mut rng = Rng::stream(seed, Purpose::Start, 0, i);
        let scale = [0.1, 1.0, 1.6, 5.0][i % 4];
        row.iter_mut().for_each(|v| *v = scale * rng.between(-1.0, 1.0));
    }
    population
}

fn costs(cost: &mut NetworkCost, population: &Population) -> Vec<f64> {
    cost.costs(population)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn agrees_with_a_plain_forward_pass() {
    for (builtin, topology) in [
        (Builtin::Sinc, "1-5-1"),
        (Builtin::Sinc2d, "2-3-1-3-1"),
        (Builtin::Iris, "4-3-3"),
        (Builtin::Balance, "4-5-2-3-5-3"),
        (Builtin::TwoSpirals, "2-10-1-10-2"),
    ] {
        let topology: Topology = topology.parse().unwrap();
        for output_bias in [false, true] {
            let settings = CostSettings { output_bias, ..CostSettings::default() };
            let mut cost = NetworkCost::new(topology.clone(), train(builtin), &settings).unwrap();
            let population = candidates(topology.dim(), 40, 1);
            for (theta, value) in population.rows().zip(costs(&mut cost, &population)) {
                let confirmed = cost.confirm(theta, value);
                assert!((value - confirmed).abs() <= 1e-7 * confirmed, "{builtin}: {value} and {confirmed}");
            }
        }
    }
}

#[test]
fn an_output_bias_can_only_help_and_explains_a_constant() {
    let mut data = train(Builtin::Sinc);
    let topology: Topology = "1-3-1".parse().unwrap();
    let population = candidates(topology.dim(), 20, 2);
    let with = |data: &Dataset, output_bias| {
        let settings = CostSettings { output_bias, ..CostSettings::default() };
        costs(&mut NetworkCost::new(topology.clone(), data, &settings).unwrap(), &population)
    };
    for (without, bias) in with(&data, false).iter().zip(with(&data, true)) {
        assert!(bias <= without + 1e-12);
    }
    data.outputs[0].fill(0.75);
    for (theta, cost) in population.rows().zip(with(&data, true)) {
        let penalty = 50.0 * (norm(theta) - 2.0 * 1.5_f64.sqrt()).max(0.0);
        assert!((cost - penalty).abs() < 1e-12, "{cost} {penalty}");
    }
    assert!(with(&data, false).iter().any(|c| *c > 1e-6));
}

#[test]
fn the_penalty_is_the_papers() {
    let topology: Topology = "1-5-1".parse().unwrap();
    let data = train(Builtin::Sinc);
    let mut cost = NetworkCost::new(topology.clone(), &data, &CostSettings::default()).unwrap();
    let off = CostSettings { penalty_radius: Radius::Off, ..CostSettings::default() };
    let mut bare = NetworkCost::new(topology.clone(), &data, &off).unwrap();
    let one = |cost: &mut NetworkCost, theta: &[f64]| {
        let mut population = Population::new(1, theta.len());
        population.row_mut(0).copy_from_slice(theta);
        costs(cost, &population)[0]
    };
    let population = candidates(topology.dim(), 80, 3);
    let mut outside = 0;
    for theta in population.rows() {
        let norm = norm(theta);
        let value = one(&mut cost, theta);
        if norm > 10f64.sqrt() {
            outside += 1;
            let unit: Vec<f64> = theta.iter().map(|v| v / norm).collect();
            let expected = one(&mut bare, &unit) + 50.0 * (norm - 10f64.sqrt());
            assert!((value - expected).abs() < 1e-12 * expected, "{value} {expected}");
        } else {
            assert_eq!(value.to_bits(), one(&mut bare, theta).to_bits());
        }
    }
    assert!((10..70).contains(&outside), "{outside}");
    // A given radius and weight.
    let own =
        CostSettings { penalty_radius: Radius::Fixed(1.0), penalty_weight: 2.0, ..CostSettings::default() };
    let mut own = NetworkCost::new(topology, &data, &own).unwrap();
    let theta = [1.0; 10];
    let unit: Vec<f64> = theta.iter().map(|v| v / 10f64.sqrt()).collect();
    let expected = one(&mut bare, &unit) + 2.0 * (10f64.sqrt() - 1.0);
    assert!((one(&mut own, &theta) - expected).abs() < 1e-12);
}

#[test]
fn a_cutoff_changes_nothing_at_or_below_it() {
    for (builtin, topology, output_bias) in [
        (Builtin::Sinc2d, "2-3-1-3-1", false),
        (Builtin::Sinc, "1-5-1", true),
        (Builtin::Balance, "4-5-1-5-3", false),
    ] {
        let topology: Topology = topology.parse().unwrap();
        let settings = CostSettings { output_bias, ..CostSettings::default() };
        let mut cost = NetworkCost::new(topology.clone(), train(builtin), &settings).unwrap();
        let population = candidates(topology.dim(), 403, 4);
        let exact = costs(&mut cost, &population);
        let mut rng = Rng::stream(4, Purpose::Data, 0, 0);
        let cutoffs: Vec<f64> = exact.iter().map(|c| c * 10f64.powf(rng.between(-2.0, 0.3))).collect();
        let cut = cost.answer(&Request::costs(&population, &cutoffs)).costs;
        let mut early = 0;
        for ((exact, cut), cutoff) in exact.iter().zip(&cut).zip(&cutoffs) {
            if exact <= cutoff {
                assert_eq!(exact.to_bits(), cut.to_bits());
            } else {
                assert!(cut > cutoff && *cut <= *exact, "{cutoff} {cut} {exact}");
                early += usize::from(cut < exact);
            }
        }
        assert!(early > 30, "{builtin}: only {early} rejected early");
        // A cutoff equal to the cost is not below it.
        let cut = cost.answer(&Request::costs(&population, &exact)).costs;
        assert_eq!(bits(&cut), bits(&exact));
    }
}

#[test]
fn the_same_bits_on_every_instruction_set_and_any_number_of_threads() {
    for (builtin, topology) in [(Builtin::Sinc, "1-5-1"), (Builtin::TwoSpirals, "2-10-1-10-2")] {
        let topology: Topology = topology.parse().unwrap();
        let data = train(builtin);
        let population = candidates(topology.dim(), 37, 5);
        let reference = {
            let isa = Isa::available()[0];
            let settings = CostSettings::default();
            costs(&mut NetworkCost::with_isa(topology.clone(), &data, &settings, isa).unwrap(), &population)
        };
        for isa in Isa::available() {
            for threads in [1, 2, 5, 64] {
                let settings = CostSettings { threads, ..CostSettings::default() };
                let mut cost = NetworkCost::with_isa(topology.clone(), &data, &settings, isa).unwrap();
                cost.pace = Pace::ALWAYS;
                assert_eq!(
                    bits(&costs(&mut cost, &population)),
                    bits(&reference),
                    "{} {threads}",
                    isa.name()
                );
            }
        }
    }
}

#[test]
fn a_nan_parameter_costs_infinity_or_nan_and_no_panic() {
    let topology: Topology = "1-2-1".parse().unwrap();
    let mut cost = NetworkCost::new(topology, train(Builtin::Sinc), &CostSettings::default()).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut population = Population::new(1, 4);
        population.row_mut(0)[1] = bad;
        assert!(!costs(&mut cost, &population)[0].is_finite());
    }
}

#[test]
fn mismatches_and_bad_settings_say_so() {
    let data = train(Builtin::Sinc);
    let failure = |topology: &str, settings: CostSettings| {
        NetworkCost::new(topology.parse().unwrap(), &data, &settings).unwrap_err().to_string()
    };
    let fine = CostSettings::default;
    assert_eq!(failure("2-3-1", fine()), "the topology 2-3-1 has 2 inputs, but the data has 1");
    assert_eq!(failure("1-3-2", fine()), "the topology 1-3-2 has 2 outputs, but the data has 1");
    assert!(
        failure("1-3-1", CostSettings { penalty_weight: -1.0, ..fine() }).contains("penalty_weight is -1")
    );
    assert!(
        failure("1-3-1", CostSettings { penalty_radius: Radius::Fixed(0.0), ..fine() })
            .contains("penalty_radius")
    );
    assert!(failure("1-3-1", CostSettings { rank_tolerance: 1.0, ..fine() }).contains("rank_tolerance is 1"));
    let mut broken = data.clone();
    broken.inputs[0][3] = f64::NAN;
    let error = NetworkCost::new("1-3-1".parse().unwrap(), &broken, &fine()).unwrap_err();
    assert_eq!(error.to_string(), "column x, row 4: NaN is not a finite number");
    let empty = data.select(&[]);
    assert!(NetworkCost::new("1-3-1".parse().unwrap(), &empty, &fine()).is_err());
}

#[test]
fn a_decay_is_part_of_the_cost_in_every_computation_of_it() {
    let topology: Topology = "4-3-3".parse().unwrap();
    let data = train(Builtin::Iris);
    let with = |decay| CostSettings { decay, output_bias: true, ..CostSettings::default() };
    let mut cost = NetworkCost::new(topology.clone(), &data, &with(1e-2)).unwrap();
    let mut bare = NetworkCost::new(topology.clone(), &data, &with(0.0)).unwrap();
    let mut population = candidates(topology.dim(), 20, 8);
    population.rows_mut().for_each(|theta| theta.iter_mut().for_each(|v| *v *= 0.5));
    let expected = costs(&mut cost, &population);
    let of_error = costs(&mut bare, &population);
    cost.prepare_slopes(Derivatives::Matrix).unwrap();
    let slopes = Some(f64::NEG_INFINITY);
    let also = cost
        .answer(&Request { candidates: &population, cutoffs: &[f64::INFINITY; 20], slopes, halvings: 0 })
        .costs;
    for (i, theta) in population.rows().enumerate().filter(|(_, theta)| norm(theta) < 15f64.sqrt()) {
        assert_eq!(expected[i].to_bits(), also[i].to_bits());
        let confirmed = cost.confirm(theta, expected[i]);
        assert!((confirmed - expected[i]).abs() < 1e-12 * expected[i], "{confirmed} {}", expected[i]);
        let solved = cost.solve(theta);
        let weights = solved.readout.weights.iter().flat_map(|w| &w[..3]).chain(theta);
        let squares: f64 = weights.map(|v| v * v).sum();
        assert!((solved.penalty - 1e-2 * squares).abs() < 1e-12);
        // Other output weights than those of least squares, so a larger error, but a lower cost.
        let free = bare.solve(theta).readout.weights;
        let free: f64 = free.iter().flat_map(|w| &w[..3]).chain(theta).map(|v| v * v).sum();
        assert!(solved.mse >= of_error[i] && expected[i] <= of_error[i] + 1e-2 * free);
    }
}

#[test]
fn every_candidate_gets_its_cost_whatever_its_cutoff_and_however_few_they_are() {
    let topology: Topology = "1-5-1".parse().unwrap();
    let mut cost =
        NetworkCost::new(topology.clone(), train(Builtin::Sinc), &CostSettings::default()).unwrap();
    for n in [1, 3, 7, 8, 9, 17, 40] {
        let population = candidates(topology.dim(), n, 9);
        let exact = costs(&mut cost, &population);
        for factor in [-1.0, 0.0, 0.5, 2.0, f64::NAN] {
            let cutoffs: Vec<f64> = exact.iter().map(|c| c * factor).collect();
            let cut = cost.answer(&Request::costs(&population, &cutoffs)).costs;
            for ((exact, cut), cutoff) in exact.iter().zip(&cut).zip(&cutoffs) {
                assert!(
                    cut.to_bits() == exact.to_bits() || (cutoff < cut && cut < exact),
                    "{n} {factor}: {cutoff} {cut} {exact}"
                );
            }
        }
    }
}

#[test]
fn losers_are_rejected_without_an_evaluation_even_where_columns_are_nearly_collinear() {
    for (builtin, topology, at_least) in
        [(Builtin::Sinc, "1-5-1", 0.7), (Builtin::TwoSpirals, "2-10-1-10-2", 0.15)]
    {
        let topology: Topology = topology.parse().unwrap();
        let mut cost = NetworkCost::new(topology.clone(), train(builtin), &CostSettings::default()).unwrap();
        let mut population = candidates(topology.dim(), 160, 3);
        // Into the sphere: outside of it nothing is screened.
        population.rows_mut().flatten().for_each(|v| *v = v.clamp(-1.0, 1.0));
        let exact = costs(&mut cost, &population);
        let cutoffs: Vec<f64> = exact.iter().map(|c| 0.99 * c).collect();
        let cut = cost.answer(&Request::costs(&population, &cutoffs)).costs;
        // What was evaluated has its cost, what was rejected a bound below it.
        let rejected = cut.iter().zip(&exact).filter(|(cut, exact)| cut.to_bits() != exact.to_bits()).count();
        let share = rejected as f64 / exact.len() as f64;
        assert!(share >= at_least, "{builtin} {topology}: only {share} are rejected");
    }
}
