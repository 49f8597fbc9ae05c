
/// The lower and the upper ends of prediction intervals for encoded inputs.
#[allow(dead_code)]
pub fn interval(input: &[REAL; INPUTS]) -> [[REAL; OUTPUTS]; 2] {
    ends(predict(input))
}

fn ends(output: [REAL; OUTPUTS]) -> [[REAL; OUTPUTS]; 2] {
    let mut ends = [output; 2];
    for (n, half) in HALF_WIDTHS.iter().enumerate() {
        ends[0][n] -= half;
        ends[1][n] += half;
    }
    ends
}
