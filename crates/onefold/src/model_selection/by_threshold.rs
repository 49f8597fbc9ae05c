//! Selection of the smallest network whose training error reaches a threshold.

use super::selection::{End, Reason, Selection, Tried, Verdict, is_too_large, parameters, topology};
use super::settings::{SelectionSettings, operations};
use crate::{Cancellation, Dataset, Error, FitSettings, TrainTest, Training};

pub(super) fn smallest_that_reaches(
    threshold: f64,
    data: &Dataset,
    template: &FitSettings,
    settings: &SelectionSettings,
    cancellation: &Cancellation,
    mut tell: impl FnMut(&Tried),
) -> Result<Option<Selection>, Error> {
    let rows = data.rows();
    let data = TrainTest { train: data.clone(), ..TrainTest::default() };
    let (mut tried, mut end) = (Vec::<Tried>::new(), End::List);
    let mut spent = 0.0;
    for width in &settings.widths {
        let topology = topology(&data.train, *width, template)?;
        if is_too_large(&topology, template, rows) {
            end = End::Rows;
            break;
        }
        if spent > settings.operations {
            end = End::Effort;
            break;
        }
        let decay = template.cost.decay;
        let patience = settings.patience_for_threshold;
        let fit = SelectionSettings::fit_settings(template, topology.clone(), decay, patience);
        let fitted = Training::new("", &data, &fit)?.cancel_by(&cancellation.for_part()).run();
        if cancellation.is_cancelled() {
            end = End::Cancelled;
            break;
        }
        let report = fitted?.report;
        spent += report.slopes as f64 * operations(&topology, rows);
        tried.push(Tried {
            parameters: parameters(&topology, template),
            topology,
            decay,
            error: report.verified_cost,
            standard_error: None,
            fraction: None,
            seconds: report.seconds,
            verdict: if report.reached { Verdict::Selected } else { Verdict::NotReached },
        });
        tried.last().into_iter().for_each(&mut tell);
        if report.reached {
            end = End::Reached;
            break;
        }
    }
    Ok(conclude(threshold, tried, end, rows))
}

/// The network that reached the threshold, otherwise the one with the lowest error.
fn conclude(threshold: f64, mut tried: Vec<Tried>, end: End, rows: usize) -> Option<Selection> {
    let reached = tried.iter().position(|t| t.error <= threshold && t.verdict == Verdict::Selected);
    let nearest = (0..tried.len()).min_by(|a, b| tried[*a].error.total_cmp(&tried[*b].error));
    let selected = reached.or(nearest)?;
    tried[selected].verdict = Verdict::Selected;
    Some(Selection {
        hidden: tried[selected].topology.last_hidden(),
        decay: tried[selected].decay,
        reason: if reached.is_some() { Reason::Threshold } else { Reason::Nearest },
        tried,
        end,
        rows,
        folds: None,
        repeats: 1,
    })
}
