//! Where a model comes from.

use super::Subject;
use super::rows::PartKind;
use crate::number::grouped;
use crate::page::{Block, Section};
use onefold::error::shown;

/// What is known about the files of a page besides their contents.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The name of the model file.
    pub model: Option<String>,
    /// When the model file was written.
    pub written: Option<String>,
    /// The command that makes the page again.
    pub command: Option<String>,
}

pub(super) fn section(subject: &Subject<'_>, about: &About) -> Section {
    let (model, origin) = (subject.model, subject.model.origin());
    let mut facts: Vec<(&str, String)> = Vec::new();
    let mut add =
        |name, fact: Option<String>| facts.extend(fact.map(|fact| (name, shown(&fact).into_owned())));
    add("made by", Some(model.made_by().into()));
    add("model file", about.model.clone());
    add("model file written", about.written.clone());
    add("trained on", Some(origin.data.clone()));
    add("split", origin.partition.as_ref().map(ToString::to_string));
    let train = subject.answers.iter().find(|a| a.part.kind == PartKind::Training);
    add("training rows", train.map(|a| grouped(a.rows() as u64)));
    add("page about", Some(format!("{} ({})", subject.rows.name, what_rows(subject))));
    let method = &origin.settings.method;
    let is_searched = model.topology().dim() > 0;
    add("method", Some(if is_searched { method.method().to_string() } else { "least squares alone".into() }));
    add("seed", is_searched.then(|| method.common.seed.to_string()));
    add("population", is_searched.then(|| origin.settings.population().to_string()));
    add("evaluations", is_searched.then(|| grouped(origin.evaluations)));
    add("derivatives", (origin.slopes > 0).then(|| grouped(origin.slopes)));
    let threshold =
        origin.settings.stop.threshold.map(|threshold| {
            format!("{threshold}, {}", if origin.reached { "reached" } else { "not reached" })
        });
    add("target error", threshold);
    add("page made with", about.command.clone());
    let facts = facts.into_iter().map(|(name, fact)| (name.to_string(), fact)).collect();
    let settings = serde_json::to_string_pretty(&origin.settings).unwrap_or_default();
    Section::new(
        "Provenance",
        vec![Block::Facts(facts), Block::Details("All settings of the training".into(), escapes(&settings))],
    )
}

fn what_rows(subject: &Subject<'_>) -> &'static str {
    match subject.best().part.kind {
        PartKind::Given => "not known to be the table of the training",
        _ => "the table of the training",
    }
}

/// Text of several lines without characters that are invisible or change the direction of text.
fn escapes(text: &str) -> String {
    text.lines().map(|line| shown(line).into_owned()).collect::<Vec<_>>().join("\n")
}
