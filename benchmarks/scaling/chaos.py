"""Rounds in which workers are killed at random moments, the head node or scheduler once, the driver once."""

import pathlib
import random
import tempfile
import threading
import time
from collections.abc import Iterator

from . import campaigns, engines, runs

SLICE = 1.0


def measure(engine: str, first: int, rounds: int, workers: int = 2) -> Iterator[dict]:
    """Runs the same campaign again and again, and compares its records with those of an undisturbed run."""
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        campaign = campaigns.write(at, "chaos", campaigns.CHAOS)
        runs.run(campaign, at / "expected", "local", workers)
        expected = runs.records(at / "expected")
        cluster = engines.ENGINES[engine](workers)
        try:
            for number in range(first, rounds + 1):
                rng = random.Random(number)
                what = {2: "head", 3: "driver"}.get(number, "workers")
                row = {"engine": engine, "round": number, "killed": what}
                row |= disturbed(cluster, campaign, at / f"round-{number}", what, rng)
                lines = runs.records(at / f"round-{number}")
                keys = runs.keys(at / f"round-{number}")
                row |= {"trials": len(lines), "doubled": len(keys) - len(set(keys))}
                row |= {"lost": len(expected) - len(set(keys)), "is_same": lines == expected}
                print(row, flush=True)
                yield row
        finally:
            cluster.close()


def disturbed(cluster, campaign: pathlib.Path, store: pathlib.Path, what: str, rng: random.Random) -> dict:
    """One round: workers are killed until each place of one has been hit, and what else was asked for."""
    started = time.monotonic()
    driver = runs.start(campaign, store, cluster.address, cluster.count, slice_seconds=SLICE)
    wait_for_records(store, driver)
    if what == "head":
        time.sleep(rng.uniform(0, 1))
        cluster.lose_head()
    elif what == "driver":
        time.sleep(rng.uniform(0, 1))
        driver.kill()
        driver.communicate()
        driver = runs.start(campaign, store, cluster.address, cluster.count, slice_seconds=SLICE)
    killed: set[int] = set()
    killer = threading.Thread(target=kill_workers, args=(cluster, driver, killed, rng))
    killer.start()
    done = runs.finish(driver)
    killer.join()
    took = time.monotonic() - started
    return {"seconds": round(took, 1), "workers_killed": len(killed), "blamed": len(done["failed"])}


def wait_for_records(store: pathlib.Path, driver) -> None:
    while driver.poll() is None and not any(path.stat().st_size for path in store.glob("*.jsonl")):
        time.sleep(0.02)


def kill_workers(cluster, driver, killed: set[int], rng: random.Random) -> None:
    """Kills every worker that is there at the beginning once, at random moments, while the driver runs."""
    targets: set[int] = set()
    while driver.poll() is None and len(targets) < cluster.count:
        targets |= set(cluster.workers()[: cluster.count])
        time.sleep(0.05)
    for pid in sorted(targets):
        time.sleep(rng.uniform(0.1, 1.5))
        victim = wait_for_worker(cluster, driver, pid, killed)
        if victim is not None:
            engines.kill([victim])
            killed.add(victim)


def wait_for_worker(cluster, driver, pid: int, killed: set[int]) -> int | None:
    """This worker, or the next one that runs a task: Ray gives its processes other tasks and names, and after the death
    of a driver there are none for a while. None if the campaign is over."""
    while driver.poll() is None:
        there = [other for other in cluster.workers() if other not in killed]
        if there:
            return pid if pid in there else there[0]
        time.sleep(0.02)
    return None
