//! Counts the memory that a thread holds.
#![allow(unsafe_code, reason = "a global allocator cannot be written without")]
#![allow(clippy::cast_possible_wrap, reason = "the size of a layout is at most isize::MAX")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes allocated by this thread less those it has freed, and the most there have been. Memory that
    /// another thread frees is counted there, so the number can be negative.
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Nothing here may allocate.
fn add(bytes: i64) {
    // A thread that is ending has no thread-local values any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as i64);
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What a function returns, and the most bytes that this thread held meanwhile beyond those it held before.
pub(crate) fn most_during<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    MOST.set(before);
    let result = run();
    (result, (MOST.get() - before).max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_even_where_it_is_freed_at_once() {
        let (length, most) = most_during(|| vec![1_u8; 1 << 20].len() + vec![0_u8; 1 << 10].len());
        assert_eq!((length, most), ((1 << 20) + (1 << 10), (1 << 20) + (1 << 10)));
        assert!(most_during(|| ()).1 == 0);
    }
}
