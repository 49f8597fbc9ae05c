"""The fits of a selection on an executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._dispatch import Dispatch, Item
from ._engines import Engine
from ._onefold import OnefoldError, RaceWorker
from ._parcels import Kept, Parcels

_workers = Kept(RaceWorker)

# A fit of a selection is not interrupted, and goes in a task of its own.
WHOLE = 1e9


def run_fit(digest: str, parcel: bytes | None, state: bytes, number: int) -> tuple[bytes | None, str | None]:
    """What a worker does: the result of a fit or a message; neither, if it needs the parcel."""
    try:
        worker = _workers.get(digest, parcel)
        return (None, None) if worker is None else (worker.fit(state, number), None)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


class Cancelled(Exception):
    """The fit was interrupted."""


class Race:
    """Has the fits of a race done by an executor; the compiled module calls it for each part of the race."""

    def __init__(self, executor: Any) -> None:
        self.engine = Engine(executor)
        self.parcels = Parcels()

    def __call__(
        self, parcel: bytes, state: bytes, count: int, is_cancelled: Callable[[], bool]
    ) -> list[bytes] | None:
        fits = Fits(self.parcels, parcel, state, is_cancelled)
        dispatch = Dispatch(self.engine, fits, WHOLE, predicted={0: WHOLE})
        dispatch.add(Item(number, 0) for number in range(count))
        try:
            dispatch.run()
        except Cancelled:
            self.engine.close(dispatch.flying, cancel=True)
            return None
        except BaseException:
            self.engine.close(dispatch.flying, cancel=True)
            raise
        return [fits.results[number] for number in range(count)]

    def close(self) -> None:
        """Ends what was started for it."""
        self.engine.close([], cancel=False)


class Fits:
    """Some fits, as a job to be dispatched."""

    def __init__(
        self, parcels: Parcels, parcel: bytes, state: bytes, is_cancelled: Callable[[], bool]
    ) -> None:
        self.parcels = parcels
        self.parcel = parcel
        self.state = state
        self.is_cancelled = is_cancelled
        self.results: dict[int, bytes] = {}

    def task(self, items: list[Item], seconds: float) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """One fit."""
        digest, parcel = self.parcels.send("race", lambda: self.parcel)
        return run_fit, (digest, parcel, self.state, items[0].key)

    def receive(self, items: list[Item], answer: tuple[bytes | None, str | None]) -> list[Item]:
        """Takes a result; a worker without the rows gets them with the next task."""
        result, error = answer
        if error is not None:
            raise OnefoldError(f"a worker cannot do a fit of the selection: {error}")
        if result is None:
            self.parcels.ask(self.parcels.parcels["race"][0])
            return items
        self.results[items[0].key] = result
        return []

    def give_up(self, item: Item) -> None:
        """A race has no result without one of its fits."""
        raise OnefoldError("the selection was given up: one of its fits killed its workers again and again")

    def show(self, dispatch: Dispatch) -> None:
        """Looks whether the fit was interrupted."""
        if self.is_cancelled():
            raise Cancelled
