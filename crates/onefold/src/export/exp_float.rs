/// The exponential of a number that is not positive, which `core` lacks: at most 1 unit in the last place
/// from the exact value, 0 below -86, NaN for NaN.
///
/// With x = r - k ln 2, it is exp(r) / 2^k. As |r| is at most ln 2 / 2, a short series gives exp(r).
fn exp(x: f32) -> f32 {
    // ln 2 in two parts; the first has so few digits that its products with k are exact.
    const LN2_HIGH: f32 = 0.69314575;
    const LN2_LOW: f32 = 1.4286068e-06;
    if x < -86.0 {
        return 0.0;
    }
    // NaN becomes 0 here, and stays in r.
    let k = (0.5 - x * core::f32::consts::LOG2_E) as u32;
    let r = (x + k as f32 * LN2_HIGH) + k as f32 * LN2_LOW;
    let mut p = 0.0001984127;
    p = p * r + 0.0013888889;
    p = p * r + 0.00833333333;
    p = p * r + 0.041666667;
    p = p * r + 0.16666667;
    p = p * r + 0.5;
    let power = f32::from_bits((127 - k) << 23);
    (1.0 + (r + r * r * p)) * power
}
