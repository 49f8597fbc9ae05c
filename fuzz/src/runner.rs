//! Damaged inputs by seed and number, so that a finding can be repeated alone, with limits of time and
//! memory.

use crate::Target;
use crate::mutate::Mutator;
use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// An input that takes longer is a finding.
const LONGEST: Duration = Duration::from_secs(10);
/// One that takes longer than this never ends, and ends the program.
const ENDLESS: Duration = Duration::from_secs(60);
/// Memory that no input may need.
const MOST_KIB: u64 = 2 << 20;
/// Findings after which a target is left.
const ENOUGH: usize = 10;
/// Bytes of an input that a finding shows.
const SHOWN: usize = 2000;

/// An input that shows a mistake.
#[derive(Debug)]
pub struct Finding {
    /// Its number.
    pub case: u64,
    /// What went wrong.
    pub what: String,
    /// Its beginning, as text.
    pub input: String,
}

/// What came of a target's inputs.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Inputs that were accepted.
    pub accepted: u64,
    /// Inputs that show a mistake.
    pub findings: Vec<Finding>,
}

/// Held while panics are not reported: the panic hook is the whole process's.
static SILENCE: Mutex<()> = Mutex::new(());

/// Gives a target the inputs of a seed with these numbers.
#[must_use]
pub fn run(target: &Target, seed: u64, cases: Range<u64>) -> Outcome {
    let seeds = (target.seeds)();
    let mut outcome = Outcome::default();
    let watch = Watch::start(target.name);
    // Panics are findings and reported as such.
    let _silence = SILENCE.lock();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for case in cases {
        let input = Mutator::new(seed, case, target).input(&seeds);
        watch.case.store(case, Ordering::Relaxed);
        match check(target, case, &input) {
            Ok(accepted) => outcome.accepted += u64::from(accepted),
            Err(what) => {
                let input = String::from_utf8_lossy(&input[..input.len().min(SHOWN)]).into_owned();
                outcome.findings.push(Finding { case, what, input });
            }
        }
        if outcome.findings.len() >= ENOUGH {
            break;
        }
    }
    std::panic::set_hook(hook);
    outcome
}

/// Whether an input is accepted, or what is wrong.
fn check(target: &Target, case: u64, input: &[u8]) -> Result<bool, String> {
    let started = Instant::now();
    let accepted = catch_unwind(|| (target.check)(input)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        format!("it panics: {}", text.unwrap_or_default())
    })?;
    if started.elapsed() > LONGEST {
        return Err("it takes too long".into());
    }
    // Asked seldom: the system's answer takes as long as many inputs.
    if case.is_multiple_of(64) && peak_kib() > MOST_KIB {
        return Err("it, or one shortly before it, takes too much memory".into());
    }
    Ok(accepted)
}

/// Most memory that the process has had; 0 where the system does not say.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Ends the program when an input never ends, and says which.
struct Watch {
    case: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    fn start(name: &'static str) -> Self {
        let watch = Self { case: Arc::default(), is_over: Arc::default() };
        let (case, is_over) = (Arc::clone(&watch.case), Arc::clone(&watch.is_over));
        std::thread::spawn(move || {
            let (mut last, mut since) = (u64::MAX, Instant::now());
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                let now = case.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed() > ENDLESS {
                    eprintln!("{name} case {now} does not end");
                    std::process::exit(1);
                }
            }
        });
        watch
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn good_files_are_accepted() {
        for target in TARGETS {
            let accepted = target.corpus().iter().filter(|input| (target.check)(input)).count();
            assert!(accepted > 0, "{}", target.name);
        }
    }

    #[test]
    fn two_thousand_damaged_files_of_every_kind_do_no_harm() {
        for target in TARGETS {
            let outcome = run(&target, 1, 0..2000);
            assert!(outcome.findings.is_empty(), "{}: {:?}", target.name, outcome.findings);
            assert!(outcome.accepted > 0 && outcome.accepted < 2000, "{}: {}", target.name, outcome.accepted);
        }
    }

    #[test]
    fn a_panic_is_a_finding() {
        let target = Target { check: |bytes| bytes[usize::MAX] == 0, ..TARGETS[0] };
        let outcome = run(&target, 1, 0..100);
        assert_eq!((outcome.accepted, outcome.findings.len()), (0, ENOUGH));
        assert!(outcome.findings[0].what.starts_with("it panics: "), "{:?}", outcome.findings[0]);
    }
}
