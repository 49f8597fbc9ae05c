"""Merge two networks: the loss on the line between two MLPs of scikit-learn, before and after alignment."""

import copy
import warnings
from typing import Any

import numpy as np
from onefold import symmetry
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier

X, y = load_digits(return_X_y=True)
X = X / 16
warnings.simplefilter("ignore")
first, second = (
    MLPClassifier((32,), activation="tanh", max_iter=60, random_state=seed).fit(X, y) for seed in (1, 2)
)


def between(a: Any, b: Any, t: float) -> float:
    """The loss of the network at fraction t of the way from a to b."""
    network = copy.deepcopy(a)
    network.coefs_ = [(1 - t) * p + t * q for p, q in zip(a.coefs_, b.coefs_, strict=True)]
    network.intercepts_ = [(1 - t) * p + t * q for p, q in zip(a.intercepts_, b.intercepts_, strict=True)]
    return float(log_loss(y, network.predict_proba(X)))


aligned = symmetry.align(second, first)
permuted = symmetry.align(second, first, signs=False)
print(
    "distance: permutations",
    round(symmetry.distance(second, first, signs=False), 2),
    "and signs",
    round(symmetry.distance(second, first), 2),
)
print("log loss  as trained  permutations  permutations and signs")
for t in np.linspace(0, 1, 5):
    losses = [between(first, other, t) for other in (second, permuted, aligned)]
    print(f"t = {t:4.2f}  " + "  ".join(f"{loss:10.3f}" for loss in losses))

merged = symmetry.average([first, second])
print(f"correct: {first.score(X, y):.3f} and {second.score(X, y):.3f}, merged {merged.score(X, y):.3f}")
