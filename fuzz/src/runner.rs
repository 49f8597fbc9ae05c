//! Damaged inputs by seed and number, so that a finding can be repeated alone, with limits of time and
//! memory.

use crate::Target;
use crate::memory::most_during;
use crate::mutate::{Mutator, Prepared};
use crate::watch::Watch;
use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An input that takes longer is a finding.
const LONGEST: Duration = Duration::from_secs(1);
/// One that takes more memory than this, beyond its own size, is a finding.
const MOST_BYTES: u64 = 64 << 20;
/// Findings after which a target is left.
const ENOUGH: usize = 10;
/// Bytes of an input that a finding shows.
const SHOWN: usize = 2000;
/// Cases that a thread takes at once.
const BLOCK: u64 = 256;

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
    /// Inputs that were read.
    pub inputs: u64,
    /// Inputs that were accepted.
    pub accepted: u64,
    /// The most bytes that an input took, and its number.
    pub most_bytes: (u64, u64),
    /// The longest time that an input took, and its number.
    pub longest: (Duration, u64),
    /// Inputs that show a mistake, by number.
    pub findings: Vec<Finding>,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.inputs += other.inputs;
        self.accepted += other.accepted;
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self.longest = self.longest.max(other.longest);
        self.findings.extend(other.findings);
        self.findings.sort_by_key(|finding| finding.case);
    }
}

/// Held while panics are not reported: the panic hook is the whole process's.
static SILENCE: Mutex<()> = Mutex::new(());

/// Gives a target the inputs of a seed with these numbers. Inputs and findings do not depend on the number of
/// threads, unless there are too many findings.
#[must_use]
pub fn run(target: &Target, seed: u64, cases: Range<u64>, threads: usize) -> Outcome {
    let seeds = Prepared::new(target);
    let watch = Watch::start(target.name, threads);
    let (next, found) = (AtomicU64::new(cases.start), AtomicU64::new(0));
    // Panics are findings and reported as such.
    let _silence = SILENCE.lock();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let total = Mutex::new(Outcome::default());
    let work = |thread: usize| {
        let mut outcome = Outcome::default();
        loop {
            let first = next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= cases.end || found.load(Ordering::Relaxed) >= ENOUGH as u64 {
                break;
            }
            for case in first..cases.end.min(first + BLOCK) {
                let input = Mutator::new(seed, case, target).input(&seeds);
                watch.begin(thread, case);
                if !check(target, case, &input, &mut outcome) {
                    found.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        watch.end(thread);
        if let Ok(mut total) = total.lock() {
            total.add(outcome);
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || work(thread));
        }
    });
    std::panic::set_hook(hook);
    let mut outcome = total.into_inner().unwrap_or_default();
    outcome.findings.truncate(ENOUGH);
    outcome
}

/// Reads one input; whether nothing is wrong.
fn check(target: &Target, case: u64, input: &[u8], outcome: &mut Outcome) -> bool {
    let started = Instant::now();
    let (result, bytes) = most_during(|| catch_unwind(|| (target.check)(input)));
    let time = started.elapsed();
    outcome.inputs += 1;
    outcome.most_bytes = outcome.most_bytes.max((bytes, case));
    outcome.longest = outcome.longest.max((time, case));
    let wrong = match result {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Some(format!("it panics: {}", text.unwrap_or_default()))
        }
        Ok(_) if time > LONGEST => Some(format!("it takes {time:.1?}")),
        Ok(_) if bytes > MOST_BYTES + input.len() as u64 => Some(format!("it takes {bytes} bytes of memory")),
        Ok(accepted) => {
            outcome.accepted += u64::from(accepted);
            None
        }
    };
    let is_good = wrong.is_none();
    outcome.findings.extend(wrong.map(|what| {
        let input = String::from_utf8_lossy(&input[..input.len().min(SHOWN)]).into_owned();
        Finding { case, what, input }
    }));
    is_good
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn good_files_are_accepted() {
        for target in TARGETS {
            for (number, input) in target.corpus().iter().enumerate() {
                assert!((target.check)(input) || target.name == "csv", "{} {number}", target.name);
            }
        }
    }

    #[test]
    fn two_thousand_damaged_files_of_every_kind_do_no_harm() {
        for target in TARGETS {
            let outcome = run(&target, 1, 0..2000, 2);
            assert!(outcome.findings.is_empty(), "{}: {:?}", target.name, outcome.findings);
            assert_eq!(outcome.inputs, 2000);
            assert!(outcome.accepted > 0 && outcome.accepted < 2000, "{}: {}", target.name, outcome.accepted);
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for target in TARGETS {
            let [one, two] = [1, 2].map(|threads| run(&target, 7, 300..1000, threads));
            assert_eq!((one.inputs, one.accepted), (two.inputs, two.accepted), "{}", target.name);
        }
    }

    #[test]
    fn panics_and_memory_are_findings() {
        let panics = Target { check: |bytes| bytes[usize::MAX] == 0, ..TARGETS[0] };
        let outcome = run(&panics, 1, 0..100, 1);
        assert_eq!((outcome.accepted, outcome.findings.len()), (0, ENOUGH));
        assert!(outcome.findings[0].what.starts_with("it panics: "), "{:?}", outcome.findings[0]);
        let takes = Target { check: |bytes| vec![0_u8; 65 << 20].len() > bytes.len(), ..TARGETS[0] };
        let outcome = run(&takes, 1, 0..10, 1);
        assert!(outcome.findings[0].what.ends_with(" bytes of memory"), "{:?}", outcome.findings[0]);
    }
}
