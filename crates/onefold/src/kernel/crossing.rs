//! Binomial crossover of eight trial vectors at once, from eight random streams in parallel.

use super::dispatch;
use super::lanes::{Lanes, WIDTH};

/// Trial vectors that wait for their crossover.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrossingWork {
    /// States of their generators, the first word of each, then the second and so on.
    states: [[u64; WIDTH]; 4],
    /// A coordinate comes from the mutant if 53 random bits are below this.
    limits: [u64; WIDTH],
    /// The coordinate that always does.
    starts: [usize; WIDTH],
    count: usize,
}

impl CrossingWork {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds a trial vector; whether there is no room for another.
    pub(crate) fn push(&mut self, state: [u64; 4], rate: f64, start: usize) -> bool {
        for (words, word) in self.states.iter_mut().zip(state) {
            words[self.count] = word;
        }
        // A uniform number is a multiple of 2^-53, so this is exact.
        self.limits[self.count] = (rate * (1_u64 << 53) as f64).ceil() as u64;
        self.starts[self.count] = start;
        self.count += 1;
        self.count == WIDTH
    }
}

dispatch! {
    /// Writes to trial vectors, one after the other, the parents' coordinates where they do not come from the
    /// mutant. Then none waits.
    pub(crate) fn cross(work: &mut CrossingWork, trials: &mut [f64], parents: &[f64]) {
        cross_generic
    }
}

#[inline(always)]
fn cross_generic<L: Lanes>(work: &mut CrossingWork, trials: &mut [f64], parents: &[f64]) {
    let CrossingWork { states, limits, starts, count } = work;
    if *count == 0 {
        return;
    }
    let dim = trials.len() / *count;
    let mut states = *states;
    for first in (0..dim).step_by(u64::BITS as usize) {
        let some = (dim - first).min(u64::BITS as usize);
        let mut taken = [0_u64; WIDTH];
        for d in 0..some {
            let draws = in_step(&mut states);
            for lane in 0..WIDTH {
                taken[lane] |= u64::from(draws[lane] >> 11 < limits[lane]) << d;
            }
        }
        let rows = trials.chunks_exact_mut(dim).zip(parents.chunks_exact(dim));
        for ((trial, parent), (taken, start)) in rows.zip(taken.iter().zip(starts.iter())) {
            let start = start.wrapping_sub(first);
            let taken = if start < some { taken | 1 << start } else { *taken };
            let (trial, parent) = (&mut trial[first..first + some], &parent[first..first + some]);
            for (d, (v, p)) in trial.iter_mut().zip(parent).enumerate() {
                let mask = (taken >> d & 1).wrapping_neg();
                *v = f64::from_bits(v.to_bits() & mask | p.to_bits() & !mask);
            }
        }
    }
    *count = 0;
}

/// The next numbers of eight generators: Xoshiro256++, one word of all states after the other, so that it
/// compiles to vector instructions.
#[inline(always)]
fn in_step([s0, s1, s2, s3]: &mut [[u64; WIDTH]; 4]) -> [u64; WIDTH] {
    let (mut out, mut t) = ([0; WIDTH], [0; WIDTH]);
    for i in 0..WIDTH {
        out[i] = s0[i].wrapping_add(s3[i]).rotate_left(23).wrapping_add(s0[i]);
    }
    for i in 0..WIDTH {
        t[i] = s1[i] << 17;
    }
    for i in 0..WIDTH {
        s2[i] ^= s0[i];
    }
    for i in 0..WIDTH {
        s3[i] ^= s1[i];
    }
    for i in 0..WIDTH {
        s1[i] ^= s2[i];
    }
    for i in 0..WIDTH {
        s0[i] ^= s3[i];
    }
    for i in 0..WIDTH {
        s2[i] ^= t[i];
    }
    for i in 0..WIDTH {
        s3[i] = s3[i].rotate_left(45);
    }
    out
}
