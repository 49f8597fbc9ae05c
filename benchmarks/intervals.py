"""Prediction intervals of onefold beside split-conformal ones of scikit-learn: coverage and width at the level 0.9.

Usage: python intervals.py [--store FILE] [--only TABLES] [--methods METHODS] [--first N] [--splits N] [--again METHODS]

The regression tables of tables_data.py except the one of 5000 rows, and one whose noise grows with a column. Each is divided 20 times at random,
three quarters to train and one quarter to test (`ShuffleSplit`). Methods have the same rows:

  onefold    `OnefoldRegressor(random_state=1)` and its `predict_interval`
  mlp        MLPRegressor at its defaults, inputs and target scaled, split-conformal
  boosting   HistGradientBoostingRegressor at its defaults, split-conformal

Split-conformal: a quarter of the training rows is held out, the model is trained on the others, and the interval is the prediction plus and minus
the held-out absolute error of rank ceil((n + 1) * 0.9). Coverage is the fraction of test rows inside, width the mean of upper minus lower, divided
by the standard deviation of the table's target.

Every result is appended to the store at once and not computed again: a run may be killed at any time and repeated. --again forgets what the store
has of a method. --first and --splits divide the splits between runs with a --store each, whose lines can be put together. The page is made by intervals_report.py.
"""

import argparse
import math
import time
import warnings

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tables_data
from intervals_report import LEVEL, METHODS, ROOT, SPLITS
from tables import environment, names
from tables_store import Store

HELD_OUT = 0.25
TESTED = 0.25


def growing_noise():
    """A line whose noise grows with the second of three columns."""
    random = np.random.default_rng(0)
    x = random.uniform(size=(500, 3))
    return x, 3 * x[:, 0] + (0.1 + x[:, 1]) * random.normal(size=500)


TABLES = {name: make for name, make in tables_data.REGRESSIONS.items() if name != "friedman1-5000"}
TABLES["growing-noise"] = growing_noise


def table(name):
    inputs, targets = TABLES[name]()
    return tables_data.Table(inputs.astype(float), targets.astype(float), False)


def peer(method, seed):
    if method == "boosting":
        return HistGradientBoostingRegressor(random_state=seed)
    network = make_pipeline(StandardScaler(), MLPRegressor(random_state=seed))
    return TransformedTargetRegressor(network, transformer=StandardScaler())


def split_conformal(method, train, test, seed):
    """Lower and upper ends for the test rows."""
    fitted, held_out, of_fitted, of_held_out = train_test_split(*train, test_size=HELD_OUT, random_state=seed)
    model = peer(method, seed)
    with warnings.catch_warnings():
        # At its defaults an MLP often ends before it has converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(fitted, of_fitted)
    errors = np.sort(np.abs(model.predict(held_out) - of_held_out))
    half = errors[math.ceil((len(errors) + 1) * LEVEL) - 1]
    predicted = model.predict(test[0])
    return predicted - half, predicted + half, {}


def of_onefold(train, test):
    """The same by onefold, and the network."""
    from onefold import OnefoldRegressor

    regressor = OnefoldRegressor(random_state=1).fit(*train)
    low, high = regressor.predict_interval(test[0], LEVEL).T
    return low, high, {"topology": regressor.topology_}


def main(args):
    store = Store(args.store)
    if args.again:
        store.forget(lambda record: record["kind"] == "trial" and record["method"] in args.again)
    store.note_environment(environment())
    tables = {name: table(name) for name in args.only}
    for name, made in tables.items():
        store.note_table(name, list(TABLES).index(name), made.description())
    splits = ShuffleSplit(SPLITS, test_size=TESTED, random_state=0)
    parts = {name: list(splits.split(made.inputs)) for name, made in tables.items()}
    for seed in range(args.first, args.splits):
        for name, made in tables.items():
            train, test = ((made.inputs[rows], made.targets[rows]) for rows in parts[name][seed])
            for method in args.methods:
                if (name, method, seed) in store.records["trial"]:
                    continue
                started = time.perf_counter()
                if method == "onefold":
                    low, high, more = of_onefold(train, test)
                else:
                    low, high, more = split_conformal(method, train, test, seed)
                seconds = time.perf_counter() - started
                coverage = float(np.mean((low <= test[1]) & (test[1] <= high)))
                width = float(np.mean(high - low) / np.std(made.targets))
                result = {"coverage": round(coverage, 4), "width": round(width, 4), "seconds": round(seconds, 2)}
                store.append({"kind": "trial", "table": name, "method": method, "seed": seed} | result | more)
                print(f"split {seed:2}  {method:9} {name:20} {coverage:.3f}  {width:.3f}  {seconds:.1f} s", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default=ROOT / "results/intervals.jsonl")
    parser.add_argument("--only", type=names(list(TABLES), "table"), default=list(TABLES))
    parser.add_argument("--methods", type=names(list(METHODS), "method"), default=list(METHODS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--again", type=names(list(METHODS), "method"), default=[])
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main(arguments())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
