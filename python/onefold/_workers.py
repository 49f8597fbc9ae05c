"""The evaluation of all candidates of a generation: one after the other, at once, or by workers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._options import whole_number

Array = NDArray[np.float64]


class Function:
    """A function of one point with its further arguments; unlike a lambda it can be pickled."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun = fun
        self.args = args

    def __call__(self, x: Array) -> float:
        try:
            return number(self.fun(x, *self.args))
        except StopIteration as error:
            # It would only end the iteration over the candidates; a callback ends a search that way.
            raise RuntimeError("the function raised StopIteration, which only a callback may") from error


def number(value: Any) -> float:
    """A value of the function as a number; an array of one element is one."""
    if isinstance(value, float):
        return value
    if value is None:
        raise TypeError("the function returned None, but must return one number; does it lack a return?")
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"the function returned {value!r}, but must return one number")
    if array.size != 1:
        raise ValueError(
            f"the function returned an array of the shape {array.shape}, but must return one number"
        )
    return float(array.reshape(-1)[0])


def numbers(values: Any) -> Array:
    """Values of several points as an array of numbers."""
    array = np.asarray(values)
    # NumPy would take None for NaN.
    if array.dtype == object and any(value is None for value in array.reshape(-1)):
        raise TypeError("one of the values is None, but all must be numbers")
    if array.dtype.kind not in "biufO":
        raise TypeError(f"the values are of the type {array.dtype}, but must be real numbers")
    if array.ndim != 1:
        raise ValueError(
            f"the values have the shape {array.shape}, but must be one number for each candidate"
        )
    return np.ascontiguousarray(array, dtype=np.float64)


class Evaluator:
    """Evaluates rows of candidates, and remembers what an interrupted generation had found."""

    def __init__(self, evaluate: Callable[[Array], Iterable[float]]) -> None:
        self.evaluate = evaluate
        self.unfinished: tuple[Array, float] | None = None
        self.evaluations_lost = 0

    def __call__(self, candidates: Array) -> Array:
        costs = np.full(len(candidates), np.nan)
        done = 0
        try:
            for cost in self.evaluate(candidates):
                costs[done] = cost
                done += 1
        except KeyboardInterrupt:
            self.evaluations_lost = done
            if np.isfinite(costs).any():
                best = int(np.nanargmin(np.where(np.isfinite(costs), costs, np.inf)))
                self.unfinished = (candidates[best].copy(), float(costs[best]))
            raise
        if done != len(candidates):
            raise ValueError(f"{len(candidates)} values are expected, but workers returned {done}")
        return costs


class Vectorized:
    """A function that gets all candidates at once, one in each row."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun = fun
        self.args = args

    def __call__(self, candidates: Array) -> Array:
        costs = numbers(self.fun(candidates, *self.args))
        if costs.shape != (len(candidates),):
            raise ValueError(
                f"the function returned the shape {costs.shape} for {len(candidates)} rows of candidates, "
                f"but must return {(len(candidates),)}"
            )
        return costs


def mapping(workers: Any) -> tuple[Callable[..., Iterable[Any]] | None, AbstractContextManager[Any]]:
    """How workers map a function over points, and what ends them; no mapping for one worker."""
    if callable(getattr(workers, "map", None)) and callable(getattr(workers, "submit", None)):
        return workers.map, nullcontext()
    if callable(workers):
        return workers, nullcontext()
    try:
        count = whole_number("workers", workers)
    except TypeError:
        raise TypeError(
            f"workers is {workers!r}, but must be a number of processes, -1 for all cores, "
            "a callable like map, or an executor"
        ) from None
    if count == -1:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count < 1:
        raise ValueError(f"workers is {workers}, but must be at least 1, or -1 for all cores")
    if count == 1:
        return None, nullcontext()
    processes = Processes(count)
    return processes.map, processes


class Processes:
    """Worker processes. One that dies is an error of the search, and none outlives it."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.executor = ProcessPoolExecutor(count)

    def map(self, function: Callable[[Any], Any], points: Any) -> Iterable[Any]:
        """The values of the points, in order."""
        chunk = max(1, math.ceil(len(points) / (4 * self.count)))
        return self.executor.map(function, points, chunksize=chunk)

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What an interrupted generation still computes is of no use.
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
