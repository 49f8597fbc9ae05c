"""All checks of scikit-learn for both estimators with default settings: make python-checks."""

import time

import pytest
from onefold import OnefoldClassifier, OnefoldRegressor
from sklearn.utils.estimator_checks import check_estimator


@pytest.mark.parametrize("estimator", [OnefoldRegressor(), OnefoldClassifier()])
def test_default_settings(estimator):
    started = time.monotonic()
    results = check_estimator(estimator, on_skip=None)
    skipped = [result["check_name"] for result in results if result["status"] == "skipped"]
    print(f"{estimator!r}: {len(results)} checks, {skipped} skipped, {time.monotonic() - started:.0f} s")
    assert all(result["status"] in ("passed", "skipped") for result in results)
