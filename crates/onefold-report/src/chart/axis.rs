//! Axes: where values lie, and where labels stand.

use super::{Plane, WIDTH};
use crate::markup::{escape, shortened, without_middle};
use crate::number::{fixed, power_of_ten};
use std::fmt::Write as _;

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Its ends.
    pub range: (f64, f64),
    /// Where values lie between them.
    pub scale: Scale,
}

/// Where values lie on an axis, and how they are written.
#[derive(Clone, Debug)]
pub enum Scale {
    /// Numbers.
    Linear,
    /// Fractions, as percentages.
    Percent,
    /// Positive numbers by their logarithms.
    Log,
    /// Places with names: the first is 0, the next 1.
    Names(Vec<String>),
    /// Numbers that stand for something else, with its name at some of them.
    At(Vec<(f64, String)>),
}

/// About the width of a letter of a label.
const LETTER: f64 = 6.0;
/// Letters of a name that are shown.
const LETTERS: usize = 28;

impl Axis {
    /// Numbers.
    #[must_use]
    pub fn linear(label: impl Into<String>, range: (f64, f64)) -> Self {
        Self { label: label.into(), range, scale: Scale::Linear }
    }

    /// Fractions from 0 to 1, as percentages.
    #[must_use]
    pub fn fraction(label: impl Into<String>) -> Self {
        Self { label: label.into(), range: (0.0, 1.0), scale: Scale::Percent }
    }

    /// Positive numbers by their logarithms.
    #[must_use]
    pub fn log(label: impl Into<String>, range: (f64, f64)) -> Self {
        Self { label: label.into(), range, scale: Scale::Log }
    }

    /// Places with names, the first at the far end where `is_downward`.
    #[must_use]
    pub fn names(label: impl Into<String>, names: Vec<String>, is_downward: bool) -> Self {
        let ends = (-0.5, names.len() as f64 - 0.5);
        let range = if is_downward { (ends.1, ends.0) } else { ends };
        Self { label: label.into(), range, scale: Scale::Names(names) }
    }

    /// The place of a value as a fraction of the axis.
    pub(super) fn place(&self, v: f64) -> f64 {
        let (low, high) = self.range;
        let (v, low, high) = match self.scale {
            Scale::Log => (v.max(f64::MIN_POSITIVE).log10(), low.log10(), high.log10()),
            _ => (v, low, high),
        };
        // Far beyond the ends it does not matter where, but coordinates must be short.
        ((v - low) / (high - low)).clamp(-9.0, 10.0)
    }

    /// Values with labels.
    pub(super) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let (low, high) = self.range;
        match &self.scale {
            Scale::Linear => linear_ticks(low, high, most),
            Scale::Percent => {
                let mut ticks = linear_ticks(100.0 * low, 100.0 * high, most);
                ticks.iter_mut().for_each(|(v, text)| (*v, *text) = (*v / 100.0, format!("{text} %")));
                ticks
            }
            Scale::Log => log_ticks(low, high, most),
            Scale::Names(names) => {
                names.iter().enumerate().map(|(i, name)| (i as f64, without_middle(name, LETTERS))).collect()
            }
            Scale::At(places) => places.iter().map(|(v, name)| (*v, shortened(name, LETTERS))).collect(),
        }
    }

    /// About the width of the widest label beside a vertical axis.
    pub(super) fn widest_label(&self) -> f64 {
        let letters = self.ticks(MOST_ROWS).iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        LETTER * letters as f64 + 6.0
    }
}

/// Most labels of a vertical axis of numbers.
const MOST_ROWS: usize = 6;

/// Multiples of 1, 2 or 5 times a power of ten, at least two where that is possible.
fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let span = (high - low).abs();
    if !(span.is_finite() && span > 0.0) {
        return vec![(low, fixed(low, 2))];
    }
    let finer = most.max(1)..2 * most.max(1) + 2;
    let all = finer.map(|most| round_ticks(low, high, most));
    all.reduce(|a, b| if a.len() >= 2 { a } else { b }).unwrap_or_default()
}

fn round_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let span = (high - low).abs();
    let rough = span / most.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough).unwrap_or(rough);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let (low, high) = (low.min(high), low.max(high));
    let write = |v: f64| {
        if step >= 1e6 || decimals > 4 {
            let text = format!("{v:.2e}");
            let (number, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", number.trim_end_matches('0').trim_end_matches('.'))
        } else {
            fixed(v, decimals)
        }
    };
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last.min(first + 50)).map(|k| k as f64 * step).map(|v| (v, write(v))).collect()
}

/// Powers of ten, or 1, 2 and 5 times these where there are few.
fn log_ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let (from, to) = (low.log10(), high.log10());
    let inside = |v: f64| v.log10() >= from - 1e-9 && v.log10() <= to + 1e-9;
    let powers: Vec<i32> =
        (from.floor() as i32..=to.ceil() as i32).filter(|k| inside(10f64.powi(*k))).collect();
    if powers.len() >= 2 {
        let every = powers.len().div_ceil(most.max(1));
        return powers.iter().step_by(every).map(|k| (10f64.powi(*k), power_of_ten(*k))).collect();
    }
    let near =
        (from.floor() as i32..=to.ceil() as i32).flat_map(|k| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(k)));
    near.filter(|v| inside(*v)).map(|v| (v, crate::number::significant(v, 1))).collect()
}

pub(super) fn draw_x(svg: &mut String, axis: &Axis, plane: &Plane) {
    let Plane { left, top, width, height } = *plane;
    let foot = top + height;
    let most = (width / 55.0) as usize;
    let ticks = axis.ticks(most);
    let is_grid = !matches!(axis.scale, Scale::Names(_) | Scale::At(_));
    let has_room =
        ticks.iter().map(|(_, text)| LETTER * text.chars().count() as f64 + 8.0).sum::<f64>() <= width + 40.0;
    let every = if has_room { 1 } else { ticks.len().div_ceil(most.max(1)) };
    for (v, text) in ticks.iter().step_by(every) {
        let x = left + width * axis.place(*v);
        if is_grid {
            let _ = write!(svg, "<path class=\"grid\" d=\"M{x:.1} {top}V{foot:.1}\"/>");
        }
        let text = if has_room { text.clone() } else { shortened(text, (62.0 / LETTER) as usize) };
        // Long labels at the ends would leave the drawing.
        let half = LETTER * text.chars().count() as f64 / 2.0;
        let anchor = if x + half > WIDTH - 2.0 { "end" } else { "middle" };
        let x = if anchor == "end" { (WIDTH - 2.0).min(x + 18.0) } else { x };
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            foot + 15.0,
            escape(&text)
        );
    }
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M{left:.1} {foot:.1}h{width:.1}\"/><text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        left + width / 2.0,
        foot + 33.0,
        escape(&shortened(&axis.label, (width / LETTER) as usize))
    );
}

pub(super) fn draw_y(svg: &mut String, axis: &Axis, plane: &Plane) {
    let Plane { left, top, width, height } = *plane;
    let is_grid = !matches!(axis.scale, Scale::Names(_));
    for (v, text) in axis.ticks(MOST_ROWS) {
        let y = top + height * (1.0 - axis.place(v));
        if is_grid {
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left:.1} {y:.1}h{width:.1}\"/>");
        }
        let class = if is_grid { "" } else { " class=\"name\"" };
        let _ = write!(
            svg,
            "<text{class} x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + 4.0,
            escape(&text)
        );
    }
    let middle = top + height / 2.0;
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M{left:.1} {top}v{height:.1}\"/><text class=\"name\" x=\"12\" y=\"{middle:.1}\" transform=\"rotate(-90 12 {middle:.1})\" text-anchor=\"middle\">{}</text>",
        escape(&shortened(&axis.label, (height / LETTER) as usize))
    );
}
