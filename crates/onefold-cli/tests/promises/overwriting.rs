//! No command replaces a file that the user did not name as its output.
