//! The columns of a model's table, and a sample of its rows.

use crate::data::InputColumn;
use crate::error::DatasetProblem;
use crate::rng::{Purpose, Rng};
use crate::{Dataset, Error, Model};
use std::borrow::Cow;
use std::ops::Range;

/// A column, and the inputs that it becomes.
pub(super) struct Column {
    pub(super) column: InputColumn,
    pub(super) inputs: Range<usize>,
}

/// All input columns of a model's table.
pub(super) fn columns(model: &Model) -> Vec<Column> {
    let mut first = 0;
    let with_inputs = |column: &InputColumn| {
        let inputs = first..first + column.width();
        first = inputs.end;
        Column { column: column.clone(), inputs }
    };
    model.schema().inputs.iter().map(with_inputs).collect()
}

/// At most so many of the rows, in a random order if there are more; refuses rows that are not the model's.
pub(super) fn sample<'a>(
    model: &Model,
    data: &'a Dataset,
    most: usize,
    seed: u64,
) -> Result<Cow<'a, Dataset>, Error> {
    let topology = model.topology();
    for (what, of_network, of_data) in [
        ("inputs", topology.inputs(), data.inputs.len()),
        ("outputs", topology.outputs(), data.outputs.len()),
    ] {
        if of_network != of_data {
            return Err(Error::Mismatch { topology: topology.to_string(), what, of_network, of_data });
        }
    }
    if data.rows() == 0 {
        return Err(Error::Dataset { column: None, row: None, problem: DatasetProblem::NoRows });
    }
    if data.rows() <= most.max(1) {
        return Ok(Cow::Borrowed(data));
    }
    let mut rows = permutation(data.rows(), seed, 0, 0);
    rows.truncate(most.max(1));
    Ok(Cow::Owned(data.select(&rows)))
}

/// A random order of rows, by seed, column and repeat.
pub(super) fn permutation(rows: usize, seed: u64, column: u64, repeat: usize) -> Vec<usize> {
    let mut rng = Rng::stream(seed, Purpose::Permutation, column, repeat);
    let mut order: Vec<usize> = (0..rows).collect();
    for place in (1..rows).rev() {
        order.swap(place, rng.below(place + 1));
    }
    order
}
