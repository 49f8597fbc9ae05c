//! Where data comes from: a built-in set, a file, or standard input.

use crate::failure::Failure;
use crate::progress::ReadingBar;
use onefold::files::DataFile;
use onefold::{Builtin, Table, TableRows, TableSettings};
use std::path::{Path, PathBuf};

/// Where data comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    Builtin(Builtin),
    File(PathBuf),
    StandardInput,
}

impl Source {
    /// The source that an argument names; a built-in set takes precedence over a file of the same name.
    pub(crate) fn find(text: &str) -> Result<Self, Failure> {
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        match text.parse() {
            Ok(builtin) => Ok(Self::Builtin(builtin)),
            Err(_) if Path::new(text).exists() => Ok(Self::File(text.into())),
            Err(_) if text.contains(['.', '/', '\\']) => {
                Err(Failure::bad_input(format!("{text}: there is no such file")))
            }
            Err(unknown) => Err(unknown.into()),
        }
    }

    /// Its name in messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Builtin(builtin) => builtin.name().into(),
            Self::File(path) => path.display().to_string(),
            Self::StandardInput => "standard input".into(),
        }
    }

    /// Its name without folders, as recorded in model files.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.file_name().map_or_else(|| self.shown(), |n| n.to_string_lossy().into()),
            _ => self.shown(),
        }
    }

    /// Its name without folders and extension, for names of model files.
    pub(crate) fn stem(&self) -> String {
        match self {
            Self::Builtin(builtin) => builtin.name().into(),
            Self::File(path) => path.file_stem().map_or("data".into(), |s| s.to_string_lossy().into()),
            Self::StandardInput => "stdin".into(),
        }
    }

    /// The file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        if let Self::File(path) = self { Some(path) } else { None }
    }

    /// The file that is read, also as standard input.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Builtin(_) => None,
            Self::File(path) => Some(path),
            Self::StandardInput => Some(crate::paths::standard_input()),
        }
    }

    /// Reads it as a table with at most so many threads, 0 for one of each core.
    pub(crate) fn table(&self, settings: &TableSettings, threads: usize) -> Result<Table, Failure> {
        let file = self.open()?.threads(threads);
        Ok(Table::from_file(settings, watched(file))?)
    }

    /// Opens a file, or standard input.
    pub(crate) fn open(&self) -> Result<DataFile, Failure> {
        match self {
            Self::File(path) => Ok(DataFile::open(path)?),
            Self::StandardInput => Ok(DataFile::standard_input(&self.shown())),
            Self::Builtin(builtin) => Err(no_file(*builtin)),
        }
    }
}

/// The same file, with a progress bar while it is read, if it is large.
pub(crate) fn watched(file: DataFile) -> DataFile {
    match ReadingBar::of(&file) {
        Some(mut bar) => file.observe(move |read, size| bar.update(read, size)),
        None => file,
    }
}

fn no_file(builtin: Builtin) -> Failure {
    Failure::bad_input(format!("{builtin}: this is a built-in data set, not a file"))
}

/// Rows of a file, or of standard input.
pub(crate) type Rows<'a> = TableRows<'a, DataFile>;
