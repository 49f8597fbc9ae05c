"""Writes docs/bbob.md's tables and its figure from results/bbob.tsv.

Usage: python bbob_report.py [--store results/bbob.tsv ...] [--page docs/bbob.md] [--figure docs/bbob.svg]

For each dimension only instances count that all methods have run on all functions, with seed 1 and the largest budget of the store. The
difference of the two CMA-ES stands beside its standard error over instances, and beside the spreads over the seeds that a method has run on
the same instances.
"""

import argparse
import itertools
import statistics
from collections import defaultdict
from pathlib import Path

import bbob_store
import line_chart
from bbob_store import TARGETS

COLOURS = {
    "onefold-bipop": ("onefold, cma-es-bipop", "#d1682c", ""),
    "pycma-bipop": ("pycma, BIPOP", "#2f8fd0", ""),
    "onefold-l-shade": ("onefold, l-shade", "#d1682c", "6 3"),
    "scipy-de": ("scipy, differential_evolution", "#2f8fd0", "6 3"),
}
#: The methods whose difference is shown beside the spread over their seeds.
PAIR = ("onefold-bipop", "pycma-bipop")
#: Evaluations for each dimension in the tables.
BUDGETS = (100, 1000, 10_000)
GROUPS = {
    "separable, f1-f5": range(1, 6),
    "moderate, f6-f9": range(6, 10),
    "ill-conditioned, f10-f14": range(10, 15),
    "multimodal, f15-f19": range(15, 20),
    "weakly structured, f20-f24": range(20, 25),
}


class Results:
    """The runs that can be compared."""

    def __init__(self, runs):
        budget = max(key.budget for key in runs)
        self.budget = budget
        #: Hits by method, dimension, seed, and by function and instance.
        self.hits = defaultdict(dict)
        for key, run in runs.items():
            if key.budget == budget:
                self.hits[key.method, key.dim, key.seed][key.function, key.instance] = [h / key.dim for h in run.hits]
        self.dims = sorted({key.dim for key in runs})
        self.instances = {dim: self.complete(dim, [(method, 1) for method in COLOURS]) for dim in self.dims}
        self.dims = [dim for dim in self.dims if self.instances[dim]]

    def complete(self, dim, methods):
        """The instances that all of these methods and seeds have run on all functions."""
        of_methods = []
        for method, seed in methods:
            done = defaultdict(set)
            for function, instance in self.hits[method, dim, seed]:
                done[instance].add(function)
            of_methods.append({instance for instance, functions in done.items() if len(functions) == 24})
        return sorted(set.intersection(*of_methods)) if of_methods else []

    def solved(self, method, dim, evaluations, functions=range(1, 25), seed=1, instances=None):
        """The share of targets reached within so many evaluations for each dimension."""
        instances = self.instances[dim] if instances is None else instances
        hits = [self.hits[method, dim, seed][key] for key in itertools.product(functions, instances)]
        return sum(h <= evaluations for of_run in hits for h in of_run) / (len(hits) * len(TARGETS))

    def seeds(self, dim):
        """The seeds of both CMA-ES, and instances that all of them have run: as many seeds of pycma as possible, then of onefold."""
        all_seeds = [sorted({seed for m, d, seed in self.hits if (m, d) == (method, dim)}) for method in PAIR]
        for count in range(len(all_seeds[1]), 0, -1):
            instances = self.complete(dim, [(PAIR[0], 1), *((PAIR[1], seed) for seed in all_seeds[1][:count])])
            instances = [i for i in instances if i in self.instances[dim]]
            if instances:
                own = [seed for seed in all_seeds[0] if set(instances) <= set(self.complete(dim, [(PAIR[0], seed)]))]
                return [own, all_seeds[1][:count]], instances
        raise ValueError(f"D = {dim} has no instance that all methods have run with seed 1")


def figure(results, path):
    steps = [10 ** (i / 12) for i in range(49)]
    panels = []
    for dim in results.dims:
        series = [
            line_chart.Series(name, colour, [(e, results.solved(method, dim, e)) for e in steps], dash)
            for method, (name, colour, dash) in COLOURS.items()
        ]
        count = len(results.instances[dim])
        panels.append(line_chart.Panel(f"D = {dim}, {count} instance{'s' if count > 1 else ''}", series))
    axes = line_chart.Axes("evaluations / D", "share of targets reached", [10.0**i for i in range(5)], [0, 0.2, 0.4, 0.6, 0.8, 1], True)
    line_chart.write(path, panels, axes)


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def by_budget(results):
    head = ["D", "evaluations / D", *(name for name, _, _ in COLOURS.values())]
    rows = [
        [str(dim), f"{budget:,}", *(f"{results.solved(method, dim, budget):.3f}" for method in COLOURS)]
        for dim in results.dims
        for budget in BUDGETS
    ]
    return table(head, rows)


def by_group(results):
    head = ["functions", "D", *(name for name, _, _ in COLOURS.values())]
    rows = [
        [group, str(dim), *(f"{results.solved(method, dim, BUDGETS[-1], functions):.3f}" for method in COLOURS)]
        for group, functions in GROUPS.items()
        for dim in results.dims
    ]
    return table(head, rows)


def by_instance(results):
    """The difference to pycma and its standard error over instances, which have seeds of their own: that of independent runs."""
    head = ["D", "instances", "evaluations / D", "onefold", "pycma", "difference", "its standard error"]
    rows = []
    for dim, budget in itertools.product(results.dims, BUDGETS):
        instances = results.instances[dim]
        shares = [[results.solved(method, dim, budget, instances=[i]) for i in instances] for method in PAIR]
        differences = [own - other for own, other in zip(*shares, strict=True)]
        error = f"{statistics.stdev(differences) / len(differences) ** 0.5:.3f}" if len(differences) > 1 else "-"
        means = [f"{statistics.mean(of_method):.3f}" for of_method in shares]
        rows.append([str(dim), str(len(instances)), f"{budget:,}", *means, f"{statistics.mean(differences):+.3f}", error])
    return table(head, rows)


def by_seed(results):
    """The difference to pycma beside the spreads over seeds, on the same instances. One seed has no spread."""
    head = ["D", "instances", "evaluations / D", "onefold, its seeds", "pycma, its seeds", "standard deviation of onefold", "of pycma"]
    head += ["difference of means", "its standard error"]
    rows = []
    for dim, budget in itertools.product(results.dims, BUDGETS):
        seeds, instances = results.seeds(dim)
        shares = [
            [results.solved(method, dim, budget, seed=seed, instances=instances) for seed in of_method]
            for method, of_method in zip(PAIR, seeds, strict=True)
        ]
        listed = [" ".join(f"{share:.3f}" for share in of_method) for of_method in shares]
        difference = statistics.mean(shares[0]) - statistics.mean(shares[1])
        if min(map(len, shares)) > 1:
            error = f"{sum(statistics.variance(of_method) / len(of_method) for of_method in shares) ** 0.5:.3f}"
        else:
            error = "-"
        spreads = [f"{statistics.stdev(of_method):.3f}" if len(of_method) > 1 else "-" for of_method in shares]
        rows.append([str(dim), str(len(instances)), f"{budget:,}", *listed, *spreads, f"{difference:+.3f}", error])
    return table(head, rows)


def what_was_run(results):
    lists = {dim: "instance 1" if most == [1] else f"instances 1 to {max(most)}" for dim, most in results.instances.items() if most}
    parts = [f"D = {dim}: {lists[dim]}" for dim in results.dims]
    return f"Budget {results.budget:,} D evaluations; " + "; ".join(parts) + ". All 24 functions, 51 targets each."


def replace(page, name, text):
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, rest = page.split(begin)
    return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", nargs="+", default=["results/bbob.tsv"])
    parser.add_argument("--page", default="docs/bbob.md")
    parser.add_argument("--figure", default="docs/bbob.svg")
    args = parser.parse_args()
    results = Results({key: run for store in args.store for key, run in bbob_store.read(store).items()})
    figure(results, args.figure)
    page = Path(args.page).read_text()
    for name, part in (("runs", what_was_run), ("budgets", by_budget), ("groups", by_group), ("instances", by_instance), ("seeds", by_seed)):
        page = replace(page, name, part(results))
    Path(args.page).write_text(page)


if __name__ == "__main__":
    main()
