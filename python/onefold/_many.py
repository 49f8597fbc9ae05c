"""Many fits on an executor."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._dispatch import Dispatch, Item
from ._engines import Engine
from ._onefold import OnefoldError
from ._parcels import Kept, Parcels

_rows = Kept(pickle.loads)

# A fit is not interrupted, and goes in a task of its own.
WHOLE = 1e9


def fit_many(
    fits: Iterable[tuple[Any, Any, Mapping[str, Any]]],
    executor: Any = None,
    *,
    estimator: Any = "auto",
    workers: int | None = None,
) -> list[Any]:
    """Trains many networks, on this machine or on a cluster.

    Parameters
    ----------
    fits : iterable of (X, y, params)
        Rows, targets and the parameters of each estimator. Rows that several fits share are sent to each
        worker once.
    executor : executor, callable or str, optional
        What runs the fits, as for `run_campaign`.
    estimator : class or "auto", default="auto"
        `OnefoldRegressor` or `OnefoldClassifier`. With ``"auto"`` a regressor where all of y are numbers with
        a fraction, and a classifier otherwise.
    workers : int, optional
        Worker processes on this machine, by default one for each core.

    Returns
    -------
    list
        The fitted estimators, in the order of the fits. Each fit runs on one thread unless its parameters
        have another `n_jobs`; the networks do not depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import onefold
    >>> X, y = load_iris(return_X_y=True)
    >>> params = {"hidden": 2, "decay": 1e-3}
    >>> fits = [(X, y, {**params, "random_state": seed}) for seed in range(3)]
    >>> [fitted.topology_ for fitted in onefold.fit_many(fits, workers=2)]
    ['4-2-3', '4-2-3', '4-2-3']
    """
    job = Many(list(fits), estimator)
    engine = Engine(executor, workers)
    dispatch = Dispatch(engine, job, WHOLE, predicted={0: WHOLE})
    dispatch.add(Item(number, 0) for number in range(len(job.fits)))
    is_done = False
    try:
        dispatch.run()
        is_done = True
    finally:
        engine.close(dispatch.flying, cancel=not is_done)
    return [job.fitted[number] for number in range(len(job.fits))]


def run_fit(
    digest: str, parcel: bytes | None, estimator: Any, params: dict[str, Any]
) -> tuple[Any, str | None]:
    """What a worker does: the fitted estimator or a message; neither, if it needs the rows."""
    try:
        rows = _rows.get(digest, parcel)
        return (None, None) if rows is None else (estimator(**params).fit(*rows), None)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


class Many:
    """Fits, as a job to be dispatched."""

    def __init__(self, fits: list[tuple[Any, Any, Mapping[str, Any]]], estimator: Any) -> None:
        self.fits = fits
        self.estimators = [_estimator(y) if estimator == "auto" else estimator for _, y, _ in fits]
        self.parcels = Parcels()
        self.fitted: dict[int, Any] = {}

    def task(self, items: list[Item], seconds: float) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """One fit."""
        number = items[0].key
        X, y, params = self.fits[number]
        digest, parcel = self.parcels.send((id(X), id(y)), lambda: pickle.dumps((X, y), protocol=5))
        return run_fit, (digest, parcel, self.estimators[number], {"n_jobs": 1, **params})

    def receive(self, items: list[Item], answer: tuple[Any, str | None]) -> list[Item]:
        """Takes a fitted estimator; a worker without the rows gets them with the next task."""
        fitted, error = answer
        number = items[0].key
        if error is not None:
            raise OnefoldError(f"fit {number}: {error}")
        if fitted is None:
            X, y, _ = self.fits[number]
            self.parcels.ask(self.parcels.parcels[id(X), id(y)][0])
            return items
        self.fitted[number] = fitted
        return []

    def give_up(self, item: Item) -> None:
        """A list of fits is not complete without one of them."""
        raise OnefoldError(f"fit {item.key} killed its workers again and again")

    def show(self, dispatch: Dispatch) -> None:
        """Shows nothing."""


def _estimator(y: Any) -> Any:
    from sklearn.utils.multiclass import type_of_target

    from . import _estimators

    is_number = str(type_of_target(y)).startswith("continuous")
    return _estimators.OnefoldRegressor if is_number else _estimators.OnefoldClassifier
