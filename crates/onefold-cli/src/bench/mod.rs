//! `onefold bench`: evaluations per second, compared with the limit that tanh and multiply-adds set.

mod cell;
mod derivatives;
mod rows;
mod scaling;

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::{self, grouped, table};
use cell::{Cell, Measured};
use onefold::kernel::{Isa, Limits};
use onefold::{Builtin, FitSettings, Method, fit};
use serde_json::{Value, json};
use std::time::Instant;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let isa = chosen_isa(args.isa.as_deref())?;
    if args.scaling {
        return scaling::run(args, isa);
    }
    if args.rows {
        return rows::run(args, isa);
    }
    if let Some(name) = &args.data {
        let builtin: Builtin = name.parse()?;
        if let Some(paper) = builtin.variant_of() {
            let message = format!("the paper has no cell for {builtin}; bench {paper} instead");
            return Err(Failure::bad_input(message));
        }
    }
    if args.slopes {
        return derivatives::run(args, isa);
    }
    let limits = Limits::measure(isa, 0.4);
    let mut measured = Vec::new();
    for cell in Cell::of_the_paper() {
        if args.data.as_ref().is_none_or(|name| name == cell.builtin.name()) {
            for method in [Method::DE, Method::DE_SB] {
                measured.push(cell.measure(method, isa, &limits, args.seconds, args.repeats)?);
            }
        }
    }
    let threads = campaign_speedup()?;
    let text = if args.json {
        as_json(isa, &limits, &measured, threads)
    } else {
        report(isa, &limits, &measured, threads)
    };
    Ok(output::print(&text)?)
}

fn chosen_isa(name: Option<&str>) -> Result<Isa, Failure> {
    let Some(name) = name else { return Ok(Isa::detect()) };
    let all = Isa::available();
    all.iter().copied().find(|isa| isa.name() == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|isa| isa.name()).collect();
        Failure::bad_input(format!("--isa {name}: this processor has {}", names.join(", ")))
    })
}

/// How many times faster eight runs are on two threads than on one, a run on each thread.
fn campaign_speedup() -> Result<f64, Failure> {
    let data = Builtin::Sinc.load(&Default::default())?;
    let mut settings = FitSettings::for_builtin(Builtin::Sinc, Some("6"), Method::DE_SB)?;
    settings.stop.threshold = None;
    settings.stop.max_generations = Some(1500);
    let runs = |seeds: std::ops::Range<u64>| -> Result<(), Failure> {
        for seed in seeds {
            let mut settings = settings.clone();
            settings.method.common.seed = seed;
            fit("sinc", &data, &settings)?;
        }
        Ok(())
    };
    let mut ratios = Vec::new();
    for _ in 0..3 {
        let started = Instant::now();
        runs(0..8)?;
        let alone = started.elapsed().as_secs_f64();
        let started = Instant::now();
        std::thread::scope(|scope| -> Result<(), Failure> {
            let other = std::thread::Builder::new().spawn_scoped(scope, || runs(0..4));
            runs(4..8)?;
            // Where the system allows no other thread, this one does all.
            other.map_or_else(|_| runs(0..4), |other| other.join().unwrap_or(Ok(())))
        })?;
        ratios.push(alone / started.elapsed().as_secs_f64());
    }
    Ok(cell::median(&mut ratios).0)
}

fn report(isa: Isa, limits: &Limits, measured: &[Measured], threads: f64) -> String {
    let header = [
        "cell",
        "method",
        "evals/s",
        "±",
        "whole run",
        "reached",
        "gain",
        "full/s",
        "f64 limit",
        "of it",
        "f32 limit",
        "tanh",
        "layers",
        "readout",
        "optimiser",
        "symmetry",
    ];
    let mut rows = vec![header.map(String::from).to_vec()];
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let rate = |v: f64| grouped(v as u64);
    for m in measured {
        rows.push(vec![
            m.cell.clone(),
            m.method.name().into(),
            rate(m.rate),
            percent(m.spread),
            rate(m.whole.rate()),
            format!("{} of {}", m.whole.reached, m.whole.runs),
            format!("{:.2} x", m.rate / m.full_rate),
            rate(m.full_rate),
            rate(m.limit),
            percent(m.full_rate / m.limit),
            rate(m.limit_f32),
            percent(m.tanh),
            percent(m.layers),
            percent(m.readout),
            percent(m.optimiser),
            format!("{:.1} %", 100.0 * m.symmetry),
        ]);
    }
    let right: Vec<bool> = (0..header.len()).map(|c| c >= 2).collect();
    let gain = measured.iter().map(|m| m.rate / m.full_rate).sum::<f64>() / measured.len() as f64;
    format!(
        "{}\n{} on one core: tanh {:.2} ns, multiply-add {:.3} ns (f32: {:.2} and {:.3} ns).\n\
         evals/s: the beginning of a run, whole loop, early rejection on; whole run: the same for runs to the threshold, as many of which\n\
         reached it as the time allowed; full/s: as evals/s, with every candidate evaluated in full; gain: the ratio of the two,\n\
         {gain:.2} on average. Limit: tanh and multiply-adds alone. Shares are of the full evaluation's time, symmetry's of a generation\n\
         with early rejection. Median of repeated runs, ± half their range. Two runs on two threads: {threads:.2} times the speed of one.\n",
        table(&rows, &right),
        isa.name(),
        1e9 * limits.tanh,
        1e9 * limits.multiply_add,
        1e9 * limits.tanh_f32,
        1e9 * limits.multiply_add_f32,
    )
}

fn as_json(isa: Isa, limits: &Limits, measured: &[Measured], threads: f64) -> String {
    let cells: Vec<Value> = measured
        .iter()
        .map(|m| {
            json!({
                "cell": m.cell, "method": m.method, "evaluations_per_second": m.rate, "spread": m.spread,
                "whole_runs": {
                    "evaluations_per_second": m.whole.rate(), "evaluations": m.whole.evaluations, "seconds": m.whole.seconds,
                    "runs": m.whole.runs, "reached": m.whole.reached,
                },
                "full_evaluations_per_second": m.full_rate, "gain": m.rate / m.full_rate,
                "limit_f64": m.limit, "of_limit": m.full_rate / m.limit, "limit_f32": m.limit_f32,
                "shares": { "tanh": m.tanh, "layers": m.layers, "readout": m.readout, "optimiser": m.optimiser },
                "symmetry_share": m.symmetry,
            })
        })
        .collect();
    let object = json!({
        "instructions": isa.name(),
        "seconds_per_tanh": limits.tanh,
        "seconds_per_multiply_add": limits.multiply_add,
        "seconds_per_tanh_f32": limits.tanh_f32,
        "seconds_per_multiply_add_f32": limits.multiply_add_f32,
        "two_thread_campaign_speedup": threads,
        "cells": cells,
    });
    format!("{object:#}\n")
}
