//! What must hold for any file that onefold is given, damaged ones included: no panic, and whatever is
//! accepted is complete.
//!
//! Each target is a function of bytes that panics where it finds a mistake. libFuzzer calls them
//! (`fuzz_targets/`, nightly Rust), and so does a seeded runner on stable Rust ([`runner`], `make fuzz`).

mod memory;
mod mutate;
pub mod runner;
mod targets;
mod watch;

pub use targets::campaign::campaign;
pub use targets::checkpoint::checkpoint;
pub use targets::csv::csv;
pub use targets::model::model;
pub use targets::store::store;

pub use targets::Seeds;

/// A reader of files, and good files to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As on the command line.
    pub name: &'static str,
    /// Whether an input is accepted; panics where it is and should not be.
    pub check: fn(&[u8]) -> bool,
    /// Good inputs.
    pub seeds: fn() -> Seeds,
    /// Bytes before the file that choose how it is read; zeros are the defaults.
    pub choices: usize,
    /// Whether inputs can be changed as trees of JSON, too.
    pub is_json: bool,
}

/// All of them.
pub const TARGETS: [Target; 5] = [
    Target {
        name: "csv",
        check: csv,
        seeds: targets::csv::seeds,
        choices: targets::csv::CHOICES,
        is_json: false,
    },
    Target { name: "model", check: model, seeds: targets::model::seeds, choices: 0, is_json: true },
    Target {
        name: "checkpoint",
        check: checkpoint,
        seeds: targets::checkpoint::seeds,
        choices: targets::checkpoint::CHOICES,
        is_json: true,
    },
    Target { name: "campaign", check: campaign, seeds: targets::campaign::seeds, choices: 0, is_json: false },
    Target {
        name: "store",
        check: store,
        seeds: targets::store::seeds,
        choices: targets::store::CHOICES,
        is_json: true,
    },
];

impl Target {
    /// The good inputs as files for libFuzzer, read with the defaults.
    #[must_use]
    pub fn corpus(&self) -> Seeds {
        let with_defaults = |seed: Vec<u8>| [vec![0; self.choices], seed].concat();
        (self.seeds)().into_iter().map(with_defaults).collect()
    }
}
