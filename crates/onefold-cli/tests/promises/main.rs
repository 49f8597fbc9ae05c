//! What the README promises, as properties over many seeded inputs; docs/reliability.md has the list.
//!
//! `ONEFOLD_BINARY=FILE cargo test -p onefold-cli --test promises` asks another version of the command.

#[path = "../common/mod.rs"]
mod common;

mod characters;
mod exports;
mod limits;
mod links;
mod overwriting;
mod random;
mod reached;
mod rows;
mod told;
mod unknown_words;
