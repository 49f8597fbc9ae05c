//! What one generation changes: mean, evolution paths, covariance and step size.

use super::stops::Situation;
use super::{CmaEs, CmaPreset, Termination};

impl CmaEs {
    /// Whether the costs say nothing about the directions; the step size is then increased.
    fn is_flat(&self) -> bool {
        let n = self.sorted.len();
        match self.settings.preset {
            CmaPreset::Reference => self.sorted[0] >= self.sorted[n / 2],
            CmaPreset::Tutorial => self.sorted[0] >= self.sorted[(0.7 * n as f64).ceil() as usize - 1],
            CmaPreset::Pycma => false,
        }
    }

    /// Moves mean, paths, covariance and step size.
    pub(super) fn update(&mut self) {
        let is_flat = self.is_flat();
        let Self { settings, constants: k, state, steps, lengths, order, step, white, .. } = self;
        let n = state.mean.len() as f64;
        let generation = state.generation as f64 + 1.0;

        // Eq. 41 and 42: the mean, with the learning rate one. `step` becomes the mean step in units of sigma.
        step.fill(0.0);
        for (w, i) in k.weights[..k.mu].iter().zip(&*order) {
            step.iter_mut().zip(steps.row(*i)).for_each(|(s, y)| *s += w * y);
        }
        // Eq. 43: the path of the step size.
        state.shape.whiten(step, white);
        let gain = (k.cs * (2.0 - k.cs) * k.mueff).sqrt();
        for (p, w) in state.path_sigma.iter_mut().zip(&*white) {
            *p = (1.0 - k.cs) * *p + gain * w;
        }
        let squared: f64 = state.path_sigma.iter().map(|v| v * v).sum();

        // Eq. 45: the path of the covariance stalls while the step size grows fast.
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

        // Eq. 46 and 47: the covariance. What the stalled path lacks in variance is made up for.
        let made_up = (1.0 - h) * k.cc * (2.0 - k.cc);
        let all: f64 = k.weights.iter().sum();
        state.shape.decay(1.0 + k.c1 * made_up - k.c1 - k.cmu * all);
        state.shape.add(k.c1, &state.path);
        for (w, i) in k.weights.iter().zip(&*order) {
            // A negative weight takes away no more than the candidate's direction has.
            let w = if *w < 0.0 { w * n / (lengths[*i] + 1e-9) } else { *w };
            if w != 0.0 {
                state.shape.add(k.cmu * w, steps.row(*i));
            }
        }
        state.mean.iter_mut().zip(&*step).for_each(|(m, s)| *m += state.sigma * s);

        // Eq. 44: the step size.
        let change = (squared.sqrt() / k.chi - 1.0) * k.cs / k.damps;
        state.sigma *= libm::exp(change.clamp(-k.max_change, k.max_change));
        if is_flat {
            state.sigma *= libm::exp(0.2 + k.cs / k.damps);
        }
    }

    /// Renews the axes when enough has changed, and applies the stop rules.
    pub(super) fn settle(&mut self, improved: bool) {
        let Self { settings, constants, state, sorted, decomposition, .. } = self;
        let is_due = state.generation as f64 >= state.decomposed_at as f64 + constants.gap;
        let is_sound = !is_due || state.shape.decompose(decomposition);
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
