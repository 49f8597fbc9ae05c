use super::*;
use crate::rng::{Purpose, Rng, Streams};

fn random(widths: &[usize], has_biases: bool, is_odd: bool, rng: &mut Rng) -> DenseNetwork {
    let mut layer = |inputs: usize, width: usize| DenseLayer {
        inputs,
        weights: (0..inputs * width).map(|_| rng.normal()).collect(),
        biases: (0..if has_biases { width } else { 0 }).map(|_| rng.normal()).collect(),
    };
    DenseNetwork::new(widths.windows(2).map(|pair| layer(pair[0], pair[1])).collect(), is_odd).unwrap()
}

fn outputs(network: &DenseNetwork, input: &[f64]) -> Vec<f64> {
    let mut x = input.to_vec();
    for (number, layer) in network.layers().iter().enumerate() {
        let sum = |n: usize| {
            let products = layer.row(n).iter().zip(&x).map(|(w, v)| w * v).sum::<f64>();
            products + layer.biases.get(n).unwrap_or(&0.0)
        };
        let is_last = number + 1 == network.layers().len();
        let activation = |v: f64| if network.is_odd { v.tanh() } else { v.max(0.0) };
        x = (0..layer.width()).map(|n| if is_last { sum(n) } else { activation(sum(n)) }).collect();
    }
    x
}

fn distance(a: &DenseNetwork, b: &DenseNetwork) -> f64 {
    let numbers = |network: &DenseNetwork| -> Vec<f64> {
        network.layers.iter().flat_map(|layer| layer.weights.iter().chain(&layer.biases)).copied().collect()
    };
    numbers(a).iter().zip(&numbers(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// All equivalents of one hidden layer of this width.
fn all(width: usize, is_odd: bool) -> Vec<Equivalent> {
    let mut orders = vec![Vec::new()];
    for _ in 0..width {
        let longer = |order: &Vec<usize>| {
            let rest: Vec<usize> = (0..width).filter(|n| !order.contains(n)).collect();
            rest.into_iter().map(|n| [&order[..], &[n]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let signs = if is_odd { 1 << width } else { 1 };
    let sign = |bits: usize, n: usize| if bits >> n & 1 == 1 { -1.0 } else { 1.0 };
    let of_order = |order: &Vec<usize>| {
        let order = order.clone();
        (0..signs).map(move |bits| Equivalent {
            permutations: vec![order.clone()],
            signs: vec![(0..width).map(|n| sign(bits, n)).collect()],
        })
    };
    orders.iter().flat_map(of_order).collect()
}

#[test]
fn the_nearest_equivalent_of_one_hidden_layer_equals_brute_force() {
    for case in 0..40 {
        let mut rng = Streams::new(case, Purpose::Data, 0).of(0);
        let (is_odd, has_biases) = (case % 2 == 0, case % 3 != 0);
        let widths = [1 + rng.below(3), 1 + rng.below(4), 1 + rng.below(3)];
        let [a, b] = [0, 1].map(|_| random(&widths, has_biases, is_odd, &mut rng));
        let found = distance(&a.apply(&a.nearest_to(&b).unwrap()).unwrap(), &b);
        let of = |equivalent: &Equivalent| distance(&a.apply(equivalent).unwrap(), &b);
        let least = all(widths[1], is_odd).iter().map(of).fold(f64::INFINITY, f64::min);
        assert!((found - least).abs() < 1e-9, "{case}: {found} {least}");
    }
}

#[test]
fn equivalents_compute_the_same_function_and_canonical_forms_are_equal() {
    for case in 0..20 {
        let mut rng = Streams::new(case, Purpose::Data, 1).of(0);
        let is_odd = case % 2 == 0;
        let a = random(&[3, 4, 5, 2], case % 3 != 0, is_odd, &mut rng);
        let b = random(&[3, 4, 5, 2], case % 3 != 0, is_odd, &mut rng);
        let moved = a.apply(&a.nearest_to(&b).unwrap()).unwrap();
        assert!(distance(&moved, &b) <= distance(&a, &b) + 1e-12);
        let [canonical, of_moved] = [&a, &moved].map(|n| n.apply(&n.canonical()).unwrap());
        assert!(distance(&canonical, &of_moved) < 1e-12, "{case}");
        let input = [rng.normal(), rng.normal(), rng.normal()];
        for other in [&moved, &canonical] {
            let pairs = outputs(&a, &input).into_iter().zip(outputs(other, &input)).collect::<Vec<_>>();
            assert!(pairs.iter().all(|(x, y)| (x - y).abs() < 1e-12), "{pairs:?}");
        }
        // Back to where it came from, through two layers.
        let back = moved.apply(&moved.nearest_to(&a).unwrap()).unwrap();
        assert!(distance(&back, &a) <= distance(&moved, &a));
    }
}

#[test]
fn layers_that_do_not_fit_are_refused() {
    let layer = |inputs: usize, weights: usize, biases: usize| DenseLayer {
        inputs,
        weights: vec![1.0; weights],
        biases: vec![0.0; biases],
    };
    let message = |layers: Vec<DenseLayer>| DenseNetwork::new(layers, true).unwrap_err().to_string();
    assert!(message(Vec::new()).contains("output layer"));
    assert!(message(vec![layer(2, 5, 0)]).contains("rows of 2 weights"));
    assert!(message(vec![layer(2, 6, 2)]).contains("3 neurons, but 2 biases"));
    assert!(message(vec![layer(2, 6, 3), layer(2, 2, 1)]).contains("the layer before it has 3 neurons"));
    let small = DenseNetwork::new(vec![layer(1, 2, 2), layer(2, 2, 1)], true).unwrap();
    let large = DenseNetwork::new(vec![layer(1, 3, 3), layer(3, 3, 1)], true).unwrap();
    assert!(small.nearest_to(&large).unwrap_err().to_string().contains("1-2-1, but must be those"));
    assert!(small.apply(&large.canonical()).is_err());
}
