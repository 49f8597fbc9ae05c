"""What earlier versions pickled is loaded and predicts the same."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

PICKLES = sorted((Path(__file__).parent / "older").glob("*.pickle"))


@pytest.mark.parametrize("path", PICKLES, ids=lambda path: path.stem)
def test_pickles_of_earlier_versions_are_loaded(path):
    with warnings.catch_warnings():
        # scikit-learn warns where its own version differs.
        warnings.simplefilter("ignore", UserWarning)
        kept = pickle.loads(path.read_bytes())
    X = kept["X"]
    model, predicted = kept["model"]
    np.testing.assert_array_equal(model.predict(X), predicted)
    regressor, predicted = kept["regressor"]
    np.testing.assert_array_equal(regressor.predict(X), predicted)
    classifier, classes, probabilities = kept["classifier"]
    np.testing.assert_array_equal(classifier.predict(X), classes)
    np.testing.assert_array_equal(classifier.predict_proba(X), probabilities)
    optimizer, x, fun = kept["optimizer"]
    np.testing.assert_array_equal(optimizer.best.x, x)
    assert optimizer.best.fun == fun
    optimizer.tell((optimizer.ask() ** 2).sum(axis=1))
    assert optimizer.best.fun <= fun


def test_there_is_a_pickle_of_every_version_to_load():
    assert PICKLES, "python python/tests/older/make.py VERSION makes one"
