//! The population size of a cell as the paper chose it, found by a racing algorithm: populations that are
//! significantly worse than the best are dropped after few runs.
//!
//! A [`Tuning`] runs nothing. It gives one campaign after the other, and decides by the records of the last
//! one which populations are in the next; so any engine may run the trials. A tuning that is started again
//! with the records of an earlier one takes the same decisions.

use crate::statistics::{Sample, ratio};
use crate::summary::{self, Row};
use crate::{Campaign, Cell, Error, Record};

/// Neighbouring populations differ by this factor.
const STEP: f64 = 1.5;
/// The largest population.
const LARGEST: usize = 10_000_000;
/// Fractions of the runs after which populations are dropped.
const STAGES: [f64; 3] = [0.1, 0.3, 1.0];
/// Larger populations are not tried after two in a row need this many times the evaluations of the best one.
const TOO_MANY_EVALUATIONS: f64 = 2.0;

/// A race of populations for one cell.
pub struct Tuning {
    cell: Cell,
    runs: usize,
    /// Populations that are still to be tried, the smallest last.
    untried: Vec<usize>,
    candidates: Vec<Candidate>,
    /// The campaign that was given last, whose records are to be judged.
    stage: Stage,
    /// Mean evaluations of the best population so far.
    best: f64,
    expensive_in_a_row: usize,
}

/// What a campaign was given for.
#[derive(Clone, Copy)]
enum Stage {
    /// None was given.
    Begin,
    /// A few runs of the largest population so far.
    Upwards,
    /// More runs of all that are left: the place in [`STAGES`].
    All(usize),
    /// All runs were given.
    End,
}

/// A population in the race.
#[derive(Clone, Debug)]
struct Candidate {
    population: usize,
    /// Why it was dropped; none while it is in the race.
    dropped: Option<String>,
}

/// How a population did.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The population.
    pub population: usize,
    /// Finished runs.
    pub runs: usize,
    /// Runs that reached the threshold.
    pub reached: usize,
    /// Mean and standard deviation of the evaluations of runs that reached the threshold.
    pub evaluations: Option<(f64, f64)>,
    /// Why it was dropped; none if it is no worse than the best beyond chance.
    pub dropped: Option<String>,
    /// Whether it is the one with the fewest evaluations among those without a failed run.
    pub is_selected: bool,
}

/// A campaign file with one cell.
#[derive(serde::Serialize)]
struct File<'a> {
    name: &'a str,
    cell: [toml::Table; 1],
}

impl Tuning {
    /// A race for the only cell of the campaign whose name matches, in which all runs of a population must
    /// reach the threshold. Populations are from a quarter of the cell's own to four times that, unless
    /// given.
    ///
    /// # Errors
    ///
    /// If no cell matches or several do, if the cell searches nothing, or if the range is empty.
    pub fn new(
        campaign: &mut Campaign,
        cell: &str,
        runs: usize,
        (from, to): (Option<usize>, Option<usize>),
    ) -> Result<Self, Error> {
        campaign.select(Some(cell), None)?;
        let [cell] = campaign.cells.as_slice() else {
            let names: Vec<_> = campaign.cells.iter().map(|c| c.name.as_str()).collect();
            return Err(Error::input(format!("{cell} matches {}; name one of them", names.join(", "))));
        };
        if runs == 0 {
            return Err(Error::input("runs 0: must be at least 1"));
        }
        let mut untried = populations(cell, from, to)?;
        untried.reverse();
        Ok(Self {
            cell: cell.clone(),
            runs,
            untried,
            candidates: Vec::new(),
            stage: Stage::Begin,
            best: f64::INFINITY,
            expensive_in_a_row: 0,
        })
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Judges the records of the campaign that was given last, and gives the next one; none at the end.
    /// Trials that have no record, because another process runs them or they cannot be run, do not count.
    pub fn next_campaign(&mut self, records: &[Record]) -> Option<Campaign> {
        let next = match self.stage {
            Stage::Begin => 0,
            Stage::Upwards => {
                self.judge_last(records);
                0
            }
            Stage::All(stage) => {
                self.judge_all(records, stage);
                stage + 1
            }
            Stage::End => return None,
        };
        if next == 0
            && let Some(population) = self.untried.pop()
        {
            self.candidates.push(Candidate { population, dropped: None });
            self.stage = Stage::Upwards;
            return Some(self.campaign(&self.candidates[self.candidates.len() - 1..], STAGES[0]));
        }
        let next = next.max(1);
        let Some(fraction) = STAGES.get(next) else {
            self.stage = Stage::End;
            return None;
        };
        self.stage = Stage::All(next);
        Some(self.campaign(&self.candidates, *fraction))
    }

    /// How the populations did, increasing.
    #[must_use]
    pub fn standings(&self, records: &[Record]) -> Vec<Standing> {
        let all: Vec<_> = self.candidates.iter().map(|c| Candidate { dropped: None, ..c.clone() }).collect();
        let campaign = self.campaign(&all, 1.0);
        let rows = summary::rows(&campaign, records);
        let standing = |(row, candidate): (&Row<'_>, &Candidate)| Standing {
            population: candidate.population,
            runs: row.runs,
            reached: row.reached,
            evaluations: row.evaluations,
            dropped: candidate.dropped.clone(),
            is_selected: false,
        };
        let mut standings: Vec<_> = rows.iter().zip(&self.candidates).map(standing).collect();
        let is_safe = |s: &&mut Standing| s.dropped.is_none() && s.runs == self.runs && s.reached == s.runs;
        let mean = |s: &Standing| s.evaluations.map_or(f64::INFINITY, |(mean, _)| mean);
        let safe = standings.iter_mut().filter(is_safe).filter(|s| s.evaluations.is_some());
        if let Some(selected) = safe.min_by(|a, b| mean(a).total_cmp(&mean(b))) {
            selected.is_selected = true;
        }
        standings
    }

    /// The cell with another population, as a campaign file of its own.
    ///
    /// # Errors
    ///
    /// If the cell cannot be written.
    pub fn file(&self, population: usize) -> Result<String, Error> {
        // The paper's numbers hold only for its own population.
        let keeps_paper = population == self.cell.settings.population();
        let given = self.cell.given.with_population(population, self.runs, keeps_paper);
        let cell = [given.table().clone()];
        toml::to_string(&File { name: "tuned", cell }).map_err(|e| Error::input(e.to_string()))
    }

    /// The candidates that are still in the race, as cells with this fraction of the runs.
    fn campaign(&self, candidates: &[Candidate], fraction: f64) -> Campaign {
        let cells = candidates.iter().filter(|c| c.dropped.is_none()).map(|candidate| {
            let mut cell = self.cell.clone();
            cell.settings.method.common.population = Some(candidate.population);
            cell.name = self.name(candidate.population);
            cell.runs = ((self.runs as f64 * fraction).round() as usize).clamp(1, self.runs);
            cell.paper = None;
            // What workers elsewhere make the cell from.
            cell.given = cell.given.with_population(candidate.population, cell.runs, false);
            cell
        });
        Campaign { name: "tune".into(), cells: cells.collect(), others: Vec::new(), notices: Vec::new() }
    }

    fn name(&self, population: usize) -> String {
        format!("{}@{population}", self.cell.name)
    }

    /// Drops the population that was tried last if a run failed. If larger ones need far too many
    /// evaluations, none of them is tried.
    fn judge_last(&mut self, records: &[Record]) {
        let last = self.candidates.len() - 1;
        let campaign = self.campaign(&self.candidates[last..], STAGES[0]);
        let rows = summary::rows(&campaign, records);
        let row = &rows[0];
        if row.reached < row.runs {
            self.candidates[last].dropped = Some(failed(row));
        } else if let Some((mean, _)) = row.evaluations {
            self.best = self.best.min(mean);
            let is_expensive = mean > TOO_MANY_EVALUATIONS * self.best;
            self.expensive_in_a_row = if is_expensive { self.expensive_in_a_row + 1 } else { 0 };
            if self.expensive_in_a_row == 2 {
                self.untried.clear();
            }
        }
    }

    /// Drops populations with a failed run, and those that need significantly more evaluations than the best.
    fn judge_all(&mut self, records: &[Record], stage: usize) {
        let campaign = self.campaign(&self.candidates, STAGES[stage]);
        let rows = summary::rows(&campaign, records);
        let sample = |row: &Row<'_>| {
            let (mean, deviation) = row.evaluations?;
            (row.reached == row.runs).then_some(Sample { mean, deviation, count: row.reached as f64 })
        };
        let best = rows.iter().filter_map(sample).min_by(|a, b| a.mean.total_cmp(&b.mean));
        let left = self.candidates.iter_mut().filter(|c| c.dropped.is_none());
        for (row, candidate) in rows.iter().zip(left).filter(|(row, _)| row.runs > 0) {
            match (sample(row), best) {
                (None, _) => candidate.dropped = Some(failed(row)),
                (Some(own), Some(best)) if ratio(own, best).is_some_and(|(_, low, _)| low > 1.0) => {
                    let reason = format!("needs {:.2} x the evaluations of the best", own.mean / best.mean);
                    candidate.dropped = Some(reason);
                }
                _ => {}
            }
        }
    }
}

fn failed(row: &Row<'_>) -> String {
    format!("{} of {} runs failed", row.runs - row.reached, row.runs)
}

/// Populations in a geometric sequence; both ends and the cell's own are included.
fn populations(cell: &Cell, from: Option<usize>, to: Option<usize>) -> Result<Vec<usize>, Error> {
    if cell.settings.topology.dim() == 0 {
        return Err(Error::input(format!(
            "{} has no hidden layers: nothing is searched, so there is no population to tune",
            cell.name
        )));
    }
    let own = cell.settings.population();
    let least = if cell.method().has_setting("sigma") { 2 } else { 5 };
    let (low, high) = (from.unwrap_or((own / 4).max(least)), to.unwrap_or(own.saturating_mul(4)));
    if low < least || high < low || high > LARGEST {
        return Err(Error::Populations { low, high, least, most: LARGEST });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parcel;

    const TEXT: &str = "name = \"a\"\n\n[[cell]]\ndata = \"iris\"\nhidden = \"3\"\nmethod = \"de\"\n";

    fn tuning(cell: &str, runs: usize, range: (usize, usize)) -> Result<Tuning, Error> {
        let mut campaign = Campaign::parse(TEXT, "a.toml").unwrap();
        Tuning::new(&mut campaign, cell, runs, (Some(range.0), Some(range.1)))
    }

    /// Populations and runs of a campaign.
    fn cells(campaign: &Campaign) -> Vec<(usize, usize)> {
        campaign.cells.iter().map(|cell| (cell.settings.population(), cell.runs)).collect()
    }

    #[test]
    fn every_population_is_tried_before_all_get_more_runs() {
        let mut tuning = tuning("*", 20, (10, 20)).unwrap();
        let mut seen = Vec::new();
        while let Some(campaign) = tuning.next_campaign(&[]) {
            seen.push(cells(&campaign));
        }
        let all = |runs| [10, 15, 20].map(|population| (population, runs)).to_vec();
        assert_eq!(seen, [vec![(10, 2)], vec![(15, 2)], vec![(20, 2)], all(6), all(20)]);
        assert!(tuning.next_campaign(&[]).is_none());
        // Without a record, nothing is selected.
        assert!(tuning.standings(&[]).iter().all(|standing| standing.runs == 0 && !standing.is_selected));
    }

    #[test]
    fn workers_get_the_cell_with_its_population() {
        let campaign = tuning("iris/*", 10, (10, 20)).unwrap().next_campaign(&[]).unwrap();
        let cell = &campaign.cells[0];
        let sent = parcel::unpack(&parcel::pack(cell).unwrap()).unwrap();
        assert_eq!((&sent.name, sent.fingerprint()), (&cell.name, cell.fingerprint()));
    }

    #[test]
    fn what_cannot_be_tuned_is_refused() {
        let refused = |cell, runs, range| tuning(cell, runs, range).err().unwrap().to_string();
        assert!(refused("*", 0, (10, 20)).contains("runs 0"));
        assert!(refused("*", 5, (3, 20)).contains("populations from 3 to 20"));
        assert!(refused("*", 5, (30, 20)).contains("populations from 30 to 20"));
    }
}
