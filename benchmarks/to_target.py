"""Time to the paper's thresholds in every cell of the paper: onefold's auto, its own multistart, DE-SB, and pycma, on one core, in one run.

Usage: python to_target.py ONEFOLD_BINARY [--limit 60] [--seeds 5] [--quick-seeds 200] [--cell NAME]

pycma restarts with doubled population (IPOP) from its default population, the costs of a whole generation in one NumPy call; a success
counts if an exact least-squares solution confirms it. Times of onefold are those of the search, as `fit --json` tells them, each run in a
process of its own, auto and multistart in turn.
"""

import argparse
import math
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


def summary(times, limit):
    reached = sum(time < limit for time in times)
    middle = f"{1e3 * statistics.median(times):.3g}" if reached else "-"
    return middle if reached == len(times) else f"{middle} ({reached} of {len(times)})"


def ratio_of_means(times, others):
    """With the standard error that follows from the scatter of both."""
    mean = statistics.fmean
    share = math.hypot(*(statistics.stdev(t) / mean(t) / math.sqrt(len(t)) for t in (times, others)))
    ratio = mean(times) / mean(others)
    return f"{ratio:.2f} ± {share * ratio:.2f} x"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold")
    parser.add_argument("--limit", type=float, default=60, help="longest time to a target, in seconds")
    parser.add_argument("--seeds", type=int, default=5, help="runs of pycma and DE-SB")
    parser.add_argument("--quick-seeds", type=int, default=200, help="runs of auto and multistart")
    parser.add_argument("--first-seed", type=int, default=0, help="the first seed of auto and multistart")
    parser.add_argument("--cell", help="only cells of this data set")
    args = parser.parse_args()
    if not os.access(args.onefold, os.X_OK):
        sys.exit(f"{args.onefold} is not a program; build it with cargo build --release")

    rows = []
    for name, layers, target in CELLS:
        if args.cell not in (None, name):
            continue
        problem = Problem(args.onefold, name, layers, target)
        def run(method, seed):
            run = onefold_run(args.onefold, problem, seed, method, "--time", f"{args.limit}s")
            # A run without success took at least the limit.
            return run["seconds"] if run["reached"] else args.limit

        quick = range(args.first_seed, args.first_seed + args.quick_seeds)
        pairs = [(run("auto", seed), run("multistart", seed)) for seed in quick]
        auto, multistart = (list(times) for times in zip(*pairs))
        de_sb = [run("de-sb", seed) for seed in range(args.seeds)]
        watches = [watched(pycma, problem, seed, args.limit, True) for seed in range(args.seeds)]
        theirs = [args.limit if watch.reached is None else watch.reached for watch in watches]
        median = statistics.median
        rows.append(
            [f"{name} {'-'.join(map(str, layers))}"]
            + [summary(times, args.limit) for times in (auto, multistart, de_sb, theirs)]
            + [ratio_of_means(multistart, auto), f"{median(multistart) / median(auto):.2f} x", f"{median(theirs) / median(auto):.0f} x"]
        )
    print(f"Milliseconds to the paper's threshold, median, at most {args.limit:g} s; in brackets how many reached it, where not all did.")
    print(f"{args.quick_seeds} runs of auto and multistart, {args.seeds} of DE-SB and pycma. ± is one standard error.\n")
    heads = ["cell", "auto", "multistart", "DE-SB", "pycma", "multistart / auto, means", "medians", "pycma / auto, medians"]
    print_table(heads, rows)


def pycma(problem, watch, seed):
    return peers.pycma(problem, watch, seed, population=4 + int(3 * peers.np.log(problem.dim)))


if __name__ == "__main__":
    main()
