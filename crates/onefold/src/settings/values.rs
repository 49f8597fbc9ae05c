//! Values with several notations, and their deserialisation.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// An interval, written `LOW..HIGH`; a single number is an interval without length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl From<Interval> for (f64, f64) {
    fn from(Interval { low, high }: Interval) -> Self {
        (low, high)
    }
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |t: &str| t.trim().parse::<f64>().map_err(|_| format!("\"{t}\" is not a number"));
        match text.split_once("..") {
            Some((low, high)) => Ok(Self { low: number(low)?, high: number(high)? }),
            None => number(text).map(|v| Self { low: v, high: v }),
        }
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.low, self.high).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number, \"LOW..HIGH\" or [LOW, HIGH]")]
        enum Written {
            Number(f64),
            Text(String),
            Pair(f64, f64),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Number(v) => Self { low: v, high: v },
            Written::Text(text) => text.parse().map_err(D::Error::custom)?,
            Written::Pair(low, high) => Self { low, high },
        })
    }
}

/// A number or a text, read as the text.
pub(super) fn number_or_text<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number or a text")]
    enum Written {
        Whole(i64),
        Number(f64),
        Text(String),
    }
    let text = match Option::<Written>::deserialize(deserializer)? {
        None => return Ok(None),
        Some(Written::Whole(n)) => n.to_string(),
        Some(Written::Number(v)) => v.to_string(),
        Some(Written::Text(text)) => text,
    };
    text.parse().map(Some).map_err(D::Error::custom)
}

/// A value parsed from text.
pub(super) fn text<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
}

/// A number.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number")]
    enum Written {
        Number(f64),
    }
    Ok(Option::<Written>::deserialize(deserializer)?.map(|Written::Number(v)| v))
}

/// A count, also written like 1e6.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a whole number such as 200000 or 1e6")]
    enum Written {
        Whole(u64),
        Number(f64),
    }
    match Option::<Written>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Written::Whole(n)) => Ok(Some(n)),
        Some(Written::Number(v)) if v >= 0.0 && v.fract() == 0.0 && v < 2f64.powi(63) => Ok(Some(v as u64)),
        Some(Written::Number(v)) => {
            Err(D::Error::invalid_value(Unexpected::Float(v), &"a whole number such as 200000 or 1e6"))
        }
    }
}

/// A count that fits in memory.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    Ok(count(deserializer)?.map(|n| n as usize))
}

/// Columns by name or number: one, or a list.
pub(super) fn columns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected the name of a column, its number, or a list of them")]
    enum Written {
        Name(String),
        Number(usize),
        List(Vec<String>),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Name(name) => vec![name],
        Written::Number(number) => vec![number.to_string()],
        Written::List(names) => names,
    })
}
