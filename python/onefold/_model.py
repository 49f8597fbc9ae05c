"""Trained models."""

from __future__ import annotations

import json
import os
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _onefold
from ._drawing import as_svg, as_text
from ._frames import as_frame, is_frame, is_numeric, to_text
from ._options import to_json, whole_number
from ._warnings import warn_of_table


def load(path: str | os.PathLike[str]) -> Model:
    """Loads a model file, from the command `onefold fit` or from `Model.save`.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Model
    """
    # A file that is not there is an error of the system, one that is no model is not.
    os.stat(path)
    return Model(_onefold.Model.load(os.fspath(path)))


def _check_finite(what: str, numbers: NDArray[np.float64]) -> None:
    """Refuses NaN and infinite numbers, for which there is no answer."""
    # The sum is finite if all are, and rarely where one is not.
    if np.isfinite(numbers.sum()) or np.isfinite(numbers).all():
        return
    row, column = (int(place) for place in np.argwhere(~np.isfinite(numbers))[0])
    name = "NaN" if np.isnan(numbers[row, column]) else "infinity"
    raise ValueError(
        f"{what} contains {name}, first in row {row}, column {column}; "
        + ("a missing value can only stand in a frame" if what == "X" else "targets must be known")
    )


def _class_name(value: Any, known: Container[str]) -> str:
    """The name that a class has in the model: a number by its value, as 1 for 1.0 and True, and in quotes
    what a table would not keep as it is."""
    names = [str(value), repr(value)]
    if isinstance(value, (int, float)) and float(value).is_integer():
        names += [str(int(value)), str(float(value))]
        names += [str(bool(value))] if value in (0, 1) else []
    return next((name for name in names if name in known), names[0])


def _same_network(text: str) -> dict[str, Any]:
    """A model file without what no result depends on."""
    parts: dict[str, Any] = json.loads(text)
    cost = parts.get("origin", {}).get("settings", {}).get("cost", {})
    cost.pop("threads", None)
    return parts


class Model:
    """A trained network with everything needed to use it.

    Rows of inputs are arrays of numbers, or frames whose columns have the names of the inputs, or of the
    table that the model was trained on, words and all. Models come from `load`, `fit`, `Model.from_json` or
    the attribute `model_` of a fitted estimator. They do not change. Pickles hold the text of the model file,
    which later versions of onefold read, too.

    Examples
    --------
    >>> import numpy as np, onefold
    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> regressor = onefold.OnefoldRegressor(hidden=2, decay=1e-6, random_state=1).fit(x, np.sin(3 * x[:, 0]))
    >>> model = regressor.model_
    >>> print(model.draw())
    x0 ─── 2 tanh ─── y
    >>> model.parameters
    7
    >>> model.evaluate(x, np.sin(3 * x[:, 0]))["r2"] > 0.999
    True
    """

    def __init__(self, model: _onefold.Model) -> None:
        if not isinstance(model, _onefold.Model):
            raise TypeError(
                "models are made by onefold.load, onefold.fit, Model.from_json and the estimators"
            )
        self._model = model

    @staticmethod
    def from_json(text: str) -> Model:
        """Reads the text of a model file."""
        return Model(_onefold.Model.from_json(text))

    def to_json(self) -> str:
        """The text of the model file."""
        return self._model.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves a model file; it is complete or unchanged, whatever happens."""
        self._model.save(os.fspath(path))

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """The outputs of the network, one row for each row of inputs.

        For classes they are probabilities, or scores where `has_probabilities` is False.

        Parameters
        ----------
        X : array-like of shape (rows, inputs), or frame

        Returns
        -------
        ndarray of shape (rows, outputs)
        """
        return self._model.predict(self._rows(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The predictions for rows of inputs.

        Parameters
        ----------
        X : array-like of shape (rows, inputs), or frame

        Returns
        -------
        ndarray of shape (rows,) or (rows, targets)
            Names of classes, or numbers.
        """
        outputs = self.outputs(X)
        if self.is_classification:
            names: NDArray[Any] = np.asarray(self.output_names)
            return np.asarray(names[outputs.argmax(axis=1)])
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, in the order of `output_names`.

        Scores of a model without probabilities are clipped to [1e-6, 1] and divided by their sum.

        Parameters
        ----------
        X : array-like of shape (rows, inputs), or frame

        Returns
        -------
        ndarray of shape (rows, classes)
        """
        if not self.is_classification:
            raise AttributeError("a regression has no probabilities; use predict")
        outputs = self.outputs(X)
        if self.has_probabilities:
            return outputs
        clipped = outputs.clip(1e-6, 1)
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """The intervals that are expected to contain the fraction `level` of true values.

        An interval is the prediction plus and minus a constant, the quantile of the errors that the network
        had on held-out rows, in the folds of its selection. It holds for rows like those of training, on
        average.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
        level : float, default=0.9
            Above 0 and below 1.

        Returns
        -------
        ndarray of shape (rows, 2) or (rows, targets, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If the model predicts classes, there were no held-out rows, or too few for the level.
        """
        half_widths = np.asarray(list(self.half_widths(level).values()))
        outputs = self.outputs(X)
        ends = np.stack([outputs - half_widths, outputs + half_widths], axis=2)
        return ends[:, 0] if outputs.shape[1] == 1 else ends

    def half_widths(self, level: float = 0.9) -> dict[str, float]:
        """Half of the width of each target's prediction interval, which is the same for all rows."""
        if not 0 < level < 1:
            raise ValueError(f"level is {level!r}, but must be above 0 and below 1, such as 0.9")
        return dict(zip(self.output_names, self._model.half_widths(float(level)), strict=True))

    def evaluate(self, X: Any, y: Any) -> dict[str, Any]:
        """All scores on rows.

        Of numbers `rmse`, `mae`, `r2`, `mse`, and of several targets those of each in `targets`. Of classes
        `accuracy`, `balanced_accuracy`, `f1` (macro), `auc` and `average_precision` (means over classes
        against all others), `log_loss`, `brier`, `calibration_error` (in ten bins), `confusion`, and those of
        each class in `classes`.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
        y : array-like of shape (rows,) or (rows, targets)
            Numbers, or names of classes.
        """
        rows = self._rows(X)
        scores: dict[str, Any] | None = json.loads(self._model.evaluate(rows, self._targets(y, len(rows))))
        if scores is None:
            raise ValueError("there are no rows to evaluate")
        return {name: value for name, value in scores.items() if value not in (None, [])}

    def report(self, data: Any, y: Any = None, *, path: str | os.PathLike[str] | None = None) -> str:
        """A page about the model on rows with targets, as the command `onefold report` makes it.

        One HTML file that needs no network: scores, predicted against true, residuals, or the confusion of
        classes, curves and calibration, the network drawn, the columns and where the model comes from.

        Parameters
        ----------
        data : path, frame or array-like of shape (rows, inputs)
            A file or a frame with the targets, or inputs. If the file is the one that the model was trained
            on, the page tells training rows and held-out rows apart.
        y : array-like of shape (rows,) or (rows, targets), optional
            The targets, where `data` has only inputs.
        path : str or path, optional
            Where to write the page. A file of this name is replaced.

        Returns
        -------
        str
            The page.

        Examples
        --------
        >>> import numpy as np, onefold
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> y = np.sin(3 * x[:, 0])
        >>> model = onefold.OnefoldRegressor(hidden=2, decay=1e-6, random_state=1).fit(x, y).model_
        >>> page = model.report(x, y)
        >>> "Residuals against predictions" in page
        True
        """
        if isinstance(data, (str, os.PathLike)):
            if y is not None:
                raise ValueError("a file has its targets; leave y out")
            # A file that is not there is an error of the system.
            os.stat(data)
            page = self._model.report_file(os.fspath(data))
        elif y is None:
            if not is_frame(data):
                raise ValueError("y is missing: an array has only inputs")
            page = self._model.report_table("frame", to_text(data), True)
        else:
            rows = self._rows(data)
            page = self._model.report("array", rows, self._targets(y, len(rows)))
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def importance(
        self,
        X: Any,
        y: Any,
        *,
        metric: str | None = None,
        repeats: int = 5,
        seed: int = 0,
        max_rows: int = 10_000,
    ) -> Any:
        """By how much the model gets worse if the values of a column are exchanged at random between rows.

        All inputs that a column becomes, such as one for each of its words, are exchanged together. Use rows
        that were not in training.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
        y : array-like of shape (rows,) or (rows, targets)
            Numbers, or names of classes.
        metric : str, optional
            What the model is measured by: ``"rmse"``, ``"mae"`` or ``"r2"`` for numbers, ``"log-loss"``,
            ``"accuracy"``, ``"balanced-accuracy"``, ``"macro-f1"`` or ``"auc"`` for classes. Default the
            first.
        repeats : int, default=5
            How often each column is permuted.
        seed : int, default=0
            Seed of the permutations.
        max_rows : int, default=10000
            Of more rows, a random sample is used.

        Returns
        -------
        DataFrame or list of dict
            A row for each column, the most important first: `column`, `importance` (in units of the metric),
            its `standard_error` over rows, and `lower` and `upper` end of its confidence interval of 95 %. A
            list without pandas.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from onefold import OnefoldRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> regressor = OnefoldRegressor(hidden=2, decay=1e-2, random_state=1).fit(X[:300], y[:300])
        >>> regressor.model_.importance(X[300:], y[300:])["column"][0]
        's5'
        """
        whole_number("repeats", repeats, 1)
        whole_number("max_rows", max_rows, 2)
        whole_number("seed", seed, 0)
        rows = self._rows(X)
        if len(rows) < 2:
            raise ValueError(f"X has {len(rows)} rows, but values are exchanged between at least 2")
        settings = {"metric": metric, "repeats": repeats, "seed": seed, "rows": max_rows}
        targets = self._targets(y, len(rows))
        return as_frame(json.loads(self._model.importance(rows, targets, to_json(settings)))["columns"])

    def dependence(
        self, X: Any, column: str, *, points: int = 20, seed: int = 0, max_rows: int = 1000
    ) -> Any:
        """The partial dependence on a column: the mean answer if all rows had the same value in it.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
        column : str
            One of `column_names`.
        points : int, default=20
            The most values of a column of numbers or dates, which are quantiles of those in the rows. Of
            words, all that the model knows.
        seed : int, default=0
            Seed of the sample of rows.
        max_rows : int, default=1000
            Of more rows, a random sample is averaged over.

        Returns
        -------
        DataFrame or list of dict
            A row for each value: its text in `value`, its `number` if it has one, and for each output the
            mean in a column of its name, with ``"_lower"`` and ``"_upper"`` behind it what a tenth of the
            rows are below and above. A list without pandas.

        Examples
        --------
        >>> import numpy as np, onefold
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> regressor = onefold.OnefoldRegressor(hidden="none", random_state=1).fit(x, np.zeros(50) + 3)
        >>> regressor.model_.dependence(x, "x0", points=3)["y"].tolist()
        [3.0, 3.0, 3.0]
        """
        whole_number("points", points, 2)
        whole_number("max_rows", max_rows, 1)
        whole_number("seed", seed, 0)
        settings = to_json({"points": points, "seed": seed, "rows": max_rows})
        curve = json.loads(self._model.dependence(self._rows(X), column, settings))
        ends = {"mean": "", "lower": "_lower", "upper": "_upper"}
        return as_frame(
            [
                {"value": point["value"], "number": point["number"]}
                | {
                    name + end: point[which][place]
                    for place, name in enumerate(curve["outputs"])
                    for which, end in ends.items()
                }
                for point in curve["points"]
            ]
        )

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        precision: str | None = None,
        name: str | None = None,
        allow_rounding: bool = False,
        format: str | None = None,
        inputs: str = "columns",
        with_tests: bool = False,
        interval: float | None = None,
    ) -> float:
        """Writes the network for programs without onefold: ``.onnx``, ``.h``, ``.rs``, ``.mjs`` or ``.py``.

        Parameters
        ----------
        path : str or path
            The file, whose ending decides the format. It is replaced if it exists.
        precision : {"float", "double"}, optional
            The numbers it computes with. Default that of the format.
        name : str, optional
            Name of the network in the file. Default made of the name of the file.
        allow_rounding : bool, default=False
            Whether single precision may change outputs by more than the model's own error allows.
        format : {"onnx", "c", "rust", "javascript", "python", "c-fixed"}, optional
            What is written. Default what the ending of the file says.
        inputs : {"columns", "encoded"}, default="columns"
            Whether it takes rows of the table, with words, dates and missing values, or the inputs of the
            network alone.
        with_tests : bool, default=False
            Whether a program that checks the file is written beside it, ``NAME_test.*``.
        interval : float, optional
            The level of prediction intervals that it gives as well, such as 0.9, for a regression that has
            errors of held-out rows.

        Returns
        -------
        float
            The largest change of an output by rounding on rows in the range of the training rows.
        """
        for option, value, allowed in [
            ("format", format, (None, "onnx", "c", "rust", "javascript", "python", "c-fixed")),
            ("precision", precision, (None, "float", "double")),
            ("inputs", inputs, ("columns", "encoded")),
        ]:
            if value not in allowed:
                names = ", ".join(repr(name) for name in allowed if name)
                raise ValueError(f"{option} is {value!r}, but must be one of {names}")
        file = Path(path)
        ending, default = file.suffix.lstrip("."), _onefold.Model.export_name(file.stem)
        settings = {
            "format": format or _onefold.Model.export_format(ending),
            "name": name or default,
            "allow_rounding": allow_rounding,
            "precision": precision,
            "inputs": inputs,
            "interval": interval,
        }
        content, rounding = self._model.export(to_json(settings))
        tests = self._model.export_tests(to_json(settings), file.name) if with_tests else None
        file.write_bytes(content)
        if tests is not None:
            file.with_name(tests[0]).write_bytes(tests[1])
        return rounding

    def _targets(self, y: Any, rows: int) -> NDArray[np.float64]:
        """Targets as the network's outputs should be; for classes 1 in the column of the row's class."""
        targets = np.asarray(y)
        if len(targets) != rows:
            raise ValueError(f"X has {rows} rows, but y has {len(targets)}")
        if not self.is_classification:
            numbers = targets.astype(np.float64).reshape(rows, -1)
            _check_finite("y", numbers)
            return numbers
        places = {name: place for place, name in enumerate(self.output_names)}
        names = [_class_name(value, places) for value in targets.tolist()]
        if unknown := sorted(set(names) - set(places)):
            raise ValueError(
                f"y has {', '.join(unknown)}, which are no classes of the model: {', '.join(places)}"
            )
        numbers = np.zeros((rows, len(places)))
        numbers[np.arange(rows), [places[name] for name in names]] = 1.0
        return numbers

    def _rows(self, X: Any) -> NDArray[np.float64]:
        if is_frame(X):
            names = [str(name) for name in X.columns]
            if not (is_numeric(X) and set(self.input_names) <= set(names)):
                inputs, note = self._model.encode(to_text(X))
                if note is not None:
                    warn_of_table(note)
                return inputs
            X = X[[X.columns[names.index(name)] for name in self.input_names]]
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2:
            raise ValueError(f"X has the shape {rows.shape}, but must have one row of inputs for each case")
        _check_finite("X", rows)
        return rows

    @property
    def topology(self) -> str:
        """Its layers, as in ``"4-3-3"`` or ``"4-3-3+linear"``."""
        return self._model.topology

    @property
    def hidden_layers(self) -> tuple[int, ...]:
        """Widths of its hidden layers."""
        return tuple(self._model.hidden_layers)

    @property
    def has_linear_part(self) -> bool:
        """Whether each input has a weight to each output."""
        return self._model.has_linear_part

    @property
    def input_names(self) -> list[str]:
        """Names of its inputs."""
        return self._model.input_names

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of the table that it was trained on; each may become several inputs."""
        return self._model.column_names

    @property
    def output_names(self) -> list[str]:
        """Names of its outputs, or its classes."""
        return self._model.output_names

    @property
    def is_classification(self) -> bool:
        """Whether its outputs stand for classes."""
        return self._model.is_classification

    @property
    def has_probabilities(self) -> bool:
        """Whether its outputs are probabilities."""
        return self._model.has_probabilities

    @property
    def has_intervals(self) -> bool:
        """Whether it has errors of held-out rows, from which prediction intervals follow."""
        return json.loads(self.to_json()).get("intervals") is not None

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return self._model.parameters

    @property
    def metrics(self) -> dict[str, Any]:
        """Its scores on the rows of its training, `train` and, where there were test rows, `test`."""
        return dict(json.loads(self.to_json())["metrics"])

    def draw(self) -> str:
        """The network drawn with characters."""
        return as_text(self)

    def to_svg(self) -> str:
        """The network drawn as SVG, with the largest weights of each layer darkest."""
        return as_svg(self)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        kind = "classification" if self.is_classification else "regression"
        return f"<onefold.Model {self.topology}, {kind}, {self.parameters} parameters>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        own, others = self.to_json(), other.to_json()
        # The number of threads stands in the file, but the network does not depend on it.
        return own == others or _same_network(own) == _same_network(others)

    def __hash__(self) -> int:
        return hash(json.dumps(_same_network(self.to_json()), sort_keys=True))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Model.from_json, (self.to_json(),)
