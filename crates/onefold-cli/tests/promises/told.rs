//! What goes wrong is said at once, and nothing that was trained is lost.
