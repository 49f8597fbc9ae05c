/// Sine and cosine of an angle from 0 to 2 pi, which `core` lacks: at most 1.5e-16 from the exact values.
///
/// With x = k pi / 2 + r, they are those of r, exchanged and with other signs. As |r| is at most pi / 4, short
/// series give both.
fn sincos(x: f64) -> [f64; 2] {
    // pi / 2 in two parts; the first has so few digits that its products with k are exact.
    const HALF_PI_HIGH: f64 = 1.570796325802803;
    const HALF_PI_LOW: f64 = 9.920935796805404e-10;
    let k = (x * core::f64::consts::FRAC_2_PI + 0.5) as u8;
    let r = (x - f64::from(k) * HALF_PI_HIGH) - f64::from(k) * HALF_PI_LOW;
    let z = r * r;
    let (mut sin, mut cos) = (0.0, 0.0);
    let mut n = 9.0;
    while n > 0.0 {
        sin = (1.0 - sin) * z / (2.0 * n * (2.0 * n + 1.0));
        cos = (1.0 - cos) * z / (2.0 * n * (2.0 * n - 1.0));
        n -= 1.0;
    }
    let (sin, cos) = (r - r * sin, 1.0 - cos);
    match k % 4 {
        0 => [sin, cos],
        1 => [cos, -sin],
        2 => [-sin, -cos],
        _ => [-cos, sin],
    }
}
