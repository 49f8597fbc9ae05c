"""The methods of bbob.py: each minimises a function within [-5, 5] from a seed, and goes on until it is stopped by an exception."""

import itertools

import cma
import numpy as np
import onefold
import scipy.optimize

LOW, HIGH = -5.0, 5.0


def of_onefold(method):
    """A method of onefold with its defaults, which are told the bounds and the budget alone."""

    def run(fun, dim, budget, seed):
        # A method that ends before its budget is started again with the rest of it.
        for number in itertools.count():
            rest = budget - fun.evaluations
            onefold.minimize(fun, [(LOW, HIGH)] * dim, method=method, seed=1000 * seed + number, max_evaluations=max(rest, 1000))

    return run


def pycma(fun, dim, budget, seed):
    """BIPOP-CMA-ES of pycma, begun as Hansen (2009) did on these functions: a mean in [-4, 4], a step size of 2, no bounds."""
    rng = np.random.default_rng(seed)
    for number in itertools.count(1):
        options = {"maxfevals": budget, "seed": 1000 * seed + number, "verbose": -9, "verb_log": 0, "verb_disp": 0}
        cma.fmin2(fun, lambda: rng.uniform(-4, 4, dim), 2.0, options, restarts=20, bipop=True)


def scipy_de(fun, dim, budget, seed):
    """Differential Evolution of scipy with its defaults; when it ends (converged, or after 1000 generations) it is started again."""
    for number in itertools.count():
        scipy.optimize.differential_evolution(fun, [(LOW, HIGH)] * dim, rng=1000 * seed + number)


METHODS = {
    "onefold-bipop": of_onefold("cma-es-bipop"),
    "pycma-bipop": pycma,
    "onefold-l-shade": of_onefold("l-shade"),
    "scipy-de": scipy_de,
}
