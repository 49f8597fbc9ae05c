use super::sphere::norm;
use super::*;
use crate::objective::Radius;
use crate::objective::gauss_newton::RIDGE;
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
        (Builtin::Sinc2d, "2-5-1+linear"),
        (Builtin::Balance, "4-5-2-3+linear"),
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
    for (builtin, topology) in
        [(Builtin::Sinc, "1-5-1"), (Builtin::TwoSpirals, "2-10-1-10-2"), (Builtin::Iris, "4-3-3+linear")]
    {
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

/// The least cost over output weights by a singular value decomposition, with the columns that the topology
/// names: outputs of the last hidden layer, inputs, ones.
fn by_decomposition(
    topology: &Topology,
    data: &Dataset,
    theta: &[f64],
    settings: &CostSettings,
    ridge: f64,
) -> f64 {
    let (rows, outputs) = (data.rows(), data.outputs.len());
    let inputs = || data.inputs.iter().map(|column| column.to_vec());
    let mut columns: Vec<Vec<f64>> = inputs().collect();
    for (l, width) in topology.hidden().iter().enumerate() {
        let neuron = |n: usize| {
            let eta = &theta[topology.neuron(l, n)];
            let sum = |row: usize| columns.iter().zip(eta).map(|(x, w)| w * x[row]).sum::<f64>();
            (0..rows).map(|row| (sum(row) + eta[eta.len() - 1]).tanh()).collect::<Vec<f64>>()
        };
        columns = (0..*width).map(neuron).collect();
    }
    if topology.hidden().is_empty() {
        columns.clear();
    }
    if topology.has_linear_part() {
        columns.extend(inputs());
    }
    let penalised = columns.len();
    if settings.output_bias {
        columns.push(vec![1.0; rows]);
    }
    // The factor of each squared weight, as a further row of the least-squares problem.
    let (count, terms) = (columns.len(), (rows * outputs) as f64);
    let factor = |column: usize| {
        let decay = if column < penalised { terms * settings.decay } else { 0.0 };
        decay.max(rows as f64 * ridge * ridge).sqrt()
    };
    let x = nalgebra::DMatrix::from_fn(rows + count, count, |row, column| match row.checked_sub(rows) {
        None => columns[column][row],
        Some(further) => {
            if further == column {
                factor(column)
            } else {
                0.0
            }
        }
    });
    let y = nalgebra::DMatrix::from_fn(rows + count, outputs, |row, output| {
        data.outputs[output].get(row).copied().unwrap_or(0.0)
    });
    let weights = x.clone().svd(true, true).solve(&y, 0.0).unwrap();
    let squares: f64 = theta.iter().map(|v| v * v).sum();
    (y - x * weights).norm_squared() / terms + settings.decay * squares
}

/// A random data set whose targets depend on the inputs linearly and not.
fn random_data(rows: usize, inputs: usize, outputs: usize, seed: u64) -> Dataset {
    let mut rng = Rng::stream(seed, Purpose::Data, 0, 0);
    let inputs: Vec<Vec<f64>> =
        (0..inputs).map(|_| (0..rows).map(|_| rng.between(-2.0, 2.0)).collect()).collect();
    let target = |o: usize, row: usize| {
        let linear: f64 = inputs.iter().enumerate().map(|(i, x)| (i + o) as f64 * x[row]).sum();
        linear + (2.0 * inputs[0][row] + o as f64).sin()
    };
    let outputs: Vec<Vec<f64>> =
        (0..outputs).map(|o| (0..rows).map(|row| target(o, row)).collect()).collect();
    let [input_names, output_names] =
        [&inputs, &outputs].map(|columns: &Vec<_>| (0..columns.len()).map(|i| i.to_string()).collect());
    let inputs = inputs.into_iter().map(Into::into).collect();
    Dataset { inputs, outputs, input_names, output_names, ..Dataset::default() }
}

#[test]
fn costs_with_a_linear_part_are_those_of_least_squares_with_the_inputs_as_columns() {
    let mut seed = 0;
    for text in ["1-2-1", "3-4-1", "3-4-2", "5-3-2-3", "2-3-1-3-1", "6-1-1"] {
        for (rows, output_bias, decay) in
            [(60, false, 0.0), (61, true, 0.0), (64, true, 1e-3), (200, false, 0.1), (4100, true, 1e-4)]
        {
            seed += 1;
            let topology: Topology = (text.to_string() + "+linear").parse().unwrap();
            let data = random_data(rows, topology.inputs(), topology.outputs(), seed);
            let settings = CostSettings { decay, output_bias, ..CostSettings::default() };
            let mut population = Population::new(4, topology.dim());
            let mut rng = Rng::stream(seed, Purpose::Start, 0, 0);
            population.rows_mut().flatten().for_each(|v| *v = rng.between(-0.9, 0.9));
            let costs = |topology: &Topology, ridge: f64| -> Vec<f64> {
                let cost = |theta| by_decomposition(topology, &data, theta, &settings, ridge);
                population.rows().map(cost).collect()
            };
            let (exact, with_ridge) = (costs(&topology, 0.0), costs(&topology, RIDGE));
            let without = costs(&topology.clone().with_linear_part(false), 0.0);
            assert!(exact.iter().zip(without).all(|(cost, without)| *cost < without), "{topology}");
            let close = |costs: &[f64], expected: &[f64], tolerance: f64, how: &str| {
                for (cost, expected) in costs.iter().zip(expected) {
                    let what = format!("{topology}, {rows} rows, bias {output_bias}, decay {decay}, {how}");
                    assert!((cost - expected).abs() <= tolerance * expected, "{what}: {cost} not {expected}");
                }
            };
            let make = || NetworkCost::new(topology.clone(), &data, &settings).unwrap();
            let is_tiled = rows > MOST_RESIDENT_ROWS;
            close(&make().costs(&population), &exact, 1e-8, "costs alone");
            let cutoffs = vec![f64::INFINITY; population.len()];
            for derivatives in [Derivatives::Matrix, Derivatives::Gradient] {
                let mut cost = make();
                cost.prepare_slopes(derivatives).unwrap();
                let slopes = Some(f64::NEG_INFINITY);
                let request = Request { candidates: &population, cutoffs: &cutoffs, slopes, halvings: 0 };
                close(&cost.answer(&request).costs, &with_ridge, 1e-8, &format!("{derivatives:?}"));
                let confirmed: Vec<f64> =
                    population.rows().map(|theta| cost.confirm(theta, f64::NAN)).collect();
                close(
                    &confirmed,
                    &exact,
                    if is_tiled { 1e-6 } else { 1e-8 },
                    &format!("{derivatives:?}, confirmed"),
                );
            }
        }
    }
}

#[test]
fn without_hidden_layers_the_solution_is_that_of_least_squares() {
    for (text, output_bias) in [("3-2+linear", true), ("3-2+linear", false), ("4-1", true)] {
        for (rows, decay) in [(50, 0.0), (50, 1e-2), (5000, 0.0), (5000, 1e-2)] {
            let topology: Topology = text.parse().unwrap();
            let data = random_data(rows, topology.inputs(), topology.outputs(), 3);
            let settings = CostSettings { decay, output_bias, ..CostSettings::default() };
            let solved = NetworkCost::new(topology.clone(), &data, &settings).unwrap().solve(&[]);
            let expected = by_decomposition(&topology, &data, &[], &settings, 0.0);
            let found = solved.mse + solved.penalty;
            assert!((found - expected).abs() <= 1e-9 * expected, "{text} {rows} {decay}: {found} {expected}");
            assert!(solved.hidden.is_empty() && solved.readout.weights.len() == topology.outputs());
        }
    }
    let data = random_data(20, 2, 1, 4);
    let error = NetworkCost::new("2-1".parse().unwrap(), &data, &CostSettings::default()).unwrap_err();
    assert!(error.to_string().contains("needs output biases or a linear part"), "{error}");
}
