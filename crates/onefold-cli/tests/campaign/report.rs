//! Tables, figures and the page.

use crate::{onefold, records, setting, table};
use std::fs;
use tempfile::TempDir;

#[test]
fn tables_in_every_format_and_a_page() {
    let (folder, file) = setting();
    let store = folder.path().join("store");
    let markdown = table(&file, &store);
    assert!(markdown.contains("| iris/4-3-3/de-sb |") && markdown.contains("agrees"), "{markdown}");
    let report = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    assert_eq!(report(&["--format", "markdown"]), markdown);
    assert_eq!(report(&["--format", "csv"]).lines().count(), 4);
    assert!(report(&["--format", "latex"]).contains("\\begin{tabular}"));
    let json: serde_json::Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    assert_eq!(json["cells"][0]["runs"], 12);
    assert_eq!(json["cells"][0]["readings"]["population"], 40);
    let page = folder.path().join("page.html");
    let figures = folder.path().join("figures");
    report(&["-o", page.to_str().unwrap(), "--figures", figures.to_str().unwrap()]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<table") && html.contains("<svg") && html.contains("convergence-iris-4-3-3"));
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "the page needs no network");
    let png = fs::read(figures.join("convergence-iris-4-3-3.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(figures.join("fit-syn5-1-3-1.svg")).unwrap().contains("<svg"));
    // The same records, the same bytes.
    let again = folder.path().join("again.html");
    report(&["-o", again.to_str().unwrap()]);
    assert_eq!(html, fs::read_to_string(again).unwrap());
}

/// A generated set on three noisy samples in turn, and the same reading by name.
const SAMPLES: &str = r#"
name = "samples"
runs = 9

[[cell]]
data = "syn5"
hidden = "3"
method = "de"
data_seeds = 3
paper = { evaluations = 7.30e4, deviation = 1.8e4, robustness = 1.0, test = 6.27e-05, test_deviation = 3.2e-06 }

[[cell]]
data = "syn5"
hidden = "3"
method = "de-sb"
data_seeds = 3
paper = { evaluations = 3.20e4, deviation = 9.4e3, robustness = 1.0, test = 6.27e-05, test_deviation = 3.2e-06 }

[[cell]]
name = "iris/4-3-3/de-sb/standard"
data = "iris"
hidden = "3"
method = "de-sb"
scaling = "standard"
table = "readings"
paper = { evaluations = 1.24e4, deviation = 2.5e3, robustness = 1.0, test = 0.994, test_deviation = 0.006 }
"#;

#[test]
fn several_noisy_samples_are_judged_by_prediction() {
    let folder = TempDir::new().unwrap();
    let (file, store) = (folder.path().join("samples.toml"), folder.path().join("store"));
    fs::write(&file, SAMPLES).unwrap();
    table(&file, &store);
    let mut seeds: Vec<(u64, u64)> = records(&store)
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|r| r["cell"] == "syn5/1-3-1/de")
        .map(|r| (r["seed"].as_u64().unwrap(), r["data_seed"].as_u64().unwrap()))
        .collect();
    seeds.sort_unstable();
    assert_eq!(seeds, (0..9).map(|seed| (seed, 1 + seed % 3)).collect::<Vec<_>>());
    let report = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    let cell = &json["cells"][1];
    assert_eq!((cell["samples"].as_u64(), cell["readings"]["data_seed"].as_str()), (Some(3), Some("1..3")));
    assert!(cell["verdict_over_runs"].is_string(), "{cell}");
    assert!(cell["de_to_de_sb"]["low"].as_f64() < cell["de_to_de_sb"]["ratio"].as_f64(), "{cell}");
    assert!(cell["training"]["error"]["mean"].as_f64().unwrap() <= 5e-5, "{cell}");
    let iris = &json["cells"][2];
    assert!(
        iris["verdict_over_runs"].is_null() && iris["training"]["success"]["mean"].as_f64().unwrap() > 0.97
    );
    assert!(report(&["--view", "verdicts"]).contains("of 3 cells agree** with the paper"));
    assert!(report(&["--view", "gains"]).contains("| syn5 1-3-1 |"));
    let readings = report(&["--view", "readings"]);
    assert!(readings.contains("| reading | iris/4-3-3/de-sb | training | distance |\n"), "{readings}");
    let refused = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().code(2);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    assert!(refused(&["--view", "gains", "--format", "csv"]).contains("--view writes Markdown"));
    assert!(refused(&["--table", "cells,more"]).contains("--table more: must be one of cells, readings"));
}
