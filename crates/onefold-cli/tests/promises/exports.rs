//! An exported model says by how much it differs from the model, and is refused where that is too much.
