"""The box in which a function is minimised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def ends(bounds: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and the upper ends: of pairs, or of an object like scipy's `Bounds`."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        low, high = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
        return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    if not hasattr(bounds, "__iter__"):
        raise TypeError(f"bounds is {bounds!r}, but must be one pair (low, high) for each variable")
    try:
        pairs = np.asarray([_pair(i, pair) for i, pair in enumerate(bounds)], dtype=np.float64)
    except (TypeError, ValueError) as error:
        if str(error).startswith("bounds["):
            raise
        raise ValueError(
            f"bounds is a {type(bounds).__name__} that is no list of pairs of numbers (low, high), one for "
            "each variable"
        ) from None
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0:
        raise ValueError(
            f"bounds has the shape {pairs.shape}, but must be one pair (low, high) for each variable, "
            "or an object with the arrays lb and ub"
        )
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _pair(i: int, pair: Any) -> Any:
    """A pair whose ends are both there: without bounds there is nothing to draw from."""
    if isinstance(pair, (list, tuple)) and any(end is None for end in pair):
        raise ValueError(f"bounds[{i}] is {tuple(pair)!r}, but both ends must be finite numbers")
    return pair


def point_within(x0: Any, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """A point at which a search begins, if one is given."""
    if x0 is None:
        return None
    point = np.ascontiguousarray(x0, dtype=np.float64)
    if point.shape != low.shape:
        raise ValueError(
            f"x0 has the shape {point.shape}, but must be {len(low)} numbers, one for each variable"
        )
    outside = np.flatnonzero(~((low <= point) & (point <= high)))
    if len(outside):
        i = int(outside[0])
        raise ValueError(f"x0[{i}] is {point[i]}, but must be within its bounds, {low[i]} and {high[i]}")
    return point
