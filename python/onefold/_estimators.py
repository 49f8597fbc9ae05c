"""Estimators for scikit-learn."""

from __future__ import annotations

import copy
import json
import operator
import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._classes import names_for_reader, names_of, weights_by_name
from ._fitting import Fit, Request, Rows, fit, fit_table, hidden_text, other_options
from ._frames import as_frame, categories, free_name, is_frame, is_numeric, select, to_text
from ._model import Model
from ._onefold import data_option_names, metrics
from ._options import whole_number
from ._parameters import CLASS_WEIGHT, PARAMETERS


class _OnefoldEstimator(BaseEstimator):  # type: ignore[misc]
    def __init__(
        self,
        hidden: Any = "auto",
        *,
        decay: float | None = None,
        method: str = "auto",
        metric: str | None = None,
        prefer: str = "size",
        time_limit: float | None = None,
        effort: float | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        options: dict[str, Any] | None = None,
        executor: Any = None,
        verbose: int = 0,
    ) -> None:
        self.hidden = hidden
        self.decay = decay
        self.method = method
        self.metric = metric
        self.prefer = prefer
        self.time_limit = time_limit
        self.effort = effort
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.options = options
        self.executor = executor
        self.verbose = verbose

    def _fit(
        self,
        X: NDArray[np.float64],
        outputs: NDArray[np.float64],
        names: list[str],
        weights: NDArray[np.float64] | None,
    ) -> None:
        given = getattr(self, "feature_names_in_", None)
        inputs = [f"x{i}" for i in range(X.shape[1])] if given is None else [str(name) for name in given]
        of_classes = self._class_weight()
        rows = Rows(X, outputs, inputs, names, isinstance(self, ClassifierMixin), weights, of_classes)
        request, of_reader = self._request()
        if of_reader:
            raise ValueError(
                f"{', '.join(of_reader)}: options of the reader are for frames with words or gaps"
            )
        self._keep(fit(rows, request))

    def _fit_frame(
        self, X: Any, targets: dict[str, Any], task: str, weights: NDArray[np.float64] | None
    ) -> None:
        """Trains on a frame with words or missing values, which the library's reader encodes."""
        validate_data(self, X, skip_check_array=True)
        request, of_reader = self._request()
        own: dict[str, Any] = {"target_column": list(targets), "task": task, "delimiter": ",", "header": True}
        # The same for weights and repetitions, as for arrays.
        own |= {"merge_duplicates": True, "class_weight": self._class_weight()}
        columns = dict(targets)
        if weights is not None:
            own["weight_column"] = free_name("sample_weight", [*X.columns, *columns])
            columns[str(own["weight_column"])] = weights
        if refused := sorted({*own, "weight_column"} & {*of_reader}):
            raise TypeError(
                f"the option {refused[0]!r} cannot be given: X, y and weights are arguments of fit"
            )
        data = {**of_reader, **own}
        ignored, texts = (_names(of_reader.get(name)) for name in ("ignore_column", "text_column"))
        texts += [name for name in categories(X) if name not in (*ignored, *texts)]
        data["text_column"] = texts or None
        given = {name: value for name, value in data.items() if value is not None}
        self._keep(fit_table(to_text(X, columns), given, True, request._replace(name="frame")))

    def _class_weight(self) -> str | dict[str, float] | None:
        """Weights of classes by name; a regression has none."""
        return None

    def _request(self) -> tuple[Request, dict[str, Any]]:
        """How to train, and the options of the reader."""
        for name, what in (("time_limit", "seconds"), ("effort", "seconds that are counted")):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
                raise TypeError(f"{name} is {value!r}, but must be a number of {what}, or None")
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} is {value!r}, but must be a positive number of {what}")
        known = metrics(isinstance(self, ClassifierMixin))
        if self.metric is not None and self.metric not in known:
            task = "classification" if isinstance(self, ClassifierMixin) else "regression"
            raise ValueError(f"metric is {self.metric!r}, but must be one of {', '.join(known)} for a {task}")
        if not isinstance(self.options, (Mapping, type(None))):
            raise TypeError(f"options is {self.options!r}, but must be a dict of names and values, or None")
        names = data_option_names()
        of_reader = {name: value for name, value in (self.options or {}).items() if name in names}
        others = {name: value for name, value in (self.options or {}).items() if name not in names}
        options = {
            **other_options(others),
            "hidden": hidden_text(self.hidden),
            "decay": self.decay,
            "method": self.method,
            "seed": self._seed(),
            "threads": self._threads(),
            "time": self.time_limit,
        }
        selection = {"metric": self.metric, "prefer": self.prefer, "effort": self.effort}
        shown = type(self).__name__ if self.verbose else ""
        return Request(options, selection, shown=shown, executor=self.executor), of_reader

    def __sklearn_clone__(self) -> Any:
        """A copy without what was fitted. An executor cannot be copied, and is shared."""
        parameters = self.get_params(deep=False)
        copies = {name: clone(value, safe=False) for name, value in parameters.items() if name != "executor"}
        copied = type(self)(**copies, executor=self.executor)
        for name in ("_metadata_request", "_sklearn_output_config"):
            if hasattr(self, name):
                setattr(copied, name, copy.deepcopy(getattr(self, name)))
        return copied

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return state if isinstance(state.get("executor"), str) else {**state, "executor": None}

    def _seed(self) -> int:
        try:
            number = operator.index(self.random_state)
        except TypeError:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        if not 0 <= number < 2**64:
            raise ValueError(f"random_state is {number}, but must be from 0 to 2**64 - 1")
        return number

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        # 0 is one for each core.
        cores = os.cpu_count() or 1
        jobs = whole_number("n_jobs", self.n_jobs)
        if not jobs or jobs > MOST_THREADS:
            raise ValueError(
                f"n_jobs is {jobs}, but must be a number of threads from 1 to {MOST_THREADS}, "
                "or -1 for one on each core"
            )
        return jobs if jobs > 0 else 0 if jobs == -1 else max(1, cores + 1 + jobs)

    def _keep(self, found: Fit) -> None:
        self.model_ = found.model
        self._is_table = json.loads(found.model.to_json()).get("table") is not None
        self.topology_ = found.model.topology
        self.report_ = found.report
        self.optima_ = found.report["optima"]
        self.history_ = np.array(found.history, dtype=np.float64).reshape(-1, 3)
        self.n_iter_ = max(1, int(found.report["generations"]))
        self.decay_ = self.decay or 0.0
        self.selection_: Any = None
        if found.selection is not None:
            self.decay_ = found.selection["decay"]
            self.selection_ = as_frame(found.selection["tried"])

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        if not self._is_table:
            return self.model_.outputs(validate_data(self, X, dtype=np.float64, reset=False))
        if not is_frame(X):
            raise ValueError(
                "X must be a frame with the columns of training, as there were words or gaps in it"
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return self.model_.outputs(X)

    def export(self, path: Any, **settings: Any) -> float:
        """Writes the trained network for programs without onefold, see `Model.export`."""
        check_is_fitted(self)
        return self._model().export(path, **settings)

    def _model(self) -> Model:
        return self.model_

    def _html_repr(self) -> str:
        html = str(super()._html_repr())
        return html + self.model_.to_svg() if hasattr(self, "model_") else html


def _names(option: Any) -> list[str]:
    """The columns that an option names: none, one or several."""
    return [option] if isinstance(option, str) else list(option or [])


#: As many as the library starts.
MOST_THREADS = 256


def _weights(sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """A weight for each row."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(rows, sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (rows,):
        raise ValueError(
            f"sample_weight has the shape {weights.shape}, but must have one number for each row"
        )
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(f"sample_weight is {weights[row]} for row {row}, but must not be negative")
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for all rows, so that there are no training rows")
    return np.asarray(weights)


def _with_weight(
    X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """The rows whose weight is not zero."""
    if weights is None or (weights > 0).all():
        return X, y, weights
    kept = weights > 0
    return select(X, kept) if is_frame(X) else X[kept], y[kept], weights[kept]


class OnefoldRegressor(RegressorMixin, _OnefoldEstimator):  # type: ignore[misc]
    __doc__ = (
        """A small neural network for numbers, trained by global search.
"""
        + PARAMETERS.format(metrics=': ``"rmse"`` (default), ``"mae"`` or ``"r2"``', more="")
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from onefold import OnefoldRegressor
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> y = np.sin(4 * x[:, 0])
    >>> regressor = OnefoldRegressor(hidden=3, effort=0.2, random_state=1).fit(x, y)
    >>> regressor.topology_
    '1-3-1'
    >>> regressor.score(x, y) > 0.999
    True
    """
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnefoldRegressor:
        """Trains on rows.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
            Numbers, or a frame with words, dates and missing values, which are read as by the command.
        y : array-like of shape (rows,) or (rows, targets)
            Numbers.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts, at least 0: a weight of 2 is as good as the row twice. Default: all
            count the same.

        Returns
        -------
        self
        """
        if is_frame(X) and not is_numeric(X):
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
            check_consistent_length(X, y)
            self._is_single = y.ndim == 1
            columns = y.reshape(len(y), -1).T
            names = ["y"] if len(columns) == 1 else [f"y{i}" for i in range(len(columns))]
            names = [free_name(name, X.columns) for name in names]
            weights = _weights(sample_weight, len(y))
            self._fit_frame(X, dict(zip(names, columns, strict=True)), "regression", weights)
            return self
        X, y = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2
        )
        self._is_single = y.ndim == 1
        outputs = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        names = ["y"] if outputs.shape[1] == 1 else [f"y{i}" for i in range(outputs.shape[1])]
        self._fit(X, outputs, names, _weights(sample_weight, len(y)))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The predictions for rows, of the shape that `y` had."""
        outputs = self._outputs(X)
        return outputs[:, 0] if self._is_single else outputs

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[np.float64]:
        """The intervals that are expected to contain the fraction `level` of true values.

        An interval is the prediction plus and minus a constant, the quantile of the errors that the network
        had on held-out rows while it, or its decay, was selected. With `hidden` and `decay` given there are
        none.

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
            If there were no held-out rows, or too few for the level.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from onefold import OnefoldRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> regressor = OnefoldRegressor(hidden=1, effort=0.2, random_state=1).fit(X[:300], y[:300])
        >>> low, high = regressor.predict_interval(X[300:], 0.9).T
        >>> bool(((low <= y[300:]) & (y[300:] <= high)).mean() > 0.8)
        True
        """
        outputs = self._outputs(X)
        if not self.model_.has_intervals:
            raise ValueError(
                "there were no held-out rows, from which intervals follow: hidden and decay were given, or "
                "the selection was interrupted; leave one of the two to the selection"
            )
        half_widths = np.array(list(self.model_.half_widths(level).values()))
        ends = np.stack([outputs - half_widths, outputs + half_widths], axis=2)
        return ends[:, 0] if self._is_single else ends

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class OnefoldClassifier(ClassifierMixin, _OnefoldEstimator):  # type: ignore[misc]
    __doc__ = (
        """A small neural network for classes, trained by global search.

    Its outputs are probabilities: the output layer is solved by logistic regression after the search, or all
    weights are then trained for cross-entropy, whichever predicts held-out rows better.
    ``options={"output_layer": "logistic"}`` (or ``"cross-entropy"``) leaves only one of the two.
"""
        + PARAMETERS.format(
            metrics=': ``"log-loss"`` (default), ``"accuracy"``, ``"balanced-accuracy"``, ``"macro-f1"`` or\n'
            '        ``"auc"``',
            more=CLASS_WEIGHT,
        )
        + """    classes_ : ndarray of shape (classes,)
        The classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from onefold import OnefoldClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = OnefoldClassifier(hidden=2, decay=1e-3, random_state=1).fit(X, y)
    >>> classifier.topology_
    '4-2-3'
    >>> classifier.score(X, y) > 0.95
    True
    >>> classifier.predict_proba(X[:2]).shape
    (2, 3)
    """
    )

    #: Pickles of versions without it lack it.
    class_weight: Any = None

    def __init__(
        self,
        hidden: Any = "auto",
        *,
        decay: float | None = None,
        method: str = "auto",
        metric: str | None = None,
        prefer: str = "size",
        class_weight: Any = None,
        time_limit: float | None = None,
        effort: float | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        options: dict[str, Any] | None = None,
        executor: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            hidden,
            decay=decay,
            method=method,
            metric=metric,
            prefer=prefer,
            time_limit=time_limit,
            effort=effort,
            n_jobs=n_jobs,
            random_state=random_state,
            options=options,
            executor=executor,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnefoldClassifier:
        """Trains on rows.

        Parameters
        ----------
        X : array-like of shape (rows, inputs)
            Numbers, or a frame with words, dates and missing values, which are read as by the command.
        y : array-like of shape (rows,)
            Classes.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts, at least 0: a weight of 2 is as good as the row twice. Default: all
            count the same. Classes of which all rows have weight 0 are not learnt.

        Returns
        -------
        self
        """
        is_table = is_frame(X) and not is_numeric(X)
        if is_table:
            check_consistent_length(X, y)
            y = column_or_1d(y, warn=True)
        else:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        X, y, weights = _with_weight(X, np.asarray(y), _weights(sample_weight, len(y)))
        self.classes_, places = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has only one class, {self.classes_[0]}; a classifier needs at least two")
        if is_table:
            self._names = names_for_reader(self.classes_)
            labels = np.array(self._names, dtype=object)
            self._fit_frame(X, {free_name("y", X.columns): labels[places]}, "classification", weights)
            return self
        self._names = names_of(self.classes_)
        outputs = np.zeros((len(y), len(self.classes_)))
        outputs[np.arange(len(y)), places] = 1.0
        self._fit(X, outputs, self._names, weights)
        return self

    def _class_weight(self) -> str | dict[str, float] | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping):
            return weights_by_name(self.class_weight, self.classes_, self._names)
        if self.class_weight != "balanced":
            raise ValueError(
                f"class_weight is {self.class_weight!r}, but must be None, 'balanced' or a dict of weights"
            )
        return "balanced"

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes of rows."""
        places = self._in_order(self._outputs(X)).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes, in the order of `classes_`."""
        outputs = self._in_order(self._outputs(X))
        if not self.model_.has_probabilities:
            outputs = outputs.clip(1e-6, 1)
        return np.asarray(outputs / outputs.sum(axis=1, keepdims=True))

    def _in_order(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The columns of outputs in the order of `classes_`; a reader of tables has its own."""
        # Pickles of before have no names beside the classes.
        names, labels = self.model_.output_names, getattr(self, "_names", None) or names_of(self.classes_)
        return outputs if names == labels else outputs[:, [names.index(label) for label in labels]]
