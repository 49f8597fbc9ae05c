"""Frames of pandas or polars as tables that the library's reader takes: words, missing values and all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a frame of pandas; as they are without pandas."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def is_frame(X: Any) -> bool:
    """Whether it is a frame of pandas or polars."""
    return hasattr(X, "columns") and (hasattr(X, "to_csv") or hasattr(X, "write_csv"))


def is_numeric(X: Any) -> bool:
    """Whether all columns of a frame are numbers, none of them missing."""
    if hasattr(X, "write_csv"):
        if not all(kind.is_numeric() for kind in X.schema.values()) or any(X.null_count().row(0)):
            return False
        # As in pandas, NaN is a missing number.
        return not any(X[name].is_nan().any() for name, kind in X.schema.items() if kind.is_float())
    kinds_of_numbers = "iuf"
    kinds = [getattr(kind, "kind", "O") for kind in X.dtypes]
    return all(kind in kinds_of_numbers for kind in kinds) and not bool(X.isna().to_numpy().any())


def select(X: Any, rows: NDArray[np.bool_]) -> Any:
    """Some rows of a frame."""
    return X.filter(rows) if hasattr(X, "write_csv") else X.loc[rows]


def categories(X: Any) -> list[str]:
    """The names, in a table, of the columns whose type says that they are categories, numbers or not."""
    if hasattr(X, "write_csv"):
        names = [name for name, kind in X.schema.items() if type(kind).__name__ in ("Categorical", "Enum")]
    else:
        names = [name for name, kind in X.dtypes.items() if getattr(kind, "name", "") == "category"]
    return [one_line(str(name)) for name in names]


def free_name(name: str, taken: Iterable[Any]) -> str:
    """A name that no column has: this one, or with underscores behind it."""
    names = {str(other) for other in taken}
    while name in names:
        name += "_"
    return name


#: A table has one row in each line.
_LINE_BREAKS = re.compile(r"[\r\n]+")


def one_line(text: Any) -> Any:
    """A text with spaces instead of line breaks."""
    return _LINE_BREAKS.sub(" ", text) if isinstance(text, str) else text


def to_text(X: Any, targets: dict[str, Any] | None = None) -> bytes:
    """A frame as a table with a first line of names, and these columns at its end; durations in seconds, and
    spaces instead of line breaks."""
    names = [one_line(str(name)) for name in X.columns]
    if len(set(names)) < len(names):
        raise ValueError("two columns of X have the same name")
    if clash := set(names) & set(targets or {}):
        raise ValueError(f"X has a column {', '.join(clash)}, which is the name of a target")
    if hasattr(X, "write_csv"):
        import polars

        made = X.rename(dict(zip(X.columns, names, strict=True)))
        durations = [name for name, kind in made.schema.items() if kind == polars.Duration]
        made = made.with_columns([polars.col(name).dt.total_microseconds() / 1e6 for name in durations])
        made = made.with_columns(polars.col(polars.String).str.replace_all(_LINE_BREAKS.pattern, " "))
        made = made.with_columns([polars.Series(name, np.asarray(y)) for name, y in (targets or {}).items()])
        return bytes(made.write_csv().encode())
    made = X.set_axis(names, axis="columns")
    durations = [name for name in names if getattr(made[name].dtype, "kind", "") == "m"]
    made = made.assign(**{name: made[name].dt.total_seconds() for name in durations})
    texts = [name for name in names if getattr(made[name].dtype, "kind", "O") == "O"]
    made = made.assign(**{name: made[name].map(one_line, na_action="ignore") for name in texts})
    made = made.assign(**{name: np.asarray(y) for name, y in (targets or {}).items()})
    return bytes(made.to_csv(index=False).encode())
