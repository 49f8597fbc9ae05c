//! Properties of the symmetry operators and of the paper's heuristic.

use onefold::rng::{Purpose, Rng};
use onefold::symmetry::{Canonical, Heuristic, Ideal};
use onefold::symmetry::{flip, swap};
use onefold::{Align, CostSettings, Dataset, NetworkCost, Objective, Population, Topology};
use proptest::prelude::*;
use std::collections::HashSet;

/// A symmetry operator.
#[derive(Clone, Copy, Debug)]
enum Operator {
    Flip { layer: usize, n: usize },
    Swap { layer: usize, j: usize, k: usize },
}

impl Operator {
    fn apply(self, topology: &Topology, theta: &mut [f64]) {
        match self {
            Self::Flip { layer, n } => flip(topology, theta, layer, n),
            Self::Swap { layer, j, k } => swap(topology, theta, layer, j, k),
        }
    }
}

/// All operators of a topology.
fn operators(topology: &Topology) -> Vec<Operator> {
    let mut all = Vec::new();
    for (layer, width) in topology.hidden().iter().enumerate() {
        for j in 0..*width {
            all.push(Operator::Flip { layer, n: j });
            all.extend((0..j).map(|k| Operator::Swap { layer, j, k }));
        }
    }
    all
}

fn random_theta(topology: &Topology, seed: u64) -> Vec<f64> {
    let mut rng = Rng::stream(seed, Purpose::Start, 0, 0);
    (0..topology.dim()).map(|_| rng.between(-1.0, 1.0)).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn norm(a: &[f64]) -> f64 {
    distance(a, &vec![0.0; a.len()])
}

/// Data with as many inputs and outputs as the topology.
fn data(topology: &Topology) -> Dataset {
    let mut rng = Rng::stream(9, Purpose::Data, 0, 0);
    let mut column = || (0..30).map(|_| rng.between(-1.0, 1.0)).collect::<Vec<_>>();
    Dataset {
        inputs: (0..topology.inputs()).map(|_| column().into()).collect(),
        outputs: (0..topology.outputs()).map(|_| column()).collect(),
        input_names: vec!["x".into(); topology.inputs()],
        output_names: vec!["y".into(); topology.outputs()],
        classification: false,
        weights: None,
    }
}

fn cost(topology: &Topology, theta: &[f64]) -> f64 {
    let mut objective = NetworkCost::new(topology.clone(), data(topology), &CostSettings::default()).unwrap();
    let mut population = Population::new(1, theta.len());
    population.row_mut(0).copy_from_slice(theta);
    objective.costs(&population)[0]
}

fn any_topology() -> impl Strategy<Value = Topology> {
    prop::collection::vec(1..5_usize, 3..7).prop_map(|widths| Topology::new(&widths).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn function_and_norm_are_invariant_under_any_chain(
        topology in any_topology(), seed in any::<u64>(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..12)
    ) {
        let all = operators(&topology);
        let theta = random_theta(&topology, seed);
        let mut moved = theta.clone();
        for pick in &picks {
            all[pick.index(all.len())].apply(&topology, &mut moved);
        }
        let (before, after) = (cost(&topology, &theta), cost(&topology, &moved));
        prop_assert!((before - after).abs() <= 1e-9 * (before + 1e-3), "{before} {after}");
        // The parameters are only moved and negated, so even their squares are the same numbers.
        let mut squares: Vec<f64> = theta.iter().map(|v| v * v).collect();
        let mut moved_squares: Vec<f64> = moved.iter().map(|v| v * v).collect();
        squares.sort_by(f64::total_cmp);
        moved_squares.sort_by(f64::total_cmp);
        prop_assert_eq!(squares, moved_squares);
    }

    #[test]
    fn every_operator_is_its_own_inverse(topology in any_topology(), seed in any::<u64>()) {
        let theta = random_theta(&topology, seed);
        for operator in operators(&topology) {
            let mut moved = theta.clone();
            operator.apply(&topology, &mut moved);
            prop_assert_ne!(&moved, &theta);
            operator.apply(&topology, &mut moved);
            prop_assert_eq!(&moved, &theta);
        }
    }

    #[test]
    fn operators_of_different_layers_commute(topology in any_topology(), seed in any::<u64>()) {
        let theta = random_theta(&topology, seed);
        let layer = |o: &Operator| match o { Operator::Flip { layer, .. } | Operator::Swap { layer, .. } => *layer };
        let all = operators(&topology);
        for a in &all {
            for b in all.iter().filter(|b| layer(b) != layer(a)) {
                let (mut ab, mut ba) = (theta.clone(), theta.clone());
                a.apply(&topology, &mut ab);
                b.apply(&topology, &mut ab);
                b.apply(&topology, &mut ba);
                a.apply(&topology, &mut ba);
                prop_assert_eq!(ab, ba, "{:?} {:?}", a, b);
            }
        }
    }

    #[test]
    fn within_a_layer_a_swap_carries_flips_along(topology in any_topology(), seed in any::<u64>()) {
        // P_jk O_j = O_k P_jk
        let theta = random_theta(&topology, seed);
        for (layer, width) in topology.hidden().iter().enumerate() {
            for j in 0..*width {
                for k in 0..j {
                    let (mut a, mut b) = (theta.clone(), theta.clone());
                    flip(&topology, &mut a, layer, j);
                    swap(&topology, &mut a, layer, j, k);
                    swap(&topology, &mut b, layer, j, k);
                    flip(&topology, &mut b, layer, k);
                    prop_assert_eq!(a, b);
                }
            }
        }
    }

    #[test]
    fn the_heuristic_moves_to_an_equivalent_that_is_never_farther_and_comes_to_rest(
        topology in any_topology(), seed in any::<u64>()
    ) {
        let reference = random_theta(&topology, seed ^ 1);
        let mut theta = random_theta(&topology, seed);
        let (start, length) = (cost(&topology, &theta), norm(&theta));
        let heuristic = Heuristic::new(topology.clone());
        let mut rng = Rng::stream(seed, Purpose::Align, 0, 0);
        let mut last_change = 0;
        for step in 0..4000 {
            let before = theta.clone();
            heuristic.align(&mut theta, &reference, &mut rng);
            prop_assert!(distance(&theta, &reference) <= distance(&before, &reference) * (1.0 + 1e-14));
            if theta != before {
                last_change = step;
            }
        }
        prop_assert!(last_change < 2000, "still moving at {}", last_change);
        prop_assert!((norm(&theta) - length).abs() < 1e-12);
        prop_assert!((cost(&topology, &theta) - start).abs() <= 1e-9 * (start + 1e-3));
        // At rest no single operator helps.
        for operator in operators(&topology) {
            let mut moved = theta.clone();
            operator.apply(&topology, &mut moved);
            prop_assert!(distance(&moved, &reference) >= distance(&theta, &reference) * (1.0 - 1e-14));
        }
    }

    #[test]
    fn the_reference_itself_is_not_moved(topology in any_topology(), seed in any::<u64>()) {
        let theta = random_theta(&topology, seed);
        let mut moved = theta.clone();
        let mut rng = Rng::stream(seed, Purpose::Align, 0, 0);
        for _ in 0..50 {
            Heuristic::new(topology.clone()).align(&mut moved, &theta, &mut rng);
        }
        prop_assert_eq!(moved, theta);
    }
}

#[test]
fn the_heuristic_decides_by_the_papers_distances() {
    // Algorithm 1 with literal distances of whole parameter vectors, from the same random numbers.
    let topology: Topology = "2-4-3-4-1".parse().unwrap();
    for seed in 0..500 {
        let (theta, reference) = (random_theta(&topology, seed), random_theta(&topology, seed + 1000));
        let mut rng = Rng::stream(seed, Purpose::Align, 0, 0);
        let mu = rng.below(2);
        let layer = rng.below(3);
        let width = topology.hidden()[layer];
        let n = rng.below(width);
        let mut candidate = theta.clone();
        if mu == 0 {
            flip(&topology, &mut candidate, layer, n);
        } else {
            swap(&topology, &mut candidate, layer, rng.below(width), n);
        }
        let nearer = distance(&candidate, &reference) < distance(&theta, &reference);
        let mut aligned = theta.clone();
        let mut rng = Rng::stream(seed, Purpose::Align, 0, 0);
        Heuristic::new(topology.clone()).align(&mut aligned, &reference, &mut rng);
        assert_eq!(aligned, if nearer { candidate } else { theta }, "seed {seed}");
    }
}

#[test]
fn there_are_as_many_equivalents_as_the_paper_says() {
    for text in ["1-1-1", "1-2-1", "2-3-1", "1-4-1", "1-5-1", "2-2-3-1", "1-3-1-2-1"] {
        let topology: Topology = text.parse().unwrap();
        let theta = random_theta(&topology, 7);
        let key = |theta: &[f64]| theta.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let mut seen = HashSet::from([key(&theta)]);
        let mut open = vec![theta];
        while let Some(theta) = open.pop() {
            for operator in operators(&topology) {
                let mut moved = theta.clone();
                operator.apply(&topology, &mut moved);
                if seen.insert(key(&moved)) {
                    open.push(moved);
                }
            }
        }
        assert_eq!(seen.len(), topology.symmetric_equivalents() as usize, "{text}");
    }
}

#[test]
fn symmetry_breaking_pulls_equivalents_together() {
    // Scattered equivalents of one network come much nearer to it; single operators rest short of the ideal
    // one.
    let topology: Topology = "1-5-1".parse().unwrap();
    let reference = random_theta(&topology, 1);
    let mut rng = Rng::stream(1, Purpose::Align, 0, 0);
    let all = operators(&topology);
    let heuristic = Heuristic::new(topology.clone());
    let (mut before, mut after, mut home) = (0.0, 0.0, 0);
    for _ in 0..100 {
        let mut theta = reference.clone();
        for _ in 0..30 {
            all[rng.below(all.len())].apply(&topology, &mut theta);
        }
        before += distance(&theta, &reference);
        for _ in 0..500 {
            heuristic.align(&mut theta, &reference, &mut rng);
        }
        after += distance(&theta, &reference);
        home += usize::from(theta == reference);
    }
    assert!(after < 0.5 * before, "{after} of {before}");
    assert!((1..100).contains(&home), "{home}");
}

fn stream(seed: u64) -> Rng {
    Rng::stream(seed, Purpose::Align, 0, 0)
}

/// A random equivalent, by a long chain of operators.
fn mirrored(topology: &Topology, theta: &[f64], seed: u64) -> Vec<f64> {
    let (all, mut rng, mut theta) = (operators(topology), stream(seed), theta.to_vec());
    for _ in 0..100 {
        all[rng.below(all.len())].apply(topology, &mut theta);
    }
    theta
}

/// The smallest distance to the reference over all equivalents.
fn nearest_by_brute_force(topology: &Topology, theta: &[f64], reference: &[f64]) -> f64 {
    let all = operators(topology);
    let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let (mut seen, mut queue) = (HashSet::from([bits(theta)]), vec![theta.to_vec()]);
    let mut nearest = f64::INFINITY;
    while let Some(x) = queue.pop() {
        nearest = nearest.min(distance(&x, reference));
        for operator in &all {
            let mut next = x.clone();
            operator.apply(topology, &mut next);
            if seen.insert(bits(&next)) {
                queue.push(next);
            }
        }
    }
    nearest
}

#[test]
fn the_ideal_is_the_nearest_of_all_equivalents_in_one_layer() {
    for (text, cases) in [("1-1-1", 5), ("1-2-1", 10), ("3-3-2", 10), ("2-4-1", 6), ("1-5-1", 3)] {
        let topology: Topology = text.parse().unwrap();
        for seed in 0..cases {
            let (theta, reference) = (random_theta(&topology, seed), random_theta(&topology, 100 + seed));
            let mut aligned = theta.clone();
            Ideal::new(topology.clone()).align(&mut aligned, &reference, &mut stream(seed));
            let expected = nearest_by_brute_force(&topology, &theta, &reference);
            assert!((distance(&aligned, &reference) - expected).abs() < 1e-12, "{text} {seed}");
        }
    }
}

#[test]
fn ideal_is_at_most_heuristic_is_at_most_nothing_and_comes_to_rest() {
    for text in ["1-5-1", "4-7-3", "2-3-1-3-1", "4-5-1-5-3", "2-6-4-2", "3-2-2-2-2"] {
        let topology: Topology = text.parse().unwrap();
        let cost = cost_of(&topology);
        for seed in 0..40 {
            let (theta, reference) = (random_theta(&topology, seed), random_theta(&topology, 1000 + seed));
            let (mut ideal, mut heuristic) = (theta.clone(), theta.clone());
            let align = Ideal::new(topology.clone());
            align.align(&mut ideal, &reference, &mut stream(seed));
            Heuristic::new(topology.clone()).align(&mut heuristic, &reference, &mut stream(seed));
            let far = |x: &[f64]| distance(x, &reference);
            assert!(far(&heuristic) <= far(&theta) * (1.0 + 1e-12), "{text} {seed}");
            if topology.hidden().len() == 1 {
                assert!(far(&ideal) <= far(&heuristic) * (1.0 + 1e-12), "{text} {seed}");
            }
            assert!(far(&ideal) <= far(&theta) * (1.0 + 1e-12), "{text} {seed}");
            let again = ideal.clone();
            align.align(&mut ideal, &reference, &mut stream(seed));
            assert_eq!(again, ideal, "{text} {seed}");
            assert!((cost(&ideal) - cost(&theta)).abs() < 1e-9 * cost(&theta), "{text} {seed}");
            // One layer finds back exactly; in deeper networks restarts can only help.
            let mirror = mirrored(&topology, &reference, seed);
            let (mut once, mut often) = (mirror.clone(), mirror);
            align.align(&mut once, &reference, &mut stream(seed));
            align.clone().with_restarts(30).align(&mut often, &reference, &mut stream(seed));
            assert!(far(&often) <= far(&once) * (1.0 + 1e-12), "{text} {seed}");
            assert!(topology.hidden().len() > 1 || far(&once) < 1e-12, "{text} {seed} {}", far(&once));
        }
    }
}

#[test]
fn the_canonical_form_is_the_same_for_all_equivalents() {
    for text in ["1-5-1", "4-7-3", "2-3-1-3-1", "2-6-4-2"] {
        let topology: Topology = text.parse().unwrap();
        let (align, cost) = (Canonical::new(topology.clone()), cost_of(&topology));
        for seed in 0..40 {
            let theta = random_theta(&topology, seed);
            let mut form = theta.clone();
            align.align(&mut form, &theta, &mut stream(seed));
            assert!((cost(&form) - cost(&theta)).abs() < 1e-9 * cost(&theta));
            let mut mirror = mirrored(&topology, &theta, seed);
            align.align(&mut mirror, &theta, &mut stream(seed));
            assert_eq!(mirror, form, "{text} {seed}");
        }
    }
}

/// The cost of a network on random data.
fn cost_of(topology: &Topology) -> impl Fn(&[f64]) -> f64 {
    let (topology, data) = (topology.clone(), data(topology));
    move |theta| {
        let mut cost = NetworkCost::new(topology.clone(), &data, &CostSettings::default()).unwrap();
        let mut population = Population::new(1, theta.len());
        population.row_mut(0).copy_from_slice(theta);
        cost.costs(&population)[0]
    }
}
