"""The 24 functions of BBOB (COCO's package coco-experiment): onefold beside pycma and scipy.

Usage: python bbob.py [--dims 2,5,10,20] [--functions 1-24] [--instances 15] [--budget 10000] [--methods NAMES] [--seeds 1]
                      [--minutes M] [--jobs 1] [--again NAMES] [--store FILE]
       python bbob.py --merge FILES [--store FILE]
       python bbob.py --time

Runs what results/bbob.tsv lacks and appends to it, so that it can be killed and continued at any time. Small dimensions and low numbers
of instances come first, all functions and methods of an instance together, so that what is there is always balanced. A run ends at the
last target (10^-8 above the optimum) or when the budget (--budget times the dimension) is used up; evaluations are those that COCO's
problem has counted. What a run draws depends on its number of a seed, dimension, function and instance (bbob_methods.seeds).

--jobs 2 makes two runs at a time; one process writes to the store. Of two machines, each has some --functions and a --store of its own,
which --merge then adds to another one. --again forgets runs of some methods. --time prints what methods take beside the function, in
one run on one core.
"""

import argparse
import concurrent.futures
import itertools
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import warnings

import bbob_store
import cocoex
from bbob_methods import METHODS, seeds
from bbob_store import TARGETS, Key, Run


class Finished(Exception):
    """Ends a run from within the function: the last target is reached, or the budget used up."""


class Watched:
    """A problem of COCO that notes when each target was first reached."""

    def __init__(self, suite, key, budget):
        self.problem = suite.get_problem_by_function_dimension_instance(key.function, key.dim, key.instance)
        self.budget, self.hits = budget, []
        optimum = cocoex.BareProblem("bbob", key.function, key.dim, key.instance).best_value()
        self.limits = [optimum + target for target in TARGETS]

    @property
    def evaluations(self):
        return self.problem.evaluations

    def __call__(self, x):
        value = self.problem(x)
        while value <= self.limits[len(self.hits)]:
            self.hits.append(self.problem.evaluations)
            if len(self.hits) == len(self.limits):
                raise Finished
        if self.problem.evaluations >= self.budget:
            raise Finished
        return value


def suite_of(dims, instances):
    dims, instances = (",".join(map(str, numbers)) for numbers in (dims, instances))
    return cocoex.Suite("bbob", f"instances: {instances}", f"dimensions: {dims}")


def run(key):
    suite = suite_of([key.dim], [key.instance])
    watched = Watched(suite, key, key.budget * key.dim)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            METHODS[key.method](watched, key.dim, watched.budget, seeds(key))
    except Finished:
        pass
    result = Run(watched.evaluations, tuple(watched.hits))
    watched.problem.free()
    return result


def plan(args):
    """All runs, cheap and balanced ones first."""
    blocks = [(dim, instance) for dim in args.dims for instance in range(1, args.instances + 1)]
    for dim, instance in sorted(blocks, key=lambda block: (block[0] * block[1], block)):
        for seed, method, function in itertools.product(range(1, args.seeds + 1), args.methods, args.functions):
            yield Key(method, dim, function, instance, seed, args.budget)


def run_all(store, keys, jobs, end):
    """Runs on so many worker processes; none is begun after the end."""
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=cocoex.log_level, initargs=("warning",)) as workers:
        running, keys = {}, iter(keys)
        while True:
            while len(running) < jobs and time.monotonic() < end and (key := next(keys, None)):
                running[workers.submit(run, key)] = key
            if not running:
                break
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                store.append(running.pop(future), future.result())


class Clock:
    """A function whose own time is measured."""

    def __init__(self, fun):
        self.fun, self.seconds = fun, 0.0

    @property
    def evaluations(self):
        return self.fun.evaluations

    def __call__(self, x):
        began = time.perf_counter()
        try:
            return self.fun(x)
        finally:
            self.seconds += time.perf_counter() - began


def own_microseconds(suite, method, dim, function, evaluations):
    """Microseconds for each evaluation that a method takes beside the function: the least of three runs."""
    least = float("inf")
    for seed in range(1, 4):
        key = Key(method, dim, function, 1, seed, 0)
        watched = Watched(suite, key, evaluations)
        watched.limits = [float("-inf")]  # to the end of the budget
        clock = Clock(watched)
        began = time.perf_counter()
        try:
            METHODS[method](clock, dim, evaluations, seeds(key))
        except Finished:
            pass
        least = min(least, (time.perf_counter() - began - clock.seconds) / watched.evaluations * 1e6)
        watched.problem.free()
    return least


def print_times(dims, methods):
    cocoex.log_level("warning")
    suite = suite_of(dims, [1])
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    names = [method for method in METHODS if method in methods]
    print("Microseconds for each evaluation beside the function, mean of f1, f8, f15 and f21; 500 D evaluations each\n")
    print("| D | " + " | ".join(names) + " | pycma / onefold |")
    print("|---|" + "---|" * (len(names) + 1))
    for dim in dims:
        times = {}
        for method in names:
            each = [own_microseconds(suite, method, dim, f, 500 * dim) for f in (1, 8, 15, 21)]
            times[method] = sum(each) / len(each)
        ratio = times["pycma-bipop"] / times["onefold-bipop"] if {"pycma-bipop", "onefold-bipop"} <= times.keys() else float("nan")
        print(f"| {dim} | " + " | ".join(f"{t:.1f}" for t in times.values()) + f" | {ratio:.0f} |", flush=True)


def numbers(text):
    """"2,5" or "1-12" as numbers."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [number for end in ends for number in range(end[0], end[-1] + 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--dims", type=numbers, default=[2, 5, 10, 20])
    parser.add_argument("--functions", type=numbers, default=numbers("1-24"))
    parser.add_argument("--instances", type=int, default=15)
    parser.add_argument("--budget", type=int, default=10_000)
    parser.add_argument("--methods", type=names, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", type=names, default=[])
    parser.add_argument("--store", default="results/bbob.tsv")
    parser.add_argument("--merge", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--time", action="store_true")
    args = parser.parse_args()
    if args.time:
        return print_times(args.dims, args.methods)
    store = bbob_store.Store(args.store)
    if args.merge:
        return store.merge(args.merge)
    if args.again:
        store.forget(args.again)
    missing = [key for key in plan(args) if key not in store.runs]
    run_all(store, missing, args.jobs, time.monotonic() + 60 * args.minutes)


if __name__ == "__main__":
    main()
