"""Training on a file, as the command does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import _onefold
from ._fitting import Fit, Request, fit_table, hidden_text
from ._model import Model
from ._options import given, seed_of


def fit(
    path: str | os.PathLike[str],
    *,
    hidden: Any = "auto",
    seed: Any = None,
    metric: str | None = None,
    prefer: str = "size",
    verbose: int = 0,
    **options: Any,
) -> Model:
    """Trains a network on a table in a file, as the command `onefold fit` does.

    The same file, options and seed give the same model as the command, byte for byte.

    Parameters
    ----------
    path : str or path
        A file with delimiter-separated values. Delimiter and header are detected, text columns become inputs,
        and the last column is the target.
    hidden : "auto", int, str or tuple, default="auto"
        The hidden layers, as for `OnefoldRegressor`.
    seed : int, numpy.random.Generator or None
        The seed. None for a random one, which the model has.
    metric : str, optional
        What networks are compared by in the selection.
    prefer : {"size", "accuracy"}, default="size"
        What is selected.
    verbose : int, default=0
        Whether progress is shown on standard error.
    **options
        Options of training and of the reader, named as those of the command: `decay`, `method`, `target`,
        `time`, `threads`, `target_column`, `ignore_column`, `missing`, `categories`, `test_fraction`,
        `split_seed` and so on.

    Returns
    -------
    Model
        Its `metrics` are those on training and test rows.

    Examples
    --------
    >>> import onefold, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "shop.csv")
    >>> _ = file.write_text("size,colour,price\\n" + "1,red,10\\n2,blue,21\\n3,red,29\\n4,blue,41\\n" * 8)
    >>> model = onefold.fit(file, hidden="none+linear", decay=0, seed=1)
    >>> model.input_names
    ['size', 'colour=blue', 'colour=red']
    """
    return fit_file(Path(path), hidden, seed, (metric, prefer, verbose), options).model


def fit_file(
    path: Path, hidden: Any, seed: Any, selection: tuple[str | None, str, int], options: dict[str, Any]
) -> Fit:
    """Trains on a file, with the report of the training."""
    of_reader = _onefold.data_option_names()
    data = {name: value for name, value in options.items() if name in of_reader and value is not None}
    others = {name: value for name, value in options.items() if name not in of_reader}
    refused = {"hidden": "hidden is an argument", "seed": "seed is an argument"}
    overrides = given(others, refused=refused, offered=[*_onefold.option_names(), *of_reader])
    # The command writes the method into its settings; the default is the same.
    overrides = {"method": "auto", **overrides, "hidden": hidden_text(hidden), "seed": seed_of(seed)}
    metric, prefer, verbose = selection
    request = Request(
        overrides,
        {"metric": metric, "prefer": prefer},
        path.name,
        f"onefold.fit {path.name}" if verbose else "",
    )
    return fit_table(path.read_bytes(), data, False, request)
