"""How long a fit goes on after Ctrl-C: interrupts at random times on tables of several sizes.

Usage: python interrupts.py [--interrupts 20] [--seed 1]

Every fit runs in a process of its own with default settings; the time is from the signal to the return of `fit`, with the best network so
far kept and an InterruptedWarning. A fit that had ended before the signal is not counted.
"""

import argparse
import random
import signal
import statistics
import subprocess
import sys
import textwrap
import time

#: Rows, inputs, and how long after the start of the fit the signal may come, in seconds.
SIZES = {"300 x 5": (300, 5, 2.0), "3,000 x 20": (3000, 20, 4.0), "20,000 x 20": (20_000, 20, 6.0), "200,000 x 10": (200_000, 10, 10.0)}
TASKS = ("regression", "classification")

PROGRAM = """
    import signal, sys, time, warnings
    import numpy as np, onefold
    task, rows, inputs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, inputs))
    y = np.sin(X[:, 0] * X[:, 1]) + X[:, 2] + 0.1 * rng.normal(size=rows)
    estimator = onefold.OnefoldRegressor(random_state=1)
    if task == "classification":
        y, estimator = np.digitize(y, [-0.5, 0.5]), onefold.OnefoldClassifier(random_state=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print("ready", flush=True)
        estimator.fit(X, y)
        ended = time.monotonic()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    kept = [w.category for w in caught] == [onefold.InterruptedWarning]
    assert np.isfinite(estimator.predict(X[:100]).astype(float)).all()
    print(ended if kept else "ended before")
"""


def seconds_after(task, rows, inputs, wait):
    """From the signal to the end of the fit; None if it had ended."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), task, str(rows), str(inputs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "ready\n"
        time.sleep(wait)
        sent = time.monotonic()
        program.send_signal(signal.SIGINT)
        output, _ = program.communicate(timeout=120)
    if program.returncode != 0:
        raise SystemExit(f"the fit of {rows} x {inputs} failed after an interrupt at {wait:.2f} s")
    return None if "before" in output else float(output) - sent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interrupts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    print("| table | task | interrupts | median s | largest s | within 0.2 s |\n|---|---|---|---|---|---|")
    for name, (rows, inputs, latest) in SIZES.items():
        for task in TASKS:
            waits = [rng.uniform(0.02, latest) for _ in range(args.interrupts)]
            times = [t for t in (seconds_after(task, rows, inputs, wait) for wait in waits) if t is not None]
            within = sum(t <= 0.2 for t in times)
            print(f"| {name} | {task} | {len(times)} | {statistics.median(times):.2f} | {max(times):.2f} | {within} |", flush=True)


if __name__ == "__main__":
    main()
