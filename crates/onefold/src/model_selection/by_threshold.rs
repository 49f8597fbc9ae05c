//! Selection of the smallest network whose training error reaches a threshold.

use super::selection::{End, Reason, Selection, Tried, Verdict};
use super::settings::SelectionSettings;
use crate::objective::time_of_evaluation;
use crate::settings::OutputLayer;
use crate::{Cancellation, Dataset, Error, FitSettings, Topology, TrainTest, Training};

/// Effort unless it is given, in seconds on one core.
const EFFORT: f64 = 40.0;

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
        let parameters = topology.parameters(template.cost.output_bias);
        // The smallest network is always tried.
        if *width > 1 && parameters > rows * topology.outputs() {
            end = End::Rows;
            break;
        }
        if spent > 1e9 * settings.effort.unwrap_or(EFFORT) {
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
        let time = time_of_evaluation(&topology, rows, template.cost.output_bias);
        spent += report.evaluation_equivalents * time;
        tried.push(Tried {
            parameters,
            topology,
            decay,
            output_layer: OutputLayer::LeastSquares,
            score: report.verified_cost,
            standard_error: None,
            fraction: None,
            association: None,
            rows,
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
    let reached = tried.iter().position(|t| t.score <= threshold && t.verdict == Verdict::Selected);
    let nearest = (0..tried.len()).min_by(|a, b| tried[*a].score.total_cmp(&tried[*b].score));
    let selected = reached.or(nearest)?;
    tried[selected].verdict = Verdict::Selected;
    Some(Selection {
        topology: tried[selected].topology.clone(),
        decay: tried[selected].decay,
        output_layer: OutputLayer::LeastSquares,
        temperature: 1.0,
        start: None,
        intervals: None,
        reason: if reached.is_some() { Reason::Threshold } else { Reason::Nearest },
        tried,
        end,
        notes: Vec::new(),
        metric: None,
        rows,
        folds: None,
        repeats: 1,
    })
}

/// The network with one hidden layer of this width.
fn topology(data: &Dataset, width: usize, template: &FitSettings) -> Result<Topology, Error> {
    let topology = Topology::new(&[data.inputs.len(), width, data.outputs.len()])?;
    Ok(topology.with_linear_part(template.topology.has_linear_part()))
}
