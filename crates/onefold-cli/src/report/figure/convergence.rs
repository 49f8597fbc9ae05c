//! Best cost against evaluations.

use super::axes::{self, decades, power};
use super::style::{BLACK, GREY, Scale, colour};
use super::{Drawn, legend};
use crate::report::curves::Band;
use onefold::Method;
use plotters::backend::DrawingBackend;
use plotters::chart::SeriesLabelPosition;
use plotters::coord::Shift;
use plotters::coord::combinators::IntoLogRange as _;
use plotters::drawing::DrawingArea;
use plotters::element::Polygon;
use plotters::series::LineSeries;
use plotters::style::{Color as _, IntoFont as _};

pub(super) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    series: &[(Method, Band)],
    threshold: Option<f64>,
) -> Drawn
where
    B::ErrorType: 'static,
{
    let all = || series.iter().flat_map(|(_, band)| band.iter());
    let x = decades(all().map(|p| p.0));
    let y = decades(all().flat_map(|p| [p.1, p.3]).chain(threshold));
    let mut chart =
        axes::builder(area, scale).build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("evaluations")
        .y_desc("best cost (mean squared error)")
        .x_label_formatter(&|v| power(*v))
        .y_label_formatter(&|v| power(*v))
        .x_max_light_lines(1)
        .y_max_light_lines(1)
        .bold_line_style(GREY.mix(0.4))
        .light_line_style(GREY.mix(0.15))
        .axis_style(BLACK)
        .label_style(scale.font().into_font().color(&BLACK))
        .draw()?;
    if let Some(threshold) = threshold {
        let line = [(x.0, threshold), (x.1, threshold)];
        chart
            .draw_series(LineSeries::new(line, GREY.stroke_width(scale.px(1))))?
            .label("target")
            .legend(legend::line(scale, GREY));
    }
    for (method, band) in series {
        let colour = colour(*method);
        let upper = band.iter().map(|p| (p.0, p.3));
        let outline: Vec<_> = upper.chain(band.iter().rev().map(|p| (p.0, p.1))).collect();
        chart.draw_series([Polygon::new(outline, colour.mix(0.2))])?;
        let median = band.iter().map(|p| (p.0, p.2));
        chart
            .draw_series(LineSeries::new(median, colour.stroke_width(scale.px(2))))?
            .label(method.name())
            .legend(legend::line(scale, colour));
    }
    legend::draw(&mut chart, scale, SeriesLabelPosition::LowerLeft)
}
