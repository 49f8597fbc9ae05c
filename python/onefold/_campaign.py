"""Campaigns on any engine: the driver, which alone writes to the store."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import _onefold
from ._dispatch import MOST_DEATHS, Dispatch, Item
from ._engines import Engine
from ._frames import as_frame
from ._onefold import OnefoldError
from ._options import whole_number
from ._parcels import Parcels
from ._trials import Answer, Batch, Portion, run_batch

# Weight of the last trial in the prediction of its cell's seconds.
LAST = 0.2


@dataclass(frozen=True)
class FailedTrial:
    """A trial that has no record, and why."""

    cell: str
    seed: int
    reason: str


@dataclass(frozen=True)
class CampaignResult:
    """What `run_campaign` did.

    Attributes
    ----------
    store : str
        Folder of the records.
    trials : int
        Trials of the campaign.
    finished : int
        Those that were finished by this call.
    failed : list of FailedTrial
        Those that cannot be finished: a trial that raises an error, or whose worker died three times while
        it ran nothing else.
    elsewhere : int
        Those that another process with the same store is running.
    seconds : float
        Time that it took.
    rows : list of dict
        The table: for each cell its runs, how many reached the target, mean and standard deviation of their
        evaluations, mean seconds, and the comparison with the paper.
    """

    store: str
    trials: int
    finished: int
    failed: list[FailedTrial]
    elsewhere: int
    seconds: float
    rows: list[dict[str, Any]] = field(repr=False)

    def records(self) -> list[dict[str, Any]]:
        """The records of all finished trials, by cell and seed."""
        return [json.loads(line) for line in _onefold.read_store(self.store)]

    def frame(self) -> Any:
        """The records as a frame of pandas, a row for each trial; the records without pandas."""
        return as_frame(self.records())


def run_campaign(
    campaign: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    executor: Any = None,
    *,
    cells: str | None = None,
    table: str | None = None,
    quick: bool = False,
    runs: int | None = None,
    workers: int | None = None,
    threads: int = 1,
    slice_seconds: float = 10.0,
    in_flight: int | None = None,
    progress: bool | None = None,
) -> CampaignResult:
    """Runs the trials of a campaign that are not in its store, on this machine or on a cluster.

    The records are those of ``onefold reproduce``, whatever runs them: apart from times and order the same
    bytes. Call it again with the same store to go on after an interrupt, a crash or a power failure.

    Parameters
    ----------
    campaign : path, optional
        Campaign file; by default the paper's experiments.
    store : path, optional
        Folder of the records, by default ``results/`` and the campaign's name. Workers do not need it.
    executor : executor, callable or str, optional
        What runs the trials: nothing for processes on this machine, or a `ProcessPoolExecutor`, an executor
        of loky or of ``mpi4py.futures``, a Dask client or its executor, a `RayExecutor`; a function without
        arguments that makes one; or ``"local"``, ``"dask://HOST:PORT"``, ``"ray://HOST:PORT"``. Workers
        need nothing but the same version of onefold: data files are sent to them.
    cells : str, optional
        Only cells whose name matches, such as ``"sinc/*"``.
    table : str, optional
        Only the cells of these tables, separated by commas.
    quick : bool, default=False
        Only the cells and runs of the quick subset.
    runs : int, optional
        At most this many runs of each cell.
    workers : int, optional
        Worker processes on this machine, by default one for each core; or how many workers an executor has,
        where it does not say.
    threads : int, default=1
        Threads of each task. Results do not depend on it.
    slice_seconds : float, default=10
        After this time a task hands back what it has: records, and the states of unfinished trials, which go
        on anywhere. A lost worker costs no more than this.
    in_flight : int, optional
        Most tasks that are sent at a time, by default two for each worker.
    progress : bool, optional
        Whether to show trials done, workers, rate and remaining time on standard error; by default on a
        terminal and in a notebook.

    Returns
    -------
    CampaignResult

    Examples
    --------
    >>> import tempfile, onefold
    >>> with tempfile.TemporaryDirectory() as store:
    ...     done = onefold.run_campaign(store=store, cells="syn5/1-3-1/cma-es", runs=4, workers=2)
    >>> done.finished, done.rows[0]["reached"]
    (4, 4)
    """
    text, origin = read_campaign(campaign)
    folder = None if store is None else os.fspath(store)
    if runs is not None:
        whole_number("runs", runs, 1)
    with Session(executor, workers, threads, slice_seconds, in_flight, progress) as session:
        driver = _onefold.Driver(text, origin, folder, (cells, table, quick, runs))
        for notice in driver.notices:
            print(f"note: {notice}", file=sys.stderr)
        return session.run(driver)


class Session:
    """Runs campaigns one after the other on one engine, which is made when a trial is to be run."""

    def __init__(
        self,
        executor: Any,
        workers: int | None,
        threads: int,
        slice_seconds: float,
        in_flight: int | None,
        progress: bool | None,
    ) -> None:
        if not slice_seconds > 0:
            raise ValueError(f"slice_seconds is {slice_seconds!r}, but must be positive")
        for name, value in (("threads", threads), ("workers", workers), ("in_flight", in_flight)):
            if value is not None:
                whole_number(name, value, 1)
        self._executor = executor
        self._workers = workers
        self._engine: Engine | None = None
        self._dispatch: Dispatch | None = None
        self._threads = threads
        self._slice_seconds = slice_seconds
        self._in_flight = in_flight
        self._progress = progress

    def run(self, driver: _onefold.Driver) -> CampaignResult:
        """Runs the missing trials of a campaign, and closes its driver."""
        job = Trials(driver, self._threads, _Line(self._progress))
        try:
            if job.items:
                self._run(job)
            return job.result()
        finally:
            job.line.finish()
            driver.close()

    def _run(self, job: Trials) -> None:
        self._engine = self._engine or Engine(self._executor, self._workers)
        dispatch = Dispatch(self._engine, job, self._slice_seconds, self._in_flight, predicted=job.predicted)
        dispatch.add(job.items)
        job.items = []
        self._dispatch = dispatch
        dispatch.run()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._engine is not None:
            flying = self._dispatch.flying if self._dispatch is not None else ()
            self._engine.close(flying, cancel=kind is not None)


def read_campaign(campaign: str | os.PathLike[str] | None) -> tuple[str | None, str]:
    """The text of a campaign file, none for the paper's, and where it is from."""
    if campaign is None:
        return None, "experiments/paper.toml"
    with open(campaign, encoding="utf-8") as file:
        return file.read(), os.fspath(campaign)


class Trials:
    """The trials of a campaign, as a job to be dispatched."""

    def __init__(self, driver: _onefold.Driver, threads: int, line: _Line) -> None:
        self.driver = driver
        self.threads = threads
        self.line = line
        self.started = time.monotonic()
        missing = driver.missing()
        self.items = [Item((cell, seed), cell) for cell, seed, _ in missing]
        self.predicted: dict[Any, float] = {cell: max(seconds, 1e-4) for cell, _, seconds in missing}
        self.all = len(missing)
        self.finished = 0
        self.elsewhere = 0
        self.failed: list[FailedTrial] = []
        self.states: dict[tuple[int, int], str] = {}
        self.parcels = Parcels()

    def task(self, items: list[Item], seconds: float) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        """A batch of trials that nobody else is running."""
        ours = set(self.driver.claim([item.key for item in items]))
        self.elsewhere += len(items) - len(ours)
        items[:] = [item for item in items if item.key in ours]
        by_cell: dict[int, list[tuple[int, str | None]]] = {}
        for item in items:
            cell, seed = item.key
            state = self.states.get(item.key) or self.driver.saved(cell, seed)
            by_cell.setdefault(cell, []).append((seed, state))
        portions = [self._portion(cell, trials) for cell, trials in by_cell.items()]
        return (run_batch, (Batch(portions, seconds, self.threads),)) if portions else None

    def _portion(self, cell: int, trials: list[tuple[int, str | None]]) -> Portion:
        digest, parcel = self.parcels.send(cell, lambda: self.driver.parcel(cell))
        return Portion(digest, parcel, trials)

    def receive(self, items: list[Item], answer: Answer) -> list[Item]:
        """Adds records to the store; unfinished trials, and those not begun, have to be run again."""
        if answer.refused is not None:
            raise OnefoldError(f"the worker {answer.worker} cannot run this campaign: {answer.refused}")
        for digest in answer.missing:
            self.parcels.ask(digest)
        left = {item.key: item for item in items}
        records = []
        for part in answer.parts:
            key = (self.parcels.keys[part.digest], part.seed)
            if part.record is not None:
                records.append(part.record)
                self._done(left.pop(key))
            elif part.error is not None:
                self._fail(left.pop(key), part.error)
            elif part.state is not None:
                self.states[key] = part.state
                left[key].is_begun = True
                self.driver.save(*key, part.state)
        for cell, _, seconds in self.driver.add(records):
            self.predicted[cell] += LAST * (max(seconds, 1e-4) - self.predicted[cell])
        return list(left.values())

    def give_up(self, item: Item) -> None:
        """Reports a trial that kills its workers."""
        self._fail(item, f"its worker died {MOST_DEATHS} times while it ran nothing else")

    def _done(self, item: Item) -> None:
        self.finished += 1
        self.states.pop(item.key, None)

    def _fail(self, item: Item, reason: str) -> None:
        cell, seed = item.key
        self.states.pop(item.key, None)
        self.driver.release(cell, seed)
        failed = FailedTrial(self.driver.cells[cell], seed, reason)
        self.failed.append(failed)
        self.line.tell(f"warning: {failed.cell} seed {seed} is left out: {reason}")

    def show(self, dispatch: Dispatch) -> None:
        """Writes the line of progress."""
        workers = dispatch.engine.workers()
        elapsed = max(time.monotonic() - self.started, 1e-9)
        done = self.finished + len(self.failed)
        self.line.show(
            f"{done} of {self.all} trials done, {workers} workers, {self.finished / elapsed:.3g} trials/s, "
            f"about {_duration(dispatch.seconds_left() / workers)} to go"
        )

    def result(self) -> CampaignResult:
        """What was done."""
        return CampaignResult(
            store=os.fspath(self.driver.folder),
            trials=self.driver.trials,
            finished=self.finished,
            failed=self.failed,
            elsewhere=self.elsewhere,
            seconds=time.monotonic() - self.started,
            rows=json.loads(self.driver.rows()),
        )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


class _Line:
    """A line on standard error that is rewritten."""

    def __init__(self, is_shown: bool | None) -> None:
        self.is_shown = sys.stderr.isatty() or "ipykernel" in sys.modules if is_shown is None else is_shown
        self.shown = ""

    def show(self, text: str) -> None:
        if self.is_shown:
            sys.stderr.write("\r" + text.ljust(len(self.shown)))
            sys.stderr.flush()
            self.shown = text

    def tell(self, text: str) -> None:
        self.finish()
        print(text, file=sys.stderr)

    def finish(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * len(self.shown) + "\r")
            sys.stderr.flush()
            self.shown = ""
