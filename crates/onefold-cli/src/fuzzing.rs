//! What `fuzz/` needs of the command.

use crate::campaign::table::{self, Format};
use crate::drawing;
use onefold::Model;
use onefold_campaign::{Campaign, PAPER, Record, Store, summary};
use std::path::Path;
use std::sync::LazyLock;

/// Whether a text is accepted as a campaign file.
#[must_use]
pub fn accepts_campaign(text: &str) -> bool {
    Campaign::parse(text, "fuzz.toml").is_ok()
}

/// Draws a network, as `onefold show` does.
pub fn draw(model: &Model) {
    let _ = drawing::draw(model);
}

/// The records of a store; `None` where it is refused.
#[must_use]
pub fn records(store: &Path) -> Option<Records> {
    Store::read(store).ok().map(Records)
}

/// Opens a store to add records, as `onefold reproduce` does, and closes it; whether that is possible.
#[must_use]
pub fn opens_store(store: &Path) -> bool {
    Store::open(store, |_| ()).is_ok()
}

/// The records of a store.
#[derive(PartialEq)]
pub struct Records(Vec<Record>);

impl Records {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Makes a table of those of a few cells, as `onefold report` does, in one of its formats.
    ///
    /// # Panics
    ///
    /// Never: the paper's campaign has these cells.
    pub fn tabulate(&self, format: u8) {
        static CAMPAIGN: LazyLock<Campaign> = LazyLock::new(|| {
            let mut campaign = Campaign::parse(PAPER, "paper.toml").expect("the paper's campaign");
            campaign.select(Some("sinc/1-5-1/*"), None).expect("cells of the paper's campaign");
            campaign
        });
        let rows = summary::rows(&CAMPAIGN, &self.0);
        let formats = [Format::Terminal, Format::Markdown, Format::Csv, Format::Latex, Format::Json];
        let _ = table::write(&rows, formats[usize::from(format) % formats.len()]);
    }
}
