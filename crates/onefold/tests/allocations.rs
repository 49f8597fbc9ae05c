//! Nothing is allocated inside a generation.
#![allow(unsafe_code, reason = "a global allocator cannot be written without")]

use onefold::{Builtin, FitSettings, Method, Training};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations between the second generation and the last, for one test at a time: the count is for the whole
/// process. CMA-ES and local steps, whose linear algebra takes longer than that, do allocate.
#[test]
fn a_generation_allocates_nothing() {
    for builtin in [Builtin::Sinc, Builtin::Sinc2d, Builtin::Iris, Builtin::Balance, Builtin::TwoSpirals] {
        for method in Method::all().filter(|m| m.has_population() && !m.name().starts_with("cma")) {
            let data = builtin.load(&Default::default()).unwrap();
            let mut settings = FitSettings::for_builtin(builtin, None, method).unwrap();
            settings.method.common.population = Some(60);
            settings.stop.threshold = None;
            settings.stop.max_generations = Some(60);
            let (mut first, mut last) = (0, 0);
            let training = Training::new(builtin.name(), &data, &settings).unwrap();
            let training = training.observe(|progress| {
                last = ALLOCATIONS.load(Ordering::Relaxed);
                if progress.generation == 2 {
                    first = last;
                }
                ControlFlow::Continue(())
            });
            training.run().unwrap();
            assert!(first > 0);
            assert_eq!(last - first, 0, "{builtin} {method}");
        }
    }
}
