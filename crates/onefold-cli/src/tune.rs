//! `onefold tune`: the population size as the paper chose it, found by a racing algorithm: populations that
//! are significantly worse than the best are dropped after few runs.

use crate::args::TuneArgs;
use crate::campaign::{self, bars, default_store, inputs};
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::output::{self, table};
use crate::paths::{check_output, check_standard_output};
use crate::reproduce::threads;
use onefold::Cancellation;
use onefold::error::shown;
use onefold_campaign::runner::Plan;
use onefold_campaign::statistics::{Sample, ratio, wilson};
use onefold_campaign::store::files;
use onefold_campaign::summary::{self, Row};
use onefold_campaign::{Campaign, Cell, PAPER, Store};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Neighbouring populations differ by this factor.
const STEP: f64 = 1.5;
/// Fractions of the runs after which populations are dropped.
const STAGES: [f64; 3] = [0.1, 0.3, 1.0];
/// Larger populations are not tried after two in a row need this many times the evaluations of the best one.
const TOO_MANY_EVALUATIONS: f64 = 2.0;

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Failure> {
    let campaign = the_campaign(args)?;
    let cell = the_cell(args, &campaign)?;
    let mut race = Race { cell: &cell, candidates: Vec::new(), runs: args.runs };
    let populations = race.populations(args.from, args.to)?;
    let folder = match &args.store {
        Some(folder) => folder.clone(),
        None => default_store("tune")?,
    };
    let store = Store::open(&folder, output::tell)?;
    check_outputs(args, &campaign, &files(&folder)?)?;
    let trials =
        Trials { store, folder, threads: threads(args.threads), cancellation: interrupt::cancellation() };
    interrupt::keep();
    trials.try_upwards(&mut race, &populations)?;
    trials.narrow_down(&mut race)?;
    if trials.is_interrupted() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let campaign = race.campaign(args.runs);
    let records = Store::read(&trials.folder)?;
    let rows = summary::rows(&campaign, &records);
    output::print(&race.report(&records))?;
    let Some(winner) = winner(&rows, args.runs) else {
        output::print("none of these populations reached the target in every run; try a larger --to\n")?;
        return Ok(ExitCode::FAILURE);
    };
    let text = race.as_toml(winner)?;
    match &args.output {
        Some(path) => onefold::files::write_whole(path, text.as_bytes())?,
        None => output::print(&format!("\n{text}"))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The campaign, with the cells that match the argument selected.
fn the_campaign(args: &TuneArgs) -> Result<Campaign, Failure> {
    let mut campaign = match &args.campaign {
        Some(path) => campaign::load(path)?,
        None => campaign::parse(PAPER, "experiments/paper.toml")?,
    };
    campaign.select(Some(&args.cell), None)?;
    Ok(campaign)
}

/// The cell that matches the argument; more than one is an error.
fn the_cell(args: &TuneArgs, campaign: &Campaign) -> Result<Cell, Failure> {
    match campaign.cells.as_slice() {
        [cell] => Ok(cell.clone()),
        cells => {
            let names: Vec<_> = cells.iter().map(|c| c.name.as_str()).collect();
            let names = names.join(", ");
            Err(Failure::bad_input(format!("{} matches {names}; name one of them", args.cell)))
        }
    }
}

/// Refuses an output that cannot be written, or that would replace what is read.
fn check_outputs(args: &TuneArgs, campaign: &Campaign, store: &[PathBuf]) -> Result<(), Failure> {
    let inputs = inputs(args.campaign.as_deref(), campaign, store);
    check_standard_output(&inputs)?;
    args.output.as_deref().map_or(Ok(()), |path| check_output(path, &inputs))
}

/// Where trials are run and recorded.
struct Trials {
    store: Store,
    folder: PathBuf,
    threads: usize,
    cancellation: Cancellation,
}

impl Trials {
    fn is_interrupted(&self) -> bool {
        self.cancellation.is_requested()
    }

    /// Runs the missing trials, so that every population still in the race has this number of runs.
    fn run(&self, race: &Race<'_>, runs: usize) -> Result<Campaign, Failure> {
        let campaign = race.campaign(runs);
        let plan = Plan {
            campaign: &campaign,
            store: &self.store,
            threads: self.threads,
            shard: (1, 1),
            cancellation: &self.cancellation,
            checkpoint_every: Duration::from_secs(60),
        };
        bars::run(&plan)?;
        Ok(campaign)
    }

    /// Tries increasing populations, a few runs each, until larger ones need far more evaluations than the
    /// best.
    fn try_upwards(&self, race: &mut Race<'_>, populations: &[usize]) -> Result<(), Failure> {
        let first = stage_runs(race.runs, STAGES[0]);
        let (mut best, mut expensive_in_a_row) = (f64::INFINITY, 0);
        for population in populations {
            if self.is_interrupted() {
                break;
            }
            race.candidates.push(Candidate { population: *population, dropped: None });
            let last = race.candidates[race.candidates.len() - 1..].to_vec();
            let campaign = self.run(&Race { candidates: last, ..race.clone() }, first)?;
            let records = Store::read(&self.folder)?;
            let rows = summary::rows(&campaign, &records);
            let row = &rows[0];
            if row.reached < row.runs {
                race.drop_last(format!("{} of {} runs failed", row.runs - row.reached, row.runs));
            } else if let Some((mean, _)) = row.evaluations {
                best = best.min(mean);
                let is_expensive = mean > TOO_MANY_EVALUATIONS * best;
                expensive_in_a_row = if is_expensive { expensive_in_a_row + 1 } else { 0 };
                if expensive_in_a_row == 2 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Runs the remaining populations in stages with more and more runs, and drops some after each stage.
    fn narrow_down(&self, race: &mut Race<'_>) -> Result<(), Failure> {
        for fraction in &STAGES[1..] {
            if self.is_interrupted() {
                break;
            }
            let campaign = self.run(race, stage_runs(race.runs, *fraction))?;
            let records = Store::read(&self.folder)?;
            race.judge(&summary::rows(&campaign, &records));
        }
        Ok(())
    }
}

fn stage_runs(runs: usize, fraction: f64) -> usize {
    ((runs as f64 * fraction).round() as usize).clamp(1, runs)
}

/// A population in the race.
#[derive(Clone, Debug)]
struct Candidate {
    population: usize,
    /// Why it was dropped; none while it is in the race.
    dropped: Option<String>,
}

#[derive(Clone)]
struct Race<'a> {
    cell: &'a Cell,
    candidates: Vec<Candidate>,
    runs: usize,
}

/// A campaign file with one cell.
#[derive(serde::Serialize)]
struct File<'a> {
    name: &'a str,
    cell: [toml::Table; 1],
}

/// The population with the fewest evaluations among those without a failed run.
fn winner(rows: &[Row<'_>], runs: usize) -> Option<usize> {
    rows.iter()
        .filter(|row| row.runs == runs && row.reached == row.runs)
        .filter_map(|row| Some((row.evaluations?.0, row.cell.settings.population())))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, population)| population)
}

impl Race<'_> {
    /// Populations in a geometric sequence, from a quarter of the cell's own to four times that unless given;
    /// both ends and the cell's own are included.
    fn populations(&self, from: Option<usize>, to: Option<usize>) -> Result<Vec<usize>, Failure> {
        if self.cell.settings.topology.dim() == 0 {
            return Err(Failure::bad_input(format!(
                "{} has no hidden layers: nothing is searched, so there is no population to tune",
                self.cell.name
            )));
        }
        let own = self.cell.settings.population();
        let least = if self.cell.method().has_setting("sigma") { 2 } else { 5 };
        let (low, high) = (from.unwrap_or((own / 4).max(least)), to.unwrap_or(own.saturating_mul(4)));
        if low < least || high < low || high > 10_000_000 {
            let message = format!(
                "--from {low} --to {high}: must be a range from {least} or above to at most 10000000"
            );
            return Err(Failure::bad_input(message));
        }
        let mut all: Vec<usize> = std::iter::successors(Some(low as f64), |p| Some(p * STEP))
            .map(|p| p.round() as usize)
            .take_while(|p| *p <= high)
            .collect();
        all.push(high);
        if (low..=high).contains(&own) {
            all.push(own);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The candidates that are still in the race, as cells.
    fn campaign(&self, runs: usize) -> Campaign {
        let cells = self.candidates.iter().filter(|c| c.dropped.is_none()).map(|candidate| {
            let mut cell = self.cell.clone();
            cell.settings.method.common.population = Some(candidate.population);
            cell.name = self.name(candidate.population);
            cell.runs = runs;
            cell.paper = None;
            cell
        });
        Campaign { name: "tune".into(), cells: cells.collect(), others: Vec::new(), notices: Vec::new() }
    }

    fn name(&self, population: usize) -> String {
        format!("{}@{population}", self.cell.name)
    }

    fn drop_last(&mut self, reason: String) {
        if let Some(last) = self.candidates.last_mut() {
            last.dropped = Some(reason);
        }
    }

    /// Drops populations with a failed run, and those that need significantly more evaluations than the best.
    fn judge(&mut self, rows: &[Row<'_>]) {
        let sample = |row: &Row<'_>| {
            let (mean, deviation) = row.evaluations?;
            (row.reached == row.runs).then_some(Sample { mean, deviation, count: row.reached as f64 })
        };
        let best = rows.iter().filter_map(sample).min_by(|a, b| a.mean.total_cmp(&b.mean));
        // A population whose trials another process is running may have no records yet.
        for row in rows.iter().filter(|row| row.runs > 0) {
            let name = &row.cell.name;
            let place = self.candidates.iter().position(|c| self.name(c.population) == *name);
            let Some(candidate) = place.map(|i| &mut self.candidates[i]) else { continue };
            match (sample(row), best) {
                (None, _) => {
                    candidate.dropped =
                        Some(format!("{} of {} runs failed", row.runs - row.reached, row.runs));
                }
                (Some(own), Some(best)) if ratio(own, best).is_some_and(|(_, low, _)| low > 1.0) => {
                    candidate.dropped =
                        Some(format!("needs {:.2} x the evaluations of the best", own.mean / best.mean));
                }
                _ => {}
            }
        }
    }

    fn report(&self, records: &[onefold_campaign::Record]) -> String {
        let mut lines = vec![["population", "runs", "reached", "evaluations", ""].map(String::from).to_vec()];
        let mut all = self.clone();
        all.candidates.iter_mut().for_each(|c| c.dropped = None);
        let campaign = all.campaign(self.runs);
        let rows = summary::rows(&campaign, records);
        let winner = winner(&rows.iter().filter(|r| self.is_in(r)).cloned().collect::<Vec<_>>(), self.runs);
        for (row, candidate) in rows.iter().zip(&self.candidates) {
            let evaluations =
                row.evaluations.map_or("–".into(), |(mean, sd)| format!("{mean:.2e} ± {sd:.1e}"));
            let remark = match &candidate.dropped {
                Some(reason) => reason.clone(),
                None if Some(candidate.population) == winner => "selected".into(),
                None => "not significantly worse".into(),
            };
            lines.push(vec![
                candidate.population.to_string(),
                row.runs.to_string(),
                row.reached.to_string(),
                evaluations,
                remark,
            ]);
        }
        let mut text =
            format!("{}\n{}", shown(&self.cell.name), table(&lines, &[true, true, true, false, false]));
        if let Some(row) = rows.iter().find(|r| Some(r.cell.settings.population()) == winner) {
            let (low, _) = wilson(row.reached, row.runs);
            let _ = writeln!(
                text,
                "population {}: {} of {} runs reached the target; with 95 % confidence at least {:.0} % of all runs do",
                row.cell.settings.population(),
                row.reached,
                row.runs,
                100.0 * low
            );
        }
        text
    }

    fn is_in(&self, row: &Row<'_>) -> bool {
        self.candidates.iter().any(|c| c.dropped.is_none() && c.population == row.cell.settings.population())
    }

    /// The cell with its new population, as a campaign file of its own.
    fn as_toml(&self, population: usize) -> Result<String, Failure> {
        // The paper's numbers hold only for its own population.
        let keeps_paper = population == self.cell.settings.population();
        let given = self.cell.given.with_population(population, self.runs, keeps_paper);
        toml::to_string(&File { name: "tuned", cell: [given] }).map_err(|e| Failure::bad_input(e.to_string()))
    }
}
