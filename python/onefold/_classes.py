"""Names of classes, in the models and in the tables that the library's reader gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._frames import one_line

#: What the reader takes for a missing value, in any case.
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "null"})


def names_of(classes: NDArray[Any]) -> list[str]:
    """The names of classes."""
    return [str(name) for name in classes.tolist()]


def names_for_reader(classes: NDArray[Any]) -> list[str]:
    """The same, in quotes where the reader of tables would not keep all of them as they are."""
    names = names_of(classes)
    return [repr(name) for name in names] if any(map(_is_changed, names)) or _is_ambiguous(names) else names


def _is_changed(name: str) -> bool:
    """Whether the reader would take a name for a missing value or for another one."""
    return name.strip().lower() in _MISSING or name != name.strip() or one_line(name) != name


def _is_ambiguous(names: Sequence[str]) -> bool:
    """Whether two names are the same number."""
    numbers = []
    for name in names:
        try:
            numbers.append(float(name))
        except ValueError:
            continue
    return len(set(numbers)) < len(numbers)


def weights_by_name(
    class_weight: Mapping[Any, Any], classes: NDArray[Any], names: Sequence[str]
) -> dict[str, float]:
    """The weights of classes by their names; a key is equal to a class, as 1 is to 1.0 and to True."""
    every, found = classes.tolist(), {}
    for key, weight in class_weight.items():
        places = [i for i, label in enumerate(every) if label == key]
        if not places:
            known = ", ".join(map(repr, every))
            raise ValueError(f"class_weight has the class {key!r}, which is not in y; there are {known}")
        number = float(weight)
        if not (np.isfinite(number) and number > 0):
            raise ValueError(f"class_weight of {key!r} is {weight!r}, but must be a positive number")
        found[names[places[0]]] = number
    return found
