"""Tables of scikit-learn: onefold, which chooses its own network, beside MLPClassifier and MLPRegressor at their defaults.

Usage: python sklearn_mlp.py ONEFOLD [--seeds 5] [--data wine,breast-cancer,diabetes]     (ONEFOLD: the built command)

For each seed the rows are dealt into five folds (StratifiedKFold or KFold, shuffled with that seed). Both sides train on the same four and are
scored on the fifth: onefold with `fit TRAIN --test TEST --seed 1` and nothing else, so that whatever it chooses it chooses on the training
rows; scikit-learn behind a StandardScaler, with random_state=0. Scores are means over folds, then mean and standard deviation over seeds.
Seconds are wall time of five folds on all cores that this process may use, training and test, choosing included; parameters are the mean over folds.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.simplefilter("ignore", ConvergenceWarning)  # the defaults stop after 200 epochs

DATA = {"wine": load_wine, "breast-cancer": load_breast_cancer, "diabetes": load_diabetes}


def write(path, inputs, targets, is_classification):
    """Rows as a CSV file; classes as words."""
    lines = [",".join([f"x{i + 1}" for i in range(inputs.shape[1])] + ["target"])]
    for row, target in zip(inputs, targets):
        last = f"class{target}" if is_classification else repr(float(target))
        lines.append(",".join([repr(float(v)) for v in row] + [last]))
    path.write_text("\n".join(lines) + "\n")


def of_onefold(command, folder, train, test, is_classification):
    """Score, parameters and topology of the network that onefold chooses."""
    write(folder / "train.csv", *train, is_classification)
    write(folder / "test.csv", *test, is_classification)
    args = [command, "fit", "train.csv", "--test", "test.csv", "--seed", "1", "--json"]
    answer = json.loads(subprocess.run(args, cwd=folder, check=True, capture_output=True, text=True).stdout)
    r2 = 1 - answer["test_mse"] / np.var(test[1])
    return answer["test_accuracy"] if is_classification else r2, answer["parameters"], answer["topology"]


def of_sklearn(make, train, test):
    """Score and parameters of a network of scikit-learn."""
    model = make_pipeline(StandardScaler(), make()).fit(*train)
    network = getattr(model[-1], "regressor_", model[-1])
    return model.score(*test), sum(w.size for w in network.coefs_ + network.intercepts_), ""


def scaled_target():
    return TransformedTargetRegressor(MLPRegressor(random_state=0), transformer=StandardScaler())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--data", default=",".join(DATA))
    args = parser.parse_args()
    command = str(Path(args.onefold).resolve())
    print("| data | method | score | of each seed | parameters | seconds for 5 folds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in args.data.split(","):
        data = DATA[name]()
        is_classification = name != "diabetes"
        dealer = StratifiedKFold if is_classification else KFold
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            methods = {
                "onefold": lambda train, test: of_onefold(command, folder, train, test, is_classification)
            }
            if is_classification:
                methods["MLPClassifier"] = lambda *rows: of_sklearn(lambda: MLPClassifier(random_state=0), *rows)
            else:
                methods["MLPRegressor"] = lambda *rows: of_sklearn(lambda: MLPRegressor(random_state=0), *rows)
                methods["MLPRegressor, target scaled"] = lambda *rows: of_sklearn(scaled_target, *rows)
            for method, run in methods.items():
                scores, seconds, sizes, networks = [], [], [], []
                for seed in range(args.seeds):
                    of_folds = []
                    started = time.perf_counter()
                    folds = dealer(5, shuffle=True, random_state=seed).split(data.data, data.target)
                    for train, test in folds:
                        rows = [(data.data[part], data.target[part]) for part in (train, test)]
                        score, parameters, network = run(*rows)
                        of_folds.append(score)
                        sizes.append(parameters)
                        networks.append(network)
                    seconds.append(time.perf_counter() - started)
                    scores.append(statistics.mean(of_folds))
                deviation = statistics.stdev(scores) if len(scores) > 1 else 0.0
                kind = "accuracy" if is_classification else "R²"
                chosen = ""
                if method == "onefold":
                    counts = sorted(((networks.count(n), n) for n in set(networks)), reverse=True)
                    chosen = ": " + ", ".join(f"{n} ({count})" for count, n in counts)
                each = " ".join(f"{s:.4f}" for s in scores)
                print(
                    f"| {name} | {method}{chosen} | {kind} {statistics.mean(scores):.4f} ± {deviation:.4f} | {each} "
                    f"| {statistics.mean(sizes):,.0f} | {statistics.mean(seconds):.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
