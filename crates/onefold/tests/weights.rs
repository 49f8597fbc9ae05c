//! Weights of rows: a weight of k is as good as k repetitions, in costs, derivatives and whole fits.

use onefold::data::{ClassWeights, Related};
use onefold::model_selection::{SelectionSettings, select};
use onefold::rng::{Purpose, Rng};
use onefold::settings::OutputLayer;
use onefold::{
    Cancellation, CostSettings, Dataset, Derivatives, FitSettings, Method, NetworkCost, Objective,
    Population, Request, Topology, TrainTest, fit,
};

/// Rows with targets that depend on the inputs and on chance; as classes, by the largest target.
fn rows(count: usize, inputs: usize, outputs: usize, classification: bool) -> Dataset {
    let mut rng = Rng::stream(5, Purpose::Data, 0, 0);
    let mut column = || (0..count).map(|_| rng.between(-2.0, 2.0)).collect::<Vec<f64>>();
    let inputs: Vec<Vec<f64>> = (0..inputs).map(|_| column()).collect();
    let noise: Vec<Vec<f64>> = (0..outputs).map(|_| column()).collect();
    let target = |o: usize, row: usize| {
        let x = |i: usize| inputs[i % inputs.len()][row];
        (1.5 * x(o) + o as f64).sin() + 0.4 * x(o + 1) + 0.2 * noise[o][row]
    };
    let mut outputs: Vec<Vec<f64>> =
        (0..outputs).map(|o| (0..count).map(|row| target(o, row)).collect()).collect();
    if classification {
        for row in 0..count {
            let best = (0..outputs.len()).max_by(|a, b| outputs[*a][row].total_cmp(&outputs[*b][row]));
            (0..outputs.len()).for_each(|o| outputs[o][row] = f64::from(u8::from(Some(o) == best)));
        }
    }
    let names = |columns: &[Vec<f64>], letter: &str| -> Vec<String> {
        (0..columns.len()).map(|i| format!("{letter}{i}")).collect()
    };
    let (input_names, output_names) = (names(&inputs, "x"), names(&outputs, "y"));
    let inputs = inputs.into_iter().map(Into::into).collect();
    Dataset { inputs, outputs, input_names, output_names, classification, weights: None }
}

/// Rows with weights, and the same with repetitions instead.
fn weighted_and_repeated(data: &Dataset) -> (Dataset, Dataset) {
    let weights: Vec<usize> = (0..data.rows()).map(|i| (i + i / 4) % 4).collect();
    let repeated: Vec<usize> = (0..data.rows()).flat_map(|i| vec![i; weights[i]]).collect();
    let weighted = data.clone().with_weights(weights.iter().map(|w| *w as f64).collect()).unwrap();
    assert_eq!(weighted.rows(), weights.iter().filter(|w| **w > 0).count());
    (weighted, data.select(&repeated))
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {a} instead of {b}, largest {scale}");
    }
}

#[test]
fn costs_and_derivatives_are_those_of_repetitions() {
    // The second number of rows is that of a table that is evaluated in tiles.
    for (text, count) in
        [("3-4-2", 90), ("2-3-2-1", 90), ("3-4-2+linear", 90), ("3-5-2", 6000), ("2-3-2-1", 6000)]
    {
        let topology: Topology = text.parse().unwrap();
        let data = rows(count, topology.inputs(), topology.outputs(), false);
        let (weighted, repeated) = weighted_and_repeated(&data);
        let mut population = Population::new(3, topology.dim());
        let mut rng = Rng::stream(1, Purpose::Start, 0, 0);
        population.rows_mut().flatten().for_each(|v| *v = rng.between(-0.8, 0.8));
        let cutoffs = [f64::INFINITY; 3];
        for (output_bias, decay) in [(false, 0.0), (true, 0.0), (true, 1e-2)] {
            let settings = CostSettings { output_bias, decay, ..CostSettings::default() };
            let cost = |data: &Dataset| NetworkCost::new(topology.clone(), data.clone(), &settings).unwrap();
            let what = format!("{topology}, {count} rows, bias {output_bias}, decay {decay}");
            close(&cost(&weighted).costs(&population), &cost(&repeated).costs(&population), 1e-9, &what);
            for derivatives in [Derivatives::Gradient, Derivatives::Matrix] {
                let [found, expected] = [&weighted, &repeated].map(|data| {
                    let mut cost = cost(data);
                    cost.prepare_slopes(derivatives).unwrap();
                    let slopes = Some(f64::NEG_INFINITY);
                    let request = Request { candidates: &population, cutoffs: &cutoffs, slopes, halvings: 0 };
                    let answer = cost.answer(&request);
                    let confirmed: Vec<f64> = population.rows().map(|x| cost.confirm(x, 0.0)).collect();
                    (answer, confirmed)
                });
                let what = format!("{what}, {derivatives:?}");
                close(&found.0.costs, &expected.0.costs, 1e-9, &what);
                close(&found.1, &expected.1, 1e-9, &what);
                for (found, expected) in found.0.slopes.iter().zip(&expected.0.slopes) {
                    close(&found.half_gradient, &expected.half_gradient, 1e-7, &what);
                    close(&found.matrix, &expected.matrix, 1e-7, &what);
                }
            }
        }
    }
}

#[test]
fn samples_of_a_large_table_have_weights_too() {
    let data = rows(9000, 2, 1, false);
    let topology: Topology = "2-3-1".parse().unwrap();
    let mut population = Population::new(1, topology.dim());
    population.row_mut(0).fill(0.3);
    let cost_of = |weights: Option<f64>| {
        let mut data = data.clone();
        // Rows with a high target count more.
        let heavy = |row: usize, w: f64| if data.outputs[0][row] > 1.0 { w } else { 1.0 };
        let weights: Option<Vec<f64>> = weights.map(|w| (0..9000).map(|row| heavy(row, w)).collect());
        data.weights = weights;
        let settings = CostSettings { output_bias: true, ..CostSettings::default() };
        let mut cost = NetworkCost::new(topology.clone(), data, &settings).unwrap();
        cost.prepare_slopes(Derivatives::Gradient).unwrap();
        let slopes = Some(f64::NEG_INFINITY);
        [0, 2].map(|halvings| {
            let request = Request { candidates: &population, cutoffs: &[f64::INFINITY], slopes, halvings };
            cost.answer(&request).costs[0]
        })
    };
    let [without, ones, heavy] = [None, Some(1.0), Some(20.0)].map(cost_of);
    assert_eq!(without.map(f64::to_bits), ones.map(f64::to_bits));
    assert!((heavy[0] / without[0] - 1.0).abs() > 0.1, "{heavy:?} {without:?}");
    assert!((heavy[1] / heavy[0] - 1.0).abs() < 0.1, "{heavy:?}");
}

#[test]
fn whole_fits_are_those_of_repetitions() {
    for (classification, hidden, decay) in
        [(false, "2", 1e-3), (false, "none+linear", 1e-2), (true, "2", 1e-2), (false, "2-2", 1e-2)]
    {
        let data = rows(70, 2, 2, classification);
        let (weighted, repeated) = weighted_and_repeated(&data);
        let [found, expected] = [&weighted, &repeated].map(|train| {
            let mut settings = FitSettings::for_data(train, hidden, Method::AUTO).unwrap();
            settings.cost.decay = decay;
            if classification {
                settings.output_layer = OutputLayer::Logistic;
            }
            let data = TrainTest { train: train.clone(), test: weighted.clone(), ..TrainTest::default() };
            fit("rows", &data, &settings).unwrap().model
        });
        let what = format!("classification {classification}, {hidden}");
        for row in 0..data.rows() {
            let input = data.input(row);
            close(&found.predict(&input), &expected.predict(&input), 1e-4, &what);
        }
        let (a, b) = (found.metrics(), expected.metrics());
        close(&[a.train_mse.unwrap()], &[b.train_mse.unwrap()], 1e-6, &what);
        close(&[a.test_mse.unwrap()], &[a.train_mse.unwrap()], 1e-12, &what);
        close(&[a.train_accuracy.unwrap_or(0.0)], &[b.train_accuracy.unwrap_or(0.0)], 1e-12, &what);
        assert!(found.origin().weighted && !expected.origin().weighted);
    }
}

#[test]
fn equal_weights_change_no_bit() {
    let data = rows(60, 2, 1, false);
    let settings = FitSettings::for_data(&data, "3", Method::AUTO).unwrap();
    let parameters = |train: Dataset| {
        let data = TrainTest { train, ..TrainTest::default() };
        let model = fit("rows", &data, &settings).unwrap().model;
        (model.hidden().to_vec(), model.readout().to_vec(), model.metrics().train_mse.unwrap().to_bits())
    };
    let ones = data.clone().with_weights(vec![1.0; 60]).unwrap();
    assert_eq!(parameters(ones), parameters(data));
}

#[test]
fn a_race_goes_by_weights() {
    // The first half is a line, the second half a sine; whatever has no weight is not learnt.
    let mut data = rows(160, 1, 1, false);
    let mut rng = Rng::stream(6, Purpose::Data, 0, 0);
    for row in 0..160 {
        let x = data.inputs[0][row];
        data.outputs[0][row] = if row < 80 { x } else { (3.0 * x).sin() } + 0.02 * rng.normal();
    }
    let selected = |weight: f64| {
        let weights = (0..160).map(|row| if row < 80 { 1.0 } else { weight }).collect();
        let data = data.clone().with_weights(weights).unwrap();
        let template = FitSettings::for_data(&data, "1", Method::AUTO).unwrap();
        let settings = SelectionSettings { effort: Some(1.0), threads: 1, ..SelectionSettings::default() };
        let selection =
            select(&data, &template, &settings, &Cancellation::default(), |_| {}).unwrap().unwrap();
        (selection.topology.to_string(), selection.tried.iter().map(|t| t.score).fold(f64::MAX, f64::min))
    };
    let (line, error) = selected(1e-12);
    assert_eq!(line, "1-1+linear");
    assert!(error < 0.05, "{error}");
    let (sine, error) = selected(1e12);
    assert!(sine != "1-1+linear" && error < 0.05, "{sine} {error}");
}

#[test]
fn repetitions_and_weights_become_the_same_rows() {
    let data = rows(40, 3, 2, false);
    let (weighted, repeated) = weighted_and_repeated(&data);
    let order: Vec<usize> = (0..weighted.rows()).map(|i| i * 7 % weighted.rows()).collect();
    let (merged, places) = repeated.merged(None);
    assert_eq!(merged, weighted.select(&order).merged(None).0);
    assert_eq!((merged.rows(), places.len()), (weighted.rows(), weighted.rows()));
    assert!(merged.inputs[0].is_sorted());
    // Without weights and repetitions nothing changes, nor where all rows are repeated equally.
    assert_eq!(data.clone().merged(None), (data.clone(), (0..40).collect()));
    let twice: Vec<usize> = (0..80).map(|i| i % 40).collect();
    assert_eq!(data.select(&twice).merged(None).0, data);
    assert_eq!(data.clone().with_weights(vec![0.5; 40]).unwrap().merged(None).0, data);
    // Rows of different groups are different rows.
    let groups = Related::Groups((0..80).map(|i| i / 40).collect());
    assert_eq!(data.select(&twice).merged(Some(&groups)).0.rows(), 80);
}

#[test]
fn weights_that_are_none_are_refused() {
    let message = |weights: Vec<f64>| rows(3, 1, 1, false).with_weights(weights).unwrap_err().to_string();
    assert_eq!(message(vec![1.0]), "there are 1 weights for 3 rows");
    assert_eq!(message(vec![1.0, -1.0, 1.0]), "row 2: the weight -1 is not a finite number of at least 0");
    assert!(message(vec![1.0, 1.0, f64::NAN]).contains("row 3"));
    assert!(message(vec![0.0; 3]).contains("all weights are 0"));
    let mut data = rows(3, 1, 1, false);
    data.weights = Some(vec![1.0, 0.0, 1.0]);
    let settings = CostSettings { output_bias: true, ..CostSettings::default() };
    assert!(NetworkCost::new("1-1-1".parse().unwrap(), data, &settings).is_err());
    // Ratios count, whatever the size.
    let huge = rows(3, 1, 1, false).with_weights(vec![1e308, 1e308, 1e-300]).unwrap();
    assert_eq!((huge.rows(), huge.total_weight()), (2, 2.0));
}

#[test]
fn balanced_classes_get_the_same_attention() {
    let mut data = rows(300, 2, 2, true);
    // One class is rare, and overlaps with the other.
    let mut rng = Rng::stream(9, Purpose::Data, 0, 0);
    for row in 0..300 {
        let rare = f64::from(u8::from(data.inputs[0][row] > 1.4 && rng.uniform() < 0.4));
        (data.outputs[0][row], data.outputs[1][row]) = (1.0 - rare, rare);
    }
    let recall = |train: &Dataset| {
        let mut settings = FitSettings::for_data(train, "2", Method::AUTO).unwrap();
        (settings.cost.decay, settings.output_layer) = (1e-3, OutputLayer::Logistic);
        let split = TrainTest { train: train.clone(), ..TrainTest::default() };
        let model = fit("rows", &split, &settings).unwrap().model;
        let rare: Vec<usize> = (0..300).filter(|row| data.outputs[1][*row] > 0.5).collect();
        let found = rare.iter().filter(|row| model.classify(&data.input(**row)) == Some("y1")).count();
        found as f64 / rare.len() as f64
    };
    let balanced = ClassWeights::Balanced.apply(data.clone()).unwrap();
    assert!(recall(&data) < 0.7 && recall(&balanced) > 0.9, "{} {}", recall(&data), recall(&balanced));
}
