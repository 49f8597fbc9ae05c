"""Optimisers to ask for candidates and to tell their costs, one class for each method.

>>> import numpy as np
>>> from onefold.optimizers import LShade
>>> optimizer = LShade([(-5, 5)] * 3, seed=1, max_evaluations=3000)
>>> while not optimizer.finished:
...     candidates = optimizer.ask()
...     optimizer.tell((candidates**2).sum(axis=1))
>>> bool(optimizer.best.fun < 1e-10)
True
"""

from __future__ import annotations

import json
import zlib
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _onefold
from ._bounds import ends, point_within
from ._minimize import given_for_function
from ._options import seed_of, to_json
from ._result import MESSAGES
from ._workers import numbers

__all__ = [
    "Best",
    "BipopCmaEs",
    "CmaEs",
    "DifferentialEvolution",
    "IpopCmaEs",
    "Jade",
    "Jso",
    "LShade",
    "Optimizer",
    "Shade",
]


def __dir__() -> list[str]:
    return sorted(__all__)


class Best(NamedTuple):
    """A point and its value."""

    x: NDArray[np.float64]
    fun: float


class Optimizer:
    """An optimiser to ask for candidates and to tell their costs.

    Parameters
    ----------
    bounds : sequence of pairs, or object with `lb` and `ub`
        The lower and the upper end of each variable, both finite.
    method : str, default="cma-es-bipop"
        A name of ``onefold.methods(for_functions=True)``. Subclasses have their own.
    x0 : array of numbers, optional
        A point where the search begins, as for `onefold.minimize`.
    seed : int, numpy.random.Generator or None
        The same seed and costs give the same candidates, bit for bit. None for a random one.
    **options
        Options as for `onefold.minimize`: `population`, `sigma`, `mutation` and so on, and when to end, which
        `finished` tells: `target`, `max_evaluations` (default 10,000 for each variable), `max_generations`,
        `time` (seconds since the optimiser was made), `stagnation`, `spread`.

    Examples
    --------
    The whole state can be saved and restored, and an optimiser can be pickled:

    >>> import pickle
    >>> from onefold.optimizers import Optimizer
    >>> optimizer = Optimizer([(-1, 1)] * 2, "cma-es", seed=3)
    >>> for _ in range(5):
    ...     optimizer.tell((optimizer.ask() ** 2).sum(axis=1))
    >>> other = pickle.loads(pickle.dumps(optimizer))
    >>> bool((other.ask() == optimizer.ask()).all())
    True
    """

    #: The method of a subclass.
    method: ClassVar[str] = ""

    def __init__(
        self, bounds: Any, method: str | None = None, *, x0: Any = None, seed: Any = None, **options: Any
    ) -> None:
        own = type(self).method
        if own and method not in (None, own):
            raise ValueError(f"method is {method!r}, but a {type(self).__name__} is {own!r}; leave it out")
        self._arguments = {
            **given_for_function(own or method or "cma-es-bipop", options),
            "seed": seed_of(seed),
        }
        self._bounds = ends(bounds)
        self._x0 = point_within(x0, *self._bounds)
        self._optimizer = _onefold.Optimizer(*self._bounds, self._x0, to_json(self._arguments))

    def ask(self) -> NDArray[np.float64]:
        """The candidates to be evaluated next, one in each row. Until `tell` it returns the same ones."""
        return self._optimizer.ask()

    def tell(self, costs: ArrayLike) -> None:
        """Passes the costs of the candidates that were asked for. NaN and infinite ones count as infinite."""
        self._optimizer.tell(numbers(costs))

    @property
    def best(self) -> Best:
        """The best point so far, and its value, infinite before the first."""
        return Best(*self._optimizer.best())

    @property
    def population(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The population after `tell` and before the next `ask`, one point in each row, and its values."""
        return self._optimizer.population()

    @property
    def finished(self) -> str | None:
        """Why `onefold.minimize` with these options would end now, in words; None if it would go on.

        Candidates can be asked for and costs told all the same.
        """
        found = self._optimizer.finished()
        if found is None:
            return None
        reason, words = found
        return words or MESSAGES[json.loads(reason)]

    @property
    def seed(self) -> int:
        """The seed."""
        return int(self._arguments["seed"])

    def save(self) -> bytes:
        """The complete state."""
        head = to_json(
            {
                "arguments": self._arguments,
                "bounds": [end.tolist() for end in self._bounds],
                "counters": self._optimizer.counters,
            }
        ).encode()
        content = len(head).to_bytes(4, "little") + head + self._optimizer.save()
        return _NAME + zlib.crc32(content).to_bytes(4, "little") + content

    def restore(self, state: bytes) -> None:
        """Restores a state saved by an optimiser with the same method, bounds, seed and options.

        Raises
        ------
        ValueError
            If the state is damaged, or that of another optimiser.
        """
        arguments, bounds, counters, saved = _parts(state)
        own = json.loads(to_json(self._arguments))
        names = sorted({*arguments, *own})
        other = [name for name in names if arguments.get(name) != own.get(name)]
        if bounds != [end.tolist() for end in self._bounds]:
            other.append("bounds")
        if other:
            raise ValueError(
                f"the state belongs to an optimiser with another {' and '.join(other)}; make one like it, "
                "or use pickle, which keeps them"
            )
        self._optimizer.restore(saved, counters)

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value!r}" for name, value in self._arguments.items() if name != "method"
        )
        method = "" if type(self).method else f", {self._arguments['method']!r}"
        return f"{type(self).__name__}(<{len(self._bounds[0])} bounds>{method}{options})"

    def __getstate__(self) -> dict[str, Any]:
        first = {} if self._x0 is None else {"x0": self._x0}
        return {"arguments": self._arguments, "bounds": self._bounds, **first, "state": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._arguments, self._bounds, self._x0 = state["arguments"], state["bounds"], state.get("x0")
        self._optimizer = _onefold.Optimizer(*self._bounds, self._x0, to_json(self._arguments))
        if state["state"].startswith(_NAME):
            self.restore(state["state"])
        else:
            # Pickles of before have the state of the method alone.
            self._optimizer.restore(state["state"], (0, 0, 0, 0.0))


#: What states begin with.
_NAME = b"onefold optimizer 1\n"


def _parts(state: bytes) -> tuple[dict[str, Any], list[list[float]], tuple[int, int, int, float], bytes]:
    """Arguments, bounds, counters and the state of the method that were saved together."""
    size = len(_NAME)
    content = state[size + 4 :]
    if not state.startswith(_NAME) or zlib.crc32(content).to_bytes(4, "little") != state[size : size + 4]:
        raise ValueError("the state cannot be continued: it is damaged, or was not saved by an optimiser")
    end = 4 + int.from_bytes(content[:4], "little")
    head = json.loads(content[4:end])
    return head["arguments"], head["bounds"], tuple(head["counters"]), content[end:]


class DifferentialEvolution(Optimizer):
    """Differential Evolution with constant parameters, rand/1/bin by default."""

    method = "de"


class Jade(Optimizer):
    """JADE: Differential Evolution with adaptive parameters and an archive."""

    method = "jade"


class Shade(Optimizer):
    """SHADE: as JADE, with a memory of successful parameters."""

    method = "shade"


class LShade(Optimizer):
    """L-SHADE: as SHADE, with a population that shrinks until `max_evaluations`."""

    method = "l-shade"


class Jso(Optimizer):
    """jSO: as L-SHADE, with schedules for its parameters until `max_evaluations`."""

    method = "jso"


class CmaEs(Optimizer):
    """CMA-ES: sampling from a normal distribution whose covariance adapts."""

    method = "cma-es"


class IpopCmaEs(Optimizer):
    """CMA-ES, restarted with a doubled population whenever it is finished."""

    method = "cma-es-ipop"


class BipopCmaEs(Optimizer):
    """CMA-ES, restarted with large and small populations."""

    method = "cma-es-bipop"
