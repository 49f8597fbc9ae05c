//! No row is lost, and no column is misread without a word.
