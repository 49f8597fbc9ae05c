"""The result of a minimisation."""

from __future__ import annotations

from typing import Any

#: Why a search ended, in words.
MESSAGES = {
    "target": "the target is reached",
    "evaluations": "the maximum number of evaluations is used up",
    "generations": "the maximum number of generations is reached",
    "time": "the time is over",
    "stagnation": "the best value has not improved for too many generations",
    "converged": "all values of the population are equal within the tolerance",
    "observer": "the callback ended it",
}


class _Result(dict[str, Any]):
    """Equal to `scipy.optimize.OptimizeResult`, where there is no scipy."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return list(self.keys())

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:>{width}}: {value!r}" for name, value in self.items())


def result_class() -> type[dict[str, Any]]:
    """scipy's `OptimizeResult`, or an equal class where there is no scipy."""
    try:
        from scipy.optimize import OptimizeResult
    except ImportError:
        return _Result
    return OptimizeResult  # type: ignore[no-any-return]
