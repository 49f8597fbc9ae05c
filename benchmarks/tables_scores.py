"""Scores of predictions for tables.py: of classes and their probabilities, and of numbers."""

import numpy as np
from sklearn import metrics

BINS = 10  # of the expected calibration error


def of_labels(targets, predicted):
    """What needs only the predicted classes."""
    return {
        "accuracy": metrics.accuracy_score(targets, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(targets, predicted),
        "macro_f1": metrics.f1_score(targets, predicted, average="macro", zero_division=0),
    }


def of_probabilities(targets, probabilities):
    """What needs a probability of each class, the columns in the order of the classes."""
    classes = np.arange(probabilities.shape[1])
    one_hot = targets[:, None] == classes
    return {
        "log_loss": metrics.log_loss(targets, probabilities, labels=classes),
        "brier": np.mean(np.sum((probabilities - one_hot) ** 2, axis=1)),
        "calibration_error": expected_calibration_error(targets, probabilities),
    }


def expected_calibration_error(targets, probabilities):
    """Mean over rows of |share correct - mean confidence| of the row's bin, by the probability of the predicted class."""
    confidence = probabilities.max(axis=1)
    is_correct = probabilities.argmax(axis=1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    error = 0.0
    for b in np.unique(bins):
        rows = bins == b
        error += rows.mean() * abs(is_correct[rows].mean() - confidence[rows].mean())
    return error


def of_numbers(targets, predicted):
    """Scores of a regression."""
    return {
        "r2": metrics.r2_score(targets, predicted),
        "rmse": metrics.root_mean_squared_error(targets, predicted),
        "mae": metrics.mean_absolute_error(targets, predicted),
    }
