//! Evaluations against the number of hidden neurons.

use super::axes::{self, decades, power, span, whole};
use super::style::{BLACK, GREY, Scale, colour};
use super::{Drawn, legend};
use crate::report::curves::Size;
use onefold::Method;
use plotters::backend::DrawingBackend;
use plotters::chart::SeriesLabelPosition;
use plotters::coord::Shift;
use plotters::coord::combinators::IntoLogRange as _;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, ErrorBar};
use plotters::series::LineSeries;
use plotters::style::{Color as _, IntoFont as _};

pub(super) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    series: &[(Method, Vec<Size>)],
) -> Drawn
where
    B::ErrorType: 'static,
{
    let points = || series.iter().flat_map(|(_, points)| points.iter());
    let x = span(points().map(|p| p.neurons));
    let y = decades(points().flat_map(|p| [p.lower, p.upper]));
    let mut chart =
        axes::builder(area, scale).build_cartesian_2d((x.0 - 0.3)..(x.1 + 0.3), (y.0..y.1).log_scale())?;
    let ticks = (x.1 - x.0).round() as usize + 1;
    chart
        .configure_mesh()
        .x_desc("hidden neurons")
        .y_desc("evaluations to the target")
        .x_labels(ticks.clamp(2, 12))
        .x_label_formatter(&|v| whole(*v))
        .y_label_formatter(&|v| power(*v))
        .y_max_light_lines(1)
        .disable_x_mesh()
        .bold_line_style(GREY.mix(0.4))
        .light_line_style(GREY.mix(0.15))
        .axis_style(BLACK)
        .label_style(scale.font().into_font().color(&BLACK))
        .draw()?;
    for (i, (method, points)) in series.iter().enumerate() {
        let colour = colour(*method);
        // Side by side, so that no bar covers another.
        let shift = 0.08 * (i as f64 - (series.len() - 1) as f64 / 2.0);
        let at = move |p: &Size| (p.neurons + shift, p.median);
        let style = colour.stroke_width(scale.px(2));
        chart
            .draw_series(LineSeries::new(points.iter().map(at), style))?
            .label(method.name())
            .legend(legend::line(scale, colour));
        chart.draw_series(points.iter().map(|p| {
            ErrorBar::new_vertical(p.neurons + shift, p.lower, p.median, p.upper, style, scale.px(8))
        }))?;
        chart.draw_series(points.iter().map(|p| Circle::new(at(p), scale.px(4), colour.filled())))?;
    }
    legend::draw(&mut chart, scale, SeriesLabelPosition::UpperRight)
}
