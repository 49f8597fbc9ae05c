"""CMA-ES on classic functions: onefold beside pycma at equal settings, in one run on one core.

Usage: python cma_functions.py CMA_FUNCTIONS [--seeds 20]     (CMA_FUNCTIONS: the built example cma_functions of the library)
       python cma_functions.py --constants

The first table is the median number of evaluations to 1e-9 over the successful runs, and how many succeeded; equal success rates
are tested by Fisher's exact test, and called different below 1 % divided by the number of rows. The second is the time that asking
and telling take, the function not included. --constants prints what the library's tests compare with.
"""

import argparse
import json
import os
import statistics
import subprocess
import time

os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})  # one core, inherited by every process started here
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import cma  # noqa: E402
import numpy as np  # noqa: E402
from scipy.stats import fisher_exact  # noqa: E402


def schaffer(x):
    s = x[:, :-1] ** 2 + x[:, 1:] ** 2
    return (s**0.25 * (np.sin(50 * s**0.1) ** 2 + 1)).sum(1)


# Whole populations at once, so that pycma pays little for them.
FUNCTIONS = {
    "sphere": lambda x: (x * x).sum(1),
    "ellipsoid": lambda x: (1e6 ** (np.arange(x.shape[1]) / (x.shape[1] - 1)) * x * x).sum(1),
    "rosenbrock": lambda x: (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(1),
    "rastrigin": lambda x: (10 + x * x - 10 * np.cos(2 * np.pi * x)).sum(1),
    "schaffer": schaffer,
}


def start(dim, low, high, sigma, population, seed):
    x0 = np.random.default_rng(seed).uniform(low, high, dim)
    options = {"popsize": population, "seed": seed + 1, "verbose": -9, "verb_log": 0, "ftarget": 1e-9, "maxfevals": 1_000_000,
               "tolx": 0, "tolxstagnation": False}
    return cma.CMAEvolutionStrategy(x0, sigma, {k: v for k, v in options.items() if v is not None})


def evaluations(run, seed):
    """Evaluations of pycma to the target, or none."""
    es = start(run["dim"], -run["start"], run["start"], run["sigma"], run["population"], seed)
    f = FUNCTIONS[run["function"]]
    while not es.stop():
        candidates = es.ask()
        es.tell(candidates, f(np.asarray(candidates)).tolist())
    return es.countevals if "ftarget" in es.stop() else None


def seconds_per_generation(dim):
    best = np.inf
    for _ in range(3):
        es, seconds = start(dim, -1, 1, 0.5, None, 0), 0.0
        for _ in range(300):
            began = time.perf_counter()
            candidates = es.ask()
            seconds += time.perf_counter() - began
            costs = FUNCTIONS["ellipsoid"](np.asarray(candidates)).tolist()
            began = time.perf_counter()
            es.tell(candidates, costs)
            seconds += time.perf_counter() - began
        best = min(best, seconds / 300)
    return best


def print_constants():
    print(f"pycma {cma.__version__}: mueff, cs, damps, cc, c1, cmu, first and last weight, sum of negative weights, chi")
    for dim, population in ((2, 6), (5, 8), (10, 10), (10, 100), (40, 15), (20, 10_000)):
        es = cma.CMAEvolutionStrategy(dim * [0.1], 1, {"popsize": population, "verbose": -9})
        es.tell(*(lambda x: (x, [sum(v * v) for v in x]))(es.ask()))
        w, p = es.sp.weights, es.sm.parameters(mueff=es.sp.weights.mueff, lam=population)
        values = [w.mueff, es.adapt_sigma.cs, es.adapt_sigma.damps, es.sp.cc, p["c1"], p["cmu"], w[0], w[-1], sum(v for v in w if v < 0)]
        values.append(cma.utilities.math.Mh.chiN(dim))
        print((dim, population, [float(v) for v in values]))


def print_table(header, rows):
    for row in [header, ["---"] * len(header), *rows]:
        print("| " + " | ".join(row) + " |", flush=True)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--constants", action="store_true")
    args = parser.parse_args()
    if args.constants:
        return print_constants()
    if not args.program:
        parser.error("name the built example cma_functions, or --constants")
    output = subprocess.run([args.program, str(args.seeds)], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    cells = {}
    for run in lines:
        if "function" in run:
            cells.setdefault((run["function"], run["dim"]), []).append(run)
    rows = []
    for (function, dim), runs in cells.items():
        ours = [run["evaluations"] for run in runs if run["reached"]]
        theirs = [e for e in (evaluations(runs[0], seed) for seed in range(args.seeds)) if e is not None]
        middle = [statistics.median(v) if v else float("nan") for v in (ours, theirs)]
        table = [[len(ours), args.seeds - len(ours)], [len(theirs), args.seeds - len(theirs)]]
        p = fisher_exact(table).pvalue
        verdict = "differs" if p < 0.01 / len(cells) else "equal"
        rows.append(
            [function, str(dim), str(runs[0]["population"]), f"{middle[0]:.0f}", f"{middle[1]:.0f}", f"{middle[0] / middle[1]:.2f}",
             f"{len(ours)}/{args.seeds}", f"{len(theirs)}/{args.seeds}", f"{p:.2f}", verdict]
        )
    print(f"Evaluations to 1e-9, median over {args.seeds} seeds; onefold's preset `pycma` and pycma {cma.__version__}, default options but tolx 0.\n")
    header = ["function", "D", "population", "onefold", "pycma", "ratio", "onefold reached", "pycma reached", "Fisher p", "success"]
    print_table(header, rows)
    rows = []
    for run in lines:
        if "function" not in run:
            ours, theirs = run["seconds_per_generation"], seconds_per_generation(run["dim"])
            rows.append([str(run["dim"]), f"{ours * 1e6:.1f}", f"{theirs * 1e6:.0f}", f"{theirs / ours:.0f} x"])
    print("Microseconds for asking and telling one generation, default population, ellipsoid.\n")
    print_table(["D", "onefold", "pycma", "ratio"], rows)


if __name__ == "__main__":
    main()
