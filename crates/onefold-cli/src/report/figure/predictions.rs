//! What a network answers: a curve, answers against data, or regions of classes in a plane.

use super::axes::{self, linear_mesh, span};
use super::style::{BLUE, GREY, Scale, VERMILLION};
use super::{Drawn, legend};
use crate::report::curves::Scatter;
use plotters::backend::DrawingBackend;
use plotters::chart::SeriesLabelPosition;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Rectangle};
use plotters::series::LineSeries;
use plotters::style::Color as _;

pub(super) fn curve<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    points: &[(f64, f64)],
    curve: &[(f64, f64)],
) -> Drawn
where
    B::ErrorType: 'static,
{
    let x = span(points.iter().map(|p| p.0));
    let y = span(points.iter().chain(curve).map(|p| p.1));
    let mut chart = axes::builder(area, scale).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    linear_mesh(&mut chart, scale, "x", "y")?;
    let dot = scale.px(2);
    chart
        .draw_series(points.iter().map(|p| Circle::new(*p, dot, GREY.filled())))?
        .label("training data")
        .legend(move |(x, y)| Circle::new((x + 10, y), dot, GREY.filled()));
    chart
        .draw_series(LineSeries::new(curve.iter().copied(), BLUE.stroke_width(scale.px(2))))?
        .label("network")
        .legend(legend::line(scale, BLUE));
    legend::draw(&mut chart, scale, SeriesLabelPosition::UpperRight)
}

pub(super) fn agreement<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    pairs: &[(f64, f64)],
) -> Drawn
where
    B::ErrorType: 'static,
{
    let (low, high) = span(pairs.iter().flat_map(|p| [p.0, p.1]));
    let mut chart = axes::builder(area, scale).build_cartesian_2d(low..high, low..high)?;
    linear_mesh(&mut chart, scale, "y in the data", "y of the network")?;
    let diagonal = [(low, low), (high, high)];
    chart.draw_series(LineSeries::new(diagonal, GREY.stroke_width(scale.px(1))))?;
    let dot = scale.px(3);
    chart.draw_series(pairs.iter().map(|p| Circle::new(*p, dot, BLUE.mix(0.6).filled())))?;
    Ok(())
}

pub(super) fn regions<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    scatter: &Scatter,
) -> Drawn
where
    B::ErrorType: 'static,
{
    let (low, high) = scatter.span;
    let mut chart = axes::builder(area, scale).build_cartesian_2d(low..high, low..high)?;
    linear_mesh(&mut chart, scale, "x1", "x2")?;
    let colours = [BLUE, VERMILLION];
    for (class, colour) in colours.iter().enumerate() {
        let of_class = scatter.rectangles.iter().filter(|r| r.class == class);
        chart
            .draw_series(of_class.map(|r| {
                Rectangle::new([(r.from.0, r.from.1), (r.to.0, r.to.1)], colour.mix(0.25).filled())
            }))?;
    }
    let (dot, outline) = (scale.px(3), scale.px(1));
    for (class, colour) in colours.iter().enumerate() {
        let points = |is_training: bool| {
            scatter.points.iter().filter(move |p| p.class == class && p.is_training == is_training)
        };
        chart.draw_series(points(true).map(|p| Circle::new(p.at, dot, colour.filled())))?;
        chart.draw_series(points(false).map(|p| Circle::new(p.at, dot, colour.stroke_width(outline))))?;
    }
    Ok(())
}
