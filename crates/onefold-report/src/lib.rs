//! Reports as HTML pages: each is one file that needs no network, in light and dark, on desktops and phones.
//!
//! - [`Page`] is what a page is made of: [`Section`]s with [`Block`]s of text, [`Table`]s and [`Figure`]s;
//! - [`chart`] draws small charts as SVG, and [`network`] draws networks;
//! - [`model_page`] is the page about a model and [`Rows`] of a table.
//!
//! Names come from strangers. Every text is escaped where it enters markup: in templates by askama, in charts
//! by [`markup::escape`]. A page forbids all scripts, styles and resources but its own by a content security
//! policy.

mod assets;
pub mod chart;
pub mod markup;
mod model;
pub mod network;
pub mod number;
mod page;
mod table;

pub use model::{About, Part, PartKind, Rows, model_page};
pub use page::{Block, Card, Figure, Key, Page, Section, anchor};
pub use table::{Cell, Column, Table};
