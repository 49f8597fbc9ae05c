"""What a trial costs on each engine beyond its own work, and how much faster two workers are than one."""

import json
import pathlib
import tempfile

from . import campaigns, engines, runs


def overhead(engine: str, trials: int, task_trials: int | str, workers: int = 2) -> dict:
    """Many trials of a millisecond: time beyond that of the trials themselves, and the driver's memory."""
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        campaign = campaigns.write(at, "many", campaigns.many(trials))
        cluster = engines.ENGINES[engine](workers)
        try:
            done = runs.run(campaign, at / "store", cluster.address, workers, task_trials=task_trials)
        finally:
            cluster.close()
        assert done["finished"] == trials and not done["failed"], done
        spent = seconds_in(at / "store")
    row = {"engine": engine, "trials": trials, "task_trials": task_trials, "workers": workers}
    row |= {
        "seconds": round(done["seconds"], 2),
        "trial_milliseconds": round(1e3 * spent / trials, 3),
        # Worker time that is not spent in trials, for each trial.
        "overhead_milliseconds": round(1e3 * (workers * done["seconds"] - spent) / trials, 3),
        "driver_milliseconds": round(1e3 * done["driver_seconds"] / trials, 3),
        "driver_megabytes": round(done["driver_megabytes"], 1),
    }
    print(row, flush=True)
    return row


def seconds_in(store: pathlib.Path) -> float:
    total = 0.0
    for path in store.glob("*.jsonl"):
        with path.open() as lines:
            total += sum(json.loads(line)["seconds"] for line in lines)
    return total


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
