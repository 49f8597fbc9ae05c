//! The kinds of problems, and what would help with them.

use super::MOST_LISTED;
use crate::error::DatasetProblem;

/// What can be wrong with a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The operating system refuses to read it.
    #[error("{reason}")]
    Unreadable {
        /// What the operating system says.
        reason: String,
    },
    /// The path is that of a directory.
    #[error("this is a directory, not a file")]
    Directory,
    /// There is no text in the file.
    #[error("the file is empty")]
    EmptyFile,
    /// Bytes that are no UTF-8 text.
    #[error("this is not UTF-8 text")]
    NotUtf8,
    /// There is a header and nothing else.
    #[error("there are no rows below the header")]
    NoRows,
    /// Several columns have the same name.
    #[error("several columns have this name")]
    DuplicateName,
    /// A row that is shorter or longer than the first line.
    #[error("{} instead of {expected}", count(*found, "field"))]
    FieldCount {
        /// Fields of this row.
        found: usize,
        /// Fields of the first line.
        expected: usize,
    },
    /// Lines at the beginning of a file that have fewer fields than all lines below them.
    #[error(
        "{} of {}, where those below have {expected} each", count(*lines, "line"), count(*found, "field")
    )]
    LinesAboveTable {
        /// How many lines.
        lines: usize,
        /// Fields of the first one.
        found: usize,
        /// Fields of the lines below.
        expected: usize,
    },
    /// A line with more fields than any table may have.
    #[error("there are more than {most} columns")]
    TooManyColumns {
        /// The most that there may be.
        most: usize,
    },
    /// A quoted field with a line break in it. What comes after it is not read.
    #[error("the field goes on over the end of the line")]
    FieldOverLineEnd,
    /// Something between a closing quote and the next delimiter.
    #[error("text follows the closing quote")]
    TextAfterQuote,
    /// A quote in a field that does not begin with one.
    #[error("a quote stands in a field that does not begin with one")]
    QuoteInside,
    /// A byte that no text has.
    #[error("there is a NUL byte, which no text has")]
    NulByte,
    /// Bytes that no text has in the first lines, as in UTF-16 or in a file that is no text.
    #[error("this is not UTF-8 text: it has NUL bytes (is it UTF-16?)")]
    NulBytes,
    /// The names of the first line, once more.
    #[error("the line repeats the column names")]
    RepeatedNames,
    /// A field without a value.
    #[error("the value is missing")]
    MissingValue,
    /// A row without a weight.
    #[error("the weight is missing")]
    MissingWeight,
    /// A weight below zero.
    #[error("the weight {text} is negative")]
    NegativeWeight {
        /// The field.
        text: String,
    },
    /// All rows have weight zero.
    #[error("all weights in column {name} are 0; there is nothing to learn from")]
    NoWeight {
        /// The column.
        name: String,
    },
    /// A mark of a missing value among numbers.
    #[error("\"{text}\" stands among numbers for a missing value")]
    MissingMark {
        /// The field.
        text: String,
    },
    /// Text in a column that holds numbers otherwise.
    #[error("\"{text}\" is not a number, as most values of the column are")]
    StrayText {
        /// The field.
        text: String,
    },
    /// Text where a number is needed.
    #[error("\"{text}\" is not a number")]
    NotANumber {
        /// The field.
        text: String,
    },
    /// Text in the target column of a regression.
    #[error("\"{text}\" is not a number, and the target of a regression must be")]
    TargetNotANumber {
        /// The field.
        text: String,
    },
    /// Text in a column of dates.
    #[error("\"{text}\" is not a date or time, as the values of the column are")]
    NotADate {
        /// The field.
        text: String,
    },
    /// A number with a comma or point before three digits, so that it may stand for two numbers.
    #[error(
        "{text} may have a thousands separator or a decimal separator, and nothing in the column tells which"
    )]
    AmbiguousComma {
        /// The field.
        text: String,
    },
    /// A number that is written in another way than the rest of its column.
    #[error("{text} cannot be read with a decimal {}, as the column is", if *decimal == ',' { "comma" } else { "point" })]
    OtherNotation {
        /// The field.
        text: String,
        /// What separates the fraction in the rest of the column.
        decimal: char,
    },
    /// Numbers with different signs in one column.
    #[error(
        "{text} has {second} beside it, and other numbers of the column have {}",
        if first.is_empty() { "no sign" } else { first }
    )]
    MixedSigns {
        /// The field.
        text: String,
        /// The sign of others, empty for none.
        first: String,
        /// The sign of this one.
        second: String,
    },
    /// A date whose day and month could be exchanged.
    #[error("{text} may have the day or the month first, and nothing in the column tells which")]
    AmbiguousDate {
        /// The field.
        text: String,
    },
    /// A date with another order of day and month than most of the column.
    #[error("{text} cannot be read with the order of day and month that the column has")]
    OtherDateOrder {
        /// The field.
        text: String,
    },
    /// An infinite number, or one beyond the range of `f64`.
    #[error("{text} is not a finite number")]
    NotFinite {
        /// The field.
        text: String,
    },
    /// A number whose square could overflow in sums.
    #[error("{text} is too large; at most {most:e} is accepted")]
    TooLarge {
        /// The field.
        text: String,
        /// The largest number that is accepted.
        most: f64,
    },
    /// A target with too many classes.
    #[error("there are more than {most} classes")]
    TooManyClasses {
        /// The largest number that is accepted.
        most: usize,
    },
    /// A column without any value.
    #[error("it is empty")]
    EmptyColumn,
    /// No column is left to learn from.
    #[error("there is no input column besides the target")]
    NoInputs,
    /// No column is left to learn from, as settings make all others targets or leave them out.
    #[error("no column is left as an input: all are targets or left out")]
    AllLeftOut,
    /// A file of other contents than a table.
    #[error("it looks like {like}, not like a table")]
    OtherContents {
        /// What it looks like.
        like: &'static str,
    },
    /// No column is left to learn from, as all are empty or like identifiers.
    #[error("no input column is left: {} have no value, or a text of their own in most rows", list(columns))]
    NoUsableInputs {
        /// The columns.
        columns: Vec<String>,
    },
    /// A classification with several target columns.
    #[error("a classification has one target column, not {found}")]
    SeveralClassTargets {
        /// Number of target columns.
        found: usize,
    },
    /// All rows were left out for their missing values.
    #[error("no row is left after those with missing values")]
    NoCompleteRows,
    /// All rows have the same class.
    #[error("all rows have the class {class}; there is nothing to learn")]
    OneClass {
        /// The class.
        class: String,
    },
    /// A class that occurs in test rows only.
    #[error("no training row has the class {class}; there is nothing to learn about it")]
    ClassNotInTraining {
        /// The class.
        class: String,
    },
    /// A target that is the same in all rows.
    #[error("the target {name} is the same in all rows; there is nothing to learn")]
    ConstantTarget {
        /// The target column.
        name: String,
    },
    /// A target that is the same in all training rows.
    #[error("the target {name} is the same in all training rows; there is nothing to learn")]
    ConstantTargetInTraining {
        /// The target column.
        name: String,
    },
    /// A column that varies by too little or too much in the training rows.
    #[error("column {name}: {problem}")]
    Variation {
        /// The column.
        name: String,
        /// What is wrong with it.
        problem: DatasetProblem,
    },
    /// Inputs that are all constant in the training rows.
    #[error(
        "every input is the same in all training rows ({}); there is nothing to learn from",
        list(columns)
    )]
    ConstantInputs {
        /// The input columns.
        columns: Vec<String>,
    },
    /// No row trains.
    #[error("no row is left to train on")]
    NoTrainingRows,
    /// Columns that a model needs and the table does not have.
    #[error(
        "there {} {}, {}; it has the columns {}",
        if names.len() == 1 { "is no column" } else { "are no columns" },
        list(names),
        if *are_targets { "the model's target" } else { "which the model needs" },
        list(columns)
    )]
    MissingColumns {
        /// The columns that are needed.
        names: Vec<String>,
        /// Whether the model predicts these columns; otherwise they are its inputs.
        are_targets: bool,
        /// The columns of the table.
        columns: Vec<String>,
    },
    /// A table without names whose columns cannot be those of a model.
    #[error(
        "it has {}, and without names the model needs the {expected} it was trained on{}",
        count(*found, "column"),
        without_targets.map_or(String::new(), |n| format!(", or {n} without the target"))
    )]
    ColumnCount {
        /// Columns of the table.
        found: usize,
        /// Columns of the table that the model was trained on.
        expected: usize,
        /// The same without targets, where that is enough.
        without_targets: Option<usize>,
    },
    /// A class that a model does not have.
    #[error("the model does not know the class \"{class}\", only {}", list(known))]
    UnknownClass {
        /// The field.
        class: String,
        /// The classes of the model.
        known: Vec<String>,
    },
}

/// What would help with a problem. `Display` names settings by their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Advice {
    /// Write the value into the file.
    #[error("fill it in")]
    FillIn,
    /// Correct the field in the file.
    #[error("correct it")]
    Correct,
    /// The setting `decimal`.
    #[error("say what separates the fraction (decimal: . or ,)")]
    Decimal,
    /// The setting `date_order`.
    #[error("say which comes first (date_order: day-first or month-first)")]
    DateOrder,
    /// Save the file in another encoding.
    #[error("save the file as UTF-8")]
    SaveAsUtf8,
    /// Save the rows as another kind of file.
    #[error("save the rows as CSV")]
    SaveAsCsv,
    /// Give all rows the same number of fields.
    #[error("every row needs as many as the first line")]
    EqualFieldCounts,
    /// Delete what is above the names of the columns, or name all columns.
    #[error("delete what is above the column names, or give every column a name")]
    DeleteLinesAbove,
    /// Close a quote in the file.
    #[error("is a quote not closed?")]
    CloseQuote,
    /// Write quotes in fields as a spreadsheet does.
    #[error("put the whole field in quotes, and double those inside it")]
    DoubleQuotes,
    /// Delete the line from the file.
    #[error("delete it")]
    DeleteLine,
    /// Give the columns different names.
    #[error("rename one")]
    Rename,
    /// The setting `missing`.
    #[error("choose what becomes of rows with missing values (missing: indicate, drop or mean)")]
    Missing,
    /// The setting `categories`.
    #[error("choose how text becomes numbers (categories: one-hot or ordinal)")]
    Categories,
    /// The setting `ignore_column`.
    #[error("leave the column out (ignore_column)")]
    IgnoreColumn,
    /// The setting `header`.
    #[error("take the first line for a row (header: false)")]
    Header,
    /// The setting `header`, the other way.
    #[error("take the first line for names (header: true)")]
    Names,
    /// The setting `text_column`.
    #[error("take the column for text (text_column)")]
    TextColumn,
    /// The setting `id_column`.
    #[error("take the column for an identifier (id_column)")]
    IdColumn,
    /// The setting `task`.
    #[error("learn classes (task: classification)")]
    Task,
    /// The setting `task`, the other way.
    #[error("learn numbers (task: regression)")]
    Regression,
    /// The setting `delimiter`.
    #[error("is the delimiter right (delimiter)?")]
    Delimiter,
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Names as a list for messages, the first of many.
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_LISTED).map(AsRef::as_ref).collect();
    let more = names.len() - shown.len();
    let text = shown.join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}
