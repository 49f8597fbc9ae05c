//! Error messages for the user: what is wrong, which flag or file to fix, and an exit code.

use crate::output::tell;
use onefold::Error;
use onefold::data::TableNotice;
use onefold::error::{Advice, shown};
use std::io::Write as _;
use std::process::ExitCode;

/// Exit code for bad input.
pub(crate) const BAD_INPUT: u8 = 2;
/// Exit code for a failure that is not caused by the input.
pub(crate) const FAILED: u8 = 1;
/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// A message and an exit code. The message is one sentence, or a list if a table has several problems.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self::sentence(&message.into(), BAD_INPUT)
    }

    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self::sentence(&message.into(), INTERRUPTED)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::sentence(&message.into(), FAILED)
    }

    /// One line, whatever the names and texts in it are made of.
    fn sentence(message: &str, code: u8) -> Self {
        Self { message: shown(message).into_owned(), code }
    }

    /// The same failure of what a flag names.
    pub(crate) fn of_flag(self, flag: &str) -> Self {
        Self { message: format!("{flag} {}", self.message), ..self }
    }

    /// The argument parser's message as one sentence: with its tips, without usage and references to the
    /// help.
    pub(crate) fn from_usage(rendered: &str) -> Self {
        let text = rendered.trim_start_matches("error: ");
        let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|mark| text.find(mark)).min();
        let lines: Vec<_> = text[..end.unwrap_or(text.len())].split_whitespace().collect();
        Self::bad_input(lines.join(" ").replace(" tip:", "; tip:"))
    }

    pub(crate) fn report(&self) -> ExitCode {
        // If standard error is closed, the message cannot be shown; the exit code still tells.
        let _ = writeln!(
            std::io::stderr(),
            "{} {}",
            console::style("error:").red().bold().for_stderr(),
            self.message
        );
        ExitCode::from(self.code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match &error {
            Error::Write { .. } => return Self::failed(error.to_string()),
            // May be a list, of which the library shows each line as one.
            Error::Table(wrong) => return Self { message: wrong.message(advise), code: BAD_INPUT },
            _ => {}
        }
        Self::bad_input(match error {
            Error::Setting { name, value, expected } => format!("{} {value}: {expected}", flag(name)),
            Error::NoEffect { name, method, methods } => {
                format!(
                    "{} is for {methods} and has no effect with --method {method}; leave it out",
                    flag(name)
                )
            }
            Error::NoEffectOnData { name, only, data } => {
                format!("{} is for {only} and has no effect on {data}; leave it out", flag(name))
            }
            Error::Topology { text, reason } => format!("\"{text}\" is not a topology: {reason}"),
            Error::UnknownDataset { name } => unknown_dataset(&name),
            other => other.to_string(),
        })
    }
}

impl From<onefold_campaign::Error> for Failure {
    fn from(error: onefold_campaign::Error) -> Self {
        use onefold_campaign::Error as Of;
        match error {
            Of::Library(error) => error.into(),
            Of::Write(error) => error.into(),
            Of::Store { folder, reason } => {
                Self::bad_input(format!("--store {}: {reason}", folder.display()))
            }
            Of::Populations { low, high, least, most } => Self::bad_input(format!(
                "--from {low} --to {high}: must be a range from {least} or above to at most {most}"
            )),
            Of::UnknownTable { name, known } => {
                Self::bad_input(format!("--table {name}: must be one of {}", known.join(", ")))
            }
            Of::OtherSettings { folder, cell, seed, difference } => Self::bad_input(format!(
                "{}: seed {seed} of {cell} was run with other settings: {difference}; use another --store, or remove its records",
                folder.display()
            )),
            Of::NotQuick => Self::bad_input("--quick: none of these cells belongs to the quick subset"),
            other => Self::bad_input(other.to_string()),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}

/// The flag of a setting: the same name with dashes.
fn flag(setting: &str) -> String {
    format!("--{}", setting.replace('_', "-"))
}

/// Advice on a problem of a table, with the flags to use.
fn advise(advice: Advice) -> String {
    match advice {
        Advice::Missing => "choose how to treat missing values (--missing indicate, drop or mean)".into(),
        Advice::Decimal => "say what separates the fraction (--decimal . or ,)".into(),
        Advice::DateOrder => "say which comes first (--date-order day-first or month-first)".into(),
        Advice::Categories => "choose how to encode text (--categories one-hot or ordinal)".into(),
        Advice::IgnoreColumn => "ignore the column (--ignore-column)".into(),
        Advice::Header => "read the first line as data (--header no)".into(),
        Advice::Names => "read the first line as column names (--header yes)".into(),
        Advice::TextColumn => "read the column as text (--text-column)".into(),
        Advice::IdColumn => "take the column as an identifier (--id-column)".into(),
        Advice::Task => "learn classes (--task classification)".into(),
        Advice::Regression => "learn numbers (--task regression)".into(),
        Advice::Delimiter => "check the delimiter (--delimiter)".into(),
        other => other.to_string(),
    }
}

/// What was assumed about a table, with the flags that change it.
pub(crate) fn noticed(notice: &TableNotice) -> String {
    notice.message(advise)
}

/// Says on standard error what was assumed about a table.
pub(crate) fn print_notices(table: &str, notices: &[TableNotice]) {
    for notice in notices {
        tell(&format!("note: {table}: {}", noticed(notice)));
    }
}

fn unknown_dataset(name: &str) -> String {
    if name.contains(['.', '/']) {
        return format!(
            "there is no built-in data set \"{name}\"; to train on a file, use onefold fit {name}"
        );
    }
    onefold_campaign::spec::unknown_dataset(name)
}
