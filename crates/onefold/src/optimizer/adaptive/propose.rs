//! How trial vectors are built: `current-to-pbest/1` with an adapted weight and crossover rate for each.

use super::memory::best_weight_ratio;
use super::{AdaptiveDe, Variant};
use crate::cancellation::poll;
use crate::optimizer::strategy::{mutate, mutate_further, repair};
use crate::rng::{Purpose, Streams};

impl AdaptiveDe {
    /// Number of individuals in the best fraction `p` of the population.
    fn count_best(&self, p: f64) -> usize {
        let n = self.population.len();
        ((p * n as f64).round() as usize).clamp(2, n)
    }

    /// Builds one trial vector for each of the first `count` individuals.
    pub(super) fn propose(&mut self, count: usize) {
        let (variant, spent, n) = (self.variant, self.spent(), self.population.len());
        let mut ranking = std::mem::take(&mut self.ranking);
        ranking.clear();
        ranking.extend(0..n);
        ranking.sort_unstable_by(|a, b| self.costs[*a].total_cmp(&self.costs[*b]).then(a.cmp(b)));
        self.trials.resize(count);
        let (population, members) = (&self.population, &self.archive.members);
        let fraction = self.settings.best_fraction(variant);
        let fraction = if variant == Variant::Jso { fraction * (1.0 - 0.5 * spent) } else { fraction };
        let least = 2.0 / n as f64;
        let streams = Streams::new(self.common.seed, Purpose::Propose, self.generation);
        for i in 0..count {
            if poll(8 * population.dim()) {
                break;
            }
            let mut rng = streams.long(i);
            let (f, cr) = self.memory.draw(variant, spent, &mut rng);
            self.drawn[i] = (f, cr);
            let best = match variant {
                Variant::Shade => self.count_best(rng.between(least, fraction.max(least))),
                Variant::Jade | Variant::LShade | Variant::Jso => self.count_best(fraction),
            };
            let p = loop {
                let p = ranking[rng.below(best)];
                // As in iL-SHADE: in the first half of a run, jSO excludes the parent itself as x_p.
                if !(variant == Variant::Jso && spent < 0.5 && p == i) {
                    break p;
                }
            };
            let r1 = draw_except(|| rng.below(n), [i, i]);
            let r2 = draw_except(|| rng.below(n + members.len()), [i, r1]);
            let (parent, p, r1) = (population.row(i), population.row(p), population.row(r1));
            let r2 = if r2 < n { population.row(r2) } else { members.row(r2 - n) };
            let towards_best = f * best_weight_ratio(variant, spent);
            let trial = self.trials.row_mut(i);
            mutate(trial, parent, towards_best, p, parent);
            mutate_further(trial, f, r1, r2);
            self.crossing.push(i, cr, rng, &mut self.trials, population);
        }
        self.crossing.finish(&mut self.trials, population);
        for (trial, parent) in self.trials.rows_mut().zip(population.rows()) {
            repair(trial, parent, self.common.bounds);
        }
        self.ranking = ranking;
        self.cutoffs.clear();
        self.cutoffs.extend_from_slice(&self.costs[..count]);
    }
}

/// Draws until the result is neither of `except`.
fn draw_except(mut draw: impl FnMut() -> usize, except: [usize; 2]) -> usize {
    loop {
        let drawn = draw();
        if !except.contains(&drawn) {
            return drawn;
        }
    }
}
