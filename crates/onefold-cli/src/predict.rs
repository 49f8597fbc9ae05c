//! `onefold predict`.

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::output::tell;
use crate::paths::{check_output, check_standard_output};
use crate::source::{Rows, Source};
use crate::spreadsheet::Writer;
use onefold::data::TableRow;
use onefold::files::WholeFile;
use onefold::{Builtin, BuiltinSettings, Dataset, Error, Model};
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let model = Model::load(&args.model)?;
    let source = Source::find(&args.data)?;
    let notes = match &args.output {
        None => to_standard_output(args, &model, &source)?,
        Some(path) => to_file(path, args, &model, &source)?,
    };
    notes.print();
    Ok(())
}

fn to_standard_output(args: &PredictArgs, model: &Model, source: &Source) -> Result<Notes, Failure> {
    check_standard_output(&[("the model", Some(&args.model)), ("the data", source.file())])?;
    let mut out = Writer::new(io::stdout().lock(), args.raw);
    match write_all(args, model, source, &mut out) {
        // Answers before the bad row are printed when the writer is dropped.
        Err(Stopped::Reading(failure)) => Err(failure),
        // A pipe whose reader has ended is no failure.
        Err(Stopped::Writing(e)) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Notes::default()),
        Err(Stopped::Writing(e)) => Err(Failure::failed(format!("standard output: {e}"))),
        Ok(notes) => Ok(notes),
    }
}

fn to_file(path: &Path, args: &PredictArgs, model: &Model, source: &Source) -> Result<Notes, Failure> {
    check_output(path, &[("the model", Some(&args.model)), ("the data", source.file())])?;
    let mut file = WholeFile::create(path)?;
    let written = write_all(args, model, source, &mut Writer::new(&mut file, args.raw));
    let notes = written.map_err(|stopped| match stopped {
        Stopped::Reading(failure) => failure,
        Stopped::Writing(e) => file.failed(&e).into(),
    })?;
    file.finish()?;
    Ok(notes)
}

/// Why not all rows were written.
enum Stopped {
    Reading(Failure),
    Writing(io::Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Reading(error.into())
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Reading(failure)
    }
}

impl From<csv::Error> for Stopped {
    fn from(error: csv::Error) -> Self {
        let text = error.to_string();
        Self::Writing(match error.into_kind() {
            // As it is: what kind of failure it was decides what is said.
            csv::ErrorKind::Io(e) => e,
            _ => io::Error::other(text),
        })
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

/// Counts of rows that were not like those of training, for messages after the answers.
#[derive(Default)]
pub(crate) struct Notes {
    unknown: Option<(u64, String, String)>,
    with_unknown: u64,
    pub(crate) incomplete: u64,
}

impl Notes {
    pub(crate) fn count(&mut self, row: &TableRow) {
        if let Some((column, word)) = &row.unknown {
            self.with_unknown += 1;
            self.unknown.get_or_insert_with(|| (row.line, column.clone(), word.clone()));
        }
    }

    pub(crate) fn print(&self) {
        if let Some((line, column, word)) = &self.unknown {
            tell(&format!(
                "note: {} rows have words that training did not, the first in line {line}: \"{word}\" in column {column}; they count as none of the known ones",
                self.with_unknown
            ));
        }
        if self.incomplete > 0 {
            tell(&format!(
                "note: {} rows have missing values, as the model's training left out, and no answer",
                self.incomplete
            ));
        }
    }
}

/// Refuses a built-in set that the model cannot read, or whose name has another meaning now.
pub(crate) fn check_fits(model: &Model, builtin: Builtin, data: &Dataset) -> Result<(), Failure> {
    let (needs, has) = (model.topology().inputs(), data.inputs.len());
    if needs != has {
        let message = format!(
            "the model has {needs} inputs, and {builtin} {has}; it was trained on {}",
            model.origin().data
        );
        return Err(Failure::bad_input(message));
    }
    if let Some(trained) =
        model.builtin().filter(|b| b.name() != model.origin().data && builtin.name() == model.origin().data)
    {
        let message = format!(
            "the model was trained by {} on what is called {trained} now; name {trained} instead of {builtin}",
            model.made_by()
        );
        return Err(Failure::bad_input(message));
    }
    Ok(())
}

/// How a built-in set is loaded for a model: as for its training, where that was the same set.
pub(crate) fn settings_for(model: &Model, builtin: Builtin) -> BuiltinSettings {
    let trained = model.data_settings().filter(|_| model.builtin() == Some(builtin));
    trained.unwrap_or_default()
}

fn write_all(
    args: &PredictArgs,
    model: &Model,
    source: &Source,
    out: &mut Writer<impl Write>,
) -> Result<Notes, Stopped> {
    let mut notes = Notes::default();
    if let Source::Builtin(builtin) = source {
        args.lines.overrides().for_builtin(*builtin)?;
        let data = builtin.rows(&settings_for(model, *builtin))?;
        check_fits(model, *builtin, &data)?;
        write_head(model, &[], out)?;
        for row in 0..data.rows() {
            write_row(model, &[], Some(&data.input(row)), row as u64 + 1, out)?;
        }
        out.flush()?;
        return Ok(notes);
    }
    let schema = model.schema();
    let name = source.shown();
    let mut rows = Rows::open(&name, &schema, model.classes(), &args.lines.rows(false), source.open()?)?;
    write_head(model, &rows.id_names(), out)?;
    while let Some(row) = rows.next_row()? {
        notes.count(&row);
        notes.incomplete += u64::from(row.inputs.is_none());
        write_row(model, &row.ids, row.inputs.as_deref(), row.line, out)?;
    }
    out.flush()?;
    Ok(notes)
}

fn write_head(model: &Model, ids: &[String], out: &mut Writer<impl Write>) -> csv::Result<()> {
    let mut names: Vec<String> = ids.to_vec();
    match model.classes() {
        Some(classes) => {
            names.push(model.schema().targets.first().map_or("class".into(), |t| t.name.clone()));
            names.extend(classes.iter().map(|class| format!("score_{class}")));
        }
        None => names.extend(model.output_names().iter().cloned()),
    }
    out.write_record(&names)
}

fn write_row(
    model: &Model,
    ids: &[String],
    inputs: Option<&[f64]>,
    line: u64,
    out: &mut Writer<impl Write>,
) -> Result<(), Stopped> {
    let mut fields: Vec<String> = ids.to_vec();
    let outputs = model.topology().outputs();
    if let Some(inputs) = inputs {
        let answer = model.predict(inputs);
        if answer.iter().any(|v| !v.is_finite()) {
            return Err(
                Failure::bad_input(format!("line {line}: the answer is too large for a number")).into()
            );
        }
        if model.is_classification() {
            fields.push(model.winner(&answer).unwrap_or_default().to_string());
        }
        fields.extend(answer.iter().map(|v| number(*v)));
    } else {
        fields.extend(vec![String::new(); outputs + usize::from(model.is_classification())]);
    }
    Ok(out.write_record(&fields)?)
}

/// The shortest text that reads as the same number.
fn number(v: f64) -> String {
    if v != 0.0 && !(1e-5..1e16).contains(&v.abs()) { format!("{v:e}") } else { v.to_string() }
}
