//! `onefold bench --scaling`: time against samples, width, depth, population and dimension.

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::{self, grouped, table};
use onefold::kernel::Isa;
use onefold::rng::{Purpose, Rng};
use onefold::symmetry::Heuristic;
use onefold::{
    CommonSettings, CostSettings, Dataset, DeSettings, DifferentialEvolution, Evaluations, NetworkCost,
    Objective as _, Optimizer as _, Topology,
};
use serde_json::{Value, json};
use std::time::Instant;

/// What grows, and how the work of one evaluation should grow with it.
struct Series {
    name: &'static str,
    points: Vec<Point>,
}

struct Point {
    value: u64,
    topology: String,
    rows: usize,
    population: usize,
}

/// Seconds per candidate.
struct Times {
    work: f64,
    evaluation: f64,
    optimiser: f64,
    symmetry: f64,
}

fn all_series() -> Vec<Series> {
    let point = |value: u64, topology: String, rows: usize, population: usize| Point {
        value,
        topology,
        rows,
        population,
    };
    let decades = |from: u32, to: u32| (from..=to).map(|e| 10_u64.pow(e));
    let series = |name, points| Series { name, points };
    vec![
        series("samples", decades(2, 6).map(|k| point(k, "1-5-1".into(), k as usize, 16)).collect()),
        series("width", (1..=7).map(|e| 1 << e).map(|n| point(n, format!("1-{n}-1"), 200, 64)).collect()),
        series(
            "depth",
            (1..=6).map(|l| point(l, format!("1{}-1", "-5".repeat(l as usize)), 200, 64)).collect(),
        ),
        series("population", decades(2, 5).map(|n| point(n, "1-5-1".into(), 200, n as usize)).collect()),
        series(
            "dimension",
            [3, 10, 31, 99]
                .map(|d: u64| point(d * (d + 1), format!("{d}-{d}-1"), 200, 64))
                .into_iter()
                .collect(),
        ),
    ]
}

pub(super) fn run(args: &BenchArgs, isa: Isa) -> Result<(), Failure> {
    let mut rows = vec![
        ["", "", "network", "evaluation", "per unit of work", "optimiser", "symmetry breaking"]
            .map(String::from)
            .to_vec(),
    ];
    let mut values = Vec::new();
    for series in all_series() {
        for point in &series.points {
            let t = measure(point, isa, args.seconds)?;
            let share = t.symmetry / (t.evaluation + t.optimiser);
            rows.push(vec![
                series.name.into(),
                grouped(point.value),
                point.topology.clone(),
                format!("{:.2} µs", 1e6 * t.evaluation),
                format!("{:.3} ns", 1e9 * t.evaluation / t.work),
                format!("{:.0} ns", 1e9 * t.optimiser),
                format!("{:.1} %", 100.0 * share),
            ]);
            values.push(json!({
                "series": series.name, "value": point.value, "topology": point.topology, "rows": point.rows,
                "population": point.population, "evaluation_seconds": t.evaluation, "work": t.work,
                "optimiser_seconds": t.optimiser, "symmetry_share": share,
            }));
        }
    }
    let footer = "\nTimes per candidate, every candidate evaluated in full. A unit of work is a tanh or a multiply-add of the forward pass and\n\
                  the scalar products: constant means linear growth. Symmetry breaking as a share of the time of a generation.\n";
    let text = if args.json {
        format!("{:#}\n", Value::from(values))
    } else {
        table(&rows, &[false, true, false, true, true, true, true]) + footer
    };
    Ok(output::print(&text)?)
}

fn measure(point: &Point, isa: Isa, seconds: f64) -> Result<Times, Failure> {
    let topology: Topology = point.topology.parse()?;
    let settings = CostSettings { early_rejection: false, ..CostSettings::default() };
    let mut cost =
        NetworkCost::with_isa(topology.clone(), random_data(&topology, point.rows), &settings, isa)?;
    let loop_times = |symmetry: bool, cost: Option<&mut NetworkCost>| -> Result<(f64, f64), Failure> {
        let align = symmetry.then(|| Box::new(Heuristic::new(topology.clone())) as _);
        let common = CommonSettings::with_population(point.population);
        let mut optimizer = DifferentialEvolution::new(topology.dim(), common, DeSettings::default(), align)?;
        let costs: Vec<f64> = (0..point.population).map(|i| 1.0 + i as f64).collect();
        let mut evaluations = Evaluations::from(costs);
        let (mut evaluation, mut optimiser, mut generations) = (0.0, 0.0, 0.0);
        optimizer.ask();
        optimizer.tell(&mut evaluations);
        let mut cost = cost;
        let started = Instant::now();
        while generations < 3.0 || started.elapsed().as_secs_f64() < seconds / 2.0 {
            let asked = Instant::now();
            let ask = optimizer.ask();
            let ready = Instant::now();
            if let Some(cost) = &mut cost {
                cost.evaluate(&ask, &mut evaluations);
            }
            let evaluated = Instant::now();
            // Trial vectors are never better, so that the population stays as it was at the start.
            evaluations.costs.fill(f64::INFINITY);
            optimizer.tell(&mut evaluations);
            evaluation += (evaluated - ready).as_secs_f64();
            optimiser += ((ready - asked) + evaluated.elapsed()).as_secs_f64();
            generations += 1.0;
        }
        let candidates = generations * point.population as f64;
        Ok((evaluation / candidates, optimiser / candidates))
    };
    let (evaluation, optimiser) = loop_times(true, Some(&mut cost))?;
    let (with, without) = (loop_times(true, None)?.1, loop_times(false, None)?.1);
    let neurons = topology.hidden().iter().sum::<usize>();
    let total = topology.last_hidden() + topology.outputs();
    let work = point.rows * (topology.dim() + total * (total + 1) / 2) + point.rows * neurons;
    Ok(Times { work: work as f64, evaluation, optimiser, symmetry: (with - without).max(0.0) })
}

/// Random inputs and targets.
pub(super) fn random_data(topology: &Topology, rows: usize) -> Dataset {
    let mut rng = Rng::stream(1, Purpose::Data, 0, 0);
    let mut columns = |n: usize| -> Vec<Vec<f64>> {
        (0..n).map(|_| (0..rows).map(|_| rng.between(-1.0, 1.0)).collect()).collect()
    };
    Dataset {
        inputs: columns(topology.inputs()).into_iter().map(Into::into).collect(),
        outputs: columns(topology.outputs()),
        input_names: vec!["x".into(); topology.inputs()],
        output_names: vec!["y".into(); topology.outputs()],
        classification: false,
        weights: None,
    }
}
