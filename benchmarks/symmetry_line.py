"""The straight line between two networks of scikit-learn, before and after alignment.

Usage: python symmetry_line.py [--pairs 10] [--figure docs/symmetry-digits.svg]

MLPs with one hidden layer of 32 tanh neurons are trained on the digits from different seeds, on 80 % of the rows. Along the line between
two of them, the mean log loss on the other rows is computed as they were trained, after the second was aligned with the first by
permutations of neurons alone, and by permutations and signs. The figure has the first pair, the table the mean over all pairs.
"""

import argparse
import copy
import statistics
import warnings

import line_chart
import numpy as np
from onefold import symmetry
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

STYLES = {"as trained": ("#d1682c", ""), "permutations": ("#2f8fd0", "6 3"), "permutations and signs": ("#1fa37a", "")}


def losses_along(first, second, X, y, places):
    """The log loss at each place between two networks."""
    network, losses = copy.deepcopy(first), []
    for t in places:
        network.coefs_ = [(1 - t) * p + t * q for p, q in zip(first.coefs_, second.coefs_, strict=True)]
        network.intercepts_ = [(1 - t) * p + t * q for p, q in zip(first.intercepts_, second.intercepts_, strict=True)]
        losses.append(float(log_loss(y, network.predict_proba(X))))
    return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--figure", default="docs/symmetry-digits.svg")
    args = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X / 16, y, test_size=0.2, stratify=y, random_state=1)
    warnings.simplefilter("ignore")  # of scikit-learn, that more iterations would lower the loss a little
    places, lines, correct = np.linspace(0, 1, 21), {name: [] for name in STYLES}, []
    for pair in range(args.pairs):
        seeds = (2 * pair + 1, 2 * pair + 2)
        first, second = (
            MLPClassifier((32,), activation="tanh", max_iter=60, random_state=seed).fit(X, y) for seed in seeds
        )
        others = (second, symmetry.align(second, first, signs=False), symmetry.align(second, first))
        for name, other in zip(STYLES, others, strict=True):
            lines[name].append(losses_along(first, other, X_test, y_test, places))
        merged = symmetry.average([first, second])
        correct.append([network.score(X_test, y_test) for network in (first, second, merged)])
    series = [
        line_chart.Series(name, colour, list(zip(places, lines[name][0], strict=True)), dash)
        for name, (colour, dash) in STYLES.items()
    ]
    most = max(max(line) for of_name in lines.values() for line in of_name[:1])
    ticks = [round(0.1 * i, 1) for i in range(int(most / 0.1) + 2)]
    axes = line_chart.Axes("place between the two networks", "log loss on test rows", [0, 0.25, 0.5, 0.75, 1], ticks)
    line_chart.write(args.figure, [line_chart.Panel("digits, 64-32-10, two seeds", series)], axes)
    print(f"| log loss on test rows, mean of {args.pairs} pairs | at the ends | halfway | least and largest halfway |")
    print("|---|---|---|---|")
    for name, of_name in lines.items():
        ends = statistics.mean((line[0] + line[-1]) / 2 for line in of_name)
        halfway = [line[len(line) // 2] for line in of_name]
        print(f"| {name} | {ends:.3f} | {statistics.mean(halfway):.3f} | {min(halfway):.3f} to {max(halfway):.3f} |")
    first, second, merged = (statistics.mean(column) for column in zip(*correct, strict=True))
    print(f"\ncorrect on test rows: the two networks {(first + second) / 2:.1%}, their average after alignment {merged:.1%}")


if __name__ == "__main__":
    main()
