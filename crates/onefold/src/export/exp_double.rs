/// The exponential of a number that is not positive, which `core` lacks: at most 1 unit in the last place
/// from the exact value, 0 below -708, NaN for NaN.
///
/// With x = r - k ln 2, it is exp(r) / 2^k. As |r| is at most ln 2 / 2, a short series gives exp(r).
fn exp(x: f64) -> f64 {
    // ln 2 in two parts; the first has so few digits that its products with k are exact.
    const LN2_HIGH: f64 = 0.6931471803691238;
    const LN2_LOW: f64 = 1.9082149292705877e-10;
    if x < -708.0 {
        return 0.0;
    }
    // NaN becomes 0 here, and stays in r.
    let k = (0.5 - x * core::f64::consts::LOG2_E) as u32;
    let r = (x + f64::from(k) * LN2_HIGH) + f64::from(k) * LN2_LOW;
    let mut p = 1.6059043836821613e-10;
    p = p * r + 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 0.0001984126984126984;
    p = p * r + 0.001388888888888889;
    p = p * r + 0.008333333333333333;
    p = p * r + 0.041666666666666664;
    p = p * r + 0.16666666666666666;
    p = p * r + 0.5;
    let power = f64::from_bits(u64::from(1023 - k) << 52);
    (1.0 + (r + r * r * p)) * power
}
