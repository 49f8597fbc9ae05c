//! `onefold predict`.

use crate::args::PredictArgs;
use crate::failure::{Failure, print_notices};
use crate::interrupt;
use crate::output::tell;
use crate::paths::{check_output, check_standard_output};
use crate::row_notes::Notes;
use crate::source::{Rows, Source, watched};
use crate::spreadsheet::Writer;
use onefold::data::TableRow;
use onefold::error::NoInterval;
use onefold::files::WholeFile;
use onefold::{Builtin, BuiltinSettings, Dataset, Error, Model};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    let model = Model::load(&args.model)?;
    let half_widths = args.interval.map(|level| half_widths(&model, level, &args.model)).transpose()?;
    let threshold = args.threshold.map(|p| check_threshold(&model, p)).transpose()?;
    let model = Answering { model: &model, half_widths: half_widths.as_deref(), threshold };
    let source = Source::find(&args.data)?;
    let notes = match &args.output {
        None => to_standard_output(args, model, &source)?,
        Some(path) => to_file(path, args, model, &source)?,
    };
    notes.print();
    Ok(())
}

fn to_standard_output(args: &PredictArgs, model: Answering<'_>, source: &Source) -> Result<Notes, Failure> {
    check_standard_output(&[("the model", Some(&args.model)), ("the data", source.file())])?;
    match write_all(args, model, source, &mut io::stdout().lock()) {
        // Answers before the bad row are printed.
        Err(Stopped::Reading(failure)) => Err(failure),
        // A pipe whose reader has ended is no failure.
        Err(Stopped::Writing(e)) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Notes::default()),
        Err(Stopped::Writing(e)) => Err(Failure::failed(format!("standard output: {e}"))),
        Ok(notes) => Ok(notes),
    }
}

fn to_file(path: &Path, args: &PredictArgs, model: Answering<'_>, source: &Source) -> Result<Notes, Failure> {
    check_output(path, &[("the model", Some(&args.model)), ("the data", source.file())])?;
    // A signal ends it with the temporary file removed.
    interrupt::keep();
    let mut file = WholeFile::create(path)?;
    let written = write_all(args, model, source, &mut file);
    let notes = written.map_err(|stopped| match stopped {
        Stopped::Reading(failure) => failure,
        Stopped::Writing(e) => file.failed(&e).into(),
    })?;
    interrupt::finish();
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

/// The words of a row that training did not have, with their columns.
fn unknown_words(row: &TableRow) -> String {
    row.unknown.iter().map(|(column, word)| format!("{column}={word}")).collect::<Vec<_>>().join("; ")
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
    answering: Answering<'_>,
    source: &Source,
    out: &mut impl Write,
) -> Result<Notes, Stopped> {
    let model = answering.model;
    let mut notes = Notes::new(&model.schema());
    let mark = |words: &str| args.mark_unknown.then(|| words.to_string());
    if let Source::Builtin(builtin) = source {
        args.lines.overrides().for_builtin(*builtin)?;
        let data = builtin.rows(&settings_for(model, *builtin))?;
        check_fits(model, *builtin, &data)?;
        let mut csv = Writer::new(out, args.raw);
        write_head(answering, &[], mark("unknown"), &mut csv)?;
        for row in 0..data.rows() {
            let fields = answering.answer(Some(&data.input(row)), row as u64 + 1)?;
            csv.write_record(fields.into_iter().chain(mark("")))?;
        }
        csv.flush()?;
        return Ok(notes);
    }
    let schema = model.schema();
    let name = source.shown();
    let file = source.open()?;
    // Answers on a terminal would be written over a bar.
    let is_shown = args.output.is_none() && io::stdout().is_terminal();
    let file = if is_shown { file } else { watched(file) };
    let mut rows = Rows::open(&name, &schema, model.classes(), &args.lines.rows(false), file)?;
    let mut head = Writer::new(Vec::new(), args.raw);
    write_head(answering, &rows.id_names(), mark("unknown"), &mut head)?;
    out.write_all(&head.into_bytes()?)?;
    let assumed = rows.notices();
    let mut is_told = false;
    let answer = |part: &mut Answers, row: TableRow| {
        part.notes.count(&row);
        part.notes.incomplete += u64::from(row.inputs.is_none());
        let answer = answering.answer(row.inputs.as_deref(), row.line)?;
        part.rows += 1;
        let fields = row.ids.iter().cloned().chain(answer).chain(mark(&unknown_words(&row)));
        part.csv.get_or_insert_with(|| Writer::new(Vec::new(), args.raw)).write_record(fields)?;
        Ok::<(), Stopped>(())
    };
    rows.for_each_part(answer, |part| {
        if interrupt::is_interrupted() {
            return Err(interrupt::failure().into());
        }
        // After the first row, as it does not matter in a table that is refused.
        if part.rows > 0 && !std::mem::replace(&mut is_told, true) {
            print_notices(&name, &assumed);
        }
        notes.append(part.notes);
        let csv = part.csv.map_or_else(|| Ok(Vec::new()), Writer::into_bytes)?;
        out.write_all(&csv).map_err(Stopped::from)
    })?;
    out.flush()?;
    print_notices(&name, &rows.notices()[if is_told { assumed.len() } else { 0 }..]);
    Ok(notes)
}

/// The answers to a part of a table.
#[derive(Default)]
struct Answers {
    rows: u64,
    csv: Option<Writer<Vec<u8>>>,
    notes: Notes,
}

/// A model, and where prediction intervals are wanted their half-widths.
#[derive(Clone, Copy)]
struct Answering<'a> {
    model: &'a Model,
    half_widths: Option<&'a [f64]>,
    /// The probability from which on the second of two classes is predicted.
    threshold: Option<f64>,
}

/// Half of the width of each target's prediction interval.
fn half_widths(model: &Model, level: f64, file: &Path) -> Result<Vec<f64>, Failure> {
    model.half_widths(level).map_err(|e| match e {
        Error::Interval(NoInterval::NoErrors) => Failure::bad_input(format!(
            "--interval {level}: {} has no errors of held-out rows, from which intervals follow; train it anew with \
             fit --folds 5, or let fit select the network (leave out --hidden or --decay)",
            file.display()
        )),
        Error::Interval(why) => Failure::bad_input(format!("--interval {level}: {why}")),
        other => other.into(),
    })
}

/// Writes the names of the columns; `mark` is that of unknown words.
fn write_head(
    Answering { model, half_widths, .. }: Answering<'_>,
    ids: &[String],
    mark: Option<String>,
    out: &mut Writer<impl Write>,
) -> csv::Result<()> {
    let mut names: Vec<String> = ids.to_vec();
    match (model.classes(), half_widths) {
        (Some(classes), _) => {
            names.push(model.schema().targets.first().map_or("class".into(), |t| t.name.clone()));
            let what = if model.has_probabilities() { "probability" } else { "score" };
            names.extend(classes.iter().map(|class| format!("{what}_{class}")));
        }
        (None, Some(_)) => {
            let with_ends = |name: &String| [name.clone(), format!("{name}_lower"), format!("{name}_upper")];
            names.extend(model.output_names().iter().flat_map(with_ends));
        }
        (None, None) => names.extend(model.output_names().iter().cloned()),
    }
    out.write_record(names.into_iter().chain(mark))
}

/// The probability from which on the second of two classes is predicted.
fn check_threshold(model: &Model, threshold: f64) -> Result<f64, Failure> {
    match model.classes() {
        Some([_, second]) if model.has_probabilities() => {
            tell(&format!("note: {second} is predicted where its probability is at least {threshold}"));
            Ok(threshold)
        }
        Some([_, _]) => Err(Failure::bad_input(
            "--threshold needs probabilities, and the model has scores by least squares; train it again without \
             --target, or with --output-layer logistic",
        )),
        Some(classes) => Err(Failure::bad_input(format!(
            "--threshold is for two classes, and the model has {}; leave it out",
            classes.len()
        ))),
        None => Err(Failure::bad_input(
            "--threshold is for two classes, and the model predicts numbers; leave it out",
        )),
    }
}

impl Answering<'_> {
    /// The predicted class, for a classification.
    fn class(self, answer: &[f64]) -> Option<String> {
        match (self.threshold, self.model.classes()) {
            (Some(threshold), Some([first, second])) => {
                Some(if answer[1] >= threshold { second.clone() } else { first.clone() })
            }
            _ => self.model.winner(answer).map(String::from),
        }
    }

    /// The fields of an answer, empty where inputs are missing.
    fn answer(self, inputs: Option<&[f64]>, line: u64) -> Result<Vec<String>, Stopped> {
        let Self { model, half_widths, .. } = self;
        let Some(inputs) = inputs else {
            let of_output = if half_widths.is_some() { 3 } else { 1 };
            let count = of_output * model.topology().outputs() + usize::from(model.is_classification());
            return Ok(vec![String::new(); count]);
        };
        let answer = model.predict(inputs);
        let class = self.class(&answer);
        let fields: Vec<f64> = match half_widths {
            Some(half) => answer.iter().zip(half).flat_map(|(y, half)| [*y, y - half, y + half]).collect(),
            None => answer,
        };
        if fields.iter().any(|v| !v.is_finite()) {
            return Err(
                Failure::bad_input(format!("line {line}: the answer is too large for a number")).into()
            );
        }
        Ok(class.into_iter().chain(fields.iter().map(|v| number(*v))).collect())
    }
}

/// The shortest text that reads as the same number.
fn number(v: f64) -> String {
    if v != 0.0 && !(1e-5..1e16).contains(&v.abs()) { format!("{v:e}") } else { v.to_string() }
}
