"""Runs campaigns in drivers of their own, and compares their records."""

import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def start(campaign: pathlib.Path | None, store: pathlib.Path, engine: str, workers: int, **more) -> subprocess.Popen:
    """Starts a driver."""
    options = {"campaign": None if campaign is None else str(campaign), "store": str(store), "executor": engine}
    # How many workers a cluster has, it says itself.
    options |= {"workers": workers} if engine in ("local", "pool") else {}
    command = [sys.executable, "-m", "benchmarks.scaling.driver", json.dumps(options | more)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(driver: subprocess.Popen, seconds: float = 1800) -> dict:
    """What a driver did."""
    output, errors = driver.communicate(timeout=seconds)
    if driver.returncode != 0:
        raise RuntimeError(f"the driver ended with {driver.returncode}:\n{errors[-3000:]}")
    return json.loads(output.splitlines()[-1])


def run(campaign: pathlib.Path | None, store: pathlib.Path, engine: str, workers: int, **more) -> dict:
    """Runs a campaign to its end."""
    return finish(start(campaign, store, engine, workers, **more))


def records(store: pathlib.Path) -> list[str]:
    """The lines of a store without times, in order."""
    lines = []
    for path in store.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            record["seconds"] = None
            lines.append(json.dumps(record))
    return sorted(lines)


def keys(store: pathlib.Path) -> list[tuple[str, int]]:
    """Cell and seed of each line of a store."""
    return [(record["cell"], record["seed"]) for record in map(json.loads, records(store))]


def digest(lines: list[str]) -> str:
    """A short digest of records."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
