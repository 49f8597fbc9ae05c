
/// The outputs for a row of the table; an error is that of [`encode`].
#[allow(dead_code)]
pub fn predict_row(row: &Row) -> Result<[REAL; OUTPUTS], usize> {
    let values = encode(row)?;
    let mut input = [0.0; INPUTS];
    for (x, v) in input.iter_mut().zip(&values) {
        *x = *v as REAL;
    }
    Ok(predict(&input))
}
