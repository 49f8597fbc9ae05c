//! What a page is made of.

use crate::assets::{POLICY, SCRIPT, STYLE};
use crate::chart::Style;
use crate::table::Table;
use askama::Template;

/// A page.
#[derive(Template, Clone, Debug, Default)]
#[template(path = "page.html")]
pub struct Page {
    /// What kind of page it is, above the title.
    pub kind: String,
    /// The title.
    pub title: String,
    /// What a reader must know, in a sentence or two.
    pub summary: String,
    /// The most important numbers.
    pub cards: Vec<Card>,
    /// Its sections, which are also its contents.
    pub sections: Vec<Section>,
    /// The last line.
    pub footer: String,
}

/// A number that stands for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// The number.
    pub value: String,
    /// What it is.
    pub label: String,
    /// What to compare it with, or nothing.
    pub note: String,
}

/// A section of a page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its contents.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A smaller heading.
    Heading(String),
    /// A paragraph in smaller letters.
    Note(String),
    /// A list.
    List(Vec<String>),
    /// What colours mean, for what follows.
    Legend(Vec<Key>),
    /// A table.
    Table(Table),
    /// Figures side by side, as many as there is room for.
    Figures(Vec<Figure>),
    /// Names and what they are.
    Facts(Vec<(String, String)>),
    /// Text that is shown when it is asked for.
    Details(String, String),
    /// A table that is shown when it is asked for.
    MoreRows(String, Table),
}

/// What a colour means.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The colour.
    pub style: Style,
    /// Whether lines have it; otherwise points and areas.
    pub is_line: bool,
    /// What it means.
    pub label: String,
}

/// A drawing with a title and an explanation.
#[derive(Template, Clone, Debug, Default)]
#[template(path = "figure.html")]
pub struct Figure {
    /// Its name in links, unique on a page.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it shows and how to read it.
    pub caption: String,
    /// What its colours mean.
    pub legend: Vec<Key>,
    /// The drawing, whose texts are escaped.
    pub svg: String,
    /// The same as numbers.
    pub numbers: Option<Table>,
    /// Whether it takes the whole width.
    pub is_wide: bool,
}

impl Page {
    /// The text of the page.
    ///
    /// # Errors
    /// If a template cannot be filled in, which would be a mistake in it.
    pub fn to_html(&self) -> Result<String, String> {
        self.render().map_err(|error| format!("the page cannot be written: {error}"))
    }

    fn policy() -> &'static str {
        POLICY
    }

    fn style() -> &'static str {
        STYLE
    }

    fn script() -> &'static str {
        SCRIPT
    }
}

impl Section {
    /// A section with this title.
    #[must_use]
    pub fn new(title: &str, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks }
    }

    fn anchor(&self) -> String {
        anchor(&self.title)
    }
}

impl Key {
    /// For a line.
    #[must_use]
    pub fn line(style: Style, label: impl Into<String>) -> Self {
        Self { style, is_line: true, label: label.into() }
    }

    /// For points and areas.
    #[must_use]
    pub fn area(style: Style, label: impl Into<String>) -> Self {
        Self { style, is_line: false, label: label.into() }
    }

    fn classes(&self) -> String {
        self.style.classes()
    }
}

/// A title as a name for links: small letters, digits and dashes.
#[must_use]
pub fn anchor(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "section".into() } else { name.into() }
}
