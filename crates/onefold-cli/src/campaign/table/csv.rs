//! CSV: plain numbers, one line for each cell.

use crate::spreadsheet::Writer;
use onefold_campaign::summary::{Row, Verdict};

pub(super) fn write(rows: &[Row<'_>]) -> String {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, false);
    let is_written = "writing to memory does not fail";
    for (i, row) in rows.iter().enumerate() {
        let fields = fields(row);
        if i == 0 {
            writer.write_record(fields.iter().map(|(name, _)| name)).expect(is_written);
        }
        writer.write_record(fields.iter().map(|(_, value)| value)).expect(is_written);
    }
    writer.flush().expect(is_written);
    drop(writer);
    String::from_utf8(bytes).expect("all fields are text")
}

/// The names of the columns with the values of a row.
fn fields(row: &Row<'_>) -> [(&'static str, String); 32] {
    let number = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
    let paper = row.cell.paper.as_ref();
    let robustness = row.robustness_interval();
    [
        ("table", row.cell.table.clone()),
        ("cell", row.cell.name.clone()),
        ("population", row.cell.settings.population().to_string()),
        ("samples", row.samples.to_string()),
        ("runs", row.runs.to_string()),
        ("reached", row.reached.to_string()),
        ("robustness", number(row.robustness())),
        ("robustness_low", number(robustness.map(|i| i.0))),
        ("robustness_high", number(robustness.map(|i| i.1))),
        ("evaluations", number(row.evaluations.map(|e| e.0))),
        ("deviation", number(row.evaluations.map(|e| e.1))),
        ("paper_robustness", number(paper.map(|p| p.robustness))),
        ("paper_evaluations", number(paper.and_then(|p| p.evaluations))),
        ("paper_deviation", number(paper.and_then(|p| p.deviation))),
        ("ratio", number(row.ratio.map(|r| r.0))),
        ("ratio_low", number(row.ratio.map(|r| r.1))),
        ("ratio_high", number(row.ratio.map(|r| r.2))),
        ("de_to_de_sb", number(row.gain.map(|g| g.0))),
        ("de_to_de_sb_low", number(row.gain.map(|g| g.1))),
        ("de_to_de_sb_high", number(row.gain.map(|g| g.2))),
        ("paper_de_to_de_sb", number(row.paper_gain)),
        ("training_success", number(row.training.success.map(|t| t.0))),
        ("training_error", number(row.training.error.map(|t| t.0))),
        ("test_success", number(row.test.success.map(|t| t.0))),
        ("test_success_deviation", number(row.test.success.map(|t| t.1))),
        ("test_error", number(row.test.error.map(|t| t.0))),
        ("test_error_deviation", number(row.test.error.map(|t| t.1))),
        ("paper_test", number(paper.and_then(|p| p.test))),
        ("paper_test_deviation", number(paper.and_then(|p| p.test_deviation))),
        ("seconds", number(row.seconds)),
        ("verdict", row.verdict.text()),
        ("verdict_over_runs", row.verdict_over_runs.as_ref().map_or(String::new(), Verdict::text)),
    ]
}
