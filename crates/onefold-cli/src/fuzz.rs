//! `onefold fuzz`, which the help does not show: damaged files of every kind, to see that none does harm.
//!
//! Inputs are mutations of good ones, each decided by seed and number, so that a finding can be repeated alone.

mod mutate;

use crate::args::{FuzzArgs, FuzzTarget};
use crate::campaign::Campaign;
use crate::drawing::draw;
use crate::failure::Failure;
use crate::output::{self, grouped};
use mutate::Mutator;
use onefold::{
    Builtin, Categories, Checkpoint, FitSettings, Method, Missing, Model, RowSettings, Split, Table,
    TableRows, TableSchema, TableSettings, Task, TrainTest, Training, fit,
};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An input that takes longer is a finding.
const LONGEST: Duration = Duration::from_secs(10);
/// Memory that no input may need.
const MOST_KIB: u64 = 2 << 20;

pub(crate) fn run(args: &FuzzArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let mut found = 0;
    let targets = args.target.map_or(FuzzTarget::ALL.to_vec(), |t| vec![t]);
    for target in targets {
        let result = fuzz(target, args.seed, args.first..args.first + args.runs);
        for finding in &result.findings {
            output::print(&format!(
                "{target:?} case {}: {}\n  {:?}\n",
                finding.case, finding.what, finding.input
            ))?;
        }
        found += result.findings.len();
        output::print(&format!(
            "{target:?}: {} inputs, {} accepted, {} findings, {:.0} s\n",
            grouped(args.runs),
            grouped(result.accepted),
            result.findings.len(),
            started.elapsed().as_secs_f64()
        ))?;
    }
    if found > 0 { Err(Failure::failed(format!("{found} inputs do harm"))) } else { Ok(()) }
}

/// An input that does harm.
#[derive(Debug)]
pub(crate) struct Finding {
    case: u64,
    what: String,
    input: String,
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Inputs that were taken for good ones.
    accepted: u64,
    findings: Vec<Finding>,
}

pub(crate) fn fuzz(target: FuzzTarget, seed: u64, cases: std::ops::Range<u64>) -> Outcome {
    let subject = Subject::new(target);
    let mut outcome = Outcome::default();
    let watch = Watch::start(target);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for case in cases {
        let mut mutator =
            Mutator::new(seed, case, matches!(target, FuzzTarget::Model | FuzzTarget::Checkpoint));
        let input = mutator.mutate(&subject.corpus);
        watch.case.store(case, Ordering::Relaxed);
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| subject.accepts(&input, &mut mutator)));
        let what = match result {
            Ok(Ok(accepted)) => {
                outcome.accepted += u64::from(accepted);
                None
            }
            Ok(Err(reason)) => Some(reason),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                Some(format!("it panics: {}", text.unwrap_or_default()))
            }
        };
        let what = what.or_else(|| (started.elapsed() > LONGEST).then(|| "it takes too long".into()));
        let what = what.or_else(|| {
            (case.is_multiple_of(64) && peak_kib() > MOST_KIB).then(|| "it takes too much memory".into())
        });
        if let Some(what) = what {
            let input = String::from_utf8_lossy(&input[..input.len().min(2000)]).into_owned();
            outcome.findings.push(Finding { case, what, input });
            if outcome.findings.len() >= 10 {
                break;
            }
        }
    }
    std::panic::set_hook(hook);
    outcome
}

/// Ends the program when an input never ends, and says which.
struct Watch {
    case: Arc<AtomicU64>,
    is_over: Arc<AtomicU64>,
}

impl Watch {
    fn start(target: FuzzTarget) -> Self {
        let (case, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (seen, ends) = (Arc::clone(&case), Arc::clone(&is_over));
        std::thread::spawn(move || {
            let (mut last, mut since) = (u64::MAX, Instant::now());
            while ends.load(Ordering::Relaxed) == 0 {
                std::thread::sleep(Duration::from_millis(200));
                let now = seen.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed() > 6 * LONGEST {
                    eprintln!("{target:?} case {now} does not end");
                    std::process::exit(1);
                }
            }
        });
        Self { case, is_over }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.is_over.store(1, Ordering::Relaxed);
    }
}

/// Most memory that the process has had; 0 where the system does not say.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What reads the inputs, and good ones to begin with.
struct Subject {
    target: FuzzTarget,
    corpus: Vec<Vec<u8>>,
    schema: Option<TableSchema>,
}

const TABLES: [&str; 6] = [
    "a,b,y\n1,2,3\n4,5.5,6\n-7e2,8,9\n1,1,1\n3,2,1\n0,0,7\n",
    "id;colour;size;class\nu;red;1;yes\nv;blue;;no\nw;red;3;yes\nx;green;4;no\n",
    "\u{feff}\"a, b\"\t\"c\"\"d\"\te\r\n1\t2\t3\r\n\r\n4\tNA\t6\r\n7\t8\t?\r\n",
    "x,x,o,positive\no,x,x,negative\nb,x,o,positive\n",
    "1|2|3\n4|5|6\n7|8|10\n1e150|-1e150|0\n",
    "t,y\n1e-300,1\n2e-300,2\n3e-300,inf\n",
];

const CAMPAIGN: &str = "name = \"fuzz\"\nruns = 3\n\n[[cell]]\ndata = \"sinc\"\nhidden = \"5\"\nmethod = \"de-sb\"\npopulation = 40\n\
    target = 5e-5\nsamples = 20\nnoise = 0.005\ndata_seed = \"run\"\nweight = 0.5\ncrossover_rate = 0.9\nquick = 2\n\n[[cell]]\nname = \"b\"\n\
    data = \"balance\"\nhidden = \"5-1-5\"\nmethod = \"cma-es\"\nsplit = \"1/1\"\nsplit_kind = \"shifted\"\nencoding = \"raw\"\nscaling = \"min-max\"\n\
    sigma = 0.3\npreset = \"pycma\"\nmax_evaluations = 1e6\npaper = { evaluations = 8.06e5, deviation = 3.2e5, robustness = 1.0 }\n";

impl Subject {
    fn new(target: FuzzTarget) -> Self {
        let (data, settings) = run_on_iris();
        let (mut corpus, mut schema) = (Vec::new(), None);
        match target {
            FuzzTarget::Csv => {
                corpus.extend(TABLES.map(|t| t.as_bytes().to_vec()));
                schema = table_model().table;
            }
            FuzzTarget::Model => {
                let model = fit("iris", &data, &settings, |_| ControlFlow::Continue(())).map(|f| f.model);
                corpus.extend(model.map(|m| m.to_json().into_bytes()));
                corpus.push(table_model().to_json().into_bytes());
            }
            FuzzTarget::Checkpoint => {
                let mut text = String::new();
                if let Ok(training) = Training::prepare("iris", &data, &settings) {
                    let _ = training.run(|progress| {
                        text = Checkpoint::new("iris", &data, &settings, progress).to_json();
                        ControlFlow::Continue(())
                    });
                }
                corpus.push(text.into_bytes());
            }
            FuzzTarget::Toml => corpus.push(CAMPAIGN.as_bytes().to_vec()),
        }
        Self { target, corpus, schema }
    }

    /// Whether an input is taken for a good one; an error if it is, and should not be.
    fn accepts(&self, input: &[u8], mutator: &mut Mutator) -> Result<bool, String> {
        let text = String::from_utf8_lossy(input);
        match self.target {
            FuzzTarget::Csv => self.accepts_table(input, mutator),
            FuzzTarget::Model => {
                let Ok(model) = Model::from_json(&text) else { return Ok(false) };
                let answer = model.predict(&vec![0.5; model.topology.inputs()]);
                let _ =
                    (model.winner(&answer), draw(&model), model.norm(), model.origin.settings.population());
                let again = Model::from_json(&model.to_json())?;
                if again == model { Ok(true) } else { Err("its file is not the same as it was".into()) }
            }
            FuzzTarget::Checkpoint => {
                let Ok(checkpoint) = Checkpoint::from_json(&text) else { return Ok(false) };
                Ok(checkpoint.state().is_ok())
            }
            FuzzTarget::Toml => Ok(Campaign::parse(&text, "fuzz.toml").is_ok()),
        }
    }

    fn accepts_table(&self, input: &[u8], mutator: &mut Mutator) -> Result<bool, String> {
        if let Some(schema) = &self.schema {
            let how = RowSettings { targets: mutator.coin(), ..RowSettings::default() };
            if let Ok(mut rows) = TableRows::open("t.csv", schema, None, &how, input) {
                while let Ok(Some(row)) = rows.next_row() {
                    if row
                        .inputs
                        .is_some_and(|v| v.len() != schema.width() || v.iter().any(|v| !v.is_finite()))
                    {
                        return Err("a row is not what the schema says".into());
                    }
                }
            }
        }
        let pick = |mutator: &mut Mutator, of: usize| mutator.below(of);
        let settings = TableSettings {
            task: [None, Some(Task::Regression), Some(Task::Classification)][pick(mutator, 3)],
            categories: [Categories::OneHot, Categories::Ordinal, Categories::Refuse][pick(mutator, 3)],
            missing: [Missing::Refuse, Missing::Drop, Missing::Mean][pick(mutator, 3)],
            header: [None, Some(true), Some(false)][pick(mutator, 3)],
            delimiter: [None, None, Some(','), Some(' ')][pick(mutator, 4)],
            target_column: [vec![], vec!["1".into()], vec!["2,y".into()]][pick(mutator, 3)].clone(),
            id_column: [vec![], vec!["1".into()]][pick(mutator, 2)].clone(),
            ..TableSettings::default()
        };
        // Every other time as it would be read by default: more of these are accepted.
        let settings = if mutator.coin() { TableSettings::default() } else { settings };
        let Ok(table) = Table::from_reader("t.csv", &settings, input) else { return Ok(false) };
        let _ = table.summary();
        let parted = match pick(mutator, 4) {
            0 => table.split(&Split::All),
            1 => table.fold(0, 2, 1),
            2 => table.split(&Split::Fraction { test: 0.4, seed: 1 }),
            _ => "2/1".parse().and_then(|rule| table.split(&Split::Rule(rule))),
        };
        let Ok(data) = parted else { return Ok(false) };
        let TrainTest { train, test, .. } = &data;
        for part in [train, test] {
            let mut columns = part.inputs.iter().chain(&part.outputs);
            if columns.any(|c| c.len() != part.rows() || c.iter().any(|v| !v.is_finite())) {
                return Err("a column is not whole".into());
            }
        }
        let settings = FitSettings::for_data(train, "1", Method::De).map_err(|e| e.to_string())?;
        Training::prepare("t", &data, &settings).map(|_| true).map_err(|e| e.to_string())
    }
}

fn run_on_iris() -> (TrainTest, FitSettings) {
    let data = Builtin::Iris.load(&Default::default()).unwrap_or_default();
    let settings = FitSettings::for_builtin(Builtin::Iris, Some("2"), Method::DeSb);
    let mut settings = settings.expect("the paper has such a network");
    settings.method.set_population(8);
    settings.stop.max_generations = Some(2);
    (data, settings)
}

fn table_model() -> Model {
    let text = "id,size,colour,price\nu,1,red,10\nv,2,blue,25\nw,3,red,31\nx,,blue,4\n";
    let how =
        TableSettings { id_column: vec!["id".into()], missing: Missing::Mean, ..TableSettings::default() };
    let data = Table::from_reader("t.csv", &how, text.as_bytes()).and_then(|t| t.split(&Split::All));
    let data = data.expect("a good table");
    let mut settings = FitSettings::for_data(&data.train, "1", Method::De).expect("a good network");
    settings.stop.max_generations = Some(1);
    fit("t.csv", &data, &settings, |_| ControlFlow::Continue(())).expect("a good run").model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thousand_damaged_files_of_every_kind_do_no_harm() {
        for target in FuzzTarget::ALL {
            let outcome = fuzz(target, 1, 0..2000);
            assert!(outcome.findings.is_empty(), "{target:?}: {:?}", outcome.findings);
            assert!(outcome.accepted > 0 && outcome.accepted < 2000, "{target:?}: {}", outcome.accepted);
        }
    }
}
