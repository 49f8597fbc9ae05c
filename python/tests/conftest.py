"""What several tests share."""

import os
import signal

# A shell lets what it runs in the background ignore Ctrl-C, and programs that tests start would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Before scipy is loaded: otherwise scikit-learn skips a check.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import onefold
import pytest


@pytest.fixture(scope="session")
def waves():
    """Rows of a smooth function of two inputs."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(80, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2


@pytest.fixture(scope="session")
def regressor(waves):
    """A small network trained on them."""
    return onefold.OnefoldRegressor(3, decay=1e-5, random_state=1).fit(*waves)


@pytest.fixture(scope="session")
def flowers():
    """Fisher's table, names of classes as words."""
    from sklearn.datasets import load_iris

    data = load_iris()
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def classifier(flowers):
    """A small network trained on it."""
    return onefold.OnefoldClassifier(2, decay=1e-3, random_state=1).fit(*flowers)
