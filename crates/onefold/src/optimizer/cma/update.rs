//! The update after a generation: mean, evolution paths, covariance and step size.

use super::stops::Situation;
use super::{CmaEs, CmaPreset, Termination};

impl CmaEs {
    /// Whether too many costs are equal to rank the candidates; the step size is then increased.
    fn is_flat(&self) -> bool {
        let n = self.sorted.len();
        match self.settings.preset {
            CmaPreset::Reference => self.sorted[0] >= self.sorted[n / 2],
            CmaPreset::Tutorial => self.sorted[0] >= self.sorted[(0.7 * n as f64).ceil() as usize - 1],
            CmaPreset::Pycma => false,
        }
    }

    /// Updates mean, evolution paths, covariance and step size.
    pub(super) fn update(&mut self) {
        let is_flat = self.is_flat();
        let Self { settings, constants: k, state, steps, lengths, order, step, white, work, .. } = self;
        let n = state.mean.len() as f64;
        let generation = state.generation as f64 + 1.0;

        // Eq. 41 and 42: the mean, with learning rate one. `step` becomes the mean step in units of sigma.
        step.fill(0.0);
        for (w, i) in k.weights[..k.mu].iter().zip(&*order) {
            step.iter_mut().zip(steps.row(*i)).for_each(|(s, y)| *s += w * y);
        }
        // Eq. 43: the step-size evolution path.
        state.shape.whiten(step, white);
        let gain = (k.cs * (2.0 - k.cs) * k.mueff).sqrt();
        for (p, w) in state.path_sigma.iter_mut().zip(&*white) {
            *p = (1.0 - k.cs) * *p + gain * w;
        }
        let squared: f64 = state.path_sigma.iter().map(|v| v * v).sum();

        // Eq. 45: the covariance evolution path is stalled (h = 0) while the step size grows fast.
        let expected = 1.0 - libm::pow(1.0 - k.cs, 2.0 * generation);
        let is_moderate = match settings.preset {
            CmaPreset::Pycma => squared / expected / n < 2.0 + 4.0 / (n + 1.0),
            _ => (squared / expected).sqrt() / k.chi < 1.4 + 2.0 / (n + 1.0),
        };
        let h = f64::from(u8::from(is_moderate));
        let gain = h * (k.cc * (2.0 - k.cc) * k.mueff).sqrt();
        for (p, s) in state.path.iter_mut().zip(&*step) {
            *p = (1.0 - k.cc) * *p + gain * s;
        }

        // Eq. 46 and 47: the covariance. `delta_h` compensates the variance lost while the path is stalled.
        let delta_h = (1.0 - h) * k.cc * (2.0 - k.cc);
        let all: f64 = k.weights.iter().sum();
        state.shape.decay(1.0 + k.c1 * delta_h - k.c1 - k.cmu * all);
        let ranked = k.weights.iter().zip(&*order).filter(|(w, _)| **w != 0.0).map(|(w, i)| {
            // Eq. 46: negative weights are scaled so that the matrix stays positive definite.
            let w = if *w < 0.0 { w * n / (lengths[*i] + 1e-9) } else { *w };
            (k.cmu * w, steps.row(*i))
        });
        if !state.shape.add([(k.c1, &state.path[..])].into_iter().chain(ranked), work) {
            return;
        }
        state.mean.iter_mut().zip(&*step).for_each(|(m, s)| *m += state.sigma * s);

        // Eq. 44: the step size.
        let change = (squared.sqrt() / k.chi - 1.0) * k.cs / k.damps;
        state.sigma *= libm::exp(change.clamp(-k.max_change, k.max_change));
        if is_flat {
            state.sigma *= libm::exp(0.2 + k.cs / k.damps);
        }
    }

    /// Updates the decomposition when it is due, and checks the termination criteria.
    pub(super) fn settle(&mut self, improved: bool) {
        let Self { settings, constants, state, sorted, work, .. } = self;
        let is_due = state.generation as f64 >= state.decomposed_at as f64 + constants.gap;
        let is_sound = !is_due || state.shape.decompose(work);
        if is_due {
            state.decomposed_at = state.generation;
        }
        if !is_sound {
            state.finished = Some(Termination::NotFinite);
            return;
        }
        let now = Situation {
            settings,
            generation: state.generation,
            sorted,
            improved,
            mean: &state.mean,
            sigma: state.sigma,
            path: &state.path,
            shape: &state.shape,
        };
        state.finished = state.history.check(&now);
    }
}
