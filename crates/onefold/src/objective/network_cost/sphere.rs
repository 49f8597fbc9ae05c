//! The sphere outside of which a penalty is added to the cost.

/// Candidates outside of the sphere are evaluated at $\theta / \lVert\theta\rVert$, and the penalty is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sphere {
    pub(super) radius: f64,
    /// Penalty per unit of length outside.
    pub(super) weight: f64,
}

/// Where a candidate is, as far as a norm tells that is quickly computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Certainly inside, or not a number.
    Inside,
    /// So near to the surface that only the norm itself can tell.
    Surface,
    /// Certainly outside, with a penalty of at least this.
    Outside(f64),
}

/// Relative error that no sum of squares of a parameter vector reaches, in whatever order it is added up.
const ROUNDING: f64 = 1e-9;

impl Sphere {
    /// Where a candidate is, nearly.
    #[inline]
    pub(super) fn place(&self, theta: &[f64]) -> Place {
        let norm = quick_norm(theta);
        let least = norm * (1.0 - ROUNDING);
        if least > self.radius {
            Place::Outside(self.penalty(least))
        } else if norm * (1.0 + ROUNDING) > self.radius {
            Place::Surface
        } else {
            Place::Inside
        }
    }

    /// Where a candidate is outside: its penalty, and the parameters at which it is evaluated in `inside`.
    pub(super) fn pull_in(&self, theta: &[f64], inside: &mut [f64]) -> Option<f64> {
        let norm = norm(theta);
        (norm > self.radius).then(|| {
            inside.iter_mut().zip(theta).for_each(|(to, v)| *to = v / norm);
            self.penalty(norm)
        })
    }

    fn penalty(&self, norm: f64) -> f64 {
        self.weight * (norm - self.radius)
    }
}

/// The norm as it is defined for results.
pub(super) fn norm(theta: &[f64]) -> f64 {
    theta.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The norm up to rounding, by eight sums at once.
#[inline]
fn quick_norm(theta: &[f64]) -> f64 {
    let (eights, rest) = theta.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for (sum, v) in sums.iter_mut().zip(eight) {
            *sum += v * v;
        }
    }
    (sums.iter().sum::<f64>() + rest.iter().map(|v| v * v).sum::<f64>()).sqrt()
}
