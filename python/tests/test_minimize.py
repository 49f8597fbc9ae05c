"""Minimisation of functions."""

import concurrent.futures
import math
import os
import sys
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import onefold
import pytest
from onefold._result import _Result, result_class

METHODS = [method.name for method in onefold.methods(for_functions=True)]


def sphere(x, shift=0.3):
    return float(((x - shift) ** 2).sum())


def rows(X):
    return ((X - 0.3) ** 2).sum(axis=1)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_minimum_and_repeats_it(method):
    bounds = [(-1, 2), (-5, 5), (0, 1000)]
    results = [
        onefold.minimize(sphere, bounds, method=method, seed=4, max_evaluations=20_000) for _ in range(2)
    ]
    assert results[0].fun < 1e-8 and np.allclose(results[0].x, 0.3, atol=1e-3)
    assert results[0].fun == sphere(results[0].x)
    assert (results[0].x == results[1].x).all() and results[0].nfev == results[1].nfev <= 20_000
    assert results[0].success and results[0].seed == 4 and results[0].method == method


def test_vectors_processes_executors_and_maps_give_the_same_bits():
    kwargs = {"bounds": [(-1, 1)] * 3, "seed": 2, "max_evaluations": 600, "method": "l-shade"}
    expected = onefold.minimize(sphere, **kwargs)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        for workers in (2, map, executor):
            assert (onefold.minimize(sphere, workers=workers, **kwargs).x == expected.x).all()
    assert (onefold.minimize(rows, vectorized=True, **kwargs).x == expected.x).all()
    shifted = onefold.minimize(sphere, args=(0.5,), **kwargs)
    assert abs(shifted.x - 0.5).max() < 0.1


def test_bounds_hold_and_are_reached():
    seen = []

    def linear(x):
        seen.append(x)
        return x.sum() - 1e6

    class Bounds:
        lb, ub = [1e6, -3], [1e6 + 7, -1]

    result = onefold.minimize(linear, Bounds, method="de", seed=1, max_evaluations=4000)
    assert np.allclose(result.x, [1e6, -3], rtol=0, atol=1e-6)
    points = np.array(seen)
    assert (points >= Bounds.lb).all() and (points <= Bounds.ub).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_search_begins_at_the_point_that_is_given(method):
    # A hole in a plane, which no method finds by itself.
    hole = np.array([1e6 + 0.25, -1.75, 600])
    bounds = [(1e6, 1e6 + 7), (-3, -1), (0, 1000)]

    def fun(x):
        return min(1.0, 1e4 * float((((x - hole) / [7, 2, 1000]) ** 2).sum()))

    common = {"method": method, "seed": 3, "max_evaluations": 3000, "sigma": 1e-3}
    if "cma" not in method:
        del common["sigma"]
    assert onefold.minimize(fun, bounds, **common).fun == 1
    near = np.add(hole, [1e-3, 1e-3, 1e-1])
    assert onefold.minimize(fun, bounds, x0=near, **common).fun < 1.001 * fun(near) < 0.01
    with pytest.raises(ValueError, match=r"x0\[1\] is 3.0, but must be within its bounds, -3.0 and -1.0"):
        onefold.minimize(fun, bounds, x0=[1e6, 3, 0], **common)
    with pytest.raises(ValueError, match=r"x0\[0\] is nan"):
        onefold.minimize(fun, bounds, x0=[np.nan, -2, 0], **common)
    with pytest.raises(ValueError, match=r"x0 has the shape \(2,\), but must be 3 numbers"):
        onefold.minimize(fun, bounds, x0=[1e6, -2], **common)


def test_nan_and_infinite_values_are_never_the_best():
    def partly(x):
        return math.nan if x[0] < 0 else -math.inf if x[0] < 0.1 else x[0]

    result = onefold.minimize(partly, [(-1, 1)], seed=1, max_evaluations=2000, method="shade")
    assert 0.1 <= result.fun < 0.11


def test_a_target_a_callback_and_a_budget_end_it():
    bounds = [(-1, 1)] * 2
    reached = onefold.minimize(sphere, bounds, seed=1, target=1e-3)
    assert reached.success and reached.fun <= 1e-3 and reached.stop == "target"
    missed = onefold.minimize(sphere, bounds, seed=1, target=-1, max_evaluations=100)
    assert not missed.success and missed.status == 1 and missed.stop == "evaluations" and missed.nfev <= 100
    states = []

    def stop(state):
        states.append(state)
        assert state.population.shape == (len(state.population_energies), 2)
        return state.nit == 3

    assert onefold.minimize(sphere, bounds, seed=1, callback=stop).nit == 3
    assert [state.nit for state in states] == [1, 2, 3] and not isinstance(states[0], _Result)

    def raises(state):
        raise StopIteration

    ended = onefold.minimize(sphere, bounds, seed=1, callback=raises)
    assert (ended.nit, ended.stop, ended.success) == (1, "observer", False)


def test_exceptions_of_the_function_are_raised():
    def wrong(x):
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        onefold.minimize(wrong, [(0, 1)])
    with pytest.raises(ZeroDivisionError):
        onefold.minimize(sphere, [(0, 1)], callback=wrong)
    with pytest.raises(ValueError, match="must return one number"):
        onefold.minimize(lambda x: x, [(0, 1)] * 2)
    with pytest.raises(ValueError, match=r"returned the shape \(2,\) for .* rows"):
        onefold.minimize(lambda X: X[0], [(0, 1)] * 2, vectorized=True)

    def stopping(x):
        raise StopIteration

    with pytest.raises(RuntimeError, match="only a callback may"):
        onefold.minimize(stopping, [(-1, 1)] * 2, seed=1)
    with pytest.raises(TypeError, match="does it lack a return"):
        onefold.minimize(lambda x: None, [(-1, 1)] * 2, seed=1)
    with pytest.raises(TypeError, match="one of the values is None"):
        onefold.minimize(lambda X: [None] * len(X), [(-1, 1)] * 2, vectorized=True)
    nowhere = onefold.minimize(lambda x: math.nan, [(-1, 1)] * 2, seed=1, max_evaluations=200)
    assert not nowhere.success and "no value of the function was finite" in nowhere.message


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"bounds": [(1, 0)]}, r"bounds\[0\] is \(1.0, 0.0\), but the lower end must come first"),
        ({"bounds": [(1, 1)]}, "its ends must differ"),
        ({"bounds": [(-1e308, 1e308)]}, "too large for a number"),
        ({"bounds": [(None, 1)]}, r"bounds\[0\] is \(None, 1\), but both ends must be finite"),
        ({"target": -math.inf}, "target is -inf, but must be a finite number"),
        ({"max_evaluations": math.nan}, "max_evaluations is nan, but must be a finite number"),
        ({"population": -4}, "population: .*whole number"),
        ({"bounds": [(0, math.inf)]}, "finite"),
        ({"bounds": [0, 1]}, "one pair"),
        ({"bounds": {"a": (0, 1)}}, "bounds is a dict that is no list of pairs"),
        ({"bounds": [(0, 1), (0, 1, 2)]}, "bounds is a list that is no list of pairs"),
        ({"method": "auto"}, "of a network; use de, cma-es"),
        ({"method": "nelder-mead"}, "method is 'nelder-mead', but must be one of 'de', 'cma-es',"),
        ({"method": "de", "sigma": 0.3}, "sigma is for cma-es"),
        ({"max_evaluations": 1}, "the first generation alone needs"),
        ({"workers": 0}, "at least 1"),
        ({"vectorized": True, "workers": 2}, "workers must be 1"),
        ({"seed": -1}, "from 0 to"),
        ({"hidden": 3}, "hidden is for networks"),
    ],
)
def test_what_is_wrong_is_said(kwargs, message):
    with pytest.raises(ValueError, match=message):
        onefold.minimize(sphere, **{"bounds": [(0, 1)], **kwargs})


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match=r"there is no option 'popsize'; the options are .*population"):
        onefold.minimize(sphere, [(0, 1)], popsize=3)
    with pytest.raises(TypeError, match="the search begins anywhere"):
        onefold.minimize(sphere, [(0, 1)], start=(0, 1))
    for workers in ("many", "2", 1.5, True):
        with pytest.raises(TypeError, match=f"workers is {workers!r}, but must be a number of processes"):
            onefold.minimize(sphere, [(0, 1)], workers=workers)
    with pytest.raises(TypeError, match="fun is None, but must be a function"):
        onefold.minimize(None, [(0, 1)])
    with pytest.raises(TypeError, match="callback is 5, but must be a function"):
        onefold.minimize(sphere, [(0, 1)], callback=5)
    for value in ("1.0", 1j):
        with pytest.raises(TypeError, match="but must return one number"):
            onefold.minimize(lambda x, value=value: value, [(0, 1)])
    with pytest.raises(TypeError, match="must be real numbers"):
        onefold.minimize(lambda X: X[:, 0] * 1j, [(0, 1)], vectorized=True)


def test_args_may_be_a_single_one():
    found = [
        onefold.minimize(shifted, [(-1, 1)], args, seed=1, max_evaluations=200) for args in (0.25, (0.25,))
    ]
    assert found[0].fun == found[1].fun and abs(found[0].x[0] - 0.25) < 0.05


def shifted(x, by):
    return float(((x - by) ** 2).sum())


def die(x):
    os._exit(3)


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def raise_unpicklable(x):
    raise Unpicklable(1, 2)


@pytest.mark.parametrize("function", [die, raise_unpicklable])
def test_workers_that_die_are_an_error(function):
    with pytest.raises(BrokenProcessPool):
        onefold.minimize(function, [(0, 1)], workers=2, seed=1)


def test_without_scipy_there_is_an_equal_result(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert result_class() is _Result
    result = onefold.minimize(sphere, [(0, 1)], seed=1, max_evaluations=200)
    assert result.x[0] == result["x"][0] and "message" in dir(result) and "nfev: " in repr(result)
    with pytest.raises(AttributeError):
        result.gradient  # noqa: B018


def test_an_unknown_option_names_those_of_functions():
    message = "there is no option 'maxiter'; the options are population, "
    with pytest.raises(TypeError, match=message) as refused:
        onefold.minimize(lambda x: 0.0, [(0, 1)], maxiter=3)
    assert "hidden" not in str(refused.value) and "max_evaluations" in str(refused.value)
