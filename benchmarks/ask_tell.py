"""What one generation takes beside the function: ask and tell of every method of `onefold.optimizers`, in one run on one core.

Usage: python ask_tell.py [--dim 20] [--population 100] [--generations 400] [--repeats 7]

Prints the median over the repeats of the mean over the generations, in microseconds of processor time, and the least and the largest of them. Costs are
those of an ill-conditioned quadratic function, computed between the two calls and not timed. Methods that stop or restart are given a
new seed when they do.
"""

import argparse
import os
import statistics
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import onefold
from onefold.optimizers import Optimizer


def microseconds(method, dim, population, generations, seed):
    """The mean of one ask and tell."""
    scales = 10.0 ** (6 * np.arange(dim) / max(dim - 1, 1))
    # Schedules that shrink the population are made for many more generations, so that it stays as large as given.
    options = {"population": population, "max_evaluations": 1000 * generations * population}
    optimizer, seconds, done = Optimizer([(-5, 5)] * dim, method, seed=seed, **options), 0.0, 0
    while done < generations:
        began = time.thread_time()
        candidates = optimizer.ask()
        asked = time.thread_time()
        if len(candidates) != population or optimizer.finished is not None:
            seed += 1000
            optimizer = Optimizer([(-5, 5)] * dim, method, seed=seed, **options)
            continue
        costs = (candidates * candidates) @ scales
        ready = time.thread_time()
        optimizer.tell(costs)
        seconds += time.thread_time() - ready + asked - began
        done += 1
    return seconds / generations * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dim", type=int, default=20)
    parser.add_argument("--population", type=int, default=100)
    parser.add_argument("--generations", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    print(f"| method | ask and tell, D = {args.dim}, population {args.population}, µs | least | largest |")
    print("|---|---|---|---|")
    for method in onefold.methods(for_functions=True):
        times = [
            microseconds(method.name, args.dim, args.population, args.generations, seed) for seed in range(args.repeats)
        ]
        print(f"| `{method.name}` | {statistics.median(times):.0f} | {min(times):.0f} | {max(times):.0f} |", flush=True)


if __name__ == "__main__":
    main()
