
/// The class of a row of the table, an index into [`CLASS_NAMES`]; an error is that of [`encode`].
#[allow(dead_code)]
pub fn classify_row(row: &Row) -> Result<usize, usize> {
    let output = predict_row(row)?;
    let mut best = 0;
    for n in 1..OUTPUTS {
        if output[n] > output[best] {
            best = n;
        }
    }
    Ok(best)
}
