"""Minimise a function of your own: several methods, all cores, and a loop that asks and tells."""

import numpy as np
import onefold
from numpy.typing import NDArray
from onefold.optimizers import CmaEs


def rastrigin(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Many local minima; the least is 0 at 0.1."""
    Z = X - 0.1
    return np.asarray(10 * X.shape[1] + (Z**2 - 10 * np.cos(2 * np.pi * Z)).sum(axis=1))


bounds = [(-5.12, 5.12)] * 10
for method in ("cma-es-bipop", "l-shade", "de"):
    result = onefold.minimize(rastrigin, bounds, method=method, vectorized=True, seed=1, target=1e-8)
    print(f"{method:13} {result.fun:8.1e} after {result.nfev:6} evaluations: {result.message}")

# The same by hand, with candidates that are evaluated wherever you like.
optimizer = CmaEs(bounds, seed=1, population=60)
while not optimizer.finished:
    candidates = optimizer.ask()
    optimizer.tell(rastrigin(candidates))
print(f"asked and told {optimizer.best.fun:8.1e}: {optimizer.finished}")
