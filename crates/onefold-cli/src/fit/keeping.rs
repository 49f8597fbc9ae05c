//! A trained model is not lost: where its file cannot be written, it is kept elsewhere, or printed.

use crate::failure::Failure;
use crate::output;
use onefold::files::folder_of;
use onefold::{Error, Model};
use serde_json::Value;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where a model was kept.
pub(super) enum Kept {
    /// No file was wanted.
    Nowhere,
    /// In the file that was wanted.
    File(PathBuf),
    /// In another, since the one that was wanted could not be written.
    Elsewhere { file: PathBuf, reason: Error },
    /// In none; it is printed.
    Printed { reason: Error },
}

impl Kept {
    /// Writes the model to a new file, since the one that is wanted cannot be written: in its folder or in
    /// the system's folder for temporary files.
    pub(super) fn elsewhere(model: &Model, wanted: &Path, reason: Error) -> Self {
        // The folder of a device is no place for files.
        let is_device = std::fs::metadata(wanted).is_ok_and(|found| !found.is_file());
        let own = (!is_device).then(|| folder_of(wanted).to_path_buf());
        let folders = own.into_iter().chain([std::env::temp_dir()]);
        let stem = wanted.file_stem().unwrap_or("model".as_ref()).to_string_lossy().into_owned();
        let text = model.to_json();
        match folders.into_iter().find_map(|folder| write_new(&folder, &stem, &text).ok()) {
            Some(file) => Self::Elsewhere { file, reason },
            None => Self::Printed { reason },
        }
    }

    /// The file that the model is in.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) | Self::Elsewhere { file, .. } => Some(file),
            Self::Nowhere | Self::Printed { .. } => None,
        }
    }

    /// The model, where it is printed after a report.
    pub(super) fn text(&self, model: &Model) -> String {
        if let Self::Printed { .. } = self { output::json(&as_value(model)) } else { String::new() }
    }

    /// The report as JSON; where the model is printed, it contains the model instead of the name of its file.
    pub(super) fn as_json(&self, mut report: Value, model: &Model) -> String {
        if let Self::Printed { .. } = self {
            report["model"] = as_value(model);
        }
        output::json(&report)
    }

    /// Whether it is in no file.
    pub(super) fn is_to_be_printed(&self) -> bool {
        matches!(self, Self::Printed { .. })
    }

    /// Where the model is, if that is not where it was wanted.
    pub(super) fn failure(self, is_printed: bool) -> Result<(), Failure> {
        match self {
            Self::Nowhere | Self::File(_) => Ok(()),
            Self::Elsewhere { file, reason } => {
                Err(Failure::failed(format!("{reason}; the model was kept in {}", file.display())))
            }
            Self::Printed { reason } if !is_printed => {
                Err(Failure::failed(format!("{reason}; the model could not be printed either, and is lost")))
            }
            Self::Printed { reason } => {
                Err(Failure::failed(format!("{reason}; the model was printed to standard output instead")))
            }
        }
    }
}

fn as_value(model: &Model) -> Value {
    serde_json::from_str(&model.to_json()).unwrap_or(Value::Null)
}

/// Writes a text to a new file with a random name that begins with `stem`.
fn write_new(folder: &Path, stem: &str, text: &str) -> io::Result<PathBuf> {
    let mut file =
        tempfile::Builder::new().prefix(&format!("{stem}-")).suffix(".json").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file.keep().map_err(|e| e.error)?.1)
}
