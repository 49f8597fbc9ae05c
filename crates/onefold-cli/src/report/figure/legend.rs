//! The legend.

use super::Drawn;
use super::style::{BLACK, Scale};
use plotters::backend::DrawingBackend;
use plotters::chart::{ChartContext, SeriesLabelPosition};
use plotters::coord::CoordTranslate;
use plotters::element::PathElement;
use plotters::style::{Color as _, IntoFont as _, RGBColor};

/// A short line beside a name.
pub(super) fn line(
    scale: Scale,
    colour: RGBColor,
) -> impl Fn((i32, i32)) -> PathElement<(i32, i32)> + 'static {
    let (length, width) = (scale.px(20).cast_signed(), scale.px(3));
    move |(x, y)| PathElement::new(vec![(x, y), (x + length, y)], colour.stroke_width(width))
}

/// The names of all series of a chart.
pub(super) fn draw<'a, B: DrawingBackend + 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, B, C>,
    scale: Scale,
    position: SeriesLabelPosition,
) -> Drawn
where
    B::ErrorType: 'static,
{
    chart
        .configure_series_labels()
        .position(position)
        .legend_area_size(scale.px(26))
        .margin(scale.px(8))
        .label_font(scale.font().into_font().color(&BLACK))
        .draw()?;
    Ok(())
}
