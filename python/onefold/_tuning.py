"""The population of a cell by a race, whose trials run on any engine."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any

from . import _onefold
from ._campaign import FailedTrial, Session, read_campaign


@dataclass(frozen=True)
class TuningResult:
    """What `tune` found.

    Attributes
    ----------
    cell : str
        Name of the cell.
    population : int or None
        The population with the fewest evaluations among those with which every run reached the target; none
        if there is no such population.
    campaign : str or None
        The cell with this population, as the text of a campaign file.
    store : str
        Folder of the records.
    failed : list of FailedTrial
        Trials that cannot be run; their populations are not selected.
    elsewhere : int
        Trials that another process with the same store is running.
    rows : list of dict
        The populations: runs, how many reached the target, mean and standard deviation of their evaluations,
        why one was dropped, and whether it is the selected one.
    """

    cell: str
    population: int | None
    campaign: str | None
    store: str
    failed: list[FailedTrial]
    elsewhere: int
    rows: list[dict[str, Any]] = field(repr=False)


def tune(
    cell: str,
    campaign: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    executor: Any = None,
    *,
    runs: int = 50,
    smallest: int | None = None,
    largest: int | None = None,
    workers: int | None = None,
    threads: int = 1,
    slice_seconds: float = 10.0,
    in_flight: int | None = None,
    progress: bool | None = None,
) -> TuningResult:
    """Finds the population of a cell: no run fails, and the fewest evaluations.

    It is ``onefold tune`` with the trials on this machine or on a cluster; records and result are the same.
    Populations 1.5 times apart take part in a race: first a tenth of the runs of each, one population after
    the other, then three tenths, then all. Call it again with the same store to go on after an interrupt.

    Parameters
    ----------
    cell : str
        Name of the cell, such as ``"sinc/1-5-1/de-sb"``; ``*`` matches any text.
    campaign : path, optional
        Campaign file; by default the paper's experiments.
    store : path, optional
        Folder of the records, by default ``results/tune``.
    executor : executor, callable or str, optional
        What runs the trials, as for `run_campaign`.
    runs : int, default=50
        Runs that must all reach the target.
    smallest, largest : int, optional
        The range of populations; by default from a quarter of the cell's own to four times that.
    workers, threads, slice_seconds, in_flight, progress
        As for `run_campaign`.

    Returns
    -------
    TuningResult

    Examples
    --------
    >>> import tempfile, onefold
    >>> with tempfile.TemporaryDirectory() as store:
    ...     found = onefold.tune("syn5/1-3-1/cma-es", store=store, runs=4, smallest=20, largest=40, workers=2)
    >>> found.population in [row["population"] for row in found.rows]
    True
    """
    folder = None if store is None else os.fspath(store)
    tuning = _onefold.Tuning(read_campaign(campaign), folder, cell, runs, (smallest, largest))
    for notice in tuning.notices:
        print(f"note: {notice}", file=sys.stderr)
    failed: dict[tuple[str, int], FailedTrial] = {}
    elsewhere = 0
    with Session(executor, workers, threads, slice_seconds, in_flight, progress) as session:
        while (driver := tuning.next_campaign()) is not None:
            done = session.run(driver)
            failed |= {(trial.cell, trial.seed): trial for trial in done.failed}
            elsewhere += done.elsewhere
    text, selected = tuning.result()
    rows = json.loads(text)
    population = next((row["population"] for row in rows if row["selected"]), None)
    return TuningResult(
        cell=tuning.cell,
        population=population,
        campaign=selected,
        store=os.fspath(tuning.folder),
        failed=list(failed.values()),
        elsewhere=elsewhere,
        rows=rows,
    )
