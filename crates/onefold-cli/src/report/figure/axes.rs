//! Ranges of axes, their labels, and the mesh of linear ones.

use super::Drawn;
use super::style::{BLACK, GREY, Scale};
use plotters::backend::DrawingBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingArea;
use plotters::style::{Color as _, IntoFont as _, TRANSPARENT};

/// A chart with margins for labels.
pub(super) fn builder<'b, B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    scale: Scale,
) -> ChartBuilder<'_, 'b, B> {
    let mut builder = ChartBuilder::on(area);
    builder.margin(scale.px(12)).x_label_area_size(scale.px(46)).y_label_area_size(scale.px(70));
    builder
}

/// The least and greatest of positive numbers, to the next power of ten.
pub(super) fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| *v > 0.0 && v.is_finite())
        .fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return (1.0, 10.0);
    }
    let (low, high) = (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil()));
    (low, if high > low { high } else { 10.0 * low })
}

/// The least and greatest number, and a twentieth more on either side.
pub(super) fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = ((high - low) / 20.0).max(1e-9);
    (low - margin, high + margin)
}

/// `1e4` for powers of ten, nothing between them.
pub(super) fn power(v: f64) -> String {
    let exponent = v.log10();
    if (exponent - exponent.round()).abs() < 1e-6 { format!("1e{}", exponent.round()) } else { String::new() }
}

/// Whole numbers, nothing between them.
pub(super) fn whole(v: f64) -> String {
    if (v - v.round()).abs() < 1e-6 { format!("{v:.0}") } else { String::new() }
}

fn decimal(v: f64) -> String {
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.replace('-', "\u{2212}") }
}

/// The mesh and labels of two linear axes.
pub(super) fn linear_mesh<B: DrawingBackend>(
    chart: &mut ChartContext<'_, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    scale: Scale,
    x: &str,
    y: &str,
) -> Drawn
where
    B::ErrorType: 'static,
{
    chart
        .configure_mesh()
        .x_desc(x)
        .y_desc(y)
        .x_label_formatter(&|v| decimal(*v))
        .y_label_formatter(&|v| decimal(*v))
        .x_max_light_lines(1)
        .y_max_light_lines(1)
        .bold_line_style(GREY.mix(0.3))
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK)
        .label_style(scale.font().into_font().color(&BLACK))
        .draw()?;
    Ok(())
}
