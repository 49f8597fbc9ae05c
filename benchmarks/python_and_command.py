"""`OnefoldClassifier().fit` beside `onefold fit` on the same rows: seconds and correct answers on test rows.

Usage: python python_and_command.py ONEFOLD [--tables wine,breast-cancer,digits,large]      (ONEFOLD: the built command)

Both have their default settings and the same seed. The time of the command is that of its process, which reads the table and writes the
model; that of Python is the time of `fit`, after the package was loaded.
"""

import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import onefold
from onefold import OnefoldClassifier
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.model_selection import train_test_split


def large():
    return make_classification(200_000, 10, n_informative=8, n_redundant=0, n_clusters_per_class=4, random_state=1)


TABLES = {
    "wine": lambda: load_wine(return_X_y=True),
    "breast-cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "large": large,
}


def by_python(X, y, X_test, y_test):
    began = time.perf_counter()
    classifier = OnefoldClassifier(random_state=1).fit(X, y)
    return time.perf_counter() - began, classifier.score(X_test, y_test), classifier.topology_


def by_command(command, X, y, X_test, y_test):
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "table.csv"), Path(folder, "model.json")
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"x{i}" for i in range(X.shape[1])] + ["class"])
            writer.writerows([*map(repr, row), f"c{label}"] for row, label in zip(X.tolist(), y.tolist(), strict=True))
        arguments = ["fit", table, "--test-fraction", "0", "--seed", "1", "--output", model]
        began = time.perf_counter()
        subprocess.run([command, *arguments], check=True, capture_output=True)
        seconds = time.perf_counter() - began
        loaded = onefold.load(model)
        # The command leaves out columns that are the same in all rows.
        used = [int(name.removeprefix("x")) for name in loaded.input_names]
        names = np.array(loaded.output_names)[loaded.outputs(X_test[:, used]).argmax(axis=1)]
    return seconds, float(np.mean(names == np.array([f"c{label}" for label in y_test.tolist()]))), loaded.topology


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=list(TABLES))
    args = parser.parse_args()
    print("| table | rows x inputs | Python s | command s | correct, Python | correct, command | network, Python | network, command |")
    print("|---|---|---|---|---|---|---|---|")
    for name in args.tables:
        X, y = TABLES[name]()
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=1)
        python, command = by_python(X, y, X_test, y_test), by_command(args.command, X, y, X_test, y_test)
        times = f"{python[0]:.1f} | {command[0]:.1f} | {python[1]:.1%} | {command[1]:.1%}"
        print(f"| {name} | {len(X):,} x {X.shape[1]} | {times} | {python[2]} | {command[2]} |", flush=True)


if __name__ == "__main__":
    main()
