//! What the system has: memory, so that what needs more is refused before it is taken, and threads.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::sync::mpsc::channel;

/// Bytes that can still be taken, as far as the system tells: free memory, and the limits of this process.
pub(crate) fn available() -> u64 {
    let memory = read_to_string("/proc/meminfo").ok().and_then(|text| of_meminfo(&text));
    memory.into_iter().chain(address_space()).chain(of_group()).min().unwrap_or(u64::MAX)
}

/// Address space of a thread, for its stack and its part of the heap.
const OF_THREAD: u64 = 140 << 20;

/// So many threads are made even where there are fewer cores.
const MOST_ON_FEW_CORES: usize = 16;

/// The number of threads that are of use, and for which there is address space.
#[must_use]
pub fn most_threads() -> usize {
    let of_cores = std::thread::available_parallelism().map_or(1, usize::from).max(MOST_ON_FEW_CORES);
    address_space().map_or(of_cores, |left| of_cores.min((left / OF_THREAD).max(1) as usize))
}

/// The stack of a thread, whatever the environment says.
const STACK: usize = 2 << 20;

/// Threads to compute with; none for one thread. Where the system does not allow so many, there are fewer:
/// the results are the same.
pub(crate) fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    if threads == 1 {
        return None;
    }
    let mut halved =
        std::iter::successors(Some(threads.min(most_threads())), |n| Some(n / 2)).take_while(|n| *n > 1);
    halved.find_map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).stack_size(STACK).build().ok())
}

/// So many threads, or for 0 one of each core.
pub(crate) fn or_cores(threads: usize) -> usize {
    if threads == 0 { std::thread::available_parallelism().map_or(1, Into::into) } else { threads }
}

/// Items for each thread that are computed before the first of them is used.
const AHEAD: usize = 4;

/// Computes `count` items, on several threads if there is a pool, and uses them in order.
pub(crate) fn in_order<T: Send>(
    pool: Option<&rayon::ThreadPool>,
    count: usize,
    compute: impl Fn(usize) -> T + Sync,
    mut use_item: impl FnMut(T),
) {
    let Some(pool) = pool.filter(|_| count > 1) else {
        (0..count).for_each(|i| use_item(compute(i)));
        return;
    };
    let wave = AHEAD * pool.current_num_threads();
    let mut items = Vec::new();
    for start in (0..count).step_by(wave) {
        let wave = (start..(start + wave).min(count)).into_par_iter();
        pool.install(|| wave.map(&compute).collect_into_vec(&mut items));
        items.drain(..).for_each(&mut use_item);
    }
}

/// The same for items that take long and unequal times: none waits for others to be computed.
pub(crate) fn in_order_of_long<T: Send>(
    pool: Option<&rayon::ThreadPool>,
    count: usize,
    compute: impl Fn(usize) -> T + Sync,
    mut use_item: impl FnMut(T),
) {
    let Some(pool) = pool.filter(|_| count > 1) else {
        return in_order(None, count, compute, use_item);
    };
    let (sender, receiver) = channel();
    pool.in_place_scope_fifo(|scope| {
        for i in 0..count {
            let (sender, compute) = (sender.clone(), &compute);
            // Without a receiver, nobody needs the item.
            scope.spawn_fifo(move |_| drop(sender.send((i, compute(i)))));
        }
        drop(sender);
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for (i, item) in receiver {
            waiting.insert(i, item);
            while let Some(item) = waiting.remove(&next) {
                use_item(item);
                next += 1;
            }
        }
    });
}

/// What is left of the address space; none if it is unlimited.
fn address_space() -> Option<u64> {
    let limit = read_to_string("/proc/self/limits").ok().and_then(|text| of_limits(&text))?;
    let used = read_to_string("/proc/self/status").ok().and_then(|text| of_status(&text))?;
    Some(limit.saturating_sub(used))
}

fn kilobytes(line: &str) -> Option<u64> {
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}

fn of_meminfo(text: &str) -> Option<u64> {
    kilobytes(text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?)
}

fn of_status(text: &str) -> Option<u64> {
    kilobytes(text.lines().find_map(|line| line.strip_prefix("VmSize:"))?)
}

/// The soft limit of the address space; none if it is unlimited.
fn of_limits(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the control group of this process has left; none if it is unlimited.
fn of_group() -> Option<u64> {
    let number = |file: &str| read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max")?;
    Some(limit.saturating_sub(number("/sys/fs/cgroup/memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_used_in_order_on_any_number_of_threads() {
        for (threads, count) in [(1, 5), (2, 0), (3, 100), (2, 1)] {
            let mut used = Vec::new();
            in_order(pool(threads).as_ref(), count, |i| 2 * i, |item| used.push(item));
            assert_eq!(used, (0..count).map(|i| 2 * i).collect::<Vec<_>>());
            used.clear();
            let slow = |i: usize| {
                std::thread::sleep(std::time::Duration::from_micros((i as u64 * 7) % 50));
                2 * i
            };
            in_order_of_long(pool(threads).as_ref(), count, slow, |item| used.push(item));
            assert_eq!(used, (0..count).map(|i| 2 * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_are_found_in_the_files_of_the_system() {
        assert_eq!(of_meminfo("MemTotal: 9 kB\nMemAvailable:    2 kB\n"), Some(2048));
        assert_eq!(of_status("Name:\tx\nVmSize:\t   3 kB\n"), Some(3072));
        assert_eq!(
            of_limits("Max address space         5000                 unlimited  bytes\n"),
            Some(5000)
        );
        assert_eq!(of_limits("Max address space         unlimited            unlimited  bytes\n"), None);
        assert!(available() > 1 << 20);
    }
}
