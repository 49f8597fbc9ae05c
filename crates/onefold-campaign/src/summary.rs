//! Summary statistics of each cell's records, compared with the paper's numbers.

use super::prediction::{SampleMeans, proportion_on_new_sample};
use super::statistics::{Interval, Sample, fisher, mean_and_deviation, ratio, ratio_to_repeat, wilson};
use super::{Campaign, Cell, Record};
use onefold::Method;
use std::collections::{BTreeMap, HashMap};

/// Runs behind each number of the paper.
const PAPER_RUNS: f64 = 50.0;
/// Significance level for differences in robustness.
const SIGNIFICANCE: f64 = 0.05;

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Its cell.
    pub cell: &'a Cell,
    /// Finished runs.
    pub runs: usize,
    /// Runs that reached the threshold.
    pub reached: usize,
    /// Number of noisy samples that the runs used; 1 for a fixed table.
    pub samples: usize,
    /// Evaluations of the runs that reached the threshold: mean and standard deviation.
    pub evaluations: Option<(f64, f64)>,
    /// Their means on each noisy sample, if there are several.
    sample_means: Option<SampleMeans>,
    /// Ratio of our mean evaluations to the paper's, with its 95 % interval: a prediction interval if there
    /// are several samples, otherwise Welch's.
    pub ratio: Option<Interval>,
    /// Ratio of the mean evaluations to those of the cell compared with, with its 95 % interval.
    pub versus: Option<Interval>,
    /// In rows of DE-SB, the ratio of DE's mean evaluations to DE-SB's, with the prediction interval for the
    /// paper's ratio.
    pub gain: Option<Interval>,
    /// The paper's ratio.
    pub paper_gain: Option<f64>,
    /// Scores on training rows, over the runs that reached the threshold, or over all runs if none did.
    pub training: Scores,
    /// The same on test rows.
    pub test: Scores,
    /// Mean seconds of a run.
    pub seconds: Option<f64>,
    /// How it compares with the paper.
    pub verdict: Verdict,
    /// The verdict of Welch's and Fisher's tests over all runs, if `verdict` uses a prediction interval: it
    /// ignores that samples differ in difficulty.
    pub verdict_over_runs: Option<Verdict>,
}

/// Mean and standard deviation over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// Mean squared error.
    pub error: Option<(f64, f64)>,
    /// Fraction of rows classified correctly.
    pub success: Option<(f64, f64)>,
}

/// How a row compares with the paper.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The paper has no result for it.
    NoPaper,
    /// No run is finished.
    Missing,
    /// Only one run is finished, which is too few for a test.
    TooFew,
    /// Neither evaluations nor robustness differ significantly.
    Agrees,
    /// Evaluations or robustness differ significantly, in these ways.
    Differs(Vec<String>),
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn text(&self) -> String {
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
    /// Fraction of the runs that reached the threshold.
    #[must_use]
    pub fn robustness(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.reached as f64 / self.runs as f64)
    }

    /// Wilson's interval of the robustness.
    #[must_use]
    pub fn robustness_interval(&self) -> Option<(f64, f64)> {
        (self.runs > 0).then(|| wilson(self.reached, self.runs))
    }
}

/// One row for each cell, in the campaign's order; only the first `runs` seeds of a cell count.
#[must_use]
pub fn rows<'a>(campaign: &'a Campaign, records: &[Record]) -> Vec<Row<'a>> {
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
    let scored = if reached.is_empty() { records } else { &reached };
    let over = |value: fn(&Record) -> Option<f64>| {
        mean_and_deviation(&scored.iter().filter_map(|r| value(r)).collect::<Vec<_>>())
    };
    let samples = by_sample(records);
    let sample_means = SampleMeans::new(&efforts(&samples));
    let paper = cell.paper.as_ref();
    let ours = evaluations.map(|(mean, deviation)| Sample { mean, deviation, count: reached.len() as f64 });
    let theirs = papers_sample(cell);
    let welch = ours.zip(theirs).and_then(|(ours, theirs)| ratio(ours, theirs));
    let predicted = sample_means.as_ref().zip(theirs).and_then(|(ours, theirs)| ours.ratio_to(theirs));
    let ratio = predicted.or(welch);
    let verdict_of = |counts: &[(usize, usize)], ratio| {
        paper.filter(|_| records.len() > 1).map(|paper| verdict(paper.robustness, counts, ratio))
    };
    let over_runs = verdict_of(&[(reached.len(), records.len())], welch);
    let counts: Vec<_> =
        samples.values().map(|s| (s.iter().filter(|r| r.reached).count(), s.len())).collect();
    // With one run on each sample the variances within and between samples cannot be separated: then all runs
    // are compared as if they used one sample.
    let is_over_samples = samples.len() > 1 && records.len() > samples.len();
    let over_samples = is_over_samples.then(|| verdict_of(&counts, ratio)).flatten();
    Row {
        cell,
        runs: records.len(),
        reached: reached.len(),
        samples: samples.len().max(1),
        evaluations,
        sample_means,
        ratio,
        versus: None,
        gain: None,
        paper_gain: None,
        training: Scores { error: over(|r| Some(r.verified_cost)), success: over(|r| r.train_accuracy) },
        test: Scores { error: over(|r| r.test_mse), success: over(|r| r.test_accuracy) },
        seconds: mean_and_deviation(&records.iter().map(|r| r.seconds).collect::<Vec<_>>())
            .map(|(mean, _)| mean),
        verdict: match (paper, records.len()) {
            (None, _) => Verdict::NoPaper,
            (_, 0) => Verdict::Missing,
            (_, 1) => Verdict::TooFew,
            _ => over_samples.clone().or(over_runs.clone()).unwrap_or(Verdict::Missing),
        },
        verdict_over_runs: over_samples.and(over_runs),
    }
}

/// The records of each noisy sample, by data seed; those of a fixed table form one group.
fn by_sample<'r>(records: &[&'r Record]) -> BTreeMap<Option<u64>, Vec<&'r Record>> {
    let mut samples: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in records {
        samples.entry(record.data_seed).or_default().push(*record);
    }
    samples
}

/// Evaluations of the runs on each sample that reached the threshold.
fn efforts(samples: &BTreeMap<Option<u64>, Vec<&Record>>) -> Vec<(u64, Vec<f64>)> {
    let effort =
        |records: &Vec<&Record>| records.iter().filter(|r| r.reached).map(|r| r.effort()).collect::<Vec<_>>();
    samples.iter().map(|(seed, records)| (seed.unwrap_or(0), effort(records))).collect()
}

/// The paper's mean and deviation, over its runs that reached the threshold.
fn papers_sample(cell: &Cell) -> Option<Sample> {
    let paper = cell.paper.as_ref()?;
    let count = (PAPER_RUNS * paper.robustness).round();
    Some(Sample { mean: paper.evaluations?, deviation: paper.deviation?, count })
}

/// Evaluations differ if the 95 % interval of their ratio does not contain 1. Robustness differs if the
/// paper's number of successes has a p-value below 5 %: in the distribution for a new sample if our successes
/// vary over several samples, otherwise in Fisher's exact test. `counts` are successes and runs on each
/// sample.
fn verdict(papers: f64, counts: &[(usize, usize)], ratio: Option<Interval>) -> Verdict {
    let mut ways = Vec::new();
    let paper_reached = (PAPER_RUNS * papers).round() as usize;
    let (reached, runs) = counts.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let probability = proportion_on_new_sample(counts, paper_reached, PAPER_RUNS as usize)
        .unwrap_or_else(|| fisher((reached, paper_reached), (runs, PAPER_RUNS as usize)));
    if probability < SIGNIFICANCE {
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

/// Evaluations of a row's runs that reached the threshold.
fn sample(row: &Row<'_>) -> Option<Sample> {
    row.evaluations.map(|(mean, deviation)| Sample { mean, deviation, count: row.reached as f64 })
}

/// Sets the ratio of each row to the cell that it is compared with.
fn add_comparisons(rows: &mut [Row<'_>], others: &[Row<'_>]) {
    let samples: HashMap<&str, Option<Sample>> =
        rows.iter().chain(others).map(|row| (row.cell.name.as_str(), sample(row))).collect();
    for row in rows.iter_mut() {
        let other = row.cell.versus().and_then(|name| *samples.get(name)?);
        row.versus = sample(row).zip(other).and_then(|(ours, theirs)| ratio(ours, theirs));
    }
}

/// Sets the ratio of DE to DE-SB in the rows of DE-SB.
fn add_gains(rows: &mut [Row<'_>]) {
    let of_de: HashMap<String, Row<'_>> = rows
        .iter()
        .filter(|row| row.cell.method() == Method::DE)
        .map(|row| (key(row.cell), row.clone()))
        .collect();
    for row in rows.iter_mut().filter(|row| row.cell.method() == Method::DE_SB) {
        if let Some(de) = of_de.get(&key(row.cell)) {
            row.gain = gain(de, row);
            let papers = |row: &Row<'_>| papers_sample(row.cell).map(|sample| sample.mean);
            row.paper_gain = papers(de).zip(papers(row)).map(|(de, de_sb)| de / de_sb);
        }
    }
}

/// The ratio of two cells' evaluations, with the prediction interval for the paper's ratio: on a new noisy
/// sample if both cells have several samples.
fn gain(de: &Row<'_>, de_sb: &Row<'_>) -> Option<Interval> {
    let theirs: Vec<_> =
        [de, de_sb].iter().filter_map(|row| papers_sample(row.cell)).map(Sample::variance).collect();
    if let (Some(a), Some(b)) = (&de.sample_means, &de_sb.sample_means) {
        return a.ratio_on_common(b, &theirs);
    }
    sample(de).zip(sample(de_sb)).and_then(|(a, b)| ratio_to_repeat(a, b, &theirs))
}

/// The name of a cell without its method, which DE and DE-SB on the same problem share.
fn key(cell: &Cell) -> String {
    let name = cell.name.as_str();
    let method = cell.method().name();
    name.rfind(method).map_or(name.into(), |at| format!("{}{}", &name[..at], &name[at + method.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let close = Some((1.1, 0.9, 1.3));
        let one_sample = |papers: f64, reached, ratio| verdict(papers, &[(reached, 50)], ratio).text();
        assert_eq!(one_sample(1.0, 50, close), "agrees");
        assert_eq!(one_sample(0.0, 0, None), "agrees");
        assert_eq!(one_sample(1.0, 50, Some((0.5, 0.4, 0.6))), "differs: 2.0 x fewer evaluations");
        assert_eq!(one_sample(1.0, 30, close), "differs: reached less often");
        assert_eq!(
            one_sample(0.36, 50, Some((3.0, 2.0, 4.0))),
            "differs: reached more often, 3.0 x more evaluations"
        );
        // A robustness of 0.36 is likely if all runs succeed on half of the samples and none on the others;
        // 0.1 is unlikely if half of the runs succeed on every sample.
        let mixed: Vec<_> = (0..20).map(|i| (4 * (i % 2), 4)).collect();
        assert_eq!(verdict(0.36, &mixed, close), Verdict::Agrees);
        assert_eq!(verdict(0.1, &[(2, 4); 20], close).text(), "differs: reached more often");
    }
}
