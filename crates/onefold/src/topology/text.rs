//! Topologies as text: `10-8-1`, `10-8-1+linear`, and hidden layers alone: `8`, `8+linear`, `none`.

use super::Topology;
use crate::Error;
use std::fmt;
use std::str::FromStr;

/// What follows the widths of a network with a linear part.
const LINEAR: &str = "linear";
/// Stands for no hidden layers.
const NONE: &str = "none";

impl Topology {
    /// A network with `inputs`, the hidden layers written in `hidden` (such as `5`, `3-1-3` or `none`, and
    /// `5+linear` with a linear part), and `outputs`.
    ///
    /// # Errors
    /// If `hidden` is neither `none` nor a list of positive numbers.
    pub fn with_hidden(inputs: usize, hidden: &str, outputs: usize) -> Result<Self, Error> {
        let (layers, linear_part) = split_linear(hidden, "5")?;
        let mut widths = match layers.trim() {
            NONE => Vec::new(),
            layers => parse_widths(hidden, layers, "5 or 3-1-3")?,
        };
        if let Some(layer) = widths.iter().position(|w| *w == 0) {
            let reason = format!("hidden layer {} of {} has no neurons", layer + 1, widths.len());
            return Err(Error::Topology { text: hidden.into(), reason });
        }
        widths.insert(0, inputs);
        widths.push(outputs);
        Self::of(&widths, linear_part)
    }

    /// The hidden layers and the linear part as text, from which [`with_hidden`](Self::with_hidden) makes
    /// the same.
    #[must_use]
    pub fn hidden_text(&self) -> String {
        let layers = if self.hidden().is_empty() { NONE.into() } else { join(self.hidden()) };
        layers + suffix(self.linear_part)
    }
}

impl FromStr for Topology {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (layers, linear_part) = split_linear(text, "1-5-1")?;
        Self::of(&parse_widths(text, layers, "1-5-1")?, linear_part)
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join(&self.widths))?;
        f.write_str(suffix(self.linear_part))
    }
}

impl TryFrom<String> for Topology {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Topology> for String {
    fn from(topology: Topology) -> Self {
        topology.to_string()
    }
}

/// The text of the layers, and whether `+linear` follows it.
fn split_linear<'a>(text: &'a str, example: &str) -> Result<(&'a str, bool), Error> {
    match text.split_once('+') {
        None => Ok((text, false)),
        Some((layers, end)) if end.trim() == LINEAR => Ok((layers, true)),
        Some(_) => Err(Error::Topology {
            text: text.into(),
            reason: format!("only +linear may follow the layers, and once, as in {example}+linear"),
        }),
    }
}

/// The widths in `layers`, which is a part of `text`.
fn parse_widths(text: &str, layers: &str, example: &str) -> Result<Vec<usize>, Error> {
    let wrong = |part: &str| {
        let reason = match part.trim() {
            NONE => "none stands alone for the hidden layers, where there are none".into(),
            _ => {
                format!("\"{part}\" is not a layer width; write numbers joined by dashes, such as {example}")
            }
        };
        Error::Topology { text: text.into(), reason }
    };
    let parse = |part: &str| part.trim().parse().map_err(|_| wrong(part));
    layers.split('-').map(parse).collect()
}

pub(super) fn suffix(linear_part: bool) -> &'static str {
    if linear_part { "+linear" } else { "" }
}

pub(super) fn join(widths: &[usize]) -> String {
    widths.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}
