//! Numbers as people read them.

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(n: u64) -> String {
    with_commas(&n.to_string())
}

fn with_commas(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with so many significant digits: `0.1235`, `1,235`, `4.99e-5`.
#[must_use]
pub fn significant(v: f64, digits: usize) -> String {
    if v == 0.0 {
        return "0".into();
    }
    if !v.is_finite() {
        return if v.is_nan() { "–".into() } else { v.to_string() };
    }
    if !(1e-4..1e7).contains(&v.abs()) {
        return format!("{v:.*e}", digits.saturating_sub(1));
    }
    let decimals = (digits as f64 - 1.0 - v.abs().log10().floor()).max(0.0) as usize;
    fixed(v, decimals)
}

/// A number with so many decimals, and commas between thousands.
#[must_use]
pub fn fixed(v: f64, decimals: usize) -> String {
    let text = format!("{v:.decimals$}");
    let is_negative = text.starts_with('-') && text.contains(|c: char| ('1'..='9').contains(&c));
    let text = text.trim_start_matches('-');
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let fraction = fraction.map_or(String::new(), |f| format!(".{f}"));
    format!("{}{}{fraction}", if is_negative { "−" } else { "" }, with_commas(whole))
}

/// A number with four significant digits.
#[must_use]
pub fn four(v: f64) -> String {
    significant(v, 4)
}

/// A fraction as a percentage.
#[must_use]
pub fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// A power of ten: `10⁻³`.
#[must_use]
pub fn power_of_ten(exponent: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        c => char::from_u32('⁰' as u32 + c as u32 - '0' as u32).unwrap_or(c),
    };
    format!("10{}", exponent.to_string().chars().map(digit).collect::<String>())
}

/// A count with its noun: `1 row`, `2,000 rows`.
#[must_use]
pub fn counted(n: usize, noun: &str) -> String {
    let plural = if noun.ends_with("ss") { "es" } else { "s" };
    format!("{} {noun}{}", grouped(n as u64), if n == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            (four(0.123_456), four(1234.56), four(0.0)),
            ("0.1235".into(), "1,235".into(), "0".into())
        );
        assert_eq!((four(-12.0), four(4.987e-5)), ("−12.00".into(), "4.987e-5".into()));
        assert_eq!((fixed(-0.001, 1), fixed(-1_234_567.0, 0)), ("0.0".into(), "−1,234,567".into()));
        assert_eq!(
            (power_of_ten(-3), power_of_ten(12), power_of_ten(0)),
            ("10⁻³".into(), "10¹²".into(), "10⁰".into())
        );
        assert_eq!((counted(1, "row"), counted(3, "class")), ("1 row".into(), "3 classes".into()));
        assert_eq!(percent(0.9072), "90.7 %");
    }
}
