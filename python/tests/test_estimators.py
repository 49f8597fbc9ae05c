"""The estimators of scikit-learn."""

import pickle

import cloudpickle
import joblib
import numpy as np
import onefold
import pytest
from onefold import OnefoldClassifier, OnefoldRegressor
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


# A smaller effort is the only difference to the default settings, which `make python-checks` checks.
@parametrize_with_checks([OnefoldRegressor(effort=0.05), OnefoldClassifier(effort=0.05)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("hidden", [3, "3", (3,), np.int64(3)])
def test_layers_are_given_in_several_ways(hidden, waves, regressor):
    fitted = OnefoldRegressor(hidden, decay=1e-5, random_state=1).fit(*waves)
    assert fitted.topology_ == "2-3-1" and fitted.model_ == regressor.model_


def test_several_layers_a_linear_part_and_none(waves):
    def topology(hidden):
        return (
            OnefoldRegressor(hidden, decay=1e-4, random_state=1, options={"max_evaluations": 200})
            .fit(*waves)
            .topology_
        )

    assert topology((2, 2)) == topology("2-2") == "2-2-2-1"
    assert topology("2+linear") == "2-2-1+linear"
    assert topology(()) == topology("none") == "2-1"
    for wrong in (2.5, [1, "a"], True):
        with pytest.raises(ValueError, match="hidden is"):
            topology(wrong)
    with pytest.raises(ValueError, match="is no network topology"):
        topology("8x8")


def test_what_was_selected_is_told(waves):
    fitted = OnefoldRegressor(effort=0.1, random_state=3).fit(*waves)
    assert fitted.selection_["note"].value_counts()["chosen"] == 1
    chosen = fitted.selection_[fitted.selection_["note"] == "chosen"].iloc[0]
    assert chosen["topology"] == fitted.topology_ and chosen["decay"] == fitted.decay_
    assert fitted.history_.shape[1] == 3 and (np.diff(fitted.history_[:, 2]) < 0).all()
    assert fitted.optima_[0]["found"] >= 1 and fitted.report_["evaluations"] > 0
    decay = OnefoldRegressor(2, effort=0.1, random_state=3).fit(*waves)
    assert decay.topology_ == "2-2-1" and decay.decay_ in set(decay.selection_["decay"])
    given = OnefoldRegressor(2, decay=0.5, random_state=3).fit(*waves)
    assert given.selection_ is None and given.decay_ == 0.5


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(waves):
    def text(n_jobs, seed=3):
        fitted = OnefoldRegressor(effort=0.05, random_state=seed, n_jobs=n_jobs).fit(*waves)
        return (
            fitted.model_.to_json()
            .replace('"threads": 2', '"threads": 0')
            .replace('"threads": 1', '"threads": 0')
        )

    assert text(-1) == text(1) == text(2) == text(None)
    assert text(-1) != text(-1, 4)
    state = np.random.RandomState(0)
    drawn = [OnefoldRegressor(1, decay=0, random_state=state).fit(*waves).model_ for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_copies_and_pickles(classifier, flowers):
    X, _ = flowers
    for module in (pickle, cloudpickle):
        other = module.loads(module.dumps(classifier))
        assert (
            other.predict_proba(X) == classifier.predict_proba(X)
        ).all() and other.model_ == classifier.model_
    assert clone(classifier).get_params() == classifier.get_params() and not hasattr(
        clone(classifier), "model_"
    )


def test_joblib(classifier, flowers, tmp_path):
    joblib.dump(classifier, tmp_path / "classifier.joblib")
    assert joblib.load(tmp_path / "classifier.joblib").model_ == classifier.model_


def test_searches_pipelines_and_cross_validation(flowers):
    X, y = flowers
    classifier = OnefoldClassifier(decay=1e-3, random_state=1)
    search = GridSearchCV(classifier, {"hidden": [1, 2], "decay": [1e-3, 1e-1]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9
    pipeline = make_pipeline(StandardScaler(), OnefoldClassifier(2, decay=1e-3, random_state=1))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    with config_context(display="text"):
        assert not hasattr(classifier, "_repr_html_")


def test_several_targets(waves):
    X, y = waves
    Y = np.column_stack([y, -y, X[:, 0]])
    fitted = OnefoldRegressor(4, decay=1e-5, random_state=1).fit(X, Y)
    assert fitted.predict(X).shape == (80, 3) and fitted.score(X, Y) > 0.9
    assert fitted.model_.output_names == ["y0", "y1", "y2"]
    assert fitted.fit(X, Y[:, :1]).predict(X).shape == (80, 1)
    assert MultiOutputRegressor(OnefoldRegressor(1, decay=0)).fit(X, Y).predict(X).shape == (80, 3)


def test_classes_of_any_kind():
    X, y = load_wine(return_X_y=True)
    expected = OnefoldClassifier(2, decay=1e-2, random_state=1).fit(X, y).predict(X)
    for labels in (np.array([5, -1, 30]), np.array(["b", "a", "c"]), np.array([1.0, 2.0, 7.0])):
        fitted = OnefoldClassifier(2, decay=1e-2, random_state=1).fit(X, labels[y])
        assert set(fitted.predict(X)) <= set(labels) and (fitted.classes_ == np.sort(labels)).all()
        assert (fitted.predict(X) == labels[expected]).mean() > 0.95
    with pytest.raises(ValueError, match="only one class"):
        OnefoldClassifier().fit(X, np.zeros(len(X)))


def test_a_target_and_a_time_limit(waves):
    reached = OnefoldRegressor(3, random_state=1, options={"target": 1e-2}).fit(*waves)
    assert reached.report_["reached"] and reached.selection_ is None
    import time

    started = time.monotonic()
    OnefoldRegressor(time_limit=0.5, random_state=1).fit(*waves)
    assert time.monotonic() - started < 1.5


def test_what_is_wrong_is_said(waves):
    for kwargs, error, message in [
        ({"method": "adam"}, ValueError, "unknown method"),
        ({"metric": "accuracy"}, ValueError, "must be one of rmse, mae, r2 for a regression"),
        ({"metric": "mse"}, ValueError, "metric is 'mse', but must be one of rmse, mae, r2 for a regression"),
        ({"prefer": "speed"}, ValueError, "prefer is 'speed', but must be one of 'size', 'accuracy'"),
        ({"hidden": 2, "decay": -1}, ValueError, "decay is -1"),
        ({"effort": 0}, ValueError, "effort is 0"),
        ({"hidden": -1}, ValueError, "hidden is -1, but widths must be at least 1"),
        ({"hidden": (3, 0)}, ValueError, r"hidden is \(3, 0\), but widths must be at least 1"),
        ({"random_state": -3}, ValueError, "random_state is -3, but must be from 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"options": {"population": -5}}, ValueError, "population: .*-5.*, expected a whole number"),
        ({"time_limit": -1}, ValueError, "time_limit is -1, but must be a positive number of seconds"),
        ({"options": {"seed": 3}}, TypeError, "it is random_state"),
        ({"options": {"epochs": 3}}, TypeError, "there is no option 'epochs'"),
        ({"options": {"missing": "mean"}}, ValueError, "options of the reader are for frames"),
        ({"random_state": "x"}, ValueError, "cannot be used to seed"),
    ]:
        with pytest.raises(error, match=message):
            OnefoldRegressor(**kwargs).fit(*waves)
    with pytest.raises(ValueError, match="column x0: it has a value of 1e200"):
        OnefoldRegressor(1, decay=0).fit(np.array([[1e200], [1.0]]), [1, 2])


def test_progress_is_shown(waves, capfd):
    OnefoldRegressor(effort=0.4, random_state=1, verbose=1).fit(*waves)
    assert "OnefoldRegressor: " in capfd.readouterr().err


def test_methods_are_those_of_the_library():
    assert [method.name for method in onefold.methods()][:3] == ["auto", "de", "de-sb"]
    assert len(onefold.methods()) == 13 and onefold.__version__.count(".") == 2
    assert "minimize" in dir(onefold)
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        onefold.unknown  # noqa: B018


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_jobs": "2"}, "n_jobs is '2', but must be a whole number"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5, but must be a whole number"),
        ({"n_jobs": 10_000}, "n_jobs is 10000, but must be a number of threads from 1 to 256"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"time_limit": "1"}, "time_limit is '1', but must be a number of seconds"),
        ({"time_limit": float("inf")}, "time_limit is inf, but must be a positive number"),
        ({"effort": -3}, "effort is -3, but must be a positive number"),
        ({"metric": "log-loss"}, "metric is 'log-loss', but must be one of rmse, mae, r2 for a regression"),
        ({"options": 5}, "options is 5, but must be a dict"),
        ({"decay": float("nan")}, "decay is nan, but must be a finite number"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    X = np.random.default_rng(1).normal(size=(40, 2))
    with pytest.raises((TypeError, ValueError), match=message):
        OnefoldRegressor(**{"hidden": 2, "decay": 1e-3, **parameters}).fit(X, X[:, 0])
