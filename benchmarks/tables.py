"""onefold with nothing said beside scikit-learn on many small tables: scores, parameters, seconds, over 5 folds and 5 seeds.

Usage: python tables.py [--binary ONEFOLD] [--store FILE] [--only TABLES] [--methods METHODS] [--seeds 0,1] [--folds 0,1]
                        [--again METHODS] [--timed | --time-only] [--jobs N]

For each seed the rows are dealt into five folds (StratifiedKFold or KFold, shuffled with that seed). Every method trains on the same four and is
scored on the fifth; what it chooses it chooses on the training rows:

  constant    the shares of the classes, or the mean
  linear      LogisticRegression or Ridge, inputs scaled
  mlp         MLPClassifier or MLPRegressor at its defaults, inputs and a regression's target scaled
  boosting    HistGradientBoosting at its defaults
  onefold     `onefold fit TRAIN --test TEST --seed 1`
  tuned-mlp   the best of 6 sizes x 3 alphas x 2 activations by GridSearchCV on 3 inner folds

Tables are in tables_data.py. Every result is appended to the store at once and not computed again: a run may be killed at any time and
repeated. --again forgets what the store has of a method (of the selected tables), as is needed when onefold has changed. --timed says that
the machine does nothing else: seconds of seed 0 are kept as those that the page shows; --time-only measures them again, without new
trials. --jobs is for the grid search, by default all cores. The page is made by tables_report.py.
"""

import argparse
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from sklearn.model_selection import KFold, StratifiedKFold

import tables_data
import tables_methods
from scale import CORES, machine
from tables_store import Store

ROOT = Path(__file__).resolve().parent.parent
FOLDS = 5
SEEDS = 5
TIMED_SEED = 0


def environment():
    packages = ("scikit-learn", "numpy")
    versions = {name: version(name) for name in packages} | {"python": platform.python_version()}
    return {"kind": "environment", "machine": machine(), "versions": versions}


def tasks(table, seed, jobs):
    """The folds of a table, dealt with a seed."""
    kind = StratifiedKFold if table.is_classification else KFold
    for train, test in kind(FOLDS, shuffle=True, random_state=seed).split(table.inputs, table.targets):
        rows = [(table.inputs[part], table.targets[part]) for part in (train, test)]
        yield tables_methods.Task(*rows, table.is_classification, seed, jobs)


class Comparison:
    """What was asked for, and the store."""

    def __init__(self, args):
        self.args = args
        self.store = Store(args.store)
        self.kind = "time" if args.time_only else "trial"
        self.onefold = tables_methods.Onefold(args.binary) if "onefold" in args.methods else None
        self.failures = []
        if args.again:
            count = self.store.forget(self.is_forgotten)
            print(f"{count} records forgotten", file=sys.stderr)
        self.warn_of_other_builds()

    def is_forgotten(self, record):
        is_result = record["kind"] == "time" or (record["kind"] == "trial" and not self.args.time_only)
        return is_result and record["method"] in self.args.again and record["table"] in self.args.only

    def warn_of_other_builds(self):
        if self.onefold:
            builds = {record.get("build") for record in self.store.records[self.kind].values()} - {None, self.onefold.build}
            if builds:
                others = ", ".join(sorted(builds))
                print(f"the store has results of other builds ({others}); --again onefold forgets them", file=sys.stderr)

    def run(self):
        self.store.note_environment(environment())
        tables = {name: tables_data.table(name) for name in self.args.only}
        for name, table in tables.items():
            self.store.note_table(name, tables_data.NAMES.index(name), table.description())
        for seed in [TIMED_SEED] if self.args.time_only else self.args.seeds:
            for method in self.args.methods:
                for name, table in tables.items():
                    self.run_folds(name, table, method, seed)
        if self.failures:
            raise SystemExit(f"these failed and are not in the store: {', '.join(self.failures)}")

    def run_folds(self, name, table, method, seed):
        for fold, task in enumerate(tasks(table, seed, self.args.jobs)):
            where = {"kind": self.kind, "table": name, "method": method, "seed": seed, "fold": fold}
            if fold not in self.args.folds or (name, method, seed, fold) in self.store.records[self.kind]:
                continue
            try:
                record = tables_methods.run(method, task, self.onefold).record(task)
            except tables_methods.Failed as failure:
                self.failures.append(f"{name} {method} seed {seed} fold {fold}")
                print(f"{self.failures[-1]}: {failure}", file=sys.stderr)
                continue
            if self.args.time_only or (self.args.timed and seed == TIMED_SEED):
                self.store.append(where | {"kind": "time"} | {key: record[key] for key in ("seconds", "build") if key in record})
            if not self.args.time_only:
                self.store.append(where | record)
            score = record.get("scores", {}).get("accuracy" if table.is_classification else "r2", "")
            print(f"seed {seed}  {method:10} {name:20} fold {fold}  {score:<10} {record['seconds']:.2f} s", flush=True)


def names(known, what):
    """A parser of names with commas between, each of which must be known."""

    def parse(text):
        chosen = text.split(",")
        if unknown := [name for name in chosen if name not in known]:
            raise argparse.ArgumentTypeError(f"there is no {what} {', '.join(unknown)}; there are {', '.join(known)}")
        return [name for name in known if name in chosen]

    return parse


def numbers(limit, what):
    known = [str(n) for n in range(limit)]
    parse = names(known, what)
    return lambda text: [int(name) for name in parse(text)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target/release/onefold")
    parser.add_argument("--store", default=ROOT / "results/tables.jsonl")
    parser.add_argument("--only", type=names(tables_data.NAMES, "table"), default=tables_data.NAMES)
    parser.add_argument("--methods", type=names(tables_methods.METHODS, "method"), default=tables_methods.METHODS)
    parser.add_argument("--seeds", type=numbers(SEEDS, "seed"), default=list(range(SEEDS)))
    parser.add_argument("--folds", type=numbers(FOLDS, "fold"), default=list(range(FOLDS)))
    parser.add_argument("--again", type=names(tables_methods.METHODS, "method"), default=[])
    seconds = parser.add_mutually_exclusive_group()
    seconds.add_argument("--timed", action="store_true")
    seconds.add_argument("--time-only", action="store_true")
    parser.add_argument("--jobs", type=int, default=CORES)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        Comparison(arguments()).run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
