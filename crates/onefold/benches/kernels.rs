//! Criterion benchmarks: tanh on every instruction set, one generation of each kind of cell, and a generation
//! of CMA-ES.
//!
//! `make bench BASELINE=before`, change something, `make bench COMPARE=before`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::DMatrix;
use onefold::data::Scaler;
use onefold::kernel::{Isa, tanh_in_place};
use onefold::rng::{Purpose, Streams};
use onefold::symmetry::Heuristic;
use onefold::{Align, CmaEs, CmaSettings, CommonSettings, Evaluations, Optimizer};
use onefold::{Builtin, CostSettings, FitSettings, Method, NetworkCost, Objective, Population};
use std::hint::black_box;

fn tanh(c: &mut Criterion) {
    let mut group = c.benchmark_group("tanh of 1000 numbers");
    group.throughput(Throughput::Elements(1000));
    for isa in Isa::available() {
        let mut x: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.004 - 2.0).collect();
        group.bench_function(BenchmarkId::from_parameter(isa.name()), |b| {
            b.iter(|| tanh_in_place(isa, black_box(&mut x)));
        });
    }
    group.finish();
}

fn random_population(dim: usize, n: usize) -> Population {
    let mut population = Population::new(n, dim);
    let streams = Streams::new(1, Purpose::Start, 0);
    for (i, row) in population.rows_mut().enumerate() {
        let mut rng = streams.long(i);
        row.iter_mut().for_each(|v| *v = rng.between(-0.9, 0.9));
    }
    population
}

fn full_evaluations(c: &mut Criterion) {
    let mut group = c.benchmark_group("64 full evaluations");
    group.throughput(Throughput::Elements(64));
    for (builtin, hidden) in [
        (Builtin::Sinc, "5"),
        (Builtin::Sinc2d, "3-1-3"),
        (Builtin::TicTacToe, "8"),
        (Builtin::TwoSpirals, "10-1-10"),
    ] {
        let settings = FitSettings::for_builtin(builtin, Some(hidden), Method::DE).expect("the paper's cell");
        let data = builtin.load(&Default::default()).expect("built in").train;
        let train = Scaler::learn(settings.scaling, &data).expect("its own scaling").apply_all(&data);
        let population = random_population(settings.topology.dim(), 64);
        for isa in Isa::available().into_iter().skip(1) {
            let cost =
                NetworkCost::with_isa(settings.topology.clone(), &train, &CostSettings::default(), isa);
            let mut cost = cost.expect("the paper's cell");
            let name = format!("{} {}", settings.topology, isa.name());
            group.bench_function(name, |b| {
                b.iter(|| cost.costs(black_box(&population)));
            });
        }
    }
    group.finish();
}

/// A generation of CMA-ES without evaluations, at the default population, beside nalgebra's decomposition
/// alone.
fn cma_es(c: &mut Criterion) {
    let mut group = c.benchmark_group("CMA-ES");
    for dim in [10, 40] {
        let mut cma =
            CmaEs::new(dim, CommonSettings::default(), CmaSettings::default()).expect("default settings");
        let costs: Vec<f64> = (0..cma.ask().candidates.len()).map(|i| i as f64).collect();
        let mut found = Evaluations::from(costs);
        group.bench_function(format!("generation in {dim} dimensions"), |b| {
            b.iter(|| {
                black_box(cma.ask());
                cma.tell(black_box(&mut found));
            });
        });
        let matrix = DMatrix::from_fn(dim, dim, |i, j| 1.0 / (1 + i + j) as f64);
        group.bench_function(format!("nalgebra's decomposition in {dim} dimensions"), |b| {
            b.iter(|| black_box(&matrix).clone().symmetric_eigen());
        });
    }
    group.finish();
}

fn align(c: &mut Criterion) {
    let mut group = c.benchmark_group("symmetry breaking of 64 individuals");
    group.throughput(Throughput::Elements(64));
    for text in ["1-5-1", "2-10-1-10-2", "99-99-1"] {
        let topology: onefold::Topology = text.parse().expect("a topology");
        let mut population = random_population(topology.dim(), 64);
        let reference = population.row(0).to_vec();
        let heuristic = Heuristic::new(topology);
        let mut generation = 0;
        group.bench_function(text, |b| {
            b.iter(|| {
                generation += 1;
                let streams = Streams::new(1, Purpose::Align, generation);
                for (i, row) in population.rows_mut().enumerate() {
                    heuristic.align(row, black_box(&reference), &mut streams.of(i));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(kernels, tanh, full_evaluations, align, cma_es);
criterion_main!(kernels);
