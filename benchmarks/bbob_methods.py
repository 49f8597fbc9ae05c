"""The methods of bbob.py: each minimises a function within [-5, 5] with a run's seeds, and goes on until it is stopped by an exception."""

import itertools

import cma
import numpy as np
import onefold
import scipy.optimize

LOW, HIGH = -5.0, 5.0


def seeds(key):
    """The seeds of a run, one for each start: other ones for every number of a seed, dimension, function and instance.

    All methods get the same. They have 31 bits, and are not 0, which pycma takes for the time of day.
    """
    for start in itertools.count():
        (drawn,) = np.random.SeedSequence([key.seed, key.dim, key.function, key.instance, start]).generate_state(1)
        yield max(int(drawn) >> 1, 1)


def of_onefold(method):
    """A method of onefold with its defaults, which are told the bounds and the budget alone."""

    def run(fun, dim, budget, seeds):
        # A method that ends before its budget is started again with the rest of it.
        for seed in seeds:
            rest = budget - fun.evaluations
            onefold.minimize(fun, [(LOW, HIGH)] * dim, method=method, seed=seed, max_evaluations=max(rest, 1000))

    return run


def pycma(fun, dim, budget, seeds):
    """BIPOP-CMA-ES of pycma, begun as Hansen (2009) did on these functions: a mean in [-4, 4], a step size of 2, no bounds."""
    rng = np.random.default_rng(next(seeds))
    for seed in seeds:
        options = {"maxfevals": budget, "seed": seed, "verbose": -9, "verb_log": 0, "verb_disp": 0}
        cma.fmin2(fun, lambda: rng.uniform(-4, 4, dim), 2.0, options, restarts=20, bipop=True)


def scipy_de(fun, dim, budget, seeds):
    """Differential Evolution of scipy with its defaults; when it ends (converged, or after 1000 generations) it is started again."""
    for seed in seeds:
        scipy.optimize.differential_evolution(fun, [(LOW, HIGH)] * dim, rng=seed)


METHODS = {
    "onefold-bipop": of_onefold("cma-es-bipop"),
    "pycma-bipop": pycma,
    "onefold-l-shade": of_onefold("l-shade"),
    "scipy-de": scipy_de,
}
