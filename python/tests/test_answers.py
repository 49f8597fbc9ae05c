"""Scores beside scikit-learn's, prediction intervals, importance and partial dependence."""

import numpy as np
import pandas
import pytest
from onefold import OnefoldClassifier, OnefoldRegressor
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return OnefoldRegressor(hidden=2, effort=0.3, random_state=1).fit(X[:300], y[:300]), X[300:], y[300:]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_scores_of_classes_are_those_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    model = OnefoldClassifier(hidden=1, decay=1e-2, random_state=1).fit(X[::2], y[::2]).model_
    X, y = X[1::2], y[1::2]
    scores, probabilities = model.evaluate(X, y), model.predict_proba(X)
    predicted, one_hot = probabilities.argmax(axis=1), np.eye(y.max() + 1)[y]
    expected = {
        "accuracy": metrics.accuracy_score(y, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "f1": metrics.f1_score(y, predicted, average="macro"),
        "auc": metrics.roc_auc_score(one_hot, probabilities, average="macro"),
        "average_precision": metrics.average_precision_score(one_hot, probabilities, average="macro"),
        "log_loss": metrics.log_loss(y, probabilities),
        "brier": metrics.brier_score_loss(y, probabilities if y.max() > 1 else probabilities[:, 1]),
    }
    assert {name: scores[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    each = metrics.average_precision_score(one_hot, probabilities, average=None)
    assert [one["average_precision"] for one in scores["classes"]] == pytest.approx(each, rel=1e-9)
    assert scores["confusion"] == metrics.confusion_matrix(y, predicted).tolist()
    assert 0 <= scores["calibration_error"] < 0.2


def test_scores_of_numbers_are_those_of_scikit_learn(diabetes):
    regressor, X, y = diabetes
    scores, predicted = regressor.model_.evaluate(X, y), regressor.predict(X)
    assert scores["r2"] == pytest.approx(regressor.score(X, y), rel=1e-9)
    assert scores["mae"] == pytest.approx(metrics.mean_absolute_error(y, predicted), rel=1e-9)
    assert scores["rmse"] == pytest.approx(metrics.root_mean_squared_error(y, predicted), rel=1e-9)
    assert regressor.model_.metrics["train"]["rows"] == 300


def test_intervals_contain_about_what_they_promise(diabetes):
    regressor, X, y = diabetes
    ends = regressor.predict_interval(X, 0.9)
    assert ends.shape == (142, 2)
    assert 0.83 < np.mean((ends[:, 0] <= y) & (y <= ends[:, 1])) < 0.97
    half = regressor.model_.half_widths(0.9)["y"]
    np.testing.assert_allclose(ends, regressor.predict(X)[:, None] + [[-half, half]])
    np.testing.assert_array_equal(ends, regressor.model_.predict_interval(X, 0.9))
    assert (np.diff(regressor.predict_interval(X, 0.5)) < np.diff(ends)).all()


def test_each_of_several_targets_has_an_interval(diabetes):
    _, X, y = diabetes
    both = np.column_stack([y, y / 1000])
    regressor = OnefoldRegressor(hidden=1, effort=0.2, random_state=1).fit(X, both)
    ends = regressor.predict_interval(X, level=0.8)
    assert ends.shape == (142, 2, 2)
    widths = np.diff(ends, axis=2)[0, :, 0]
    assert widths[1] == pytest.approx(widths[0] / 1000, rel=0.05)
    assert [one["target"] for one in regressor.model_.evaluate(X, both)["targets"]] == ["y0", "y1"]


def test_what_has_no_interval_says_why(diabetes):
    regressor, X, y = diabetes
    with pytest.raises(ValueError, match="above 0 and below 1"):
        regressor.predict_interval(X, 90)
    with pytest.raises(ValueError, match="at least 999 held-out rows"):
        regressor.predict_interval(X, 0.999)
    given = OnefoldRegressor(hidden=1, decay=0.1, random_state=1).fit(X, y)
    with pytest.raises(ValueError, match="no held-out rows, from which intervals follow"):
        given.predict_interval(X)
    classifier = OnefoldClassifier(hidden=1, decay=0.1, random_state=1).fit(X, y > 140)
    with pytest.raises(ValueError, match="predicts classes"):
        classifier.model_.predict_interval(X)


def test_importance_is_by_column_and_follows_its_seed(diabetes):
    regressor, X, y = diabetes
    found = regressor.model_.importance(X, y, repeats=3)
    assert set(found["column"]) == set(X.columns) == set(regressor.model_.column_names)
    assert found["importance"].is_monotonic_decreasing
    assert ((found["lower"] <= found["importance"]) & (found["importance"] <= found["upper"])).all()
    assert found.equals(regressor.model_.importance(X, y, repeats=3, seed=0))
    assert not found.equals(regressor.model_.importance(X, y, repeats=3, seed=1))
    with pytest.raises(ValueError, match="rmse, mae, r2"):
        regressor.model_.importance(X, y, metric="auc")


def test_words_and_dates_are_one_column_each():
    rng = np.random.default_rng(0)
    rows = 200
    colour = rng.choice(["red", "green", "blue"], rows)
    day = pandas.to_datetime("2024-01-01") + pandas.to_timedelta(rng.integers(0, 300, rows), unit="D")
    size = rng.normal(size=rows)
    X = pandas.DataFrame({"size": size, "colour": colour, "day": day})
    y = size + 2 * (colour == "red")
    model = OnefoldRegressor(hidden="none+linear", decay=1e-6, random_state=1).fit(X, y).model_
    assert model.column_names == ["size", "colour", "day"] and len(model.input_names) > 5
    assert set(model.importance(X, y)["column"][:2]) == {"size", "colour"}
    by_colour = model.dependence(X, "colour").set_index("value")["y"]
    assert list(by_colour.index) == ["blue", "green", "red"]
    assert by_colour["red"] - by_colour["blue"] == pytest.approx(2, abs=0.05)
    by_day = model.dependence(X, "day", points=5)
    assert by_day["value"].str.startswith("2024-").all() and len(by_day) == 5
    by_size = model.dependence(X, "size", points=10)
    slope = np.polyfit(by_size["number"], by_size["y"], 1)[0]
    assert slope == pytest.approx(1, abs=0.01)
    with pytest.raises(ValueError, match="size, colour, day"):
        model.dependence(X, "colours")


def test_dependence_is_that_of_scikit_learn(diabetes):
    from sklearn.inspection import partial_dependence

    regressor, X, _ = diabetes
    curve = regressor.model_.dependence(X, "bmi", points=1000)
    theirs = partial_dependence(
        regressor, X, ["bmi"], grid_resolution=1000, percentiles=(0, 1), kind="average"
    )
    np.testing.assert_allclose(curve["number"], theirs["grid_values"][0])
    np.testing.assert_allclose(curve["y"], theirs["average"][0], rtol=1e-9)
