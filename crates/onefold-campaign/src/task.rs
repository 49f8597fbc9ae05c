//! Trials as tasks: a driver lists what is missing, workers run trials by key for a limited time, and the
//! driver alone writes to the store.

use crate::checkpoint;
use crate::runner;
use crate::store::{CAMPAIGN, Claim, check_owner, read_campaign};
use crate::trial::{Snapshot, Trial};
use crate::{Campaign, Cell, Error, Record, Store};
use onefold::Cancellation;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a worker hands back.
pub enum Part {
    /// The record of the finished trial, as its line in a store.
    Finished(Vec<u8>),
    /// The state of the trial when its time was over, to be continued anywhere.
    Unfinished(String),
    /// The work was cancelled.
    Cancelled,
}

/// Runs a trial from its beginning, or from a state that was handed back, until it ends or until the
/// deadline. At least one generation is run.
///
/// # Errors
///
/// If the trial cannot be run.
pub fn run(
    (cell, seed): (&Cell, u64),
    saved: Option<&str>,
    deadline: Option<Instant>,
    threads: usize,
    cancellation: &Cancellation,
) -> Result<Part, Error> {
    let trial = Trial::new(cell, seed, threads)?;
    let mut unfinished = None;
    let record = trial.run(saved.and_then(Snapshot::from_text), cancellation, &mut |trace, progress| {
        if deadline.is_none_or(|deadline| Instant::now() < deadline) {
            return ControlFlow::Continue(());
        }
        unfinished = trial.snapshot(trace, progress).to_text();
        // A state that cannot be written is no reason to end.
        if unfinished.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(match (record, unfinished) {
        (Some(record), _) => Part::Finished(record.line()?),
        (None, Some(state)) => Part::Unfinished(state),
        (None, None) => Part::Cancelled,
    })
}

/// A missing trial: the number of its cell, its seed, and its predicted seconds.
pub type Missing = (usize, u64, f64);

/// A campaign whose trials are run by workers.
pub struct Driver {
    campaign: Campaign,
    store: Store,
    /// Numbers of cells by name.
    numbers: HashMap<String, usize>,
    fingerprints: Vec<String>,
    /// The trials that are being run for this driver.
    claims: HashMap<(usize, u64), Claim>,
}

impl Driver {
    /// Opens the store of a campaign, whose file has this text.
    ///
    /// # Errors
    ///
    /// If the store belongs to another campaign, or cannot be used.
    pub fn open(
        campaign: Campaign,
        text: &str,
        folder: &Path,
        tell: crate::store::Tell,
    ) -> Result<Self, Error> {
        let inside = read_campaign(folder)?;
        check_owner(folder, inside.as_deref(), &campaign.name, text)?;
        let driver = Self::of_store(campaign, Store::open(folder, tell)?)?;
        if inside.as_deref() != Some(text) {
            onefold::files::write_plain(&folder.join(CAMPAIGN), text.as_bytes())?;
        }
        Ok(driver)
    }

    /// The trials of a campaign in a store that is open.
    ///
    /// # Errors
    ///
    /// If the store has records made with other settings.
    pub fn of_store(campaign: Campaign, store: Store) -> Result<Self, Error> {
        runner::jobs(&campaign, &store, |_| true)?;
        let numbers = campaign.cells.iter().enumerate().map(|(i, cell)| (cell.name.clone(), i)).collect();
        let fingerprints = campaign.cells.iter().map(Cell::fingerprint).collect();
        Ok(Self { campaign, store, numbers, fingerprints, claims: HashMap::new() })
    }

    /// The campaign.
    #[must_use]
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// The trials that are not in the store, longest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn missing(&self) -> Result<Vec<Missing>, Error> {
        self.store.refresh()?;
        let jobs = runner::jobs(&self.campaign, &self.store, |_| true)?;
        Ok(jobs.iter().map(|job| (self.numbers[&job.cell.name], job.seed, job.estimate)).collect())
    }

    /// Claims a trial, so that no other process with the same store runs it; false if it is finished or
    /// claimed by another process.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written.
    pub fn claim(&mut self, cell: usize, seed: u64) -> Result<bool, Error> {
        if self.claims.contains_key(&(cell, seed)) {
            return Ok(true);
        }
        let claim = self.store.claim(self.cell(cell)?, seed)?;
        let is_ours = claim.is_some();
        self.claims.extend(claim.map(|claim| ((cell, seed), claim)));
        Ok(is_ours)
    }

    /// Gives up a trial that was claimed.
    pub fn release(&mut self, cell: usize, seed: u64) {
        self.claims.remove(&(cell, seed));
    }

    /// Adds the records of finished trials, given as lines; all are on disk when this returns. A trial that
    /// has a record keeps it. The number, seed and seconds of each.
    ///
    /// # Errors
    ///
    /// If a record is not one of this campaign's, or cannot be written.
    pub fn add(&mut self, lines: &[&[u8]]) -> Result<Vec<Missing>, Error> {
        self.store.refresh()?;
        let (mut new, mut added, mut done) = (Vec::new(), HashSet::new(), Vec::new());
        for line in lines {
            let record = Record::from_line(line)?;
            let number = self.number(&record)?;
            let key = (number, record.seed);
            done.push((number, record.seed, record.seconds));
            if !self.store.has(&self.campaign.cells[number], record.seed)? && added.insert(key) {
                new.push(record);
            }
        }
        self.store.append_all(&new)?;
        for (cell, seed, _) in &done {
            checkpoint::remove(&self.store, &self.campaign.cells[*cell], *seed);
            self.release(*cell, *seed);
        }
        Ok(done)
    }

    /// The number of a record's cell. Its settings must be those of the campaign.
    fn number(&self, record: &Record) -> Result<usize, Error> {
        match self.numbers.get(&record.cell) {
            Some(number) if self.fingerprints[*number] == record.settings => Ok(*number),
            _ => Err(Error::input(format!(
                "a worker returned a trial of {} with other settings than the campaign has; install the same version of onefold on all workers",
                record.cell
            ))),
        }
    }

    /// The saved state of an unfinished trial.
    ///
    /// # Errors
    ///
    /// If there is no such cell.
    pub fn saved(&self, cell: usize, seed: u64) -> Result<Option<String>, Error> {
        Ok(checkpoint::load(&self.store, self.cell(cell)?, seed))
    }

    /// Saves the state of an unfinished trial.
    ///
    /// # Errors
    ///
    /// If there is no such cell.
    pub fn save(&self, cell: usize, seed: u64, state: &str) -> Result<(), Error> {
        checkpoint::save(&self.store, self.cell(cell)?, seed, state);
        Ok(())
    }

    /// A cell by its number.
    ///
    /// # Errors
    ///
    /// If there is no such cell.
    pub fn cell(&self, number: usize) -> Result<&Cell, Error> {
        self.campaign.cells.get(number).ok_or_else(|| Error::input(format!("there is no cell {number}")))
    }
}

/// The time at which work that may take some seconds has to end; none if that is beyond the clock.
#[must_use]
pub fn deadline(seconds: f64) -> Option<Instant> {
    Duration::try_from_secs_f64(seconds.max(0.0)).ok().and_then(|time| Instant::now().checked_add(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "name = \"small\"\nruns = 3\n\n[[cell]]\ndata = \"iris\"\nhidden = \"3\"\nmethod = \"de-sb\"\n";

    /// The record without its times.
    fn timeless(line: &[u8]) -> Record {
        let mut record = Record::from_line(line).unwrap();
        record.seconds = 0.0;
        record
    }

    #[test]
    fn a_trial_in_parts_leaves_the_record_of_a_whole_one() {
        let cell = &Campaign::parse(SMALL, "small.toml").unwrap().cells[0];
        let never = Cancellation::default();
        let Part::Finished(whole) = run((cell, 1), None, None, 1, &never).unwrap() else {
            panic!("unfinished")
        };
        let (mut state, mut parts): (Option<String>, usize) = (None, 0);
        let in_parts = loop {
            parts += 1;
            match run((cell, 1), state.as_deref(), Some(Instant::now()), 1, &never).unwrap() {
                Part::Finished(line) => break line,
                Part::Unfinished(next) => state = Some(next),
                Part::Cancelled => panic!("cancelled"),
            }
        };
        assert!(parts > 3, "{parts}");
        assert_eq!(timeless(&in_parts), timeless(&whole));
    }

    #[test]
    fn the_driver_drops_duplicates_and_refuses_strange_records() {
        let folder = tempfile::tempdir().unwrap();
        let open = |text: &str| {
            Driver::open(Campaign::parse(text, "small.toml").unwrap(), text, folder.path(), |_| ())
        };
        let mut driver = open(SMALL).unwrap();
        assert_eq!(driver.missing().unwrap().len(), 3);
        let cell = driver.cell(0).unwrap().clone();
        let Part::Finished(line) = run((&cell, 2), None, None, 1, &Cancellation::default()).unwrap() else {
            panic!("unfinished")
        };
        assert!(driver.claim(0, 2).unwrap());
        assert_eq!(driver.add(&[&line, &line]).unwrap().len(), 2);
        assert_eq!(driver.add(&[&line]).unwrap().len(), 1);
        let (whole, results) =
            (Store::read(folder.path()).unwrap(), Store::read_results(folder.path()).unwrap());
        assert_eq!((whole.len(), results.len()), (1, 1));
        // Tables of results are the same without settings, histories and parameters.
        assert_eq!(whole[0].evaluations, results[0].evaluations);
        assert!(!whole[0].parameters.is_empty() && results[0].parameters.is_empty());
        let file = std::fs::read_to_string(folder.path().join("trials.jsonl")).unwrap();
        assert_eq!((file.lines().count(), file.as_bytes()), (1, line.as_slice()));
        assert!(!driver.claim(0, 2).unwrap());
        assert_eq!(driver.missing().unwrap().len(), 2);
        let other = String::from_utf8(line).unwrap().replace(&cell.fingerprint(), "0123456789abcdef");
        assert!(driver.add(&[other.as_bytes()]).unwrap_err().to_string().contains("same version"));
        drop(driver);
        let foreign = open(&SMALL.replace("\"small\"", "\"other\"")).err().unwrap().to_string();
        assert!(foreign.contains("belongs to the campaign small"), "{foreign}");
    }

    #[test]
    fn two_drivers_do_not_claim_the_same_trial() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            Driver::open(Campaign::parse(SMALL, "small.toml").unwrap(), SMALL, folder.path(), |_| ()).unwrap()
        };
        let (mut first, mut second) = (open(), open());
        assert!(first.claim(0, 0).unwrap() && first.claim(0, 0).unwrap());
        assert!(!second.claim(0, 0).unwrap() && second.claim(0, 1).unwrap());
        first.release(0, 0);
        assert!(second.claim(0, 0).unwrap());
    }
}
