//! Parsers and completions for the values of flags.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use onefold::data::{Decimal, SplitRule};
use onefold::export::ExportFormat;
use onefold::model_selection::Metric;
use onefold::{Alignment, Builtin, Method};
use std::ffi::OsStr;
use std::time::Duration;

/// A count, also written like 1e6 or 1_000_000.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if let Ok(n) = plain.parse() {
        return Ok(n);
    }
    match plain.parse::<f64>() {
        Ok(v) if v >= 0.0 && v < 2f64.powi(63) && v.fract() == 0.0 => Ok(v as u64),
        _ => Err("expected a whole number such as 200000 or 1e6".into()),
    }
}

/// A span of time, like 30s, 5min or 1h 30min.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if text.trim_start().starts_with('-') {
        return Err("a time is not negative".into());
    }
    humantime::parse_duration(text)
        .map_err(|_| "expected a time with its unit, such as 30s, 5min or 1h30m".into())
}

/// A count that fits in memory.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    count(text).map(|n| n as usize)
}

/// A method of the registry.
pub(crate) fn method() -> impl TypedValueParser<Value = Method> {
    let named = |method: Method| PossibleValue::new(method.name()).help(method.description());
    PossibleValuesParser::new(Method::all().map(named)).try_map(|name| name.parse::<Method>())
}

/// The formats that models are exported as.
pub(crate) fn export_format() -> impl TypedValueParser<Value = ExportFormat> {
    let endings =
        |format: ExportFormat| format.endings().iter().filter(move |ending| **ending != format.name());
    let named = |format: ExportFormat| {
        PossibleValue::new(format.name()).help(format.description()).aliases(endings(format))
    };
    PossibleValuesParser::new(ExportFormat::ALL.map(named)).try_map(|name| name.parse::<ExportFormat>())
}

/// What networks are compared by.
pub(crate) fn metric() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::name)).try_map(|name| name.parse::<Metric>())
}

/// Ways to break symmetries.
pub(crate) fn align() -> impl TypedValueParser<Value = Alignment> {
    PossibleValuesParser::new(Alignment::ALL.map(Alignment::name)).try_map(|name| name.parse::<Alignment>())
}

/// Completions for data: built-in data sets and files.
pub(crate) fn data_name() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut offered = builtins();
        offered.retain(|set| set.get_value().to_string_lossy().starts_with(&*typed.to_string_lossy()));
        offered.extend(PathCompleter::file().complete(typed));
        offered
    })
}

/// Completions for a built-in data set.
pub(crate) fn builtin_candidates() -> ArgValueCandidates {
    ArgValueCandidates::new(builtins)
}

fn builtins() -> Vec<CompletionCandidate> {
    let named = |set: Builtin| CompletionCandidate::new(set.name()).help(Some(set.description().into()));
    Builtin::ALL.map(named).into()
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v > 0.0 && v.is_finite() => Ok(v),
        _ => Err("expected a positive number of seconds".into()),
    }
}

pub(crate) fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if (0.0..=1.0).contains(&v) => Ok(v),
        _ => Err("expected a probability from 0 to 1".into()),
    }
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match size(text) {
        Ok(n) if n >= 1 => Ok(n),
        _ => Err("expected a whole number of at least 1".into()),
    }
}

pub(crate) fn split(text: &str) -> Result<SplitRule, String> {
    text.parse().map_err(|_| "expected two counts such as 1/1 or 2/1, the first at least 1".into())
}

pub(crate) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("expected yes or no".into()),
    }
}

/// What separates the fraction of a number: its character, or its name.
pub(crate) fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "." | "point" => Ok(Decimal::Point),
        "," | "comma" => Ok(Decimal::Comma),
        _ => Err("expected . or ,".into()),
    }
}

/// A field delimiter: one character, or its name.
pub(crate) fn delimiter(text: &str) -> Result<char, String> {
    match text {
        "tab" | "\\t" => return Ok('\t'),
        "comma" => return Ok(','),
        "semicolon" => return Ok(';'),
        "bar" => return Ok('|'),
        "space" => return Ok(' '),
        _ => {}
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Ok(c),
        _ => Err("expected one character, or tab, comma, semicolon, bar or space".into()),
    }
}

/// `I/N` with `I` from 1 to `N`.
pub(crate) fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').map(|(i, n)| (i.parse(), n.parse()));
    match parts {
        Some((Ok(i), Ok(n))) if (1..=n).contains(&i) => Ok((i, n)),
        _ => Err("expected I/N with I from 1 to N, such as 3/8".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(count("1e6"), Ok(1_000_000));
        assert_eq!(count("1_000"), Ok(1000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["", "-1", "1.5", "1e30", "nan", "x"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }
}
