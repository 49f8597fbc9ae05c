//! Tables of a page.

use askama::Template;

/// A table. Where there is little room one with many columns becomes a list, with the titles beside the
/// entries.
#[derive(Template, Clone, Debug, Default, PartialEq)]
#[template(path = "table.html")]
pub struct Table {
    /// What it shows; read out, and shown above it.
    pub caption: String,
    /// Its columns; the entries of the first one name the rows.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether a script may sort it.
    pub is_sortable: bool,
    /// Whether its columns are the classes that its rows are.
    pub is_matrix: bool,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// Whether it holds numbers.
    pub is_number: bool,
}

/// An entry of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What is shown.
    pub text: String,
    /// What it is sorted by, where that is a number.
    pub value: Option<f64>,
    /// Class of the style, or nothing.
    pub class: &'static str,
}

/// So many columns fit a phone.
const NARROW: usize = 4;
/// So many letters of titles do.
const NARROW_LETTERS: usize = 36;

impl Table {
    /// A table whose columns are named like `name`, or for columns of numbers `#name`.
    #[must_use]
    pub fn new(caption: &str, titles: &[&str]) -> Self {
        let column = |title: &&str| Column {
            title: title.trim_start_matches('#').into(),
            is_number: title.starts_with('#'),
        };
        Self { caption: caption.into(), columns: titles.iter().map(column).collect(), ..Self::default() }
    }

    /// The same table, which a script may sort.
    #[must_use]
    pub fn sortable(self) -> Self {
        Self { is_sortable: true, ..self }
    }

    fn classes(&self) -> String {
        let letters: usize = self.columns.iter().map(|column| column.title.chars().count()).sum();
        let is_wide = self.columns.len() > NARROW || letters > NARROW_LETTERS;
        let wide = if is_wide { " wide" } else { "" };
        let sortable = if self.is_sortable { " sortable" } else { "" };
        let matrix = if self.is_matrix { " matrix" } else { "" };
        format!("data{wide}{sortable}{matrix}")
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    fn title(&self, index: &usize) -> &str {
        self.columns.get(*index).map_or("", |column| &column.title)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    fn class_of(&self, index: &usize, cell: &Cell) -> String {
        let is_number = self.columns.get(*index).is_some_and(|column| column.is_number);
        format!("{}{}{}", if is_number { "n" } else { "" }, if is_number { " " } else { "" }, cell.class)
            .trim()
            .into()
    }
}

impl Cell {
    /// An entry that is a number, as it is shown and as it is sorted.
    #[must_use]
    pub fn number(text: String, value: f64) -> Self {
        Self { text, value: Some(value), class: "" }
    }

    /// A number with four significant digits, or nothing.
    #[must_use]
    pub fn four(value: Option<f64>) -> Self {
        value.map_or_else(Self::default, |v| Self::number(crate::number::four(v), v))
    }

    /// A count.
    #[must_use]
    pub fn count(n: u64) -> Self {
        Self::number(crate::number::grouped(n), n as f64)
    }

    /// A fraction as a percentage, or nothing.
    #[must_use]
    pub fn percent(value: Option<f64>) -> Self {
        value.map_or_else(Self::default, |v| Self::number(crate::number::percent(v), v))
    }

    /// The same with a class of the style.
    #[must_use]
    pub fn of_class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self { text: onefold::error::shown(text).into_owned(), ..Self::default() }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}
