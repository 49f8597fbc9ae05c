//! The figures: which there are, and what each shows.

mod axes;
mod convergence;
mod legend;
mod neurons;
mod predictions;
mod render;
mod style;

use super::curves::{self, Band, BySize, Convergence, Scatter};
use crate::failure::Failure;
use onefold::Method;
use onefold_campaign::summary::Row;
use onefold_campaign::{Campaign, Cell, Record};
use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::WHITE;
use style::{HEIGHT, Scale, WIDTH};

/// What plotters answers.
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A figure with its data.
pub(crate) struct Figure {
    /// Name of its files.
    pub(crate) name: String,
    content: Content,
}

enum Content {
    /// For each method, hidden neurons and quartiles of the evaluations.
    Neurons(BySize),
    /// Best cost against evaluations, and the threshold.
    Convergence { series: Vec<(Method, Band)>, threshold: Option<f64> },
    /// Points, and a curve through them.
    Curve { points: Vec<(f64, f64)>, curve: Vec<(f64, f64)> },
    /// Predictions against data, for more than one input.
    Agreement(Vec<(f64, f64)>),
    /// Rectangles of the first class in a plane, and the points of both.
    Regions(Scatter),
}

/// All figures that a store's records allow.
pub(crate) fn all(campaign: &Campaign, rows: &[Row<'_>], records: &[Record]) -> Result<Vec<Figure>, Failure> {
    let mut figures: Vec<Figure> =
        curves::against_neurons(rows, records).into_iter().map(of_neurons).collect();
    figures.extend(curves::convergence(campaign, records).into_iter().map(of_convergence));
    for (cell, record) in curves::representatives(campaign, records) {
        figures.extend(of_predictions(cell, record)?);
    }
    Ok(figures)
}

fn of_neurons((data, series): (String, BySize)) -> Figure {
    Figure { name: file_name("neurons", &data), content: Content::Neurons(series) }
}

fn of_convergence(Convergence { network, series, threshold }: Convergence) -> Figure {
    Figure { name: file_name("convergence", &network), content: Content::Convergence { series, threshold } }
}

/// What the network of a record answers; nothing for classes in more or less than a plane.
fn of_predictions(cell: &Cell, record: &Record) -> Result<Option<Figure>, Failure> {
    let (inputs, outputs) = (cell.settings.topology.inputs(), cell.settings.topology.outputs());
    let (kind, content) = match (cell.is_classification, inputs) {
        (true, 2) if outputs == 2 => ("regions", Content::Regions(curves::regions(cell, record)?)),
        (true, _) => return Ok(None),
        (false, 1) => {
            let (points, curve) = curves::curve(cell, record)?;
            ("fit", Content::Curve { points, curve })
        }
        (false, _) => ("fit", Content::Agreement(curves::agreement(cell, record)?)),
    };
    Ok(Some(Figure { name: file_name(kind, &cell.network()), content }))
}

/// The name of a figure's files: of letters, digits and a few signs, whatever the data's name is made of.
fn file_name(kind: &str, network: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("{kind}-{}", network.chars().map(plain).collect::<String>())
}

impl Figure {
    /// Width and height in points; a plane of regions is square, but for its labels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (if let Content::Regions(_) = self.content { HEIGHT + 24 } else { WIDTH }, HEIGHT)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: Scale) -> Drawn
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        match &self.content {
            Content::Neurons(series) => neurons::draw(area, scale, series),
            Content::Convergence { series, threshold } => convergence::draw(area, scale, series, *threshold),
            Content::Curve { points, curve } => predictions::curve(area, scale, points, curve),
            Content::Agreement(pairs) => predictions::agreement(area, scale, pairs),
            Content::Regions(scatter) => predictions::regions(area, scale, scatter),
        }
    }
}
