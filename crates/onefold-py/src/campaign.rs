//! Campaigns whose trials are run by workers.

use crate::errors::{invalid, of_campaign};
use crate::work::{Done, interruptible};
use onefold::data::TableNotice;
use onefold_campaign::task::{self, Missing, Part};
use onefold_campaign::tuning::Standing;
use onefold_campaign::{Campaign, Cell, PAPER, Record, Store, parcel, summary};
use pyo3::types::PyBytes;
use pyo3::{Bound, PyResult, Python, pyclass, pyfunction, pymethods};
use serde_json::json;
use std::path::PathBuf;

/// Pattern of the names of cells, names of tables, whether only the quick subset, most runs of a cell.
type Subset<'a> = (Option<&'a str>, Option<&'a str>, bool, Option<usize>);

/// What a trial left: its record, or its state.
type Left = (Option<Vec<u8>>, Option<String>);

/// A campaign, its store, and the trials that are being run for it.
#[pyclass(module = "onefold._onefold")]
pub(crate) struct Driver {
    /// None once it is closed.
    driver: Option<task::Driver>,
    folder: PathBuf,
}

#[pymethods]
impl Driver {
    /// Reads a campaign and opens its store; without a text, the paper's campaign.
    #[new]
    fn new(
        py: Python<'_>,
        text: Option<String>,
        origin: &str,
        store: Option<PathBuf>,
        subset: Subset<'_>,
    ) -> PyResult<Self> {
        let (cells, table, quick, runs) = subset;
        let text = text.unwrap_or_else(|| PAPER.into());
        py.detach(|| {
            let mut campaign = Campaign::parse(&text, origin)?;
            campaign.select(cells, table)?;
            campaign.limit_runs(quick, runs)?;
            let folder = store.unwrap_or_else(|| PathBuf::from("results").join(&campaign.name));
            let driver = task::Driver::open(campaign, &text, &folder, |_| ())?;
            Ok(Self { driver: Some(driver), folder })
        })
        .map_err(|e| of_campaign(&e))
    }

    /// The campaign's name.
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.open()?.campaign().name.clone())
    }

    /// The folder of the store.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The names of the cells.
    #[getter]
    fn cells(&self) -> PyResult<Vec<String>> {
        Ok(self.open()?.campaign().cells.iter().map(|cell| cell.name.clone()).collect())
    }

    /// What was assumed about the tables of cells.
    #[getter]
    fn notices(&self) -> PyResult<Vec<String>> {
        Ok(notices(self.open()?.campaign()))
    }

    /// Number of trials, finished or not.
    #[getter]
    fn trials(&self) -> PyResult<usize> {
        Ok(self.open()?.campaign().cells.iter().map(|cell| cell.runs).sum())
    }

    /// The missing trials, longest first: number of the cell, seed, predicted seconds.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<Missing>> {
        let driver = self.open()?;
        py.detach(|| driver.missing()).map_err(|e| of_campaign(&e))
    }

    /// Claims trials; those that are finished or claimed by another process are left out.
    fn claim(&mut self, py: Python<'_>, trials: Vec<(usize, u64)>) -> PyResult<Vec<(usize, u64)>> {
        let driver = self.open_mut()?;
        let claimed = py.detach(|| {
            let mut ours = Vec::new();
            for (cell, seed) in trials {
                if driver.claim(cell, seed)? {
                    ours.push((cell, seed));
                }
            }
            Ok(ours)
        });
        claimed.map_err(|e| of_campaign(&e))
    }

    /// Gives up a trial that was claimed.
    fn release(&mut self, cell: usize, seed: u64) -> PyResult<()> {
        self.open_mut()?.release(cell, seed);
        Ok(())
    }

    /// Adds records; number of the cell, seed and seconds of each.
    fn add(&mut self, py: Python<'_>, lines: Vec<Vec<u8>>) -> PyResult<Vec<Missing>> {
        let driver = self.open_mut()?;
        let lines: Vec<_> = lines.iter().map(Vec::as_slice).collect();
        py.detach(|| driver.add(&lines)).map_err(|e| of_campaign(&e))
    }

    /// The saved state of an unfinished trial.
    fn saved(&self, cell: usize, seed: u64) -> PyResult<Option<String>> {
        self.open()?.saved(cell, seed).map_err(|e| of_campaign(&e))
    }

    /// Saves the state of an unfinished trial.
    fn save(&self, py: Python<'_>, cell: usize, seed: u64, state: &str) -> PyResult<()> {
        let driver = self.open()?;
        py.detach(|| driver.save(cell, seed, state)).map_err(|e| of_campaign(&e))
    }

    /// Everything that a worker needs to run trials of a cell.
    fn parcel<'py>(&self, py: Python<'py>, cell: usize) -> PyResult<Bound<'py, PyBytes>> {
        let packed = self.open()?.cell(cell).and_then(parcel::pack).map_err(|e| of_campaign(&e))?;
        Ok(PyBytes::new(py, &packed))
    }

    /// The table of the finished trials as JSON, one row for each cell.
    fn rows(&self, py: Python<'_>) -> PyResult<String> {
        let driver = self.open()?;
        let rows = py.detach(|| {
            let records = Store::read_results(&self.folder)?;
            let rows = summary::rows(driver.campaign(), &records);
            Ok(json!(rows.iter().map(row).collect::<Vec<_>>()).to_string())
        });
        rows.map_err(|e| of_campaign(&e))
    }

    /// Gives up all claims, and the store.
    fn close(&mut self) {
        self.driver = None;
    }
}

impl Driver {
    fn open(&self) -> PyResult<&task::Driver> {
        self.driver.as_ref().ok_or_else(|| invalid("this campaign has been closed"))
    }

    fn open_mut(&mut self) -> PyResult<&mut task::Driver> {
        self.driver.as_mut().ok_or_else(|| invalid("this campaign has been closed"))
    }
}

/// A race of populations: one campaign after the other, whose trials are run by workers.
#[pyclass(module = "onefold._onefold")]
pub(crate) struct Tuning {
    race: onefold_campaign::Tuning,
    notices: Vec<String>,
    folder: PathBuf,
}

#[pymethods]
impl Tuning {
    /// Reads a campaign, without a text the paper's. The populations are the smallest and the largest one.
    #[new]
    fn new(
        campaign: (Option<String>, &str),
        store: Option<PathBuf>,
        cell: &str,
        runs: usize,
        populations: (Option<usize>, Option<usize>),
    ) -> PyResult<Self> {
        let (text, origin) = campaign;
        let text = text.unwrap_or_else(|| PAPER.into());
        let mut campaign = Campaign::parse(&text, origin).map_err(|e| of_campaign(&e))?;
        let tuning = onefold_campaign::Tuning::new(&mut campaign, cell, runs, populations);
        Ok(Self {
            race: tuning.map_err(|e| of_campaign(&e))?,
            notices: notices(&campaign),
            folder: store.unwrap_or_else(|| PathBuf::from("results").join("tune")),
        })
    }

    /// The name of the cell.
    #[getter]
    fn cell(&self) -> &str {
        &self.race.cell().name
    }

    /// The folder of the store.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// What was assumed about the tables of cells.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    /// The driver of the next campaign, by the records of the last one; none at the end.
    fn next_campaign(&mut self, py: Python<'_>) -> PyResult<Option<Driver>> {
        let Self { race, folder, .. } = self;
        py.detach(|| {
            let store = Store::open(folder, |_| ())?;
            let Some(campaign) = race.next_campaign(&Store::read_results(folder)?) else { return Ok(None) };
            let driver = task::Driver::of_store(campaign, store)?;
            Ok(Some(Driver { driver: Some(driver), folder: folder.clone() }))
        })
        .map_err(|e| of_campaign(&e))
    }

    /// How the populations did as JSON, and the campaign file of the cell with the selected one, if there is
    /// one.
    fn result(&self) -> PyResult<(String, Option<String>)> {
        let records = Store::read_results(&self.folder).map_err(|e| of_campaign(&e))?;
        let standings = self.race.standings(&records);
        let selected = standings.iter().find(|standing| standing.is_selected);
        let file = selected.map(|s| self.race.file(s.population)).transpose();
        let rows: Vec<_> = standings.iter().map(standing).collect();
        Ok((json!(rows).to_string(), file.map_err(|e| of_campaign(&e))?))
    }
}

/// A population of a race.
fn standing(standing: &Standing) -> serde_json::Value {
    json!({
        "population": standing.population, "runs": standing.runs, "reached": standing.reached,
        "evaluations": standing.evaluations.map(|(mean, _)| mean),
        "deviation": standing.evaluations.map(|(_, deviation)| deviation),
        "dropped": standing.dropped, "selected": standing.is_selected,
    })
}

/// What was assumed about the tables of cells.
fn notices(campaign: &Campaign) -> Vec<String> {
    let message =
        |(file, notice): &(String, TableNotice)| format!("{file}: {}", notice.message(|a| a.to_string()));
    campaign.notices.iter().map(message).collect()
}

/// A row of the table.
fn row(row: &summary::Row<'_>) -> serde_json::Value {
    json!({
        "cell": row.cell.name, "runs": row.runs, "reached": row.reached,
        "evaluations": row.evaluations.map(|(mean, _)| mean),
        "deviation": row.evaluations.map(|(_, deviation)| deviation),
        "seconds": row.seconds, "paper": row.verdict.text(),
    })
}

/// A cell on a worker.
#[pyclass(frozen, module = "onefold._onefold")]
pub(crate) struct TrialCell {
    cell: Cell,
}

#[pymethods]
impl TrialCell {
    #[new]
    fn new(py: Python<'_>, parcel: Vec<u8>) -> PyResult<Self> {
        let cell = py.detach(|| parcel::unpack(&parcel)).map_err(|e| of_campaign(&e))?;
        Ok(Self { cell })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.cell.name
    }

    /// Runs trials, given as seed and saved state, one after the other for at most some seconds. What each
    /// left: a record, or the state of an unfinished trial, or neither; trials that were not begun are
    /// missing at the end.
    fn run(
        &self,
        py: Python<'_>,
        trials: Vec<(u64, Option<String>)>,
        seconds: f64,
        threads: usize,
    ) -> PyResult<Vec<Left>> {
        let work = |cancellation: &_| {
            let deadline = task::deadline(seconds);
            let mut parts = Vec::new();
            for (seed, saved) in &trials {
                let key = (&self.cell, *seed);
                parts.push(match task::run(key, saved.as_deref(), deadline, threads, cancellation)? {
                    Part::Finished(line) => (Some(line), None),
                    Part::Unfinished(state) => (None, Some(state)),
                    Part::Cancelled => (None, None),
                });
                if deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline) {
                    break;
                }
            }
            Ok(parts)
        };
        let Done { result, .. } = interruptible(py, work, |_| Ok(()))?;
        result.map_err(|e: onefold_campaign::Error| of_campaign(&e))
    }
}

/// The records of a store as JSON, one for each line.
#[pyfunction]
pub(crate) fn read_store(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<String>> {
    let records = py.detach(|| Store::read(&folder)).map_err(|e| of_campaign(&e))?;
    let lines: Result<Vec<_>, _> = records.iter().map(Record::line).collect();
    let lines = lines.map_err(|e| of_campaign(&e))?;
    Ok(lines.into_iter().map(|line| String::from_utf8_lossy(line.trim_ascii_end()).into_owned()).collect())
}
