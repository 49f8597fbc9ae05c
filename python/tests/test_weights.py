"""Weights of rows and classes."""

import numpy as np
import onefold
import pandas as pd
import polars as pl
import pytest
from onefold import OnefoldClassifier, OnefoldRegressor


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, (50, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + rng.normal(0, 0.1, 50)
    return X, y, rng.integers(0, 4, 50)


@pytest.mark.parametrize("settings", [{"effort": 0.05}, {"hidden": 2, "decay": 1e-3}])
@pytest.mark.parametrize("is_classifier", [False, True])
def test_whole_weights_are_repetitions_to_the_bit(rows, settings, is_classifier):
    X, y, weights = rows
    y = np.where(y > 0, "b", "a") if is_classifier else y
    estimator = (OnefoldClassifier if is_classifier else OnefoldRegressor)(random_state=1, **settings)
    order = np.random.default_rng(1).permutation(len(X))
    weighted = estimator.fit(X[order], y[order], sample_weight=weights[order]).model_
    repeated = estimator.fit(X.repeat(weights, axis=0), y.repeat(weights)).model_
    assert weighted == repeated and '"weighted": true' in weighted.to_json()
    half = estimator.fit(X, y, sample_weight=weights / 2).model_
    assert np.allclose(half.outputs(X), weighted.outputs(X), atol=1e-3)


def test_rows_that_are_not_repeated_stay_as_they_are(rows):
    X, y, _ = rows
    estimator = OnefoldRegressor(2, effort=0.05, random_state=1)
    plain = estimator.fit(X, y).model_
    assert '"weighted"' not in plain.to_json()
    assert estimator.fit(X, y, np.ones(50)).model_ == plain == estimator.fit(X, y, 3).model_
    assert estimator.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).model_ == plain


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_words(rows, frame):
    X, y, weights = rows
    soil = np.where(X[:, 1] > 0.3, "sand", "clay")
    y = np.where(y + (soil == "sand") > 0.5, 1, 0)
    columns = {"height": X[:, 0], "soil": soil}
    classifier = OnefoldClassifier(2, decay=1e-2, random_state=1)
    weighted = classifier.fit(frame(columns), y, sample_weight=weights)
    repeated = {name: column.repeat(weights) for name, column in columns.items()}
    other = OnefoldClassifier(2, decay=1e-2, random_state=1).fit(frame(repeated), y.repeat(weights))
    assert np.allclose(weighted.predict_proba(frame(columns)), other.predict_proba(frame(columns)), atol=1e-6)
    balanced = OnefoldClassifier(2, decay=1e-2, class_weight="balanced", random_state=1)
    assert '"class_weight": "balanced"' in balanced.fit(frame(columns), y).model_.to_json()


def test_rare_classes():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 1, (300, 1))
    y = ((X[:, 0] > 0.8) & (rng.uniform(size=300) < 0.3)).astype(int)

    def found(class_weight, **options):
        classifier = OnefoldClassifier(1, decay=1e-3, class_weight=class_weight, random_state=1, **options)
        return (classifier.fit(X, y).predict(X)[y == 1] == 1).mean()

    assert found(None) < 0.5 and found("balanced") > 0.9 and found({1: 20}) > 0.9
    weights = np.where(y == 1, 20.0, 1.0)
    by_rows = OnefoldClassifier(1, decay=1e-3, random_state=1).fit(X, y, weights)
    by_classes = OnefoldClassifier(1, decay=1e-3, class_weight={1: 20}, random_state=1).fit(X, y)
    assert np.allclose(by_rows.predict_proba(X), by_classes.predict_proba(X), atol=1e-9)
    for wrong, message in [
        ("even", "must be None, 'balanced' or a dict"),
        ({7: 2}, "the class 7, which is not in y"),
        ({1: 0}, "positive"),
    ]:
        with pytest.raises(ValueError, match=message):
            found(wrong)


def test_scores_are_weighted(rows):
    X, y, weights = rows
    regressor = OnefoldRegressor(1, decay=1e-2, random_state=1).fit(X, y)
    repeated = regressor.score(X.repeat(weights, axis=0), y.repeat(weights))
    assert regressor.score(X, y, sample_weight=weights) == pytest.approx(repeated, rel=1e-12)


def test_weights_that_are_none(rows):
    X, y, _ = rows
    for wrong, message in [
        (np.ones(3), "one number for each row"),
        (np.ones((50, 2)), "one number for each row"),
        (np.full(50, -1.0), "row 0, but must not be negative"),
        (np.zeros(50), "zero for all rows"),
        (np.full(50, np.nan), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            OnefoldRegressor(1, decay=0).fit(X, y, wrong)
    with pytest.raises(ValueError, match="only one class"):
        OnefoldClassifier().fit(X, y > 0, sample_weight=(y > 0).astype(float))


def test_files(rows, tmp_path):
    X, y, weights = rows
    lines = [f"{w},{a},{b},{t}" for w, (a, b), t in zip(weights, X.tolist(), y.tolist(), strict=True)]
    file = tmp_path / "rows.csv"
    file.write_text("w,a,b,y\n" + "\n".join(lines) + "\n")
    settings = {"hidden": 2, "decay": 1e-3, "seed": 1, "test_fraction": 0}
    model = onefold.fit(file, weight_column="w", merge_duplicates=True, **settings)
    fitted = OnefoldRegressor(2, decay=1e-3, random_state=1).fit(X, y, sample_weight=weights)
    assert (model.predict(X) == fitted.predict(X)).all()


@pytest.mark.parametrize("kind", [int, float, bool])
@pytest.mark.parametrize("key", [1, 1.0, True, np.int64(1)])
def test_classes_have_weights_by_their_values(kind, key):
    X = np.random.default_rng(1).normal(size=(80, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0.4).astype(kind)
    fits = [
        OnefoldClassifier("none+linear", decay=1e-3, class_weight={k: 5}, random_state=1).fit(X, y)
        for k in (key, y.dtype.type(1))
    ]
    assert fits[0].model_ == fits[1].model_
    with pytest.raises(ValueError, match="the class '1', which is not in y"):
        OnefoldClassifier("none+linear", decay=1e-3, class_weight={"1": 5}).fit(X, y)
