//! A file of data that is read from its beginning to its end, and must not change meanwhile.

use crate::error::{Error, ProblemKind, TableError};
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek as _, Stdin};
use std::path::Path;
use std::time::SystemTime;

/// A file of data, or standard input. A file that grows, shrinks or is written to while it is read is refused
/// at its end; pipes and devices are read to their end.
pub struct DataFile {
    name: String,
    source: Source,
    /// What the file was when it was opened; none of a pipe or device.
    before: Option<State>,
    /// Bytes read so far.
    read: u64,
    threads: Option<usize>,
    observer: Option<Box<dyn FnMut(u64, u64)>>,
}

enum Source {
    File(File),
    /// With a second handle to ask for its size.
    StandardInput(Stdin, Option<File>),
}

/// Size and time of the last change of a file, and where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    size: u64,
    changed: Option<SystemTime>,
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        Self { size: metadata.len(), changed: metadata.modified().ok() }
    }
}

impl DataFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let wrong = |kind| TableError::of(&name, kind, &[]);
        if path.is_dir() {
            return Err(wrong(ProblemKind::Directory));
        }
        let file = File::open(path).map_err(|e| wrong(ProblemKind::Unreadable { reason: e.to_string() }))?;
        Ok(Self::new(&name, Source::File(file)))
    }

    /// Standard input; `name` stands for it in messages.
    #[must_use]
    pub fn standard_input(name: &str) -> Self {
        let input = io::stdin();
        let handle = second_handle(&input);
        Self::new(name, Source::StandardInput(input, handle))
    }

    fn new(name: &str, source: Source) -> Self {
        let mut file =
            Self { name: name.into(), source, before: None, read: 0, threads: None, observer: None };
        // The files in /proc have a size of 0, whatever is in them.
        file.before = file.state().filter(|state| state.size > 0);
        if let Source::StandardInput(_, Some(handle)) = &mut file.source {
            // The shell may have read some of it.
            file.read = handle.stream_position().unwrap_or(0);
        }
        file
    }

    /// Reads with at most so many threads, 0 for one of each core. Default 0.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads).filter(|n| *n > 0), ..self }
    }

    /// Tells `observer` again and again how many bytes were read, and of how many; of a file only.
    #[must_use]
    pub fn observe(self, observer: impl FnMut(u64, u64) + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// What stands for it in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its size in bytes; none of a pipe or device.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.before.map(|before| before.size)
    }

    pub(crate) fn most_threads(&self) -> Option<usize> {
        self.threads
    }

    fn state(&self) -> Option<State> {
        let handle = match &self.source {
            Source::File(file) => Some(file),
            Source::StandardInput(_, handle) => handle.as_ref(),
        };
        handle?.metadata().ok().filter(Metadata::is_file).map(|metadata| State::of(&metadata))
    }
}

/// Another handle of standard input.
fn second_handle(input: &Stdin) -> Option<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        input.as_fd().try_clone_to_owned().ok().map(File::from)
    }
    #[cfg(not(unix))]
    {
        let _ = input;
        None
    }
}

impl Read for DataFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // No more than there was in the beginning: something may write to it for ever.
        let left = self.before.map_or(u64::MAX, |before| before.size.saturating_sub(self.read));
        let most = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let out = &mut out[..most];
        let read = match &mut self.source {
            Source::File(file) => file.read(out)?,
            Source::StandardInput(input, _) => input.read(out)?,
        };
        self.read += read as u64;
        if let (Some(before), Some(observer)) = (self.before, &mut self.observer) {
            observer(self.read, before.size);
        }
        let is_at_end = read == 0 && (most > 0 || left == 0);
        if is_at_end && self.before.is_some() && (left > 0 || self.before != self.state()) {
            return Err(io::Error::other(
                "the file changed while it was read; wait until it is complete, or use a copy of it",
            ));
        }
        Ok(read)
    }
}

impl fmt::Debug for DataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataFile").field("name", &self.name).field("read", &self.read).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn read_with(text: &str, change: impl FnOnce(&Path)) -> io::Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, text).unwrap();
        let mut file = DataFile::open(&path).unwrap();
        let mut first = [0; 3];
        file.read_exact(&mut first)?;
        change(&path);
        let mut rest = String::new();
        file.read_to_string(&mut rest)?;
        Ok(String::from_utf8_lossy(&first).into_owned() + &rest)
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_refused() {
        assert_eq!(read_with("a,b\n1,2\n", |_| {}).unwrap(), "a,b\n1,2\n");
        let append = |path: &Path| {
            let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"3,4\n").unwrap();
        };
        let shorten = |path: &Path| {
            std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(5).unwrap();
        };
        let replace = |path: &Path| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(path, "a,b\n9,9\n").unwrap();
        };
        let changes: [&dyn Fn(&Path); 3] = [&append, &shorten, &replace];
        for change in changes {
            let error = read_with("a,b\n1,2\n", change).unwrap_err();
            assert!(error.to_string().starts_with("the file changed while it was read"), "{error}");
        }
        // Another file of that name is not the one that is read.
        let other = |path: &Path| {
            std::fs::remove_file(path).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        assert_eq!(read_with("a,b\n1,2\n", other).unwrap(), "a,b\n1,2\n");
    }

    #[test]
    fn observers_are_told_what_was_read_of_how_much() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "0123456789").unwrap();
        let told = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let kept = std::rc::Rc::clone(&told);
        let mut file =
            DataFile::open(&path).unwrap().observe(move |read, all| kept.borrow_mut().push((read, all)));
        file.read_exact(&mut [0; 4]).unwrap();
        file.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!((told.borrow()[0], *told.borrow().last().unwrap()), ((4, 10), (10, 10)));
    }
}
