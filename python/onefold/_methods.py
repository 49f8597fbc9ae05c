"""The methods of the library, by name."""

from __future__ import annotations

from typing import NamedTuple

from . import _onefold
from ._options import check_choice


class Method(NamedTuple):
    """A method of training or minimisation."""

    name: str
    description: str
    is_for_functions: bool


def methods(*, for_functions: bool = False) -> list[Method]:
    """All methods, in the order of the library.

    Parameters
    ----------
    for_functions : bool, default=False
        Only those that `minimize` takes: they need neither derivatives nor symmetries of a network.

    Examples
    --------
    >>> import onefold
    >>> [method.name for method in onefold.methods(for_functions=True)]
    ['de', 'cma-es', 'cma-es-ipop', 'cma-es-bipop', 'jade', 'shade', 'l-shade', 'jso']
    """
    every = (Method(*method) for method in _onefold.methods())
    return [method for method in every if method.is_for_functions or not for_functions]


def check_for_functions(method: str) -> None:
    """Refuses the name of no method. Methods for networks alone are left to the library, which says why."""
    if method not in [known.name for known in methods()]:
        check_choice("method", method, [known.name for known in methods(for_functions=True)])
