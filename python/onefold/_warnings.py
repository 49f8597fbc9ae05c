"""Warnings of the package."""

import sys
import warnings


class InterruptedWarning(UserWarning):
    """Ctrl-C ended a computation, and the result is the best so far."""


class TableWarning(UserWarning):
    """Something in a table that may not be what was meant, or what was assumed about it."""


def warn_of_table(note: str) -> None:
    """Says a note on a table."""
    warnings.warn(note, TableWarning, stacklevel=_levels())


def _levels() -> int:
    """How many calls up the code of the user is."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level


def warn_interrupted(what: str) -> None:
    """Says that Ctrl-C ended `what`."""
    warnings.warn(f"{what} was interrupted; the result is the best so far", InterruptedWarning, stacklevel=3)
