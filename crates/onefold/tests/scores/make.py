"""Predictions and their scores by scikit-learn, which the tests of onefold's scores compare with.

    .venv-python/bin/python crates/onefold/tests/scores/make.py > crates/onefold/tests/scores/sklearn.json
"""

import json

import numpy as np
import sklearn
from sklearn import metrics

BINS = 10


def calibration_error(actual, probabilities):
    """Mean over rows of |accuracy - mean probability| of the row's bin; scikit-learn has no function for it."""
    confidence = probabilities.max(axis=1)
    correct = probabilities.argmax(axis=1) == actual
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    rows = [bins == b for b in range(BINS)]
    return sum(r.mean() * abs(correct[r].mean() - confidence[r].mean()) for r in rows if r.any())


def classes(rng, rows, count):
    """Rounded probabilities, so that there are ties, of classes that are somewhat right."""
    actual = rng.permutation(np.arange(rows) % count)
    scores = rng.normal(size=(rows, count)) + 1.2 * np.eye(count)[actual]
    raw = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    probabilities = np.round(20 * raw) / 20 * 0.98 + 0.02 / count
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    one_hot = np.eye(count)[actual]
    predicted = probabilities.argmax(axis=1)
    # For two classes the score of the second one is enough, or a column for each by one-hot targets.
    areas = {"y_true": one_hot, "y_score": probabilities, "average": None}
    expected = {
        "accuracy": metrics.accuracy_score(actual, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(actual, predicted),
        "f1": metrics.f1_score(actual, predicted, average="macro"),
        "auc": metrics.roc_auc_score(one_hot, probabilities, average="macro"),
        "average_precision": metrics.average_precision_score(one_hot, probabilities, average="macro"),
        "log_loss": metrics.log_loss(actual, probabilities),
        "brier": metrics.brier_score_loss(actual, probabilities if count > 2 else probabilities[:, 1]),
        "calibration_error": calibration_error(actual, probabilities),
        "mse": metrics.mean_squared_error(one_hot, probabilities),
    }
    each = {
        "precision": metrics.precision_score(actual, predicted, average=None),
        "recall": metrics.recall_score(actual, predicted, average=None),
        "f1": metrics.f1_score(actual, predicted, average=None),
        "auc": metrics.roc_auc_score(**areas),
        "average_precision": metrics.average_precision_score(**areas),
    }
    return {
        "predicted": probabilities.tolist(),
        "actual": one_hot.tolist(),
        "expected": expected,
        "of_classes": {name: values.tolist() for name, values in each.items()},
    }


def numbers(rng, rows, targets):
    """Targets of different sizes, and predictions that are somewhat right."""
    actual = rng.normal(size=(rows, targets)) * 10.0 ** np.arange(targets) + 5
    predicted = actual + 0.3 * rng.normal(size=(rows, targets)) * 10.0 ** np.arange(targets)
    expected = {
        "mse": metrics.mean_squared_error(actual, predicted),
        "rmse": np.sqrt(metrics.mean_squared_error(actual, predicted)),
        "mae": metrics.mean_absolute_error(actual, predicted),
        "r2": metrics.r2_score(actual, predicted),
    }
    each = {
        "rmse": metrics.root_mean_squared_error(actual, predicted, multioutput="raw_values"),
        "mae": metrics.mean_absolute_error(actual, predicted, multioutput="raw_values"),
        "r2": metrics.r2_score(actual, predicted, multioutput="raw_values"),
    }
    return {
        "predicted": predicted.tolist(),
        "actual": actual.tolist(),
        "expected": expected,
        "of_targets": {name: values.tolist() for name, values in each.items()},
    }


def main():
    rng = np.random.default_rng(1)
    cases = {
        "two classes": classes(rng, 60, 2),
        "four classes": classes(rng, 60, 4),
        "one target": numbers(rng, 30, 1),
        "three targets": numbers(rng, 30, 3),
    }
    print(json.dumps({"made_by": f"scikit-learn {sklearn.__version__}", "cases": cases}, indent=None))


main()
