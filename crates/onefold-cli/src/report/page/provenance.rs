//! Where the numbers come from: records, versions, machine and date.

use super::Subject;
use onefold::error::shown;
use onefold_campaign::store;
use onefold_report::number::grouped;
use onefold_report::{Block, Section};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn section(subject: &Subject<'_>, folder: Option<&Path>) -> Section {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, fact: Option<String>| {
        facts.extend(fact.map(|fact| (name.to_string(), shown(&fact).into_owned())));
    };
    let versions: BTreeSet<&str> = subject.records.iter().map(|record| record.version.as_str()).collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    add("campaign", Some(subject.campaign.name.clone()));
    add("records", Some(grouped(subject.records.len() as u64)));
    add("records made by", (!versions.is_empty()).then(|| format!("onefold {}", versions.join(", "))));
    add("records last written", folder.and_then(last_written));
    add("page made by", Some(format!("onefold {}", env!("CARGO_PKG_VERSION"))));
    add("page made on", Some(machine()));
    Section::new("Provenance", vec![Block::Facts(facts)])
}

/// When the newest file of the store was written.
fn last_written(folder: &Path) -> Option<String> {
    let files = store::files(folder).ok()?;
    let written = files.iter().filter_map(|path| std::fs::metadata(path).ok()?.modified().ok()).max()?;
    crate::output::date(written)
}

/// The processor, where the system names it, and its cores.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = onefold_report::number::counted(cores, "core");
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    model.map_or(format!("{system}, {cores}"), |model| format!("{model}, {cores}, {system}"))
}
