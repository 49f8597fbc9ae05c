//! No row is lost, and no column is misread without a word.

mod meaning;
mod predictions;
mod refusals;
