//! The store of a campaign: a folder of JSON Lines files, one line for each finished trial.
//!
//! Every process appends to its own file and locks it; a trial is claimed by a lock as well. The operating
//! system releases the locks of a process when it ends, even if it is killed. A partial last line, left by a
//! killed process, is moved to a file beside it by the next process that appends to the file.
//!
//! A store may come from a stranger: a symbolic link, pipe or device inside it is an error, and is not
//! followed.

mod folder;
mod reading;
mod record;
mod repair;

pub(crate) use folder::CHECKPOINTS;
pub use folder::{CAMPAIGN, check_owner, files, is_store, read_campaign};

pub(crate) use record::Outcome;
pub use record::{Record, Trace};

use super::Cell;
use crate::Error;
use folder::LOCKS;
use onefold::files::{open_plain, remove_abandoned};
use reading::Seen;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Is called with a sentence that the user should see, and that is not an error.
pub type Tell = fn(&str);

/// A store opened for writing.
pub struct Store {
    folder: PathBuf,
    /// The file that this process appends to, and its lock.
    own: Mutex<(File, File)>,
    seen: Mutex<Seen<Known>>,
    tell: Tell,
}

/// What is remembered of a record: campaigns may have millions.
struct Known {
    /// Fingerprint of all settings.
    settings: String,
    seconds: f64,
}

impl Known {
    fn of(record: Record) -> Self {
        Self { settings: record.settings, seconds: record.seconds }
    }
}

/// The exclusive right to run a trial, released on drop.
pub struct Claim {
    lock: Option<File>,
    path: PathBuf,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A process that opened the file before its removal still reads the store after locking it, and so
        // finds the trial finished. A file with contents is not ours.
        let is_empty = |lock: &File| lock.metadata().is_ok_and(|found| found.len() == 0);
        if self.lock.as_ref().is_some_and(is_empty) {
            let _ = fs::remove_file(&self.path);
        }
        drop(self.lock.take());
    }
}

impl Store {
    /// Opens a store, and creates it if it does not exist. Nothing is created or changed in a folder with
    /// files that are not those of a store.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or has files that are not those of a store.
    pub fn open(folder: &Path, tell: Tell) -> Result<Self, Error> {
        let failed = |e: std::io::Error| Error::Store { folder: folder.into(), reason: e.to_string() };
        let mut seen = Seen::new(Known::of);
        if folder.is_dir() {
            folder::check(folder)?;
            seen.refresh(folder)?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
        folder::create(folder, LOCKS)?;
        remove_abandoned(folder);
        remove_abandoned(&folder.join(CHECKPOINTS));
        let (lock, path) = own_file(folder).map_err(failed)?;
        repair::repair(&path, tell)?;
        let file = open_plain(&path, OpenOptions::new().create(true).append(true)).map_err(failed)?;
        let store =
            Self { folder: folder.into(), own: Mutex::new((file, lock)), seen: Mutex::new(seen), tell };
        store.refresh()?;
        Ok(store)
    }

    /// All records of a store, without opening it for writing.
    ///
    /// # Errors
    ///
    /// If there is no such store, or a line of it is not a record.
    pub fn read(folder: &Path) -> Result<Vec<Record>, Error> {
        Self::read_with(folder, |record| record)
    }

    /// The same for tables of results, in a tenth of the memory: settings, convergence histories and
    /// parameters are empty.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_results(folder: &Path) -> Result<Vec<Record>, Error> {
        Self::read_with(folder, Record::without_details)
    }

    fn read_with(folder: &Path, keep: fn(Record) -> Record) -> Result<Vec<Record>, Error> {
        if !folder.is_dir() {
            return Err(Error::input(format!("{}: there is no such store", folder.display())));
        }
        folder::check(folder)?;
        let mut seen = Seen::new(keep);
        seen.refresh(folder)?;
        let mut records: Vec<_> = seen.records.into_values().collect();
        records.sort_by(|a, b| (&a.cell, a.seed).cmp(&(&b.cell, b.seed)));
        Ok(records)
    }

    /// Reads the records added since the last call.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or a line of it is not a record.
    pub fn refresh(&self) -> Result<(), Error> {
        lock(&self.seen).refresh(&self.folder)
    }

    /// Whether a trial is finished. A record made with other settings is an error.
    ///
    /// # Errors
    ///
    /// If it was run with other settings.
    pub fn has(&self, cell: &Cell, seed: u64) -> Result<bool, Error> {
        let key = (cell.name.clone(), seed);
        let known = lock(&self.seen).records.get(&key).map(|known| known.settings.clone());
        match known {
            Some(settings) if settings != cell.fingerprint() => Err(Error::OtherSettings {
                folder: self.folder.clone(),
                difference: self.difference(cell, seed)?,
                cell: key.0,
                seed,
            }),
            found => Ok(found.is_some()),
        }
    }

    /// The first setting in which the record of a trial differs from its cell.
    fn difference(&self, cell: &Cell, seed: u64) -> Result<String, Error> {
        let records = Self::read(&self.folder)?;
        let record = records.iter().find(|record| record.cell == cell.name && record.seed == seed);
        Ok(record.map_or_else(String::new, |record| cell.difference(&record.readings)))
    }

    /// Mean seconds of the finished trials of each cell.
    pub(crate) fn mean_seconds(&self) -> HashMap<String, f64> {
        let mut sums: HashMap<String, (f64, f64)> = HashMap::new();
        for ((cell, _), known) in &lock(&self.seen).records {
            let sum = sums.entry(cell.clone()).or_default();
            *sum = (sum.0 + known.seconds, sum.1 + 1.0);
        }
        sums.into_iter().map(|(cell, (seconds, trials))| (cell, seconds / trials)).collect()
    }

    /// Claims a trial; none if it is finished or claimed by another process.
    ///
    /// # Errors
    ///
    /// If the lock cannot be made, or the trial was run with other settings.
    pub fn claim(&self, cell: &Cell, seed: u64) -> Result<Option<Claim>, Error> {
        let path = self.folder.join(LOCKS).join(cell.file_name(seed));
        let failed = |e: std::io::Error| Error::input(format!("{}: {e}", path.display()));
        let lock = open_plain(&path, OpenOptions::new().create(true).append(true)).map_err(failed)?;
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let claim = Claim { lock: Some(lock), path };
        self.refresh()?;
        Ok(if self.has(cell, seed)? { None } else { Some(claim) })
    }

    /// Adds a record; it is on disk when this returns.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn append(&self, record: &Record) -> Result<(), Error> {
        self.append_all(std::slice::from_ref(record))
    }

    /// Adds records; all are on disk when this returns.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn append_all(&self, records: &[Record]) -> Result<(), Error> {
        let mut lines = Vec::new();
        for record in records {
            lines.extend(record.line()?);
        }
        let (file, _) = &mut *lock(&self.own);
        file.write_all(&lines).and_then(|()| file.sync_data())?;
        Ok(())
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Tells the user something that is not an error.
    pub(crate) fn tell(&self, sentence: &str) {
        (self.tell)(sentence);
    }
}

/// Locks a mutex even if it is poisoned: a panic of another thread does not make the records wrong.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first file that no other process has locked, with its lock. A file with another name elsewhere (a hard
/// link) would change there too, and is not appended to.
fn own_file(folder: &Path) -> std::io::Result<(File, PathBuf)> {
    for number in 1.. {
        let name = if number == 1 { "trials.jsonl".into() } else { format!("trials-{number}.jsonl") };
        let path = folder.join(&name);
        if has_other_names(&path) {
            continue;
        }
        let lock = open_plain(&folder.join(LOCKS).join(&name), OpenOptions::new().create(true).append(true))?;
        if lock.try_lock().is_ok() {
            return Ok((lock, path));
        }
    }
    Err(std::io::Error::other("too many processes"))
}

#[cfg(unix)]
fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::symlink_metadata(path).is_ok_and(|found| found.nlink() > 1)
}

#[cfg(not(unix))]
fn has_other_names(_: &Path) -> bool {
    false
}
