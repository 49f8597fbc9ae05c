//! What the records of a cell come to, beside the paper's numbers.

use super::statistics::{Sample, fisher, mean_and_deviation, ratio, wilson};
use super::{Campaign, Cell, Record};
use onefold::Method;
use std::collections::HashMap;

/// Runs behind each number of the paper.
const PAPER_RUNS: f64 = 50.0;
/// A difference in robustness counts below this probability of Fisher's exact test.
const SIGNIFICANCE: f64 = 0.05;

/// One row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) cell: &'a Cell,
    /// Finished runs.
    pub(crate) runs: usize,
    pub(crate) reached: usize,
    /// Evaluations of the runs that reached the target: mean and standard deviation.
    pub(crate) evaluations: Option<(f64, f64)>,
    /// Ours to the paper's, with its 95 % interval.
    pub(crate) ratio: Option<(f64, f64, f64)>,
    /// Ours to those of the cell that it is set beside, with its 95 % interval.
    pub(crate) versus: Option<(f64, f64, f64)>,
    /// Mean evaluations of DE to those of DE-SB, at DE-SB: ours and the paper's.
    pub(crate) gain: Option<f64>,
    pub(crate) paper_gain: Option<f64>,
    /// Test error or success, over the runs that reached the target, or all where none did.
    pub(crate) test: Option<(f64, f64)>,
    pub(crate) is_classification: bool,
    /// Mean seconds of a run.
    pub(crate) seconds: Option<f64>,
    pub(crate) verdict: Verdict,
}

/// How a row compares with the paper.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// There is nothing to compare with.
    NoPaper,
    /// No run is finished.
    Missing,
    /// One run says nothing about a distribution.
    TooFew,
    /// Neither evaluations nor robustness differ significantly.
    Agrees,
    /// They do, in these ways.
    Differs(Vec<String>),
}

impl Verdict {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::NoPaper => String::new(),
            Self::Missing => "not run".into(),
            Self::TooFew => "one run only".into(),
            Self::Agrees => "agrees".into(),
            Self::Differs(ways) => format!("differs: {}", ways.join(", ")),
        }
    }
}

impl Row<'_> {
    pub(crate) fn robustness(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.reached as f64 / self.runs as f64)
    }

    /// Wilson's interval of the robustness.
    pub(crate) fn robustness_interval(&self) -> Option<(f64, f64)> {
        (self.runs > 0).then(|| wilson(self.reached, self.runs))
    }
}

/// One row for each cell, in the campaign's order; only the first `runs` seeds of a cell count.
pub(crate) fn rows<'a>(campaign: &'a Campaign, records: &[Record]) -> Vec<Row<'a>> {
    let mut of_cell: HashMap<&str, Vec<&Record>> = HashMap::new();
    for record in records {
        of_cell.entry(&record.cell).or_default().push(record);
    }
    let summarised = |cell: &'a Cell| {
        let all = of_cell.get(cell.name.as_str()).map_or(&[][..], Vec::as_slice);
        let of_runs: Vec<&Record> = all.iter().copied().filter(|r| r.seed < cell.runs as u64).collect();
        row(cell, &of_runs)
    };
    let mut rows: Vec<Row<'a>> = campaign.cells.iter().map(summarised).collect();
    let others: Vec<Row<'a>> = campaign.others.iter().map(summarised).collect();
    add_gains(&mut rows);
    add_comparisons(&mut rows, &others);
    rows
}

fn row<'a>(cell: &'a Cell, records: &[&Record]) -> Row<'a> {
    let reached: Vec<&Record> = records.iter().copied().filter(|r| r.reached).collect();
    let evaluations = mean_and_deviation(&reached.iter().map(|r| r.effort()).collect::<Vec<_>>());
    let judged = if reached.is_empty() { records } else { &reached };
    let test: Vec<f64> = judged.iter().filter_map(|r| r.test_accuracy.or(r.test_mse)).collect();
    let paper = cell.paper.as_ref();
    let ours = evaluations.map(|(mean, deviation)| Sample { mean, deviation, count: reached.len() as f64 });
    let theirs = paper.and_then(|p| {
        let count = (PAPER_RUNS * p.robustness).round();
        Some(Sample { mean: p.evaluations?, deviation: p.deviation?, count })
    });
    let ratio = ours.zip(theirs).and_then(|(ours, theirs)| ratio(ours, theirs));
    Row {
        cell,
        runs: records.len(),
        reached: reached.len(),
        evaluations,
        ratio,
        versus: None,
        gain: None,
        paper_gain: None,
        test: mean_and_deviation(&test),
        is_classification: cell.is_classification,
        seconds: mean_and_deviation(&records.iter().map(|r| r.seconds).collect::<Vec<_>>())
            .map(|(mean, _)| mean),
        verdict: match paper {
            None => Verdict::NoPaper,
            Some(_) if records.is_empty() => Verdict::Missing,
            Some(_) if records.len() == 1 => Verdict::TooFew,
            Some(paper) => verdict(paper.robustness, reached.len(), records.len(), ratio),
        },
    }
}

/// Evaluations differ when the 95 % interval of their ratio does not contain 1, robustness by Fisher's exact test at 5 %.
fn verdict(papers: f64, reached: usize, runs: usize, ratio: Option<(f64, f64, f64)>) -> Verdict {
    let mut ways = Vec::new();
    let paper_reached = (PAPER_RUNS * papers).round() as usize;
    if fisher((reached, paper_reached), (runs, PAPER_RUNS as usize)) < SIGNIFICANCE {
        let more = reached as f64 / runs as f64 > papers;
        ways.push(format!("reached {} often", if more { "more" } else { "less" }));
    }
    if let Some((ratio, low, high)) = ratio
        && !(low..=high).contains(&1.0)
    {
        ways.push(if ratio < 1.0 {
            format!("{:.1} x fewer evaluations", 1.0 / ratio)
        } else {
            format!("{ratio:.1} x more evaluations")
        });
    }
    if ways.is_empty() { Verdict::Agrees } else { Verdict::Differs(ways) }
}

/// Sets the ratios to the cells that cells are set beside.
fn add_comparisons(rows: &mut [Row<'_>], others: &[Row<'_>]) {
    let sample = |row: &Row<'_>| {
        row.evaluations.map(|(mean, deviation)| Sample { mean, deviation, count: row.reached as f64 })
    };
    let samples: HashMap<&str, Option<Sample>> =
        rows.iter().chain(others).map(|row| (row.cell.name.as_str(), sample(row))).collect();
    for row in rows.iter_mut() {
        let other = row.cell.given.versus.as_deref().and_then(|name| *samples.get(name)?);
        row.versus = sample(row).zip(other).and_then(|(ours, theirs)| ratio(ours, theirs));
    }
}

/// Sets the ratio of DE to DE-SB in the rows of DE-SB.
fn add_gains(rows: &mut [Row<'_>]) {
    let of_de: HashMap<String, (Option<f64>, Option<f64>)> = rows
        .iter()
        .filter(|row| row.cell.method() == Method::De)
        .map(|row| (key(row.cell), (row.evaluations.map(|e| e.0), papers(row.cell))))
        .collect();
    for row in rows.iter_mut().filter(|row| row.cell.method() == Method::DeSb) {
        if let Some((ours, theirs)) = of_de.get(&key(row.cell)) {
            row.gain = ours.zip(row.evaluations).map(|(de, (de_sb, _))| de / de_sb);
            row.paper_gain = theirs.zip(papers(row.cell)).map(|(de, de_sb)| de / de_sb);
        }
    }
}

/// What DE and DE-SB of the same problem have in common.
fn key(cell: &Cell) -> String {
    let name = cell.name.as_str();
    let method = cell.method().name();
    name.rfind(method).map_or(name.into(), |at| format!("{}{}", &name[..at], &name[at + method.len()..]))
}

fn papers(cell: &Cell) -> Option<f64> {
    cell.paper.as_ref().and_then(|p| p.evaluations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let close = Some((1.1, 0.9, 1.3));
        assert_eq!(verdict(1.0, 50, 50, close), Verdict::Agrees);
        assert_eq!(verdict(0.0, 0, 50, None), Verdict::Agrees);
        assert_eq!(verdict(1.0, 50, 50, Some((0.5, 0.4, 0.6))).text(), "differs: 2.0 x fewer evaluations");
        assert_eq!(verdict(1.0, 30, 50, close).text(), "differs: reached less often");
        assert_eq!(
            verdict(0.36, 50, 50, Some((3.0, 2.0, 4.0))).text(),
            "differs: reached more often, 3.0 x more evaluations"
        );
    }
}
