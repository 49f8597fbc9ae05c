//! `onefold bench --slopes`: the time that derivatives (gradient and Gauss-Newton matrix) take, in
//! evaluations, beside the number of evaluations at which searches count them.

use crate::args::BenchArgs;
use crate::bench::cell::Cell;
use crate::failure::Failure;
use crate::output::{self, table};
use onefold::data::Scaler;
use onefold::kernel::Isa;
use onefold::rng::{Purpose, Rng};
use onefold::{
    CostSettings, Evaluations, FitSettings, Method, NetworkCost, Objective as _, Population, Request, Stop,
    search,
};
use serde_json::json;
use std::time::Instant;

/// Derivatives of one cell.
struct Price {
    cell: String,
    /// Seconds of a full evaluation.
    evaluation: f64,
    /// Time of the derivatives of one candidate, in evaluations.
    measured: f64,
    /// The same, as searches count it.
    counted: f64,
}

pub(crate) fn run(args: &BenchArgs, isa: Isa) -> Result<(), Failure> {
    let mut prices = Vec::new();
    for cell in Cell::of_the_paper() {
        if args.data.as_ref().is_none_or(|name| name == cell.builtin.name()) {
            prices.push(measure(&cell, isa, 10 * args.repeats)?);
        }
    }
    if args.json {
        let cells: Vec<_> = prices
            .iter()
            .map(|p| {
                json!({"cell": p.cell, "seconds_per_evaluation": p.evaluation, "measured_price": p.measured, "counted_price": p.counted})
            })
            .collect();
        return Ok(output::print(&format!("{:#}\n", json!({"instructions": isa.name(), "cells": cells})))?);
    }
    let mut rows =
        vec![["cell", "evaluation", "derivatives, measured", "as counted"].map(String::from).to_vec()];
    for p in &prices {
        rows.push(vec![
            p.cell.clone(),
            format!("{:.2} µs", 1e6 * p.evaluation),
            format!("{:.1} evaluations", p.measured),
            format!("{:.1}", p.counted),
        ]);
    }
    let text = format!(
        "{}\nTime that derivatives (gradient and Gauss-Newton matrix) of one candidate add to a multistart, the linear algebra of steps\n\
         included, in full evaluations of random networks; beside it, at how many evaluations searches count them. {} on one core,\n\
         the shortest of repeated runs.\n",
        table(&rows, &[false, true, true, true]),
        isa.name()
    );
    Ok(output::print(&text)?)
}

fn measure(cell: &Cell, isa: Isa, repeats: usize) -> Result<Price, Failure> {
    /// Networks that are evaluated at a time.
    const BATCH: usize = 256;
    let settings = FitSettings::for_builtin(cell.builtin, Some(cell.hidden), Method::MULTISTART)?;
    let data = cell.builtin.load(&Default::default())?.train;
    let train = Scaler::learn(settings.scaling, &data)?.apply_all(&data);
    let full = CostSettings { early_rejection: false, ..settings.cost.clone() };
    let mut cost = NetworkCost::with_isa(settings.topology.clone(), &train, &full, isa)?;
    let mut networks = Population::new(BATCH, settings.topology.dim());
    for (i, network) in networks.rows_mut().enumerate() {
        let mut rng = Rng::stream(1, Purpose::Start, 0, i);
        network.iter_mut().for_each(|v| *v = rng.between(-1.0, 1.0));
    }
    let cutoffs = vec![f64::INFINITY; BATCH];
    let request = Request::costs(&networks, &cutoffs);
    let mut evaluations = Evaluations::default();
    evaluations.make_room(&request);
    // No network reaches this threshold: descents end in local optima.
    let stop = Stop { threshold: Some(0.0), max_evaluations: Some(5_000), ..Stop::default() };
    // Whatever disturbs a measurement makes it longer: the shortest of each kind counts.
    let (mut evaluation, mut whole, mut counts) = (f64::INFINITY, f64::INFINITY, (0, 0));
    for _ in 0..repeats {
        let started = Instant::now();
        cost.evaluate(&request, &mut evaluations);
        evaluation = evaluation.min(started.elapsed().as_secs_f64() / BATCH as f64);
        let mut optimizer = settings.optimizer(train.rows())?;
        let started = Instant::now();
        let report = search(&mut cost, &mut *optimizer, &stop)?;
        whole = whole.min(started.elapsed().as_secs_f64());
        counts = (report.evaluations, report.slopes);
    }
    Ok(Price {
        cell: format!("{} {}", cell.builtin, settings.topology),
        evaluation,
        measured: (whole / evaluation - counts.0 as f64) / counts.1 as f64,
        counted: cost.cost_of_slopes(),
    })
}
