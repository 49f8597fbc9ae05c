//! Networks drawn as SVG: neurons and weights of small ones, layers of large ones.

use crate::markup::{escape, shortened};
use onefold::Model;
use std::fmt::Write as _;

/// Most weights that are drawn one by one.
const MOST_WEIGHTS: usize = 500;
/// Most neurons of a layer that are drawn one by one.
const MOST_NEURONS: usize = 24;
/// Width of the drawing, in which letters have their natural size on a phone.
const WIDTH: f64 = 380.0;
/// Room for the names at both sides.
const NAMES: f64 = 114.0;
/// Letters of a name that are shown.
const LETTERS: usize = 15;

/// A drawing of a network, and how to read it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The SVG.
    pub svg: String,
    /// Whether each weight is drawn.
    pub has_weights: bool,
}

/// The weights between two layers: a row for each neuron of the later one.
struct Weights {
    rows: Vec<Vec<f64>>,
}

impl Weights {
    fn largest(&self) -> f64 {
        self.rows.iter().flatten().fold(0.0, |m, w| w.abs().max(m))
    }
}

/// Draws a network.
#[must_use]
pub fn draw(model: &Model) -> Drawing {
    let topology = model.topology();
    let mut widths = vec![topology.inputs()];
    widths.extend(topology.hidden());
    widths.push(topology.outputs());
    let has_weights = widths.iter().all(|n| *n <= MOST_NEURONS) && model.parameters() <= MOST_WEIGHTS;
    let svg = if has_weights { neurons(model, &widths) } else { layers(model, &widths) };
    Drawing { svg, has_weights }
}

/// The weights between successive layers, and those of the linear part.
fn weights(model: &Model) -> (Vec<Weights>, Option<Weights>) {
    let topology = model.topology();
    let hidden = topology.hidden();
    let mut between = Vec::new();
    for (layer, width) in hidden.iter().enumerate() {
        let row = |n| {
            let eta = &model.hidden()[topology.neuron(layer, n)];
            eta.split_last().map_or(Vec::new(), |(_, weights)| weights.to_vec())
        };
        between.push(Weights { rows: (0..*width).map(row).collect() });
    }
    let last = topology.last_hidden();
    let part = |from: usize, to: usize| Weights {
        rows: model
            .readout()
            .iter()
            .map(|row| row[from.min(row.len())..to.min(row.len())].to_vec())
            .collect(),
    };
    if !hidden.is_empty() {
        between.push(part(0, last));
    }
    let linear = topology.has_linear_part().then(|| part(last, topology.readout_columns()));
    (between, linear)
}

/// The heights of the neurons of a layer.
fn heights(count: usize, height: f64) -> Vec<f64> {
    let gap = (height / count as f64).min(34.0);
    let first = (height - gap * (count as f64 - 1.0)) / 2.0;
    (0..count).map(|i| first + gap * i as f64).collect()
}

fn places(layers: usize) -> Vec<f64> {
    let step = (WIDTH - 2.0 * NAMES) / (layers - 1) as f64;
    (0..layers).map(|i| NAMES + step * i as f64).collect()
}

fn open(height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\">"
    )
}

fn neurons(model: &Model, widths: &[usize]) -> String {
    let most = widths.iter().copied().max().unwrap_or(1) as f64;
    let height = (most * 22.0).max(90.0);
    let at: Vec<Vec<f64>> = widths.iter().map(|n| heights(*n, height)).collect();
    let x = places(widths.len());
    let mut svg = open(height + 26.0);
    let (between, linear) = weights(model);
    if let Some(linear) = &linear {
        let is_alone = widths.len() == 2;
        let (from, to) = (x[0], x[widths.len() - 1]);
        draw_weights(&mut svg, linear, (from, &at[0]), (to, &at[widths.len() - 1]), !is_alone);
    }
    for (i, weights) in between.iter().enumerate() {
        draw_weights(&mut svg, weights, (x[i], &at[i]), (x[i + 1], &at[i + 1]), false);
    }
    for (x, column) in x.iter().zip(&at) {
        let gap = if column.len() > 1 { column[1] - column[0] } else { 20.0 };
        let radius = (0.36 * gap).min(6.5);
        for y in column {
            let _ = write!(svg, "<circle class=\"node\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
        }
    }
    names(&mut svg, model.input_names(), &at[0], NAMES - 12.0, "end");
    names(&mut svg, model.output_names(), &at[at.len() - 1], WIDTH - NAMES + 12.0, "start");
    feet(&mut svg, &x, widths, height + 18.0);
    svg + "</svg>"
}

/// Lines as wide as weights are large, in one colour for positive and in another for negative ones.
fn draw_weights(
    svg: &mut String,
    weights: &Weights,
    from: (f64, &[f64]),
    to: (f64, &[f64]),
    is_curved: bool,
) {
    let largest = weights.largest();
    if largest <= 0.0 {
        return;
    }
    for (row, y1) in weights.rows.iter().zip(to.1) {
        for (w, y0) in row.iter().zip(from.1) {
            let size = w.abs() / largest;
            let style = if *w < 0.0 { "s1" } else { "s0" };
            let (x0, x1) = (from.0, to.0);
            let path = if is_curved {
                // Beside the neurons in between.
                let (third, depth) = ((x1 - x0) / 3.0, 26.0);
                format!(
                    "M{x0:.1} {y0:.1}C{:.1} {:.1} {:.1} {:.1} {x1:.1} {y1:.1}",
                    x0 + third,
                    y0 + depth,
                    x1 - third,
                    y1 + depth
                )
            } else {
                format!("M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}")
            };
            let _ = write!(
                svg,
                "<path class=\"weight {style}\" stroke-width=\"{:.1}\" stroke-opacity=\"{:.2}\" d=\"{path}\"/>",
                0.3 + 2.7 * size,
                0.12 + 0.88 * size
            );
        }
    }
}

fn names(svg: &mut String, names: &[String], at: &[f64], x: f64, anchor: &str) {
    for (name, y) in names.iter().zip(at) {
        let _ = write!(
            svg,
            "<text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            y + 4.0,
            escape(&shortened(name, LETTERS))
        );
    }
}

/// What each layer is.
fn feet(svg: &mut String, x: &[f64], widths: &[usize], y: f64) {
    for (i, (x, n)) in x.iter().zip(widths).enumerate() {
        let what = if i == 0 {
            if *n == 1 { "1 input".into() } else { format!("{n} inputs") }
        } else if i == widths.len() - 1 {
            if *n == 1 { "1 output".into() } else { format!("{n} outputs") }
        } else {
            format!("{n} tanh")
        };
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{what}</text>");
    }
}

/// Layers as bars, as high as the logarithms of their widths.
fn layers(model: &Model, widths: &[usize]) -> String {
    let height = 190.0;
    let x = places(widths.len());
    let mut svg = open(height + 26.0);
    let bar = |n: usize| 26.0 + 34.0 * (n as f64).log2().min(4.8);
    let half: Vec<f64> = widths.iter().map(|n| bar(*n) / 2.0).collect();
    let middle = height / 2.0;
    for i in 1..widths.len() {
        let (x0, x1) = (x[i - 1] + 7.0, x[i] - 7.0);
        let _ = write!(
            svg,
            "<path class=\"bundle\" d=\"M{x0:.1} {:.1}L{x1:.1} {:.1}V{:.1}L{x0:.1} {:.1}Z\"/>",
            middle - half[i - 1],
            middle - half[i],
            middle + half[i],
            middle + half[i - 1]
        );
    }
    if model.topology().has_linear_part() && widths.len() > 2 {
        let (x0, x1) = (x[0], x[widths.len() - 1]);
        let (y0, y1) = (middle - half[0], middle - half[widths.len() - 1]);
        let _ = write!(
            svg,
            "<path class=\"guide\" d=\"M{x0:.1} {y0:.1}C{:.1} -8 {:.1} -8 {x1:.1} {y1:.1}\"/><text x=\"{:.1}\" y=\"12\" text-anchor=\"middle\">linear part</text>",
            x0 + 40.0,
            x1 - 40.0,
            WIDTH / 2.0
        );
    }
    for (x, half) in x.iter().zip(&half) {
        let _ = write!(
            svg,
            "<rect class=\"block\" x=\"{:.1}\" y=\"{:.1}\" width=\"14\" height=\"{:.1}\" rx=\"4\"/>",
            x - 7.0,
            middle - half,
            2.0 * half
        );
    }
    some_names(&mut svg, model.input_names(), middle, NAMES - 14.0, "end");
    some_names(&mut svg, model.output_names(), middle, WIDTH - NAMES + 14.0, "start");
    feet(&mut svg, &x, widths, height + 18.0);
    svg + "</svg>"
}

/// Names of a side; of many the first ones and the last.
fn some_names(svg: &mut String, all: &[String], middle: f64, x: f64, anchor: &str) {
    const SHOWN: usize = 7;
    let mut shown: Vec<String> = all.iter().take(SHOWN).cloned().collect();
    if all.len() > SHOWN {
        shown.truncate(SHOWN - 2);
        shown.push(format!("… {} more …", all.len() - SHOWN + 1));
        shown.extend(all.last().cloned());
    }
    let first = middle - 9.0 * (shown.len() as f64 - 1.0);
    let at: Vec<f64> = (0..shown.len()).map(|i| first + 18.0 * i as f64).collect();
    names(svg, &shown, &at, x, anchor);
}
