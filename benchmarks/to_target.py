"""Time to the paper's thresholds in every cell of the paper: onefold's auto, its own multistart, DE-SB, and pycma, on one core, in one run.

Usage: python to_target.py ONEFOLD_BINARY [--limit 60] [--seeds 5] [--cell NAME]

pycma restarts with doubled population (IPOP) from its default population, the costs of a whole generation in one NumPy call; a success
counts if an exact least-squares solution confirms it. Times of onefold are those of the search, as `fit --json` tells them.
"""

import argparse
import os
import statistics
import sys

import peers  # binds this process to one core
from peers import Problem, onefold_run, print_table, watched

CELLS = [
    ("syn5", [1, 3, 1], 5e-5),
    ("sinc", [1, 5, 1], 5e-5),
    ("sinc", [1, 6, 1], 5e-5),
    ("incsinc", [1, 5, 1], 5e-5),
    ("incsinc", [1, 6, 1], 5e-5),
    ("sinc2d", [2, 3, 1, 3, 1], 5e-5),
    ("iris", [4, 3, 3], 0.011),
    ("tic-tac-toe", [9, 8, 2], 0.08),
    ("balance", [4, 5, 1, 5, 3], 0.001),
    ("two-spirals", [2, 10, 1, 10, 2], 0.07),
    ("two-spirals", [2, 9, 1, 9, 2], 0.07),
]


def summary(times, seeds):
    middle = f"{1e3 * statistics.median(times):.3g}" if times else "-"
    return middle if len(times) == seeds else f"{middle} ({len(times)} of {seeds})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold")
    parser.add_argument("--limit", type=float, default=60, help="longest time to a target, in seconds")
    parser.add_argument("--seeds", type=int, default=5, help="runs of pycma and DE-SB; auto and multistart have ten times as many")
    parser.add_argument("--cell", help="only cells of this data set")
    args = parser.parse_args()
    if not os.access(args.onefold, os.X_OK):
        sys.exit(f"{args.onefold} is not a program; build it with cargo build --release")

    rows = []
    for name, layers, target in CELLS:
        if args.cell not in (None, name):
            continue
        problem = Problem(args.onefold, name, layers, target)
        times = {}
        for method, seeds in (("auto", 10 * args.seeds), ("multistart", 10 * args.seeds), ("de-sb", args.seeds)):
            runs = [onefold_run(args.onefold, problem, seed, method, "--time", f"{args.limit}s") for seed in range(seeds)]
            times[method] = [run["seconds"] for run in runs if run["reached"]]
        watches = [watched(pycma, problem, seed, args.limit, True) for seed in range(args.seeds)]
        times["pycma"] = [w.reached for w in watches if w.reached is not None]
        # A run without success took at least the limit.
        theirs = times["pycma"] + [args.limit] * (args.seeds - len(times["pycma"]))
        auto = statistics.median(times["auto"])
        rows.append(
            [f"{name} {'-'.join(map(str, layers))}"]
            + [summary(times[method], seeds) for method, seeds in (("auto", 10 * args.seeds), ("multistart", 10 * args.seeds))]
            + [summary(times[method], args.seeds) for method in ("de-sb", "pycma")]
            + [f"{statistics.median(times['multistart']) / auto:.2f} x", f"{statistics.median(theirs) / auto:.0f} x"]
        )
    print(f"Milliseconds to the paper's threshold, median, at most {args.limit:g} s; in brackets how many reached it, where not all did.\n")
    print_table(["cell", "auto", "multistart", "DE-SB", "pycma", "multistart / auto", "pycma / auto"], rows)


def pycma(problem, watch, seed):
    return peers.pycma(problem, watch, seed, population=4 + int(3 * peers.np.log(problem.dim)))


if __name__ == "__main__":
    main()
