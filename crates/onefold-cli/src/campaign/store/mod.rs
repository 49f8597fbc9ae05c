//! The store of a campaign: a folder of JSON lines, one for each finished trial.
//!
//! Every process appends to a file of its own and holds a lock on its name; a trial is claimed by a lock as
//! well. Locks vanish with the process that holds them, however it ends. A line that was torn by such an
//! end is cut off by whoever gets the file next.

use crate::failure::Failure;
use onefold::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Version of the records.
const FORMAT: u32 = 1;

/// Evaluations and best cost on the way.
pub(crate) type Trace = Vec<(u64, f64)>;

/// A finished trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    format: u32,
    pub(crate) cell: String,
    pub(crate) seed: u64,
    pub(crate) data_seed: Option<u64>,
    pub(crate) reached: bool,
    pub(crate) evaluations: u64,
    /// Candidates whose slopes were computed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) slopes: u64,
    /// Evaluations, with slopes counted as the evaluations that take as long; none where there were no
    /// slopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evaluation_equivalents: Option<f64>,
    /// Distinct local optima that were found, up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) optima: Option<usize>,
    pub(crate) generations: u64,
    pub(crate) cost: f64,
    /// Mean squared error of the model on the training rows, by a plain forward pass.
    pub(crate) verified_cost: f64,
    /// Share of training rows classified correctly; records of 0.1.0 do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) train_accuracy: Option<f64>,
    pub(crate) test_mse: Option<f64>,
    pub(crate) test_accuracy: Option<f64>,
    pub(crate) stop: StopReason,
    pub(crate) restarts: usize,
    pub(crate) seconds: f64,
    pub(crate) version: String,
    /// Fingerprint of all settings.
    pub(crate) settings: String,
    pub(crate) readings: serde_json::Value,
    /// Evaluations and best cost on the way.
    pub(crate) trace: Trace,
    /// Weights and shifts of the hidden neurons.
    pub(crate) parameters: Vec<f64>,
}

/// What a trial left, before it becomes a record.
pub(crate) struct Outcome<'a> {
    pub(crate) cell: &'a super::Cell,
    pub(crate) seed: u64,
    pub(crate) fitted: &'a onefold::Fitted,
    pub(crate) trace: Trace,
}

impl Record {
    pub(crate) fn new(outcome: Outcome<'_>) -> Self {
        let Outcome { cell, seed, fitted, trace } = outcome;
        let (report, metrics) = (&fitted.report, &fitted.model.metrics);
        Self {
            format: FORMAT,
            cell: cell.name.clone(),
            seed,
            data_seed: cell.data_seed(seed),
            reached: report.reached,
            evaluations: report.evaluations,
            slopes: report.slopes,
            evaluation_equivalents: (report.slopes > 0).then_some(report.evaluation_equivalents),
            optima: (report.slopes > 0).then_some(report.optima.len()),
            generations: report.generations,
            cost: report.cost,
            verified_cost: report.verified_cost,
            train_accuracy: metrics.train_accuracy,
            test_mse: metrics.test_mse,
            test_accuracy: metrics.test_accuracy,
            stop: report.stop,
            restarts: report.restarts.len(),
            seconds: report.seconds,
            version: env!("CARGO_PKG_VERSION").into(),
            settings: cell.fingerprint(),
            readings: cell.readings(),
            trace,
            parameters: fitted.model.hidden.clone(),
        }
    }
}

impl Record {
    /// What the trial cost, in evaluations.
    pub(crate) fn effort(&self) -> f64 {
        self.evaluation_equivalents.unwrap_or(self.evaluations as f64)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A store that is open for writing.
pub(crate) struct Store {
    folder: PathBuf,
    /// The file that this process appends to, and the lock on its name.
    own: Mutex<(File, File)>,
    seen: Mutex<Seen>,
}

/// What has been read so far.
#[derive(Default)]
struct Seen {
    records: HashMap<(String, u64), Record>,
    /// Bytes read of each file, and lines.
    read: HashMap<PathBuf, (u64, usize)>,
}

/// The right to run a trial; it ends when this is dropped.
pub(crate) struct Claim {
    lock: Option<File>,
    path: PathBuf,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Whoever opened the file before looks into the store after locking it, and finds the trial done.
        let _ = fs::remove_file(&self.path);
        drop(self.lock.take());
    }
}

impl Store {
    /// Opens a store, creating it where there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, Failure> {
        let failed = |e: std::io::Error| Failure::bad_input(format!("--store {}: {e}", folder.display()));
        fs::create_dir_all(folder.join(".locks")).map_err(failed)?;
        let (lock, path) = own_file(folder).map_err(failed)?;
        repair(&path).map_err(failed)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let store =
            Self { folder: folder.into(), own: Mutex::new((file, lock)), seen: Mutex::new(Seen::default()) };
        store.refresh()?;
        Ok(store)
    }

    /// All records of a store, without opening it for writing.
    pub(crate) fn read(folder: &Path) -> Result<Vec<Record>, Failure> {
        if !folder.is_dir() {
            return Err(Failure::bad_input(format!("{}: there is no such store", folder.display())));
        }
        let mut seen = Seen::default();
        seen.refresh(folder)?;
        let mut records: Vec<_> = seen.records.into_values().collect();
        records.sort_by(|a, b| (&a.cell, a.seed).cmp(&(&b.cell, b.seed)));
        Ok(records)
    }

    /// Reads what has been added since.
    pub(crate) fn refresh(&self) -> Result<(), Failure> {
        lock(&self.seen).refresh(&self.folder)
    }

    /// Whether a trial is finished; refuses one that was made with other settings.
    pub(crate) fn has(&self, cell: &super::Cell, seed: u64) -> Result<bool, Failure> {
        match lock(&self.seen).records.get(&(cell.name.clone(), seed)) {
            Some(record) if record.settings != cell.fingerprint() => Err(Failure::bad_input(format!(
                "{}: seed {seed} of {} was run with other settings: {}; use another --store, or remove its records",
                self.folder.display(),
                cell.name,
                cell.difference(&record.readings)
            ))),
            found => Ok(found.is_some()),
        }
    }

    /// Mean seconds of the finished trials of a cell.
    pub(crate) fn mean_seconds(&self, cell: &str) -> Option<f64> {
        let seen = lock(&self.seen);
        let seconds: Vec<f64> = seen.records.values().filter(|r| r.cell == cell).map(|r| r.seconds).collect();
        (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
    }

    /// The right to run a trial, unless it is finished or another process is at it.
    pub(crate) fn claim(&self, cell: &super::Cell, seed: u64) -> Result<Option<Claim>, Failure> {
        let path = self.folder.join(".locks").join(cell.file_name(seed));
        let failed = |e: std::io::Error| Failure::bad_input(format!("{}: {e}", path.display()));
        let lock = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let claim = Claim { lock: Some(lock), path };
        self.refresh()?;
        Ok(if self.has(cell, seed)? { None } else { Some(claim) })
    }

    /// Adds a record, safely on disk when this returns.
    pub(crate) fn append(&self, record: &Record) -> Result<(), Failure> {
        let mut line = serde_json::to_string(record).map_err(|e| Failure::bad_input(e.to_string()))?;
        line.push('\n');
        let (file, _) = &mut *lock(&self.own);
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data())?;
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A lock that is never poisoned for long: a panic elsewhere does not make records wrong.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first file name that no other process has, with the lock on it.
fn own_file(folder: &Path) -> std::io::Result<(File, PathBuf)> {
    for number in 1.. {
        let name = if number == 1 { "trials.jsonl".into() } else { format!("trials-{number}.jsonl") };
        let lock = OpenOptions::new().create(true).append(true).open(folder.join(".locks").join(&name))?;
        if lock.try_lock().is_ok() {
            return Ok((lock, folder.join(name)));
        }
    }
    Err(std::io::Error::other("too many processes"))
}

/// Cuts off a last line without an end, unless it is whole.
fn repair(path: &Path) -> std::io::Result<()> {
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        return Ok(());
    }
    let start = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let mut file = OpenOptions::new().write(true).open(path)?;
    if serde_json::from_slice::<Record>(&bytes[start..]).is_ok() {
        file.seek(SeekFrom::End(0))?;
        file.write_all(b"\n")?;
    } else {
        file.set_len(start as u64)?;
    }
    file.sync_data()
}

impl Seen {
    fn refresh(&mut self, folder: &Path) -> Result<(), Failure> {
        let failed = |path: &Path, e: std::io::Error| Failure::bad_input(format!("{}: {e}", path.display()));
        let mut files: Vec<PathBuf> = fs::read_dir(folder)
            .map_err(|e| failed(folder, e))?
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
            .collect();
        files.sort();
        for path in files {
            self.read_new(&path).map_err(|e| failed(&path, e))??;
        }
        Ok(())
    }

    /// Reads the whole lines that were added to a file; the last one may not be finished.
    fn read_new(&mut self, path: &Path) -> std::io::Result<Result<(), Failure>> {
        let (offset, lines) = self.read.get(path).copied().unwrap_or_default();
        let mut file = File::open(path)?;
        if file.metadata()?.len() <= offset {
            return Ok(Ok(()));
        }
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let mut number = lines;
        for line in bytes[..whole].split_inclusive(|b| *b == b'\n') {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match parse(line) {
                // The same trial twice, after stores were joined: the first counts.
                Ok(record) => drop(self.records.entry((record.cell.clone(), record.seed)).or_insert(record)),
                Err(reason) => {
                    let message = format!("{} line {number}: {reason}", path.display());
                    return Ok(Err(Failure::bad_input(message)));
                }
            }
        }
        // A whole record without a line end, as a copy may leave it.
        if let Ok(record) = parse(&bytes[whole..]) {
            self.records.entry((record.cell.clone(), record.seed)).or_insert(record);
        }
        self.read.insert(path.into(), (offset + whole as u64, number));
        Ok(Ok(()))
    }
}

fn parse(line: &[u8]) -> Result<Record, String> {
    // Where stores were joined, a whole record may follow a torn one in the same line.
    let begin = b"{\"format\":";
    let last = line.windows(begin.len()).rposition(|part| part == begin).filter(|at| *at > 0);
    let value: serde_json::Value = serde_json::from_slice(line)
        .or_else(|e| last.map_or(Err(e), |at| serde_json::from_slice(&line[at..])))
        .map_err(|_| "this is no record of a trial; remove the line".to_string())?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(format) => {
            return Err(format!(
                "this record has format {format}, and this onefold reads {FORMAT}; use another --store, or the onefold that made it"
            ));
        }
        None => return Err("this is no record of a trial; remove the line".into()),
    }
    serde_json::from_value(value).map_err(|e| format!("this record is damaged ({e}); remove the line"))
}
