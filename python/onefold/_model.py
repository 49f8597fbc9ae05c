"""Trained models."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _onefold
from ._drawing import as_svg, as_text
from ._frames import is_frame, is_numeric, to_text
from ._options import to_json


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
        """
        return self._model.predict(self._rows(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The predictions for rows of inputs: names of classes, or numbers (a matrix for several targets)."""
        outputs = self.outputs(X)
        if self.is_classification:
            names: NDArray[Any] = np.asarray(self.output_names)
            return np.asarray(names[outputs.argmax(axis=1)])
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, in the order of `output_names`.

        Scores of a model without probabilities are clipped to [1e-6, 1] and divided by their sum.
        """
        if not self.is_classification:
            raise AttributeError("a regression has no probabilities; use predict")
        outputs = self.outputs(X)
        if self.has_probabilities:
            return outputs
        clipped = outputs.clip(1e-6, 1)
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))

    def evaluate(self, X: Any, y: Any) -> dict[str, Any]:
        """Scores on rows: `mse`, `rmse`, `r2`, `mae`, for classes `accuracy`, `f1`, `log_loss`, `confusion`.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
        y : array-like of shape (rows,) or (rows, targets)
            Numbers, or names of classes.
        """
        targets = np.asarray(y)
        if self.is_classification:
            names = [str(value) for value in targets.tolist()]
            places = {name: place for place, name in enumerate(self.output_names)}
            if unknown := sorted(set(names) - set(places)):
                raise ValueError(
                    f"y has {', '.join(unknown)}, which are no classes of the model: {', '.join(places)}"
                )
            numbers = np.zeros((len(names), len(places)))
            numbers[np.arange(len(names)), [places[name] for name in names]] = 1.0
        else:
            numbers = targets.astype(np.float64).reshape(len(targets), -1)
        rows = self._rows(X)
        if len(rows) != len(numbers):
            raise ValueError(f"X has {len(rows)} rows, but y has {len(numbers)}")
        scores: dict[str, Any] | None = json.loads(self._model.evaluate(rows, numbers))
        if scores is None:
            raise ValueError("there are no rows to evaluate")
        return {name: value for name, value in scores.items() if value not in (None, [])}

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        precision: str | None = None,
        name: str | None = None,
        allow_rounding: bool = False,
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

        Returns
        -------
        float
            The largest change of an output by rounding on rows in the range of the training rows.
        """
        file = Path(path)
        format_, default = _onefold.Model.export_format(file.suffix.lstrip("."), file.stem)
        settings = {"format": format_, "name": name or default, "allow_rounding": allow_rounding}
        content, rounding = self._model.export(to_json({**settings, "precision": precision}))
        file.write_bytes(content)
        return rounding

    def _rows(self, X: Any) -> NDArray[np.float64]:
        if is_frame(X):
            names = [str(name) for name in X.columns]
            if not (is_numeric(X) and set(self.input_names) <= set(names)):
                return self._model.encode(to_text(X))
            X = X[[X.columns[names.index(name)] for name in self.input_names]]
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2:
            raise ValueError(f"X has the shape {rows.shape}, but must have one row of inputs for each case")
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
    def parameters(self) -> int:
        """Number of parameters."""
        return self._model.parameters

    @property
    def metrics(self) -> dict[str, Any]:
        """Its errors and accuracies on the rows of its training."""
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
        return isinstance(other, Model) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Model.from_json, (self.to_json(),)
