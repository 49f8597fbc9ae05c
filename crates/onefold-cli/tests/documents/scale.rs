//! The tables of docs/performance.md on small and large tables are those of results/scale.json.

use super::{document, root};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

const PAGE: &str = "docs/performance.md";

/// What stands between `<!-- scale cases -->`, `<!-- scale checks -->` or `<!-- scale grid -->` and
/// `<!-- end -->`, from what `make compare-scale` writes.
/// `UPDATE_RESULTS=1 cargo test -p onefold-cli --test documents` writes it anew.
#[test]
fn the_page_on_performance_has_the_scale_that_was_measured() {
    let text = document(PAGE).text;
    let results: Value =
        serde_json::from_str(&fs::read_to_string(root().join("results/scale.json")).unwrap()).unwrap();
    let mut parts = text.split("<!-- scale ");
    let mut expected = parts.next().unwrap().to_string();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let table = match name {
            "machine" => machine(&results),
            "cases" => cases(&results["cases"]),
            "checks" => checks(&results["cases"]),
            _ => grid(&results["grid"]),
        };
        expected += &["<!-- scale ", name, " -->\n", &table, "<!-- end -->", after].concat();
    }
    if std::env::var_os("UPDATE_RESULTS").is_some() {
        fs::write(root().join(PAGE), &expected).unwrap();
    } else {
        assert!(text == expected, "{PAGE}: UPDATE_RESULTS=1 cargo test -p onefold-cli --test documents");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn machine(results: &Value) -> String {
    let versions = &results["versions"];
    format!(
        "Measured on {}, with scikit-learn {}, numpy {} and pandas {}.\n",
        text(&results["machine"]),
        text(&versions["scikit-learn"]),
        text(&versions["numpy"]),
        text(&versions["pandas"])
    )
}

/// Seconds with three digits, or "more than" for a fit that was ended.
fn seconds(method: &Value) -> String {
    let seconds = number(&method["seconds"]);
    if method.get("over_limit").is_some() {
        return format!("more than {seconds:.0}");
    }
    match seconds {
        _ if seconds < 1.0 => format!("{seconds:.3}"),
        _ if seconds < 10.0 => format!("{seconds:.2}"),
        _ => format!("{seconds:.1}"),
    }
}

fn memory(method: &Value) -> String {
    format!("{:.0} MiB", number(&method["memory_mib"]))
}

fn score(method: &Value) -> String {
    match (method.get("accuracy"), method.get("error")) {
        (Some(accuracy), _) => format!("accuracy {:.4}", number(accuracy)),
        (_, Some(error)) => format!("error {:.4}", number(error)),
        _ => "-".into(),
    }
}

fn cases(cases: &Value) -> String {
    let mut table = String::from("| data | method | test | seconds | memory |\n|---|---|---|---:|---:|\n");
    for case in cases.as_object().unwrap().values() {
        for (name, method) in case["methods"].as_object().unwrap() {
            let data = text(&case["data"]);
            let row = [data, name, &score(method), &seconds(method), &memory(method)].join(" | ");
            let _ = writeln!(table, "| {row} |");
        }
    }
    table
}

fn checks(cases: &Value) -> String {
    let mut table = String::from("| data | what | measured | wanted | |\n|---|---|---:|---:|---|\n");
    for case in cases.as_object().unwrap().values() {
        for check in case["checks"].as_array().unwrap() {
            let _ = writeln!(
                table,
                "| {} | {} | {:.4} | {} {:.4} | {} |",
                text(&case["data"]),
                text(&check["what"]),
                number(&check["value"]),
                text(&check["wanted"]),
                number(&check["limit"]),
                if check["met"] == true { "met" } else { "**not met**" }
            );
        }
    }
    table
}

/// A row for each table and number of neurons; seconds and in brackets the test error.
fn grid(cells: &Value) -> String {
    const METHODS: [&str; 6] = [
        "onefold, 1 thread",
        "onefold, 2 threads",
        "MLPRegressor adam",
        "MLPRegressor lbfgs",
        "HistGradientBoosting",
        "LinearRegression",
    ];
    let mut table = format!("| rows x columns, neurons | {} | memory of onefold |\n", METHODS.join(" | "));
    table += &"|---".repeat(METHODS.len() + 2);
    table += "|\n";
    for cell in cells.as_object().unwrap().values() {
        let _ = write!(table, "| {} x {}, {} |", cell["rows"], cell["columns"], cell["neurons"]);
        for name in METHODS {
            let entry = match cell["methods"].get(name) {
                Some(method) if method.get("error").is_some() => {
                    format!("{} ({:.3})", seconds(method), number(&method["error"]))
                }
                Some(method) => seconds(method),
                None => "-".into(),
            };
            let _ = write!(table, " {entry} |");
        }
        let _ = writeln!(table, " {} |", memory(&cell["methods"][METHODS[1]]));
    }
    table
}
