/// The hyperbolic tangent, which `core` lacks: at most 3.5 units in the last place from the exact value,
/// exactly odd, NaN for NaN.
///
/// With |x| = k ln 2 / 2 + r and t = tanh r, exp(2 |x|) is 2^k (1 + t) / (1 - t), and so tanh |x| is
/// ((2^k - 1) + t (2^k + 1)) / ((2^k + 1) + t (2^k - 1)). As |r| is at most ln 2 / 4, a short polynomial
/// gives t.
fn tanh(x: f64) -> f64 {
    const SIGN: u64 = 1 << 63;
    // ln 2 / 2 in two parts; the first has so few digits that its products with k are exact.
    const HALF_LN2_HIGH: f64 = 0.34657359027994517;
    const HALF_LN2_LOW: f64 = 2.7489615093541856e-14;
    let a = f64::from_bits(x.to_bits() & !SIGN);
    if a > 20.0 {
        return if x > 0.0 { 1.0 } else { -1.0 };
    }
    // NaN becomes 0 here, and stays in r.
    let k = (a * 2.8853900817779268 + 0.5) as u32;
    let r = (a - f64::from(k) * HALF_LN2_HIGH) - f64::from(k) * HALF_LN2_LOW;
    let z = r * r;
    let mut p = 0.0034639811360739525;
    p = p * z - 0.008858940933284511;
    p = p * z + 0.021869421950240442;
    p = p * z - 0.05396825350093934;
    p = p * z + 0.13333333333213318;
    p = p * z - 0.3333333333333328;
    let t = r + r * z * p;
    let power = f64::from_bits(u64::from(1023 + k) << 52);
    let y = ((power - 1.0) + t * (power + 1.0)) / ((power + 1.0) + t * (power - 1.0));
    f64::from_bits(y.to_bits() & !SIGN | x.to_bits() & SIGN)
}
