"""Measures campaigns on several engines, and keeps what was measured in results/scaling.json.

python -m benchmarks.scaling records | chaos | overhead | speedup | simulation, with --engine, --rounds, --trials, --runs, --campaign.
"""

import argparse
import json
import os
import pathlib
import platform
import sys
from importlib.metadata import version

from . import chaos, runs, same_records, simulate, timings

RESULTS = runs.ROOT / "results" / "scaling.json"


def main() -> int:
    """Measures, and replaces the earlier results of the same measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["records", "chaos", "overhead", "speedup", "simulation"])
    parser.add_argument("--engine", choices=["local", "dask", "ray"], action="append")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="the round to begin with; earlier ones are kept")
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--campaign", choices=["quick", "mixed"], help="for records, only this one")
    args = parser.parse_args()
    chosen = args.engine or {"chaos": ["dask", "ray"]}.get(args.what, ["local", "dask", "ray"])
    if args.what == "simulation":
        return keep("simulation", simulate.measure(measured()), "times")
    if args.what == "records":
        return keep("records", same_records.measure(args.campaign), "campaign")
    code = 0
    for engine in chosen:
        if args.what == "chaos":
            rows = []
            for row in chaos.measure(engine, args.first, args.rounds):
                rows.append(row)
                code |= keep("chaos", rows, "engine", "round")
            continue
        if args.what == "overhead":
            rows = [timings.overhead(engine, args.trials, "batches")]
            rows.append(timings.overhead(engine, max(500, args.trials // 50), 1))
        else:
            rows = [timings.speedup(engine, args.runs)]
        code |= keep(args.what, rows, "engine")
    return code


def measured() -> simulate.Costs:
    """What Dask was measured to take, with all trials in tasks of their own, and in batches; or an assumption."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows = [row for row in results.get("overhead", []) if row["engine"] == "dask"]
    if not rows:
        return simulate.ASSUMED
    batched = next(row for row in rows if row["task_trials"] != 1)
    alone = next(row for row in rows if row["task_trials"] == 1)
    trial = batched["driver_milliseconds"] / 1e3
    task = max(0.0, alone["driver_milliseconds"] / 1e3 - trial)
    return simulate.Costs(task=task, trial=trial, worker=max(0.0, alone["overhead_milliseconds"] / 1e3 - task))


def keep(what: str, rows: list[dict], *by: str) -> int:
    """Replaces the rows of the same campaigns or engines; 1 if something that must hold does not."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    new = {tuple(row[name] for name in by) for row in rows}
    old = [row for row in results.get(what, []) if tuple(row[name] for name in by) not in new]
    results[what] = old + rows
    results["machine"] = {"cores": os.cpu_count(), "processor": processor(), "python": platform.python_version()}
    results["machine"] |= {name: version(name) for name in ("distributed", "ray")}
    lines = ",\n".join(f'"{name}": [\n{table(found)}\n]' for name, found in results.items() if name != "machine")
    RESULTS.write_text(f'{{\n"machine": {json.dumps(results["machine"])},\n{lines}\n}}\n')
    return int(any(not row.get("is_same", True) or row.get("blamed") for row in rows))


def table(rows: list[dict]) -> str:
    return ",\n".join(json.dumps(row) for row in rows)


def processor() -> str:
    info = pathlib.Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    sys.exit(main())
