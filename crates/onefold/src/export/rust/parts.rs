/// Sine and cosine of a part of a time: 0 of the day, 1 of the week, 2 of the year.
fn angle(part: u8, seconds: f64) -> [f64; 2] {
    let mut day = (seconds / 86_400.0) as i64;
    if day as f64 > seconds / 86_400.0 {
        day -= 1;
    }
    let turn = match part {
        0 => (seconds - day as f64 * 86_400.0) / 86_400.0,
        1 => (day + 3).rem_euclid(7) as f64 / 7.0,
        _ => {
            let (year, month, of_month) = civil(day);
            (f64::from(month - 1) + f64::from(of_month - 1) / f64::from(days_in_month(year, month))) / 12.0
        }
    };
    sincos(core::f64::consts::TAU * turn)
}
