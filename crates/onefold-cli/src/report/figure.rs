//! The figures, drawn by plotters as SVG with text that can be copied, or as PNG.

use super::curves::{self, Band, BySize, Convergence, Scatter, Sizes};
use crate::campaign::summary::Row;
use crate::campaign::{Campaign, Record};
use crate::failure::Failure;
use onefold::Method;
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::combinators::IntoLogRange as _;
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{Circle, ErrorBar, PathElement, Polygon, Rectangle};
use plotters::series::LineSeries;
use plotters::style::{Color as _, FontStyle, IntoFont as _, RGBColor, TRANSPARENT, WHITE, register_font};
use std::sync::Once;

/// Height in points.
const HEIGHT: u32 = 460;
/// The PNG has this many pixels for each point.
const PIXELS: u32 = 2;
const INK: RGBColor = RGBColor(0, 0, 0);
const GREY: RGBColor = RGBColor(136, 136, 136);

/// Colours that the colour-blind can tell apart (Okabe and Ito; from the eighth on darker or lighter ones), on white
/// and on black, in the order of the registry of methods.
const PALETTE: [RGBColor; 13] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(102, 102, 102),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(128, 170, 150),
    RGBColor(120, 60, 98),
    RGBColor(128, 57, 0),
    RGBColor(0, 68, 107),
    RGBColor(86, 180, 233),
    RGBColor(240, 228, 66),
];

fn colour(method: Method) -> RGBColor {
    PALETTE[Method::all().position(|other| other == method).unwrap_or(0) % PALETTE.len()]
}

/// Where a figure will be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    /// On its own: white ground.
    Paper,
    /// Inside the page, whose style decides the colours of ground and ink.
    Page,
}

/// A figure with its data.
pub(crate) struct Figure {
    /// Name of its files.
    pub(crate) name: String,
    pub(crate) caption: String,
    content: Content,
}

enum Content {
    /// For each method, hidden neurons, mean evaluations and their deviation.
    Neurons(BySize),
    /// Best cost against evaluations, and the target.
    Convergence(Vec<(Method, Band)>, Option<f64>),
    /// Points, and a curve through them.
    Curve { points: Vec<(f64, f64)>, curve: Vec<(f64, f64)> },
    /// Predictions against data, for more than one input.
    Agreement(Vec<(f64, f64)>),
    /// Rectangles of the first class in a plane, and the points of both.
    Regions { scatter: Scatter },
}

/// All figures that a store's records allow.
pub(crate) fn all(campaign: &Campaign, rows: &[Row<'_>], records: &[Record]) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for (data, series) in curves::against_neurons(rows) {
        figures.push(Figure {
            name: format!("neurons-{data}"),
            caption: format!(
                "{data}: mean evaluations to the target against the number of hidden neurons, with one standard deviation."
            ),
            content: Content::Neurons(series),
        });
    }
    for Convergence { network, series, target } in curves::convergence(campaign, records) {
        figures.push(Figure {
            name: format!("convergence-{}", network.replace(' ', "-")),
            caption: format!(
                "{network}: best cost against evaluations, median and quartiles over the runs; a run that has ended keeps its last cost."
            ),
            content: Content::Convergence(series, target),
        });
    }
    for (cell, record) in curves::representatives(campaign, records) {
        let network = cell.network();
        let (name, content, caption) = if cell.is_classification {
            if cell.settings.topology.inputs() != 2 || cell.settings.topology.outputs() != 2 {
                continue;
            }
            let scatter = curves::regions(cell, record)?;
            (
                "regions",
                Content::Regions { scatter },
                "regions in which each class wins, with training and test points",
            )
        } else if cell.settings.topology.inputs() == 1 {
            let (points, curve) = curves::curve(cell, record)?;
            ("fit", Content::Curve { points, curve }, "training data and the network's curve")
        } else {
            let pairs = curves::agreement(cell, record)?;
            ("fit", Content::Agreement(pairs), "the network's answers against the data, test rows")
        };
        figures.push(Figure {
            name: format!("{name}-{}", network.replace(' ', "-")),
            caption: format!("{network} by {}, seed {}: {caption}.", cell.method(), record.seed),
            content,
        });
    }
    Ok(figures)
}

/// The font of PNG files and of all measurements, since a bare machine has none.
fn use_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(format!("a figure cannot be drawn: {error}"))
}

impl Figure {
    /// Width and height in points; a plane of regions is square, but for its labels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (if let Content::Regions { .. } = self.content { HEIGHT + 24 } else { 760 }, HEIGHT)
    }

    pub(crate) fn svg(&self, theme: Theme) -> Result<String, Failure> {
        use_font();
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, self.size()).into_drawing_area();
            self.draw(&area, theme, 1).map_err(failed)?;
            area.present().map_err(failed)?;
        }
        Ok(text)
    }

    pub(crate) fn png(&self) -> Result<Vec<u8>, Failure> {
        use_font();
        let (width, height) = (self.size().0 * PIXELS, self.size().1 * PIXELS);
        let mut pixels = vec![0; (width * height * 3) as usize];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
            self.draw(&area, Theme::Paper, PIXELS).map_err(failed)?;
            area.present().map_err(failed)?;
        }
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().and_then(|mut w| w.write_image_data(&pixels)).map_err(failed)?;
        Ok(bytes)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        theme: Theme,
        scale: u32,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        match theme {
            Theme::Paper => area.fill(&WHITE)?,
            Theme::Page => area.fill(&TRANSPARENT)?,
        }
        let pen = Pen { scale };
        match &self.content {
            Content::Neurons(series) => pen.neurons(area, series),
            Content::Convergence(series, target) => pen.convergence(area, series, *target),
            Content::Curve { points, curve } => pen.curve(area, points, curve),
            Content::Agreement(pairs) => pen.agreement(area, pairs),
            Content::Regions { scatter } => pen.regions(area, scatter),
        }
    }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Draws at a scale: points of the figure to pixels.
struct Pen {
    scale: u32,
}

/// The least and greatest of positive numbers, to the next power of ten.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
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
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = ((high - low) / 20.0).max(1e-9);
    (low - margin, high + margin)
}

/// `1e4` for powers of ten, nothing between them.
fn power(v: f64) -> String {
    let exponent = v.log10();
    if (exponent - exponent.round()).abs() < 1e-6 { format!("1e{}", exponent.round()) } else { String::new() }
}

fn decimal(v: f64) -> String {
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.replace('-', "\u{2212}") }
}

impl Pen {
    fn px(&self, points: u32) -> u32 {
        points * self.scale
    }

    fn builder<'a, 'b, B: DrawingBackend>(&self, area: &'a DrawingArea<B, Shift>) -> ChartBuilder<'a, 'b, B> {
        let mut builder = ChartBuilder::on(area);
        builder.margin(self.px(12)).x_label_area_size(self.px(46)).y_label_area_size(self.px(70));
        builder
    }

    fn font(&self) -> (&'static str, u32) {
        ("sans-serif", self.px(15))
    }

    fn neurons<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, series: &[(Method, Sizes)]) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let points = || series.iter().flat_map(|(_, points)| points.iter());
        let x = span(points().map(|p| p.0));
        let y = decades(points().flat_map(|p| [(p.1 - p.2).max(p.1 / 5.0), p.1 + p.2]));
        let mut chart =
            self.builder(area).build_cartesian_2d((x.0 - 0.3)..(x.1 + 0.3), (y.0..y.1).log_scale())?;
        let ticks = (x.1 - x.0).round() as usize + 1;
        chart
            .configure_mesh()
            .x_desc("hidden neurons")
            .y_desc("evaluations to the target")
            .x_labels(ticks.clamp(2, 12))
            .x_label_formatter(&|v| {
                if (v - v.round()).abs() < 1e-6 { format!("{v:.0}") } else { String::new() }
            })
            .y_label_formatter(&|v| power(*v))
            .y_max_light_lines(1)
            .disable_x_mesh()
            .bold_line_style(GREY.mix(0.4))
            .light_line_style(GREY.mix(0.15))
            .axis_style(INK)
            .label_style(self.font().into_font().color(&INK))
            .draw()?;
        for (i, (method, points)) in series.iter().enumerate() {
            let colour = colour(*method);
            let shift = 0.08 * (i as f64 - (series.len() - 1) as f64 / 2.0);
            let at = move |p: &(f64, f64, f64)| (p.0 + shift, p.1);
            let size = self.px(2);
            chart
                .draw_series(LineSeries::new(points.iter().map(at), colour.stroke_width(size)))?
                .label(method.name())
                .legend(self.legend(colour));
            let width = self.px(8);
            chart.draw_series(points.iter().map(|p| {
                let low = (p.1 - p.2).max(y.0);
                ErrorBar::new_vertical(p.0 + shift, low, p.1, p.1 + p.2, colour.stroke_width(size), width)
            }))?;
            chart.draw_series(points.iter().map(|p| Circle::new(at(p), self.px(4), colour.filled())))?;
        }
        self.key(&mut chart, SeriesLabelPosition::UpperRight)
    }

    fn convergence<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        series: &[(Method, Band)],
        target: Option<f64>,
    ) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let all = || series.iter().flat_map(|(_, band)| band.iter());
        let x = decades(all().map(|p| p.0));
        let y = decades(all().flat_map(|p| [p.1, p.3]).chain(target));
        let mut chart =
            self.builder(area).build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
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
            .axis_style(INK)
            .label_style(self.font().into_font().color(&INK))
            .draw()?;
        if let Some(target) = target {
            let line = [(x.0, target), (x.1, target)];
            chart
                .draw_series(LineSeries::new(line, GREY.stroke_width(self.px(1))))?
                .label("target")
                .legend(self.legend(GREY));
        }
        for (method, band) in series {
            let colour = colour(*method);
            let upper = band.iter().map(|p| (p.0, p.3));
            let outline: Vec<_> = upper.chain(band.iter().rev().map(|p| (p.0, p.1))).collect();
            chart.draw_series([Polygon::new(outline, colour.mix(0.2))])?;
            chart
                .draw_series(LineSeries::new(
                    band.iter().map(|p| (p.0, p.2)),
                    colour.stroke_width(self.px(2)),
                ))?
                .label(method.name())
                .legend(self.legend(colour));
        }
        self.key(&mut chart, SeriesLabelPosition::LowerLeft)
    }

    fn curve<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        points: &[(f64, f64)],
        curve: &[(f64, f64)],
    ) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let x = span(points.iter().map(|p| p.0));
        let y = span(points.iter().chain(curve).map(|p| p.1));
        let mut chart = self.builder(area).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        self.plain_mesh(&mut chart, "x", "y")?;
        let dot = self.px(2);
        chart
            .draw_series(points.iter().map(|p| Circle::new(*p, dot, GREY.filled())))?
            .label("training data")
            .legend(move |(x, y)| Circle::new((x + 10, y), dot, GREY.filled()));
        let blue = colour(Method::DE_SB);
        chart
            .draw_series(LineSeries::new(curve.iter().copied(), blue.stroke_width(self.px(2))))?
            .label("network")
            .legend(self.legend(blue));
        self.key(&mut chart, SeriesLabelPosition::UpperRight)
    }

    fn agreement<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pairs: &[(f64, f64)]) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let (low, high) = span(pairs.iter().flat_map(|p| [p.0, p.1]));
        let mut chart = self.builder(area).build_cartesian_2d(low..high, low..high)?;
        self.plain_mesh(&mut chart, "y in the data", "y of the network")?;
        chart.draw_series(LineSeries::new([(low, low), (high, high)], GREY.stroke_width(self.px(1))))?;
        let blue = colour(Method::DE_SB);
        let dot = self.px(3);
        chart.draw_series(pairs.iter().map(|p| Circle::new(*p, dot, blue.mix(0.6).filled())))?;
        Ok(())
    }

    fn regions<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scatter: &Scatter) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let (low, high) = scatter.span;
        let mut chart = self.builder(area).build_cartesian_2d(low..high, low..high)?;
        self.plain_mesh(&mut chart, "x1", "x2")?;
        let colours = [colour(Method::DE_SB), colour(Method::DE)];
        for (class, colour) in colours.iter().enumerate() {
            let of_class = scatter.rectangles.iter().filter(|r| r.class == class);
            chart.draw_series(of_class.map(|r| {
                Rectangle::new([(r.from.0, r.from.1), (r.to.0, r.to.1)], colour.mix(0.25).filled())
            }))?;
        }
        let size = self.px(3);
        for (class, colour) in colours.iter().enumerate() {
            let points = |is_training: bool| {
                scatter.points.iter().filter(move |p| p.class == class && p.is_training == is_training)
            };
            chart.draw_series(points(true).map(|p| Circle::new(p.at, size, colour.filled())))?;
            chart.draw_series(
                points(false).map(|p| Circle::new(p.at, size, colour.stroke_width(self.px(1)))),
            )?;
        }
        Ok(())
    }

    fn plain_mesh<B: DrawingBackend>(
        &self,
        chart: &mut plotters::chart::ChartContext<
            '_,
            B,
            plotters::coord::cartesian::Cartesian2d<
                plotters::coord::types::RangedCoordf64,
                plotters::coord::types::RangedCoordf64,
            >,
        >,
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
            .axis_style(INK)
            .label_style(self.font().into_font().color(&INK))
            .draw()?;
        Ok(())
    }

    fn legend(&self, colour: RGBColor) -> impl Fn((i32, i32)) -> PathElement<(i32, i32)> + 'static {
        let (length, width) = (self.px(20).cast_signed(), self.px(3));
        move |(x, y)| PathElement::new(vec![(x, y), (x + length, y)], colour.stroke_width(width))
    }

    fn key<'a, B: DrawingBackend + 'a, C: plotters::coord::CoordTranslate>(
        &self,
        chart: &mut plotters::chart::ChartContext<'a, B, C>,
        position: SeriesLabelPosition,
    ) -> Drawn
    where
        B::ErrorType: 'static,
    {
        chart
            .configure_series_labels()
            .position(position)
            .legend_area_size(self.px(26))
            .margin(self.px(8))
            .label_font(self.font().into_font().color(&INK))
            .draw()?;
        Ok(())
    }
}
