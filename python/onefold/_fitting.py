"""From arrays and options to a trained model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _onefold
from ._model import Model
from ._options import check_choice, given, to_json
from ._progress import Progress
from ._race import Race
from ._warnings import warn_interrupted, warn_of_table

Array = NDArray[np.float64]

#: Options that estimators have as parameters of their own.
REFUSED = {
    "hidden": "hidden is a parameter",
    "topology": "give the hidden layers as hidden",
    "method": "method is a parameter",
    "decay": "decay is a parameter",
    "seed": "it is random_state",
    "threads": "it is n_jobs",
    "time": "it is time_limit",
}


PREFERENCES = ("size", "accuracy")


class Rows(NamedTuple):
    """What to train on."""

    inputs: Array
    outputs: Array
    input_names: list[str]
    output_names: list[str]
    classification: bool
    #: The weight of each row; None where all count the same.
    weights: Array | None = None
    #: Weights of classes by name, or "balanced".
    class_weight: str | dict[str, float] | None = None


class Fit(NamedTuple):
    """What training leaves."""

    model: Model
    report: dict[str, Any]
    selection: dict[str, Any] | None
    history: list[tuple[int, int, float]]


def hidden_text(hidden: Any) -> str | None:
    """Hidden layers as the library reads them; None where they are to be selected."""
    if isinstance(hidden, str):
        return None if hidden == "auto" else hidden
    widths = [hidden] if np.ndim(hidden) == 0 else list(hidden)
    if not all(isinstance(width, (int, np.integer)) and not isinstance(width, bool) for width in widths):
        raise ValueError(
            f"hidden is {hidden!r}, but must be 'auto', a width as 8, or widths as '8-8' or (8, 8)"
        )
    if any(width < 1 for width in widths):
        raise ValueError(f"hidden is {hidden!r}, but widths must be at least 1; 'none' is no hidden layer")
    return "-".join(str(int(width)) for width in widths) or "none"


class Request(NamedTuple):
    """How to train."""

    #: Options of the library.
    overrides: Mapping[str, Any]
    #: Metric, preference and effort of the selection.
    selection: Mapping[str, Any]
    #: The name of the data in the model.
    name: str = "array"
    #: What progress is shown for; nothing if it is empty.
    shown: str = ""
    #: What does the fits of the selection; threads of this process if it is None.
    executor: Any = None

    def to_json(self) -> str:
        """The request for the compiled module."""
        overrides = {key: value for key, value in self.overrides.items() if value is not None}
        check_choice("prefer", self.selection["prefer"], PREFERENCES)
        if self.selection["metric"] is not None:
            # Which of them a file needs, its target decides.
            metrics = [*_onefold.metrics(True), *_onefold.metrics(False)]
            check_choice("metric", self.selection["metric"], metrics)
        return to_json({"name": self.name, "overrides": overrides, **self.selection})


def fit(rows: Rows, request: Request) -> Fit:
    """Selects what is left open, and trains. Ctrl-C ends it with the best network so far."""
    columns = {
        "input_names": rows.input_names,
        "output_names": rows.output_names,
        "classification": rows.classification,
        "class_weight": rows.class_weight,
    }
    return _run(_onefold.fit, request, rows.inputs, rows.outputs, rows.weights, to_json(columns))


def fit_table(text: bytes, data: Mapping[str, Any], all_rows: bool, request: Request) -> Fit:
    """The same for the text of a table, as the command reads it; `data` are options of the reader."""
    return _run(_onefold.fit_table, request, text, to_json({"data": dict(data), "all_rows": all_rows}))


def _run(function: Callable[..., dict[str, Any]], request: Request, *arguments: Any) -> Fit:
    progress = Progress(request.shown) if request.shown else None
    race = None if request.executor is None else Race(request.executor)
    try:
        found = function(*arguments, request.to_json(), progress, race)
    finally:
        if race is not None:
            race.close()
        if progress is not None:
            progress.finish()
    if found["interrupted"]:
        warn_interrupted("the fit")
    for note in found.get("notes", ()):
        warn_of_table(note)
    chosen = found["selection"]
    return Fit(
        Model(found["model"]),
        json.loads(found["report"]),
        None if chosen is None else json.loads(chosen),
        found["history"],
    )


def other_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that a user gives beside the parameters of an estimator."""
    return given(options or {}, refused=REFUSED)
