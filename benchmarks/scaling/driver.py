"""A driver in a process of its own, so that it can be killed: python -m benchmarks.scaling.driver JSON."""

import json
import os
import pathlib
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import onefold
from onefold import _dispatch


def main() -> None:
    """Runs a campaign, and prints what was done."""
    options = json.loads(sys.argv[1])
    pool = ProcessPoolExecutor(options["workers"]) if options["executor"] == "pool" else None
    if pool is not None:
        options["executor"] = pool
    if options.pop("task_trials", "batches") == 1:
        # Every trial in a task of its own, to measure what a task costs.
        _dispatch.MOST_ITEMS = 1
    started, used = time.monotonic(), os.times()
    done = onefold.run_campaign(**options)
    now = os.times()
    answer = {
        "finished": done.finished,
        "failed": [[trial.cell, trial.seed, trial.reason] for trial in done.failed],
        "elsewhere": done.elsewhere,
        "seconds": time.monotonic() - started,
        "driver_seconds": now.user + now.system - used.user - used.system,
        # Of workers that are children of the driver, which have ended by now.
        "children_seconds": now.children_user + now.children_system,
        "driver_megabytes": peak_megabytes(),
    }
    if pool is not None:
        # Its processes have the standard output of this one, which ends with the last of them.
        pool.shutdown()
    print(json.dumps(answer), flush=True)
    # Threads of a lost engine must not keep the process alive.
    os._exit(0)


def peak_megabytes() -> float:
    """The largest resident memory of this process; that of `getrusage` includes what its parent had."""
    status = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    main()
