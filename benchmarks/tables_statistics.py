"""Paired comparisons for tables_report.py. Standard library only, so that every test can run it.

The corrected resampled t-test is that of C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003).
"""

import functools
import math
import statistics

TEST_SHARE = 1 / 4  # test rows for each training row, with five folds
LEVEL = 0.05


def standard_error(values):
    """Of the mean, as if the folds were independent."""
    return statistics.stdev(values) / math.sqrt(len(values))


def corrected_error(differences):
    """Of the mean, allowing for the training rows that folds share, which make the plain error too small."""
    return statistics.stdev(differences) * math.sqrt(1 / len(differences) + TEST_SHARE)


def verdict(differences):
    """Whether ours minus theirs is a "win", a "loss" or a "tie", two-sided at the level; None for fewer than two folds."""
    if len(differences) < 2:
        return None
    mean = statistics.mean(differences)
    if abs(mean) <= critical_value(len(differences) - 1) * corrected_error(differences):
        return "tie"
    return "win" if mean > 0 else "loss"


@functools.cache
def critical_value(freedom):
    """What |t| exceeds with the probability of the level, by bisection."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        if 2 * upper_tail(middle, freedom) > LEVEL:
            low = middle
        else:
            high = middle
    return high


def upper_tail(t, freedom):
    """The probability that Student's t exceeds t >= 0. With t = sqrt(f) tan(a), its density is a power of cos(a)."""
    steps = 2000
    end = math.atan(t / math.sqrt(freedom))
    width = end / steps
    heights = [math.cos(i * width) ** (freedom - 1) for i in range(steps + 1)]
    simpson = width / 3 * (heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2]))
    whole = math.sqrt(math.pi) * math.gamma(freedom / 2) / math.gamma((freedom + 1) / 2)
    return 0.5 - simpson / whole
