"""One model of scikit-learn on a training file and a test file, in a process of its own, for scale.py.

Usage: python scale_peers.py NAME TRAIN TEST NEURONS SEED      (NAME: one of PEERS below; NEURONS and SEED only where it has them)

Prints JSON: the test error (mean of squares) or accuracy, the seconds from before the training file is read to after the test rows are
predicted, and apart from them the seconds of the imports. Networks and linear models get scaled inputs, networks a scaled target.
"""

import json
import sys
import time
import warnings

before_imports = time.perf_counter()

import pandas
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import_seconds = time.perf_counter() - before_imports
warnings.simplefilter("ignore", ConvergenceWarning)  # the defaults stop after 200 iterations


def scaled(network):
    return make_pipeline(StandardScaler(), TransformedTargetRegressor(network, transformer=StandardScaler()))


def same_size(solver, neurons, seed):
    """As many neurons of the same kind as onefold has."""
    return scaled(MLPRegressor(hidden_layer_sizes=(neurons,), activation="tanh", solver=solver, random_state=seed))


PEERS = {
    "MLPClassifier": lambda _, seed: make_pipeline(StandardScaler(), MLPClassifier(random_state=seed)),
    "HistGradientBoostingClassifier": lambda _, seed: HistGradientBoostingClassifier(random_state=seed),
    "LogisticRegression": lambda _, seed: make_pipeline(StandardScaler(), LogisticRegression()),
    "MLPRegressor": lambda _, seed: scaled(MLPRegressor(random_state=seed)),
    "MLPRegressor adam": lambda neurons, seed: same_size("adam", neurons, seed),
    "MLPRegressor lbfgs": lambda neurons, seed: same_size("lbfgs", neurons, seed),
    "HistGradientBoosting": lambda _, seed: HistGradientBoostingRegressor(random_state=seed),
    "LinearRegression": lambda _, seed: LinearRegression(),
}


def main():
    name, train, test, neurons, seed = sys.argv[1:6]
    started = time.perf_counter()
    rows = pandas.read_csv(train)
    inputs, targets = rows.iloc[:, :-1].to_numpy(), rows.iloc[:, -1].to_numpy()
    model = PEERS[name](int(neurons), int(seed)).fit(inputs, targets)
    rows = pandas.read_csv(test)
    inputs, targets = rows.iloc[:, :-1].to_numpy(), rows.iloc[:, -1].to_numpy()
    predicted = model.predict(inputs)
    seconds = time.perf_counter() - started
    answer = {"seconds": seconds, "import_seconds": import_seconds}
    if targets.dtype.kind == "f":
        answer["error"] = float(((predicted - targets) ** 2).mean())
    else:
        answer["accuracy"] = float((predicted == targets).mean())
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
