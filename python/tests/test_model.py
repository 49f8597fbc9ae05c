"""Models: files, predictions, exports, drawings."""

import pickle
import runpy
import subprocess
import sys

import numpy as np
import onefold
import pytest


def test_files_give_back_every_bit(regressor, waves, tmp_path):
    model, file = regressor.model_, tmp_path / "model.json"
    model.save(file)
    loaded = onefold.load(file)
    assert loaded == model and hash(loaded) == hash(model) and file.read_text() == model.to_json()
    assert (loaded.predict(waves[0]) == regressor.predict(waves[0])).all()
    assert pickle.loads(pickle.dumps(model)) == model
    assert model != 3 and "2-3-1, regression, 13 parameters" in repr(model)


def test_models_of_earlier_versions_are_read():
    import pathlib

    fixtures = pathlib.Path(__file__).parents[2] / "crates/onefold-cli/tests/fixtures"
    files = [file for file in fixtures.rglob("*.json") if '"onefold-model"' in file.read_text()[:200]]
    assert files
    for file in files:
        model = onefold.load(file)
        again = pickle.loads(pickle.dumps(model))
        inputs = np.zeros((2, len(model.input_names)))
        assert (again.outputs(inputs) == model.outputs(inputs)).all()


def test_predictions_of_classes(classifier, flowers):
    X, y = flowers
    model = classifier.model_
    assert (model.predict(X) == classifier.predict(X)).all() and model.is_classification
    assert model.output_names == ["setosa", "versicolor", "virginica"] and model.has_probabilities
    probabilities = model.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1) and np.allclose(
        probabilities, classifier.predict_proba(X)
    )
    scores = model.evaluate(X, y)
    assert scores["accuracy"] == classifier.score(X, y) and np.sum(scores["confusion"]) == 150
    assert "r2" not in scores and len(scores["classes"]) == 3


def test_scores_of_numbers(regressor, waves):
    X, y = waves
    scores = regressor.model_.evaluate(X, y)
    assert scores["r2"] == pytest.approx(regressor.score(X, y)) and scores["rows"] == 80
    assert regressor.model_.metrics["train_mse"] == scores["mse"]
    with pytest.raises(AttributeError, match="no probabilities"):
        regressor.model_.predict_proba(X)


def test_what_is_wrong_is_said(regressor, classifier, flowers, tmp_path):
    model = regressor.model_
    with pytest.raises(FileNotFoundError, match="nowhere"):
        onefold.load(tmp_path / "nowhere.json")
    (tmp_path / "text.json").write_text("{}")
    with pytest.raises(ValueError, match="model file"):
        onefold.load(tmp_path / "text.json")
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "model.json")
    with pytest.raises(ValueError, match="X has 3 columns, but the model has 2 inputs: x0, x1"):
        model.predict(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="one row of inputs"):
        model.predict([1.0, 2.0])
    with pytest.raises(ValueError, match="X has 2 rows, but y has 3"):
        model.evaluate(np.zeros((2, 2)), [1, 2, 3])
    with pytest.raises(ValueError, match="rose, which are no classes"):
        classifier.model_.evaluate(flowers[0][:1], ["rose"])
    with pytest.raises(ValueError, match=r'the ending ".exe"; use one of .onnx, .h'):
        model.export(tmp_path / "model.exe")


def test_exports_compute_the_same(regressor, waves, tmp_path):
    X, _ = waves
    rounding = regressor.export(tmp_path / "wave.py")
    assert rounding < 1e-12
    module = runpy.run_path(str(tmp_path / "wave.py"))
    assert np.allclose(np.asarray(module["predict"](X)).ravel(), regressor.predict(X), atol=1e-12)
    for ending in ("onnx", "h", "rs", "mjs"):
        file = tmp_path / f"wave.{ending}"
        regressor.model_.export(file, allow_rounding=True)
        assert file.stat().st_size > 100
    assert "wave_predict" in (tmp_path / "wave.h").read_text()
    regressor.model_.export(tmp_path / "other.h", precision="double", name="net")
    assert (
        "double" in (tmp_path / "other.h").read_text() and "net_predict" in (tmp_path / "other.h").read_text()
    )


def test_exports_take_rows_and_come_with_programs_that_check_them(classifier, tmp_path):
    classifier.export(tmp_path / "flowers.py", with_tests=True)
    module = runpy.run_path(str(tmp_path / "flowers.py"))
    row = dict(zip(module["COLUMN_NAMES"], [5.1, 3.5, 1.4, 0.2], strict=True))
    assert module["classify_row"](row) == module["classify"]([5.1, 3.5, 1.4, 0.2])
    check = [sys.executable, str(tmp_path / "flowers_test.py")]
    assert "rows are right" in subprocess.run(check, capture_output=True, text=True, check=True).stdout
    classifier.export(tmp_path / "flowers.py", inputs="encoded")
    assert "COLUMN_NAMES" not in (tmp_path / "flowers.py").read_text()
    classifier.export(tmp_path / "flowers.h", format="c-fixed", allow_rounding=True)
    assert "flowers_classify_fixed" in (tmp_path / "flowers.h").read_text()
    with pytest.raises(ValueError, match="format"):
        classifier.export(tmp_path / "flowers.h", format="cobol")


def test_drawings(regressor, classifier):
    assert regressor.model_.draw() == "x0 ┬── 3 tanh ─── y\nx1 ┘"
    assert classifier.model_.draw().splitlines() == [
        "x0 ┐            ┌ setosa",
        "x1 ┼── 2 tanh ──┼ versicolor",
        "x2 ┤            └ virginica",
        "x3 ┘",
    ]
    svg = classifier.model_.to_svg()
    assert (
        svg.startswith("<svg") and svg.count("<circle") == 4 + 2 + 3 and svg.count("<line") == 4 * 2 + 2 * 3
    )
    assert classifier.model_._repr_html_() == svg and svg in classifier._repr_html_()


def test_names_in_drawings_are_escaped(waves):
    import pandas

    X = pandas.DataFrame(waves[0], columns=["<b>", "a" * 40])
    model = onefold.OnefoldRegressor("none+linear", decay=0, random_state=1).fit(X, waves[1]).model_
    assert "&lt;b&gt;" in model.to_svg() and "a" * 20 not in model.to_svg()
    assert model.draw().splitlines()[0].endswith("<b> ┬── linear ─── y")


def test_nothing_but_estimators_needs_scikit_learn():
    code = "import onefold, sys; onefold.minimize; onefold.symmetry; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reports_are_pages(regressor, waves, classifier, flowers, tmp_path):
    X, y = waves
    file = tmp_path / "model.html"
    page = regressor.model_.report(X, y, path=file)
    assert file.read_text(encoding="utf-8") == page and page.startswith("<!doctype html>")
    assert "Residuals against predictions" in page and "On the 80 rows given" in page
    assert "Confusion matrix" in classifier.model_.report(*flowers)
    with pytest.raises(ValueError, match="y is missing"):
        regressor.model_.report(X)
    with pytest.raises(ValueError, match="X has 80 rows, but y has 79"):
        regressor.model_.report(X, y[:-1])
    with pytest.raises(OSError, match=r"nothing\.csv"):
        regressor.model_.report(tmp_path / "nothing.csv")


def test_the_report_on_the_file_of_the_training_tells_rows_apart(tmp_path):
    import pandas as pd

    file = tmp_path / "shop.csv"
    lines = [f"{i % 7},{'red' if i % 3 else 'blue'},{10 * (i % 7) + i % 3}" for i in range(60)]
    file.write_text("size,colour,<b>price</b>\n" + "\n".join(lines) + "\n")
    model = onefold.fit(file, hidden="none+linear", decay=0, seed=1)
    page = model.report(file)
    assert "On 12 rows that it has not seen in training" in page and "<b>" not in page
    assert "On the 60 rows given" in model.report(pd.read_csv(file).iloc[::-1])
    with pytest.raises(ValueError, match="leave y out"):
        model.report(file, [1])


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    return onefold.OnefoldRegressor(2, decay=1e-3, random_state=1).fit(X, X[:, 0]).model_, X, X[:, 0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_is_refused(numbers, value):
    model, X, y = numbers
    wrong_X, wrong_y = X.copy(), y.copy()
    wrong_X[3, 1] = wrong_y[3] = value
    for call in (model.evaluate, model.importance, model.report):
        with pytest.raises(ValueError, match=r"y contains .*, first in row 3"):
            call(X, wrong_y)
        with pytest.raises(ValueError, match=r"X contains .*, first in row 3, column 1"):
            call(wrong_X, y)
    for call in (model.predict, model.outputs, lambda X: model.dependence(X, "x0")):
        with pytest.raises(ValueError, match="X contains"):
            call(wrong_X)


def test_numbers_of_rows_and_points_are_checked(numbers):
    model, X, y = numbers
    with pytest.raises(ValueError, match="max_rows is 0, but must be at least 2"):
        model.importance(X, y, max_rows=0)
    with pytest.raises(ValueError, match="repeats is -1, but must be at least 1"):
        model.importance(X, y, repeats=-1)
    with pytest.raises(ValueError, match="X has 1 rows"):
        model.importance(X[:1], y[:1])
    with pytest.raises(ValueError, match="points is 0, but must be at least 2"):
        model.dependence(X, "x0", points=0)


def test_equal_networks_are_equal_whatever_the_threads(numbers):
    _, X, y = numbers
    one, two = (
        onefold.OnefoldRegressor(2, decay=1e-3, random_state=1, n_jobs=n).fit(X, y).model_ for n in (1, 2)
    )
    assert one == two and hash(one) == hash(two) and len({one, two}) == 1 and one != 3


def test_models_are_not_made_of_paths():
    with pytest.raises(TypeError, match=r"made by onefold\.load"):
        onefold.Model("model.json")


def test_classes_are_evaluated_by_their_values():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    for kind in (int, float, bool):
        model = (
            onefold.OnefoldClassifier(1, decay=1e-3, random_state=1).fit(X, (X[:, 0] > 0).astype(kind)).model_
        )
        for other in (int, float, bool):
            assert model.evaluate(X, (X[:, 0] > 0).astype(other))["accuracy"] > 0.9
