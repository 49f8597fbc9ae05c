/// The hyperbolic tangent, which `core` lacks: at most 2.5 units in the last place from the exact value,
/// exactly odd, NaN for NaN.
///
/// With |x| = k ln 2 / 2 + r and t = tanh r, exp(2 |x|) is 2^k (1 + t) / (1 - t), and so tanh |x| is
/// ((2^k - 1) + t (2^k + 1)) / ((2^k + 1) + t (2^k - 1)). As |r| is at most ln 2 / 4, a short polynomial
/// gives t.
fn tanh(x: f32) -> f32 {
    const SIGN: u32 = 1 << 31;
    // ln 2 / 2 in two parts; the first has so few digits that its products with k are exact.
    const HALF_LN2_HIGH: f32 = 0.34657288;
    const HALF_LN2_LOW: f32 = 7.143034e-7;
    let a = f32::from_bits(x.to_bits() & !SIGN);
    if a > 10.0 {
        return if x > 0.0 { 1.0 } else { -1.0 };
    }
    // NaN becomes 0 here, and stays in r.
    let k = (a * 2.8853901 + 0.5) as u32;
    let r = (a - k as f32 * HALF_LN2_HIGH) - k as f32 * HALF_LN2_LOW;
    let z = r * r;
    let p = ((0.021869488 * z - 0.053968254) * z + 0.13333334) * z - 0.33333334;
    let t = r + r * z * p;
    let power = f32::from_bits((127 + k) << 23);
    let y = ((power - 1.0) + t * (power + 1.0)) / ((power + 1.0) + t * (power - 1.0));
    f32::from_bits(y.to_bits() & !SIGN | x.to_bits() & SIGN)
}
