"""Warnings of the package."""

import warnings


class InterruptedWarning(UserWarning):
    """Ctrl-C ended a computation, and the result is the best so far."""


def warn_interrupted(what: str) -> None:
    """Says that Ctrl-C ended `what`."""
    warnings.warn(f"{what} was interrupted; the result is the best so far", InterruptedWarning, stacklevel=3)
