//! Ends the program when an input never ends, and says which.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One that takes longer than this never ends, and ends the program.
const ENDLESS: Duration = Duration::from_secs(20);

/// No case is running.
const NONE: u64 = u64::MAX;

/// The cases that are running, one for each thread; watched until it is dropped.
pub(crate) struct Watch {
    cases: Arc<[AtomicU64]>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    pub(crate) fn start(name: &'static str, threads: usize) -> Self {
        let cases: Arc<[AtomicU64]> = (0..threads).map(|_| AtomicU64::new(NONE)).collect();
        let watch = Self { cases, is_over: Arc::default() };
        let (cases, is_over) = (Arc::clone(&watch.cases), Arc::clone(&watch.is_over));
        std::thread::spawn(move || {
            let mut since = vec![(NONE, Instant::now()); threads];
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                for (case, (last, start)) in cases.iter().zip(&mut since) {
                    let now = case.load(Ordering::Relaxed);
                    if now != *last {
                        (*last, *start) = (now, Instant::now());
                    } else if now != NONE && start.elapsed() > ENDLESS {
                        eprintln!("{name} case {now} does not end");
                        std::process::exit(1);
                    }
                }
            }
        });
        watch
    }

    /// A thread begins a case.
    pub(crate) fn begin(&self, thread: usize, case: u64) {
        self.cases[thread].store(case, Ordering::Relaxed);
    }

    /// A thread has no more cases.
    pub(crate) fn end(&self, thread: usize) {
        self.begin(thread, NONE);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
