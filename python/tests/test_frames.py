"""Frames with words and missing values, and files."""

import warnings
from datetime import timedelta

import numpy as np
import onefold
import pandas
import polars
import pytest
from onefold import OnefoldClassifier, OnefoldRegressor


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(2)
    size, colour = rng.uniform(1, 9, 90), rng.choice(["red", "blue", "green, dark"], 90)
    frame = pandas.DataFrame({"size": size, "colour": colour, "new": rng.uniform(size=90) < 0.5})
    return frame, 2 * size + 5 * (colour == "red") + frame["new"]


def test_words_become_inputs(shop):
    frame, price = shop
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, price)
    assert fitted.score(frame, price) > 0.999999 and fitted.n_features_in_ == 3
    assert "colour=green, dark" in fitted.model_.input_names
    assert list(fitted.feature_names_in_) == ["size", "colour", "new"]
    unknown = frame.assign(colour="black")
    with pytest.warns(
        onefold.TableWarning, match='90 rows have words .* the first in row 0: "black" in column colour'
    ):
        assert np.isfinite(fitted.predict(unknown)).all()
    assert np.allclose(fitted.model_.predict(frame), fitted.predict(frame))
    other = polars.DataFrame(
        {
            "size": frame["size"].to_numpy(),
            "colour": frame["colour"].to_list(),
            "new": [str(value) for value in frame["new"]],
        }
    )
    assert np.allclose(fitted.predict(other), fitted.predict(frame))
    with pytest.raises(ValueError, match="must be a frame"):
        fitted.predict(frame.to_numpy())
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame.rename(columns={"size": "width"}))


def test_what_is_assumed_about_a_table_is_a_warning(shop, tmp_path):
    frame, price = shop
    named = frame.assign(name=[f"house of family {i}" for i in range(90)])
    with pytest.warns(onefold.TableWarning, match="column name is left out, .* like identifiers") as caught:
        fitted = OnefoldRegressor("none+linear", decay=0).fit(named, price)
    assert "name" not in " ".join(fitted.model_.input_names)
    # They are said where the user's code is.
    assert [warning.filename for warning in caught] == [__file__]
    named.assign(price=price).to_csv(tmp_path / "named.csv", index=False)
    message = r"to use it, take the column for text \(text_column\)"
    with pytest.warns(onefold.TableWarning, match=message) as caught:
        onefold.fit(tmp_path / "named.csv", hidden="none+linear", decay=0)
    assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnefoldRegressor("none+linear", decay=0).fit(frame, price).predict(frame)


def test_classes_of_frames_keep_their_order(shop):
    frame, price = shop
    labels = np.where(price > 12, 10, np.where(price > 8, 9, 2))
    fitted = OnefoldClassifier(2, decay=1e-4, random_state=1).fit(frame, labels)
    assert fitted.classes_.tolist() == [2, 9, 10] and fitted.score(frame, labels) > 0.9
    probabilities = fitted.predict_proba(frame)
    assert (fitted.classes_[probabilities.argmax(axis=1)] == fitted.predict(frame)).all()


def test_missing_values_are_filled_in_or_refused(shop):
    frame, price = shop
    gaps = frame.assign(size=frame["size"].where(np.arange(90) % 9 > 0))
    filled = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(gaps, price)
    assert "size is missing" in filled.model_.input_names
    assert np.isfinite(filled.predict(gaps)).all() and np.isfinite(filled.predict(frame)).all()
    of_mean = OnefoldRegressor("none+linear", decay=0, options={"missing": "mean"}).fit(gaps, price)
    assert "size is missing" not in of_mean.model_.input_names
    with pytest.raises(ValueError, match="missing"):
        OnefoldRegressor(1, decay=0, options={"missing": "refuse"}).fit(gaps, price)


def test_dates_become_days():
    days = pandas.date_range("2021-03-04", periods=60)
    frame = pandas.DataFrame({"day": days, "x": np.arange(60.0) % 7})
    y = np.arange(60.0) + frame["x"]
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, y)
    assert fitted.score(frame, y) > 0.999 and any("day" in name for name in fitted.model_.input_names)
    other = polars.DataFrame({"day": [day.date() for day in days], "x": frame["x"].to_numpy()})
    assert np.allclose(fitted.predict(other), fitted.predict(frame))


def test_numeric_frames_are_arrays_with_names(waves):
    X, y = waves
    frame = pandas.DataFrame(X, columns=["a", "b"])
    fitted = OnefoldRegressor(2, decay=1e-4, random_state=1).fit(frame, y)
    assert fitted.model_.input_names == ["a", "b"]
    assert (fitted.model_.predict(frame[["b", "a"]]) == fitted.predict(frame)).all()
    of_polars = OnefoldRegressor(2, decay=1e-4, random_state=1).fit(
        polars.DataFrame({"a": X[:, 0], "b": X[:, 1]}), y
    )
    assert of_polars.model_ == fitted.model_


def test_a_file_is_read_as_by_the_command(shop, tmp_path):
    frame, price = shop
    frame.assign(price=price).to_csv(tmp_path / "shop.csv", index=False)
    model = onefold.fit(tmp_path / "shop.csv", hidden=2, decay=1e-4, seed=1)
    assert model.metrics["test_mse"] is not None and model.output_names == ["price"]
    classes = onefold.fit(
        tmp_path / "shop.csv",
        hidden=1,
        decay=1e-3,
        seed=1,
        target_column="colour",
        ignore_column=["new"],
        test_fraction=0.3,
    )
    assert classes.is_classification and classes.input_names == ["size", "price"]
    message = r'target_column is "weight", but there is no such column; shop[.]csv has the columns'
    with pytest.raises(ValueError, match=message):
        onefold.fit(tmp_path / "shop.csv", target_column="weight")
    with pytest.raises(FileNotFoundError):
        onefold.fit(tmp_path / "nowhere.csv")
    with pytest.raises(ValueError, match="folds cannot be given here"):
        onefold.fit(tmp_path / "shop.csv", folds=3)
    with pytest.raises(TypeError, match="there is no option 'epochs'"):
        onefold.fit(tmp_path / "shop.csv", epochs=3)


@pytest.mark.parametrize("library", [pandas, polars])
def test_durations_are_numbers_of_seconds(library):
    hours = np.arange(40)
    spans = pandas.to_timedelta(hours, "h") if library is pandas else [timedelta(hours=int(h)) for h in hours]
    frame = library.DataFrame({"kind": ["a", "b"] * 20, "span": spans})
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, 2.0 * hours)
    assert fitted.score(frame, 2.0 * hours) > 0.999999


LABELS = [
    ["NA", "EU"],
    ["nan", ""],
    ["?", "x"],
    [" x", "x "],
    ["a\nb", "a b"],
    ["N/A", "b"],
    ["1", "1.0"],
    ["None", "null"],
]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame])
def test_classes_keep_their_names(shop, labels, kind):
    frame, _ = shop
    y = np.array(labels, dtype=object)[(frame["size"] > 5).to_numpy().astype(int)]
    table = kind({name: frame[name].to_list() for name in frame.columns})
    weight = {labels[1]: 2.0}
    fitted = OnefoldClassifier("none+linear", decay=1e-4, class_weight=weight, random_state=1).fit(table, y)
    assert list(fitted.classes_) == sorted(labels) and (fitted.predict(table) == y).mean() > 0.97
    assert fitted.predict_proba(table).shape == (90, 2)
    assert fitted.model_.evaluate(table, y)["accuracy"] == (fitted.predict(table) == y).mean()


def test_columns_may_have_the_names_of_targets(shop):
    frame, price = shop
    frame = frame.rename(columns={"size": "y", "new": "sample_weight"})
    weights = np.linspace(1, 2, 90)
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, price, weights)
    assert fitted.score(frame, price) > 0.999999 and fitted.model_.output_names == ["y_"]
    several = OnefoldRegressor("none+linear", decay=0).fit(
        frame.rename(columns={"y": "y1"}), np.c_[price, price]
    )
    assert several.model_.output_names == ["y0", "y1_"]
    classes = OnefoldClassifier("none+linear", decay=1e-4).fit(frame, price > 10)
    assert classes.score(frame, price > 10) > 0.9


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame])
def test_line_breaks_are_spaces(shop, kind):
    frame, _ = shop
    colours = ["dark\nred" if colour == "red" else "light\r\nblue" for colour in frame["colour"]]
    table = kind({"size\nin cm": frame["size"].to_list(), "colour": colours})
    y = 2 * frame["size"] + 5 * (frame["colour"] == "red")
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(table, y)
    assert fitted.score(table, y) > 0.999999
    assert {"size in cm", "colour=dark red"} <= set(fitted.model_.input_names)


@pytest.mark.parametrize("made", ["pandas", "polars"])
def test_categories_are_no_numbers(made):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 90)
    y = np.array([5.0, -3.0, 4.0])[codes]
    words = [str(code) for code in codes]
    if made == "pandas":
        frame = pandas.DataFrame({"size": rng.normal(size=90), "code": pandas.Categorical(codes)})
    else:
        frame = polars.DataFrame(
            {"size": rng.normal(size=90), "code": polars.Series(words, dtype=polars.Categorical)}
        )
    fitted = OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, y)
    assert fitted.model_.input_names == ["size", "code=0", "code=1", "code=2"]
    assert fitted.score(frame, y) > 0.999999


def test_nan_is_missing_in_polars_as_in_pandas():
    values, y = [1.0, float("nan"), 3.0] * 30, list(range(90))
    frames = [
        kind({"a": values, "b": [float(v) for v in y]}) for kind in (pandas.DataFrame, polars.DataFrame)
    ]
    models = [
        OnefoldRegressor("none+linear", decay=0, random_state=1).fit(frame, y).model_ for frame in frames
    ]
    assert models[0] == models[1] and "a is missing" in models[0].input_names


def test_categories_stand_beside_options_on_columns():
    rng = np.random.default_rng(1)
    codes, other = rng.integers(0, 3, 90), rng.integers(0, 3, 90)
    y = np.array([5.0, -3.0, 4.0])[codes]
    frame = pandas.DataFrame(
        {"a": pandas.Categorical(codes), "a\nb": pandas.Categorical(other), "other a": rng.normal(size=90)}
    )
    options = {"ignore_column": "other a", "text_column": "a b"}
    fitted = OnefoldRegressor("none+linear", decay=0, options=options, random_state=1).fit(frame, y)
    assert fitted.model_.input_names == [f"{name}={code}" for name in ("a", "a b") for code in range(3)]


@pytest.mark.parametrize("name", ["target_column", "weight_column", "task", "header"])
def test_what_fit_decides_is_no_option(shop, name):
    frame, price = shop
    with pytest.raises(TypeError, match=f"the option '{name}' cannot be given"):
        OnefoldRegressor("none+linear", decay=0, options={name: "size"}).fit(frame, price)
