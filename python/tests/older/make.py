"""Pickles that later versions must load: `python make.py VERSION` writes VERSION.pickle beside this file.

What is pickled stands beside what it predicted then; `test_pickles.py` loads all of them.
"""

import pickle
import sys
from pathlib import Path

import numpy as np
import onefold
from onefold.optimizers import Optimizer

rng = np.random.default_rng(1)
X = rng.normal(size=(40, 3))
y = X[:, 0] * X[:, 1] + X[:, 2]
given = {"effort": 0.05, "random_state": 1}
regressor = onefold.OnefoldRegressor(2, decay=1e-3, **given).fit(X, y)
classifier = onefold.OnefoldClassifier(2, decay=1e-3, **given).fit(X, np.where(y > 0, "plus", "minus"))
optimizer = Optimizer([(-5, 5)] * 3, "l-shade", seed=3, max_evaluations=5000)
for _ in range(3):
    optimizer.tell((optimizer.ask() ** 2).sum(axis=1))
best = optimizer.best
kept = {
    "X": X,
    "model": (regressor.model_, regressor.model_.predict(X)),
    "regressor": (regressor, regressor.predict(X)),
    "classifier": (classifier, classifier.predict(X), classifier.predict_proba(X)),
    "optimizer": (optimizer, best.x, best.fun),
}
Path(__file__).with_name(f"{sys.argv[1]}.pickle").write_bytes(pickle.dumps(kept, protocol=4))
