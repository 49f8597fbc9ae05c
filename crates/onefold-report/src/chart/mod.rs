//! Small charts as SVG: colours by classes of the page's style, so that they suit light and dark.

mod axis;
mod draw;

pub use axis::{Axis, Scale};

use std::fmt::Write as _;

/// A colour, and for lines a pattern: no two of the first thirty are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(pub usize);

/// Number of colours.
const COLOURS: usize = 10;
/// Number of patterns of lines.
const PATTERNS: usize = 3;

impl Style {
    /// Number of styles that differ.
    pub const DIFFERENT: usize = COLOURS * PATTERNS;

    /// The classes of the page's style.
    #[must_use]
    pub fn classes(self) -> String {
        format!("s{} d{}", self.0 % COLOURS, self.0 / COLOURS % PATTERNS)
    }
}

/// Coordinates in the units of the axes.
pub type Point = (f64, f64);

/// What is drawn in a chart.
#[derive(Clone, Debug)]
pub enum Layer {
    /// Many points, drawn half transparent.
    Cloud(Style, Vec<Point>),
    /// Few points.
    Marks(Style, Vec<Point>),
    /// A line; where a coordinate is not finite it is interrupted.
    Line(Style, Vec<Point>),
    /// The area between two lines: places, lower and upper ends.
    Band(Style, Vec<(f64, f64, f64)>),
    /// Vertical intervals: places, lower and upper ends.
    Intervals(Style, Vec<(f64, f64, f64)>),
    /// Horizontal intervals: left and right ends, places.
    HorizontalIntervals(Style, Vec<(f64, f64, f64)>),
    /// Rectangles between opposite corners.
    Rectangles(Style, Vec<(Point, Point)>),
    /// The same, lightly.
    Regions(Style, Vec<(Point, Point)>),
    /// A dashed line to compare with.
    Guide(Point, Point),
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from back to front.
    pub layers: Vec<Layer>,
    /// Height of the plane in units of which the chart is [`WIDTH`] wide; none for one that is as high as
    /// wide.
    pub height: Option<f64>,
}

/// Width of a chart: that of a phone, so that letters have their natural size there.
pub const WIDTH: f64 = 380.0;
/// A height for charts that need not be square.
pub const LOW: f64 = 210.0;

/// Where the plane of a chart lies.
struct Plane {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Chart {
    /// The chart as SVG. All texts are escaped.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let left = self.y.widest_label() + 24.0;
        let (top, right, bottom) = (10.0, 22.0, 40.0);
        let width = WIDTH - left - right;
        let height = self.height.unwrap_or(width);
        let plane = Plane { left, top, width, height };
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\">",
            (top + height + bottom).round()
        );
        axis::draw_x(&mut svg, &self.x, &plane);
        axis::draw_y(&mut svg, &self.y, &plane);
        // A drawing inside of the drawing, whose ends nothing leaves.
        let _ = write!(
            svg,
            "<svg x=\"{left:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height:.1}\" overflow=\"hidden\">"
        );
        let to_plane = |(x, y): Point| (width * self.x.place(x), height * (1.0 - self.y.place(y)));
        for layer in &self.layers {
            draw::layer(&mut svg, layer, &to_plane);
        }
        svg + "</svg></svg>"
    }
}

/// A range that holds all finite values, with a margin of this fraction at both ends.
#[must_use]
pub fn range_of(values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for v in values.filter(|v| v.is_finite()) {
        low = low.min(v);
        high = high.max(v);
    }
    if low > high {
        return (0.0, 1.0);
    }
    let span = high - low;
    let margin = if span > 0.0 { margin * span } else { low.abs().max(1.0) * 0.5 };
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests;
