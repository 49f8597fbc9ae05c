
/// The lower and the upper ends of prediction intervals for a row of the table; an error is that of [`encode`].
#[allow(dead_code)]
pub fn interval_row(row: &Row) -> Result<[[REAL; OUTPUTS]; 2], usize> {
    predict_row(row).map(ends)
}
