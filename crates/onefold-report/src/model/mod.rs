//! The page about a model: what it predicts, how well, and on what.

mod answers;
mod classes;
mod data;
mod provenance;
mod reasons;
mod regression;
mod rows;
mod scores;
mod sentence;

pub use provenance::About;
pub use rows::{Part, PartKind, Rows};

use crate::chart::Style;
use crate::network;
use crate::number::counted;
use crate::page::{Block, Figure, Key, Page, Section};
use answers::Answers;
use onefold::Model;
use onefold::error::shown;

/// A model and what it answers to rows, for all sections.
struct Subject<'a> {
    model: &'a Model,
    rows: &'a Rows,
    /// The answers to each part of the rows.
    answers: Vec<Answers<'a>>,
}

impl<'a> Subject<'a> {
    /// The part that says most about new rows: the one that did not train, if there is one.
    fn best(&self) -> &Answers<'a> {
        let unseen = self.answers.iter().find(|a| a.part.kind == PartKind::Unseen);
        unseen.unwrap_or(&self.answers[0])
    }

    /// The name of what is predicted.
    fn target(&self) -> String {
        let schema = self.model.schema();
        let names: Vec<&str> = schema.targets.iter().map(|target| target.name.as_str()).collect();
        match names.as_slice() {
            [] => "the target".into(),
            [one] => shown(one).into_owned(),
            [first, .., last] if names.len() == 2 => shown(&format!("{first} and {last}")).into_owned(),
            [first, ..] => format!("{} and {} more targets", shown(first), names.len() - 1),
        }
    }
}

/// The page about a model and rows with targets.
///
/// # Errors
/// If there are no rows, or its predictions are no numbers.
pub fn model_page(model: &Model, rows: &Rows, about: &About) -> Result<String, String> {
    let answers: Vec<Answers<'_>> = rows.parts.iter().filter_map(|part| Answers::new(model, part)).collect();
    if answers.is_empty() {
        return Err(format!("{}: there are no rows to report on", rows.name));
    }
    if answers.iter().any(|a| !a.scores.mse.is_finite()) {
        return Err(format!("{}: the error is too large for a number", rows.name));
    }
    let subject = Subject { model, rows, answers };
    let mut sections = vec![scores::section(&subject)];
    let answers = if model.is_classification() { classes::section } else { regression::section };
    sections.push(answers(&subject));
    sections.extend(reasons::section(&subject));
    sections.push(network_section(model));
    sections.push(data::section(&subject));
    sections.push(provenance::section(&subject, about));
    let page = Page {
        kind: "onefold model".into(),
        title: format!("Predicting {}", subject.target()),
        summary: sentence::summary(&subject),
        cards: scores::cards(&subject),
        sections,
        footer: format!(
            "Made by onefold {}. The page needs no network; nothing in it is loaded from elsewhere.",
            env!("CARGO_PKG_VERSION")
        ),
    };
    page.to_html()
}

fn network_section(model: &Model) -> Section {
    let drawing = network::draw(model);
    let topology = model.topology();
    let parameters = counted(model.parameters(), "parameter");
    let output = match (model.is_classification(), model.has_probabilities()) {
        (true, true) => "The outputs are probabilities of the classes.",
        (true, false) => "The outputs are scores of the classes by least squares; the largest one wins.",
        (false, _) => "The output layer is linear.",
    };
    let how = if drawing.has_weights {
        "Lines are weights: the wider, the larger beside the others of its layer. Inputs are scaled, so that weights \
         can be compared; shifts of neurons are not drawn."
    } else {
        "It has too many weights to draw each one: bars are layers, with the number of their neurons below."
    };
    let legend = if drawing.has_weights {
        vec![Key::line(Style(0), "positive weight"), Key::line(Style(1), "negative weight")]
    } else {
        Vec::new()
    };
    let figure = Figure {
        id: "network-drawing".into(),
        title: format!("{topology}, {parameters}"),
        caption: format!("{output} {how}"),
        legend,
        svg: drawing.svg,
        numbers: None,
        is_wide: true,
    };
    Section::new("Network", vec![Block::Figures(vec![figure])])
}

#[cfg(test)]
mod tests;
