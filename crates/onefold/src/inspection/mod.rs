//! Which columns of a table a model's answers depend on, and how.
//!
//! - [`importance`](fn@importance): by how much the model gets worse if the values of a column are exchanged
//!   between rows;
//! - [`dependence`](fn@dependence): what the model answers on average for each value of a column.
//!
//! Both are about columns as the table has them: all inputs that a column becomes, such as one for each of
//! its words, change together. They say what the model uses, not what causes the target; of columns that say
//! the same, each can seem unimportant.

mod columns;
mod dependence;
mod importance;

pub use dependence::{Curve, CurvePoint, DependenceSettings, dependence};
pub use importance::{ColumnImportance, Importance, ImportanceSettings, importance};

#[cfg(test)]
mod tests;
