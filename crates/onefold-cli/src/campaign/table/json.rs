//! The rows as one JSON object.

use onefold_campaign::statistics::Interval;
use onefold_campaign::summary::{Row, Scores, Verdict};
use serde_json::{Value, json};

pub(crate) fn as_json(rows: &[Row<'_>]) -> Value {
    let rows = rows.iter().map(|row| {
        let pair = |v: Option<(f64, f64)>| v.map(|(mean, sd)| json!({ "mean": mean, "deviation": sd }));
        let scores = |s: &Scores| json!({ "success": pair(s.success), "error": pair(s.error) });
        let interval =
            |v: Option<Interval>| v.map(|(r, low, high)| json!({ "ratio": r, "low": low, "high": high }));
        json!({
            "table": row.cell.table,
            "cell": row.cell.name,
            "data": row.cell.source.name(),
            "topology": row.cell.settings.topology,
            "method": row.cell.method(),
            "population": row.cell.settings.population(),
            "planned": row.cell.runs,
            "samples": row.samples,
            "runs": row.runs,
            "reached": row.reached,
            "robustness": row.robustness(),
            "robustness_interval": row.robustness_interval(),
            "evaluations": pair(row.evaluations),
            "ratio": interval(row.ratio),
            "versus": row.cell.versus(),
            "versus_ratio": interval(row.versus),
            "de_to_de_sb": interval(row.gain),
            "paper_de_to_de_sb": row.paper_gain,
            "training": scores(&row.training),
            "test": scores(&row.test),
            "seconds": row.seconds,
            "paper": row.cell.paper,
            "readings": row.cell.readings(),
            "verdict": match &row.verdict { Verdict::NoPaper => None, other => Some(other.text()) },
            "verdict_over_runs": row.verdict_over_runs.as_ref().map(Verdict::text),
        })
    });
    json!({ "cells": rows.collect::<Vec<_>>() })
}
