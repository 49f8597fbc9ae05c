"""What a trial costs on each engine beyond its own work, and how much faster two workers are than one."""

import pathlib
import tempfile
import time

from onefold import _onefold

from . import campaigns, engines, runs


def overhead(engine: str, trials: int, task_trials: int | str, workers: int = 2) -> dict:
    """Many trials of a millisecond: processor time beyond that of one process without an engine.

    Processor time and not elapsed time, so that other programs on the machine count as little as possible.
    """
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        campaign = campaigns.write(at, "many", campaigns.many(trials))
        alone = one_process(campaign, at / "alone", trials)
        cluster = engines.ENGINES[engine](workers)
        try:
            before = engines.processor_seconds(cluster.pids())
            done = runs.run(campaign, at / "store", cluster.address, workers, task_trials=task_trials)
            used = engines.processor_seconds(cluster.pids()) - before
        finally:
            cluster.close()
        assert done["finished"] == trials and not done["failed"], done
    total = used + done["driver_seconds"] + done["children_seconds"]
    row = {"engine": engine, "trials": trials, "task_trials": task_trials, "workers": workers}
    row |= {
        "seconds": round(done["seconds"], 2),
        "trial_milliseconds": round(1e3 * alone / trials, 3),
        "overhead_milliseconds": round(1e3 * (total - alone) / trials, 3),
        "driver_milliseconds": round(1e3 * done["driver_seconds"] / trials, 3),
        "driver_megabytes": round(done["driver_megabytes"], 1),
    }
    print(row, flush=True)
    return row


def one_process(campaign: pathlib.Path, store: pathlib.Path, trials: int) -> float:
    """Processor time of the trials of a campaign with one cell, one after the other in this process."""
    driver = _onefold.Driver(campaign.read_text(), str(campaign), str(store), (None, None, False, None))
    cell = _onefold.TrialCell(driver.parcel(0))
    driver.close()
    before = time.process_time()
    cell.run([(seed, None) for seed in range(trials)], 1e9, 1)
    return time.process_time() - before


def speedup(engine: str, runs_of_each: int) -> dict:
    """The paper's cells of sinc on one worker and on two."""
    took = {}
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            cluster = engines.ENGINES[engine](workers)
            try:
                more = {"cells": "sinc/*", "runs": runs_of_each}
                done = runs.run(None, pathlib.Path(folder) / "store", cluster.address, workers, **more)
            finally:
                cluster.close()
            assert not done["failed"], done
            took[workers] = done["seconds"]
    row = {"engine": engine, "cells": "sinc/*", "runs": runs_of_each, "trials": done["finished"]}
    row |= {"one": round(took[1], 1), "two": round(took[2], 1), "ratio": round(took[1] / took[2], 2)}
    print(row, flush=True)
    return row
