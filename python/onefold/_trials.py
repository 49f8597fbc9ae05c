"""What a worker does: trials of campaigns, by the cells that were sent to it."""

from __future__ import annotations

import os
import socket
import time
from typing import NamedTuple

from . import _onefold
from ._parcels import Kept

_cells = Kept(_onefold.TrialCell)


class Portion(NamedTuple):
    """Trials of one cell."""

    # Digest of the cell's parcel, and the parcel itself unless the worker is believed to have it.
    digest: str
    parcel: bytes | None
    # Seeds, with the states of unfinished trials.
    trials: list[tuple[int, str | None]]


class Batch(NamedTuple):
    """A task: trials to be run one after the other on one worker."""

    portions: list[Portion]
    # Unfinished trials are handed back after this time.
    seconds: float
    threads: int


class Part(NamedTuple):
    """What is left of a trial: one of a record, a state, or a message; nothing if it was cancelled."""

    digest: str
    seed: int
    record: bytes | None = None
    state: str | None = None
    error: str | None = None


class Answer(NamedTuple):
    """The result of a batch; trials without a part were not begun."""

    worker: str
    parts: list[Part]
    # Digests of cells that the worker does not have.
    missing: list[str]
    # Why a cell cannot be run by this worker at all.
    refused: str | None = None


def run_batch(batch: Batch) -> Answer:
    """Runs trials until all are done or the time is over."""
    end = time.monotonic() + batch.seconds
    parts: list[Part] = []
    missing: list[str] = []
    for portion in batch.portions:
        if parts and time.monotonic() >= end:
            break
        try:
            cell = _cells.get(portion.digest, portion.parcel)
        except Exception as error:
            return Answer(_name(), parts, missing, f"{type(error).__name__}: {error}")
        if cell is None:
            missing.append(portion.digest)
            continue
        _abort_in_tests(cell.name, portion.trials)
        parts += _run(cell, portion, end, batch.threads)
    return Answer(_name(), parts, missing)


def _run(cell: _onefold.TrialCell, portion: Portion, end: float, threads: int) -> list[Part]:
    trials, digest = portion.trials, portion.digest
    try:
        done = cell.run(trials, end - time.monotonic(), threads)
    except Exception as error:
        if len(trials) == 1:
            return [Part(digest, trials[0][0], error=f"{type(error).__name__}: {error}")]
        # One of them cannot be run; which one is found by running each by itself.
        parts = []
        for trial in trials:
            parts += _run(cell, Portion(digest, None, [trial]), end, threads)
            if time.monotonic() >= end:
                break
        return parts
    pairs = zip(trials, done, strict=False)
    return [Part(digest, seed, record, state) for (seed, _), (record, state) in pairs]


def _name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _abort_in_tests(cell: str, trials: list[tuple[int, str | None]]) -> None:
    """Ends the process at a trial that a test names, as a fault in compiled code would."""
    named = os.environ.get("ONEFOLD_TEST_ABORT")
    if named and named in {f"{cell}#{seed}" for seed, _ in trials}:
        os.abort()
