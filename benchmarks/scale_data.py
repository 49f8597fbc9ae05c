"""Tables for scale.py, as CSV files: a training file and a test file with other rows of the same distribution.

Usage: python scale_data.py KIND ROWS TEST_ROWS COLUMNS SEED TRAIN TEST     (KIND: friedman, classes or digits)

friedman: make_friedman1 with noise 1, whose square is the least error that one can expect on test rows; with two columns
10 sin(pi x1 x2), its first term, with the same noise. classes: make_classification, five columns informative, two clusters
per class. digits: load_digits, a fifth of the rows to test, stratified; ROWS, TEST_ROWS and COLUMNS do not matter. Classes are words.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits, make_classification, make_friedman1
from sklearn.model_selection import train_test_split

BLOCK = 100_000  # rows made and written at a time, so that 10^7 rows need little memory
TEST_SEED = 1_000_000  # of the first block of test rows; training rows begin with 0


def write_block(file, inputs, targets):
    """Rows of numbers with six digits; targets are numbers too, or words."""
    last = "%.6g" if targets.dtype.kind == "f" else "%s"
    row = "%.6g," * inputs.shape[1] + last + "\n"
    for part in range(0, len(inputs), 1000):
        values = []
        for x, y in zip(inputs[part : part + 1000].tolist(), targets[part : part + 1000].tolist()):
            values += x
            values.append(y)
        file.write(row * (len(values) // (inputs.shape[1] + 1)) % tuple(values))


def header(columns):
    return ",".join([f"x{i + 1}" for i in range(columns)] + ["target"]) + "\n"


def friedman_block(rows, columns, seed):
    if columns >= 5:
        return make_friedman1(rows, columns, noise=1.0, random_state=seed)
    random = np.random.default_rng(seed)
    inputs = random.uniform(size=(rows, columns))
    return inputs, 10 * np.sin(np.pi * inputs[:, 0] * inputs[:, 1]) + random.standard_normal(rows)


def write_friedman(path, rows, columns, seed):
    with open(path, "w") as file:
        file.write(header(columns))
        for block, start in enumerate(range(0, rows, BLOCK)):
            write_block(file, *friedman_block(min(BLOCK, rows - start), columns, seed + block))


def write_table(path, inputs, targets):
    with open(path, "w") as file:
        file.write(header(inputs.shape[1]))
        write_block(file, inputs, np.array([f"class{t}" for t in targets]))


def main():
    kind, (rows, test_rows, columns, seed), (train, test) = sys.argv[1], map(int, sys.argv[2:6]), sys.argv[6:8]
    if kind == "friedman":
        write_friedman(train, rows, columns, seed)
        write_friedman(test, test_rows, columns, seed + TEST_SEED)
        return
    if kind == "classes":
        inputs, targets = make_classification(
            rows + test_rows, columns, n_informative=5, n_clusters_per_class=2, random_state=seed
        )
        parts = inputs[:rows], inputs[rows:], targets[:rows], targets[rows:]
    else:
        digits = load_digits()
        parts = train_test_split(digits.data, digits.target, test_size=0.2, stratify=digits.target, random_state=seed)
    write_table(train, parts[0], parts[2])
    write_table(test, parts[1], parts[3])


if __name__ == "__main__":
    main()
