"""Minimisation of a function within bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from . import _onefold
from ._bounds import ends, point_within
from ._methods import check_for_functions
from ._options import given, seed_of, to_json
from ._result import MESSAGES, result_class
from ._warnings import warn_interrupted
from ._workers import Array, Evaluator, Function, Vectorized, mapping

#: Options that `minimize` and the optimisers have as arguments, or decide by themselves.
REFUSED = {
    "bounds": "bounds are an argument",
    "start": "the search begins anywhere within the bounds, or at x0",
    "threads": "workers evaluate the function",
    "seed": "seed is an argument",
    "method": "method is an argument",
}


def given_for_function(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for the minimum of a function that are not None, and the method; others are refused."""
    check_for_functions(method)
    return {**given(options, refused=REFUSED, offered=_onefold.function_option_names()), "method": method}


def minimize(
    fun: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    *,
    x0: Any = None,
    method: str = "cma-es-bipop",
    vectorized: bool = False,
    workers: Any = 1,
    seed: Any = None,
    callback: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Any:
    """Minimises a function of several variables within bounds, without derivatives.

    Parameters
    ----------
    fun : callable
        The function, ``fun(x, *args) -> float``. NaN and infinite values count as infinite.
    bounds : sequence of pairs, or object with `lb` and `ub`
        The lower and the upper end of each variable, both finite. No point outside is evaluated.
    args : tuple, default=()
        Further arguments of `fun`; anything else is its only one.
    x0 : array of numbers, optional
        A point where the search begins: the initial mean of CMA-ES, whose restarts begin anywhere, or one of
        the initial population of Differential Evolution. With a good one, a smaller `sigma` is faster.
    method : str, default="cma-es-bipop"
        A name of ``onefold.methods(for_functions=True)``: CMA-ES with restarts, or Differential Evolution in
        one of its forms, such as ``"l-shade"``.
    vectorized : bool, default=False
        Whether `fun` gets all candidates of a generation at once, one in each **row**, and returns an array
        with one value for each.
    workers : int, callable or executor, default=1
        Processes that evaluate candidates, -1 for one on each core; a callable like `map`; or an executor of
        `concurrent.futures`. The result does not depend on it. `fun` must be picklable for processes.
    seed : int, numpy.random.Generator or None
        The same seed gives the same result, bit for bit. None for a random one, which the result has.
    callback : callable, optional
        Called after each generation with a result so far (`x`, `fun`, `nit`, `nfev`, `population`,
        `population_energies`). The search ends when it returns True or raises StopIteration.
    **options
        Options of the library: `target` (ends the search at this value), `max_evaluations` (default 10,000
        for each variable), `max_generations`, `time` (seconds), `stagnation`, `spread`, `population`, for
        CMA-ES `sigma` (in halves of the intervals, default 0.4), `preset`, `covariance`, for `de` `mutation`,
        `weight`, `dither`, `crossover`, `crossover_rate`.

    Returns
    -------
    scipy.optimize.OptimizeResult
        Or, without scipy, an equal dict with attributes: `x`, `fun`, `nfev`, `nit`, `success`, `status`,
        `message`, `population`, `population_energies`, `method`, `seed`, and `stop`, the reason by name.
        `success` is False where a target was given and not reached, or the search was interrupted.

    Notes
    -----
    Ctrl-C ends the search, and the best point so far is returned with an `InterruptedWarning`. The methods
    search in [-1, 1] for each variable, so that intervals of any size and place are alike to them.

    Examples
    --------
    >>> import onefold
    >>> def rosenbrock(x):
    ...     return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()
    >>> result = onefold.minimize(rosenbrock, [(-5, 10)] * 5, target=1e-9, seed=1)
    >>> result.success, result.message
    (True, 'the target is reached')
    >>> bool(abs(result.x - 1).max() < 1e-3)
    True
    """
    if not callable(fun):
        raise TypeError(f"fun is {fun!r}, but must be a function of a point")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is {callback!r}, but must be a function of a result so far, or None")
    args = args if isinstance(args, tuple) else (args,)
    low, high = ends(bounds)
    first = point_within(x0, low, high)
    number = seed_of(seed)
    # Before the search: after an interrupt nothing may take long, and loading scipy does.
    kind = result_class()
    text = to_json({**given_for_function(method, options), "seed": number})
    tell = _told(callback, kind)
    run, closing = (None, None) if vectorized else mapping(workers)
    point = Function(fun, args)
    if vectorized:
        if workers != 1:
            raise ValueError(
                "workers must be 1 where vectorized is True: the function gets all candidates at once"
            )
        evaluate: Any = Vectorized(fun, args)
    elif run is None:
        evaluate = Evaluator(lambda candidates: map(point, candidates))
    else:
        parallel = run
        evaluate = Evaluator(lambda candidates: parallel(point, list(candidates)))
    if closing is None:
        found = _onefold.minimize(evaluate, low, high, first, text, tell)
    else:
        with closing:
            found = _onefold.minimize(evaluate, low, high, first, text, tell)
    end = _end(found, evaluate, has_target=options.get("target") is not None)
    return kind(**found, **end, method=method, seed=number)


def _told(
    callback: Callable[[Any], Any] | None, kind: type[dict[str, Any]]
) -> Callable[[dict[str, Any]], bool] | None:
    """The callback for the compiled module: whether to stop."""
    if callback is None:
        return None
    function = callback

    def tell(state: dict[str, Any]) -> bool:
        try:
            return bool(function(kind(state)))
        except StopIteration:
            return True

    return tell


def _end(found: dict[str, Any], evaluate: Any, *, has_target: bool) -> dict[str, Any]:
    """How the search ended, as fields of the result."""
    stop = json.loads(found.pop("stop"))
    termination, reached = found.pop("termination"), found.pop("reached")
    interrupted = found.pop("interrupted")
    if interrupted:
        unfinished: tuple[Array, float] | None = getattr(evaluate, "unfinished", None)
        if unfinished is not None and not found["fun"] <= unfinished[1]:
            found["x"], found["fun"] = unfinished
        warn_interrupted("the minimisation")
        stop, message = "interrupted", "it was interrupted"
    else:
        message = termination or MESSAGES[stop]
    is_finite = math.isfinite(found["fun"])
    if not is_finite and not interrupted:
        message = f"no value of the function was finite: {message}"
    success = is_finite and not interrupted and stop != "observer" and (reached or not has_target)
    status = 0 if success else 2 if interrupted else 1
    return {"success": success, "status": status, "message": message, "stop": stop}
