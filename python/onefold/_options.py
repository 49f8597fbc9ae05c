"""Options of the library's one schema, as text that the compiled module reads."""

from __future__ import annotations

import json
import math
import operator
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _onefold


def plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as those of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which no option can be")


def to_json(value: Any) -> str:
    """A value for the compiled module."""
    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except ValueError:
        for name, number in _numbers(value):
            if not math.isfinite(number):
                raise ValueError(f"{name} is {number}, but must be a finite number") from None
        raise


def _numbers(value: Any, name: str = "a value") -> Iterator[tuple[str, float]]:
    """The numbers in a value, each with the name of its option."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _numbers(entry, str(key))
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _numbers(entry, name)
    elif isinstance(value, (np.generic, np.ndarray)):
        yield from _numbers(plain(value), name)
    elif isinstance(value, float):
        yield name, value


def whole_number(name: str, value: Any, least: int | None = None) -> int:
    """A whole number; True and texts are none."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, but must be a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but must be a whole number") from None
    if least is not None and number < least:
        raise ValueError(f"{name} is {number}, but must be at least {least}")
    return number


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuses a value that is not one of some texts."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, choices))}")


def given(
    options: Mapping[str, Any], *, refused: Mapping[str, str], offered: Sequence[str] | None = None
) -> dict[str, Any]:
    """The options that are not None.

    Unknown ones are refused, and those that another argument gives, by what `refused` says of them. A refusal
    names the options that are `offered`, by default all.
    """
    known = _onefold.option_names()
    for name in options:
        if name in refused:
            raise TypeError(f"the option {name!r} cannot be given: {refused[name]}")
        if name not in known:
            names = ", ".join(name for name in offered or known if name not in refused)
            raise TypeError(f"there is no option {name!r}; the options are {names}")
    return {name: value for name, value in options.items() if value is not None}


def seed_of(seed: Any) -> int:
    """A seed as a number: given, drawn from a generator of NumPy, or random."""
    if seed is None:
        return secrets.randbelow(2**32)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**32))
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**32, dtype=np.uint64))
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(
            f"seed is {seed!r}, but must be a whole number, a generator of NumPy or None"
        ) from None
    if not 0 <= number < 2**64:
        raise ValueError(f"seed is {number}, but must be from 0 to 2**64 - 1")
    return number
