"""The same records, byte for byte apart from times and order, from one process and from every engine."""

import pathlib
import subprocess
import tempfile
import time

from . import campaigns, engines, runs

SHARDS = 3


def measure(only: str | None = None, workers: int = 2) -> list[dict]:
    """Runs two campaigns, or only one of them, everywhere."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        mixed = campaigns.write(at, "mixed", campaigns.MIXED)
        for name, campaign, more in [("quick", None, {"quick": True}), ("mixed", mixed, {})]:
            if only not in (None, name):
                continue
            flags = ["--quick"] if campaign is None else ["--campaign", str(campaign)]
            expected = one_process(at / f"{name}-one", flags)
            stores = {"one process": expected}
            stores[f"{SHARDS} shards"] = in_shards(at / f"{name}-shards", flags)
            for engine in ("pool", "local", "dask", "ray"):
                stores[engine] = by_engine(at / f"{name}-{engine}", engine, workers, campaign, more)
            for where, (seconds, lines) in stores.items():
                row = {"campaign": name, "where": where, "trials": len(lines), "seconds": round(seconds, 1)}
                row |= {"digest": runs.digest(lines), "is_same": lines == expected[1]}
                print(row, flush=True)
                results.append(row)
    return results


def one_process(store: pathlib.Path, flags: list[str]) -> tuple[float, list[str]]:
    """The command on one thread."""
    return reproduce(store, [*flags, "--threads", "1"])


def in_shards(store: pathlib.Path, flags: list[str]) -> tuple[float, list[str]]:
    """Shards, each with its own store, whose files are concatenated."""
    parts = [store.with_name(f"{store.name}-{number}") for number in range(1, SHARDS + 1)]
    seconds = 0.0
    for number, part in enumerate(parts, 1):
        took, _ = reproduce(part, [*flags, "--threads", "1", "--shard", f"{number}/{SHARDS}"])
        seconds += took
    store.mkdir()
    (store / "trials.jsonl").write_text("".join((part / "trials.jsonl").read_text() for part in parts))
    return seconds, runs.records(store)


def reproduce(store: pathlib.Path, flags: list[str]) -> tuple[float, list[str]]:
    started = time.monotonic()
    command = [engines.onefold(), "reproduce", "--store", str(store), *flags]
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - started, runs.records(store)


def by_engine(
    store: pathlib.Path, engine: str, workers: int, campaign: pathlib.Path | None, more: dict
) -> tuple[float, list[str]]:
    """A driver and an engine, started for it."""
    if engine == "pool":
        done = runs.run(campaign, store, engine, workers, **more)
    else:
        cluster = engines.ENGINES[engine](workers)
        try:
            done = runs.run(campaign, store, cluster.address, workers, **more)
        finally:
            cluster.close()
    assert not done["failed"] and not done["elsewhere"], done
    return done["seconds"], runs.records(store)
