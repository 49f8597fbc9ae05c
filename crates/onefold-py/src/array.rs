//! Columns of arrays of NumPy, read where they are.

use numpy::ndarray::Axis;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use onefold::data::{Column, Numbers};
use pyo3::Py;
use std::sync::Arc;

/// Rows that are copied at a time, so that an array that is stored row by row is read only once.
const ROWS: usize = 256;

/// An array whose numbers are at addresses that a processor can read at once.
#[derive(Debug)]
struct Array {
    /// Keeps the memory.
    _owner: Py<PyArray2<f64>>,
    first: *const f64,
    rows: usize,
    /// Bytes from a row to the next one, and from a column to the next one.
    strides: [isize; 2],
}

#[expect(
    unsafe_code,
    reason = "the memory is read through `number` alone, which may be called on any thread"
)]
// SAFETY: the address is that of memory that `_owner` keeps, and nothing is written to it.
unsafe impl Send for Array {}
#[expect(unsafe_code, reason = "as for Send")]
// SAFETY: as for `Send`; all methods only read.
unsafe impl Sync for Array {}

impl Array {
    /// None where numbers are not aligned.
    fn new(array: &PyReadonlyArray2<'_, f64>) -> Option<Self> {
        let (&[rows, _], &[of_row, of_column]) = (array.shape(), array.strides()) else { return None };
        let first = array.data().cast_const();
        let is_aligned = |bytes: usize| bytes.is_multiple_of(align_of::<f64>());
        let strides = [of_row, of_column];
        let is_all_aligned =
            is_aligned(first.addr()) && strides.iter().all(|bytes| is_aligned(bytes.unsigned_abs()));
        is_all_aligned.then(|| Self { _owner: (**array).clone().unbind(), first, rows, strides })
    }

    /// A number, which must be one of the array.
    ///
    /// Another thread of Python may change the array meanwhile, as with all functions of NumPy that release
    /// the interpreter's lock. So there are no references to the numbers, and each is read once where it is
    /// asked for: it is the one before or after the change.
    #[expect(unsafe_code, reason = "a reference would promise that nobody changes the number")]
    fn number(&self, row: usize, column: usize) -> f64 {
        let [of_row, of_column] = self.strides;
        let place = row.cast_signed() * of_row + column.cast_signed() * of_column;
        let address = self.first.wrapping_byte_offset(place);
        // SAFETY: row and column are less than the array has, so that NumPy's strides lead to one of its
        // numbers, which is aligned as `new` has checked. Its memory is not freed: the array is referred to,
        // and NumPy does not resize arrays that are. The compiler assumes nothing about a volatile read.
        unsafe { address.read_volatile() }
    }
}

/// A column of an array.
#[derive(Debug)]
struct ArrayColumn {
    array: Arc<Array>,
    column: usize,
}

impl Numbers for ArrayColumn {
    fn len(&self) -> usize {
        self.array.rows
    }

    fn get(&self, row: usize) -> f64 {
        assert!(row < self.array.rows, "row {row} of {}", self.array.rows);
        self.array.number(row, self.column)
    }

    fn read(&self, first: usize, to: &mut [f64]) {
        let is_inside = first.checked_add(to.len()).is_some_and(|end| end <= self.array.rows);
        assert!(is_inside, "{} rows from {first} of {}", to.len(), self.array.rows);
        to.iter_mut().enumerate().for_each(|(i, to)| *to = self.array.number(first + i, self.column));
    }
}

/// The columns of an array, which stay in it; those of an array that is not aligned are copied.
pub(crate) fn shared_columns(array: &PyReadonlyArray2<'_, f64>) -> Vec<Column> {
    let Some(shared) = Array::new(array) else {
        return columns(array).into_iter().map(Column::from).collect();
    };
    let shared = Arc::new(shared);
    let column = |column| Column::shared(Arc::new(ArrayColumn { array: Arc::clone(&shared), column }));
    (0..array.shape()[1]).map(column).collect()
}

/// The columns of an array, copied.
pub(crate) fn columns(array: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    let array = array.as_array();
    let mut columns: Vec<Vec<f64>> = (0..array.ncols()).map(|_| Vec::with_capacity(array.nrows())).collect();
    for rows in array.axis_chunks_iter(Axis(0), ROWS) {
        columns.iter_mut().zip(rows.columns()).for_each(|(column, values)| column.extend(values));
    }
    columns
}
