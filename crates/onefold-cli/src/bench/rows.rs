//! `onefold bench --rows`: the time of derivatives on many rows, compared with the limit that multiply-adds
//! set, on one thread and on two.

use super::scaling::random_data;
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::{self, grouped, table};
use onefold::kernel::{Isa, Limits};
use onefold::rng::{Purpose, Rng};
use onefold::{
    CostSettings, Dataset, Derivatives, Evaluations, NetworkCost, Objective as _, Population, Request,
    Topology,
};
use serde_json::{Value, json};
use std::time::Instant;

const ROWS: [usize; 3] = [10_000, 100_000, 1_000_000];
const NETWORKS: [&str; 3] = ["10-8-1", "10-6-6-2", "60-16-10"];
/// More than this many parameters have gradients only: so do searches.
const MOST_WITH_MATRIX: usize = 300;
/// Fewer repetitions on many rows.
const LEAST_SECONDS: f64 = 0.2;

/// Derivatives of one network on a number of rows.
struct Measured {
    rows: usize,
    topology: Topology,
    derivatives: Derivatives,
    /// Seconds on one thread.
    seconds: f64,
    /// What multiply-adds alone would take, as a fraction of that.
    of_limit: f64,
    /// How many times as fast two threads are.
    two_threads: f64,
}

pub(super) fn run(args: &BenchArgs, isa: Isa) -> Result<(), Failure> {
    let mut measured = Vec::new();
    for network in NETWORKS {
        let topology: Topology = network.parse()?;
        for rows in ROWS {
            let data = random_data(&topology, rows);
            for derivatives in [Derivatives::Gradient, Derivatives::Matrix] {
                if derivatives == Derivatives::Gradient || topology.dim() <= MOST_WITH_MATRIX {
                    measured.push(measure(&data, &topology, derivatives, isa, args.repeats)?);
                }
            }
        }
    }
    Ok(output::print(&if args.json { as_json(isa, &measured) } else { report(isa, &measured) })?)
}

/// The best of several measurements, one thread and two in turn.
fn measure(
    data: &Dataset,
    topology: &Topology,
    derivatives: Derivatives,
    isa: Isa,
    repeats: usize,
) -> Result<Measured, Failure> {
    let mut costs = Vec::new();
    for threads in [1, 2] {
        let settings = CostSettings { threads, output_bias: true, ..CostSettings::default() };
        let mut cost = NetworkCost::with_isa(topology.clone(), data, &settings, isa)?;
        cost.prepare_slopes(derivatives)?;
        costs.push(cost);
    }
    let mut candidates = Population::new(1, topology.dim());
    let mut rng = Rng::stream(1, Purpose::Start, 0, 0);
    candidates.row_mut(0).iter_mut().for_each(|v| *v = 0.5 * rng.between(-1.0, 1.0));
    let request =
        Request { slopes: Some(f64::NEG_INFINITY), ..Request::costs(&candidates, &[f64::INFINITY]) };
    let mut evaluations = Evaluations::default();
    let (mut seconds, mut limit) = ([f64::INFINITY; 2], f64::INFINITY);
    for _ in 0..repeats {
        limit = limit.min(Limits::measure(isa, 0.05).multiply_add);
        for (cost, least) in costs.iter_mut().zip(&mut seconds) {
            let begun = Instant::now();
            while begun.elapsed().as_secs_f64() < LEAST_SECONDS {
                let started = Instant::now();
                evaluations.make_room(&request);
                cost.evaluate(&request, &mut evaluations);
                *least = least.min(started.elapsed().as_secs_f64());
            }
        }
    }
    Ok(Measured {
        rows: data.rows(),
        topology: topology.clone(),
        derivatives,
        seconds: seconds[0],
        of_limit: limit * multiply_adds(topology, derivatives) * data.rows() as f64 / seconds[0],
        two_threads: seconds[0] / seconds[1],
    })
}

/// Multiply-adds for each row: two forward passes, the normal equations of the output layer, residuals, a
/// backward pass and, for the matrix, scalar products of derivatives with each other and with hidden outputs.
fn multiply_adds(topology: &Topology, derivatives: Derivatives) -> f64 {
    let (dim, outputs) = (topology.dim() as f64, topology.outputs() as f64);
    let columns = topology.last_hidden() as f64 + 1.0;
    let triangle = |n: f64| n * (n + 1.0) / 2.0;
    let gradient = 4.0 * dim + triangle(columns + outputs) + 2.0 * columns * outputs;
    let passes = if topology.hidden().len() == 1 { 1.0 } else { outputs };
    match derivatives {
        Derivatives::Gradient => gradient,
        Derivatives::Matrix => gradient + passes * (triangle(dim) + dim * columns + 2.0 * dim),
    }
}

fn name(derivatives: Derivatives) -> &'static str {
    match derivatives {
        Derivatives::Gradient => "gradient",
        Derivatives::Matrix => "Gauss-Newton matrix",
    }
}

fn as_json(isa: Isa, measured: &[Measured]) -> String {
    let one = |m: &Measured| {
        json!({
            "rows": m.rows, "topology": m.topology.to_string(), "derivatives": name(m.derivatives),
            "seconds": m.seconds, "of_limit": m.of_limit, "two_threads": m.two_threads,
        })
    };
    let all: Vec<Value> = measured.iter().map(one).collect();
    format!("{:#}\n", json!({"instructions": isa.name(), "measured": all}))
}

fn report(isa: Isa, measured: &[Measured]) -> String {
    let head = ["network", "rows", "", "one thread", "of the limit", "two threads"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for m in measured {
        rows.push(vec![
            m.topology.to_string(),
            grouped(m.rows as u64),
            name(m.derivatives).into(),
            format!("{:.2} ms", 1e3 * m.seconds),
            format!("{:.0} %", 100.0 * m.of_limit),
            format!("{:.2} times as fast", m.two_threads),
        ]);
    }
    let footer = format!(
        "\nCost and derivatives of one candidate. The limit is what the multiply-adds alone take on one core with {}; tanh\n\
         and everything else are not part of it. The shortest of repeated runs.\n",
        isa.name()
    );
    table(&rows, &[false, true, false, true, true, true]) + &footer
}
