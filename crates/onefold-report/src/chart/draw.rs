//! What is drawn in the plane of a chart.

use super::{Layer, Point, Style};
use std::fmt::Write as _;

/// Appends a layer; `to_plane` gives coordinates of the drawing.
pub(super) fn layer(svg: &mut String, layer: &Layer, to_plane: &dyn Fn(Point) -> Point) {
    match layer {
        Layer::Cloud(style, at) => dots(svg, "dots", *style, at, 4.0, to_plane),
        Layer::Marks(style, at) => dots(svg, "marks", *style, at, 6.5, to_plane),
        Layer::Line(style, at) => {
            let mut path = String::new();
            let mut is_open = false;
            for point in at {
                if !(point.0.is_finite() && point.1.is_finite()) {
                    is_open = false;
                    continue;
                }
                let (x, y) = to_plane(*point);
                let _ = write!(path, "{}{x:.1} {y:.1}", if is_open { 'L' } else { 'M' });
                is_open = true;
            }
            path_of(svg, "line", *style, &path);
        }
        Layer::Band(style, at) => {
            let forth = at.iter().map(|(x, _, high)| (*x, *high));
            let back = at.iter().rev().map(|(x, low, _)| (*x, *low));
            let corners: Vec<String> = forth
                .chain(back)
                .map(|point| {
                    let (x, y) = to_plane(point);
                    format!("{x:.1} {y:.1}")
                })
                .collect();
            if !corners.is_empty() {
                path_of(svg, "band", *style, &format!("M{}Z", corners.join("L")));
            }
        }
        Layer::Intervals(style, at) => {
            segments(svg, *style, at.iter().map(|(x, low, high)| ((*x, *low), (*x, *high))), to_plane);
        }
        Layer::HorizontalIntervals(style, at) => {
            segments(svg, *style, at.iter().map(|(low, high, y)| ((*low, *y), (*high, *y))), to_plane);
        }
        Layer::Rectangles(style, at) => rectangles(svg, "area", *style, at, to_plane),
        Layer::Regions(style, at) => rectangles(svg, "band", *style, at, to_plane),
        Layer::Guide(from, to) => {
            let ((x0, y0), (x1, y1)) = (to_plane(*from), to_plane(*to));
            let _ = write!(svg, "<path class=\"guide\" d=\"M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}\"/>");
        }
    }
}

fn path_of(svg: &mut String, class: &str, style: Style, path: &str) {
    if !path.is_empty() {
        let _ = write!(svg, "<path class=\"{class} {}\" d=\"{path}\"/>", style.classes());
    }
}

/// Points as lines without length, whose ends are round: a dozen bytes each.
fn dots(
    svg: &mut String,
    class: &str,
    style: Style,
    at: &[Point],
    size: f64,
    to_plane: &dyn Fn(Point) -> Point,
) {
    let mut path = String::with_capacity(14 * at.len());
    for point in at.iter().filter(|p| p.0.is_finite() && p.1.is_finite()) {
        let (x, y) = to_plane(*point);
        let _ = write!(path, "M{x:.1} {y:.1}h0");
    }
    if !path.is_empty() {
        let _ =
            write!(svg, "<path class=\"{class} {}\" stroke-width=\"{size}\" d=\"{path}\"/>", style.classes());
    }
}

fn segments(
    svg: &mut String,
    style: Style,
    at: impl Iterator<Item = (Point, Point)>,
    to_plane: &dyn Fn(Point) -> Point,
) {
    let mut path = String::new();
    for (from, to) in at {
        let ((x0, y0), (x1, y1)) = (to_plane(from), to_plane(to));
        let _ = write!(path, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
    }
    path_of(svg, "line", style, &path);
}

fn rectangles(
    svg: &mut String,
    class: &str,
    style: Style,
    at: &[(Point, Point)],
    to_plane: &dyn Fn(Point) -> Point,
) {
    let mut path = String::new();
    for (from, to) in at {
        let ((x0, y0), (x1, y1)) = (to_plane(*from), to_plane(*to));
        let _ = write!(path, "M{x0:.1} {y0:.1}H{x1:.1}V{y1:.1}H{x0:.1}Z");
    }
    path_of(svg, class, style, &path);
}
