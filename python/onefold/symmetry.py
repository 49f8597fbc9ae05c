"""Networks up to the symmetries of their parameters.

The neurons of a hidden layer can be exchanged, and where the activation is odd (tanh), the signs around a
neuron can be changed: the parameters are others, the function is the same. So two networks that were trained
from different starts may be the same solution, and their parameters can only be compared or averaged after
they are aligned.

A *network* is a model or fitted estimator of onefold, a fitted MLP of scikit-learn, a state dict of dense
layers, or a list of arrays: weights and biases in turn, pairs of them, or weights alone. The functions return
what they are given. Positive factors, a further symmetry of relu, are not considered.

>>> import numpy as np
>>> from onefold import symmetry
>>> rng = np.random.default_rng(1)
>>> network = [rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=(1, 4)), rng.normal(size=1)]
>>> order = [2, 0, 3, 1]
>>> other = [-network[0][order], -network[1][order], -network[2][:, order], network[3]]
>>> symmetry.distance(network, other, activation="tanh")
0.0
>>> symmetry.distance(network, other, activation="relu") > 1
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _onefold
from ._layers import Layers, layers_of

__all__ = ["Equivalent", "align", "average", "canonical", "distance", "distinct", "nearest"]


def __dir__() -> list[str]:
    return sorted(__all__)


class Equivalent(NamedTuple):
    """One of the symmetric equivalents of a network."""

    #: For each hidden layer, the neurons of the network in the order in which the equivalent has them.
    permutations: list[list[int]]
    #: For each hidden layer, the signs of the neurons of the equivalent.
    signs: list[list[float]]


def nearest(
    network: Any,
    reference: Any,
    *,
    activation: str | None = None,
    signs: bool | None = None,
    order: str | None = None,
) -> Equivalent:
    """The permutations and signs that `align` applies, see there."""
    own, other = _pair(network, reference, activation, order)
    return _nearest(own, other, signs)


def align(
    network: Any,
    reference: Any,
    *,
    activation: str | None = None,
    signs: bool | None = None,
    order: str | None = None,
) -> Any:
    """The equivalent of a network nearest to a reference, by the Euclidean distance of all parameters.

    With one hidden layer it is the nearest of all; with more, the layers are assigned in turn, each ideally
    with the others held, until nothing changes.

    Parameters
    ----------
    network, reference : network
        Two networks with the same layers, see `onefold.symmetry`. The reference is not changed.
    activation : str, optional
        The hidden activation, such as ``"tanh"`` or ``"relu"``; needed for lists and state dicts.
    signs : bool, optional
        Whether signs may change. Default: if the activation is odd.
    order : {"out-in", "in-out"}, optional
        For lists of arrays, whether weights have one row for each neuron (PyTorch) or one column
        (scikit-learn, Keras). Default: found by the shapes.

    Returns
    -------
    network
        A copy of `network` that computes the same function.

    Examples
    --------
    >>> import numpy as np
    >>> from onefold import symmetry
    >>> a = [np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])]
    >>> b = [np.array([[-2.0], [1.0]]), np.array([[-4.0, 3.0]])]
    >>> symmetry.align(b, a, activation="tanh", order="out-in")
    [array([[1.],
           [2.]]), array([[3., 4.]])]
    """
    own, other = _pair(network, reference, activation, order)
    return own.rebuild(own.moved(*_nearest(own, other, signs)))


def canonical(
    network: Any, *, activation: str | None = None, signs: bool | None = None, order: str | None = None
) -> Any:
    """The form that all equivalents of a network share.

    Signs are such that biases are positive, and neurons are in the order of their biases; without biases the
    last weights decide. Near the border between two forms, similar networks can have canonical forms that are
    far apart: to compare networks, use `align` or `distance`.

    Parameters
    ----------
    network, activation, signs, order
        As for `align`.

    Returns
    -------
    network
        A copy of `network` that computes the same function.
    """
    own = layers_of(network, activation, order)
    is_odd = _may_change_signs(own, signs)
    found = _onefold.canonical(own.pairs(), is_odd) if own.has_hidden_layers else ([], [])
    return own.rebuild(own.moved(*found))


def distance(
    a: Any, b: Any, *, activation: str | None = None, signs: bool | None = None, order: str | None = None
) -> float:
    """The Euclidean distance of the parameters of two networks up to symmetry.

    Parameters
    ----------
    a, b, activation, signs, order
        As for `align`. With several hidden layers it is an upper bound of the least distance.

    Returns
    -------
    float
        The distance of `b` and the equivalent of `a` that `align` finds.
    """
    own, other = _pair(a, b, activation, order)
    moved = own.moved(*_nearest(own, other, signs))
    return float(np.linalg.norm(moved.numbers() - other.numbers()))


def average(
    networks: Iterable[Any],
    *,
    weights: Sequence[float] | None = None,
    activation: str | None = None,
    signs: bool | None = None,
    order: str | None = None,
) -> Any:
    """The mean of networks, each aligned to the first.

    Parameters
    ----------
    networks : iterable of networks
        At least one; all of the kind of the first.
    weights : sequence of float, optional
        One for each network; only their ratios matter. Default: all equal.
    activation, signs, order
        As for `align`.

    Returns
    -------
    network
        Of the kind of the first.
    """
    every = _all_layers(networks, activation, order)
    if not every:
        raise ValueError("there are no networks to average")
    first = every[0]
    for other in every[1:]:
        _check(other, first)
    every = [other.in_units_of(first) for other in every]
    moved = [other.moved(*_nearest(other, first, signs)) for other in every]
    factors = np.ones(len(every)) if weights is None else np.asarray(weights, dtype=np.float64)
    if factors.shape != (len(every),) or not factors.sum() > 0:
        raise ValueError(f"weights must be {len(every)} numbers with a positive sum")
    factors = factors / factors.sum()

    def mean(arrays: Iterable[Any]) -> Any:
        return sum(factor * array for factor, array in zip(factors, arrays, strict=True))

    return first.rebuild(
        Layers(
            [mean(of_layer) for of_layer in zip(*(layers.weights for layers in moved), strict=True)],
            [mean(of_layer) for of_layer in zip(*(layers.biases for layers in moved), strict=True)],
            first.is_odd,
            first.rebuild,
            mean(layers.fixed for layers in moved),
            is_same_function=False,
        )
    )


def distinct(
    networks: Iterable[Any],
    *,
    tolerance: float = 0.01,
    activation: str | None = None,
    signs: bool | None = None,
    order: str | None = None,
) -> list[list[int]]:
    """Groups networks that are the same up to symmetry, such as solutions of repeated trainings.

    Parameters
    ----------
    networks : iterable of networks
        All with the same layers.
    tolerance : float, default=0.01
        A network belongs to a group if its distance to the first of it is at most this fraction of that one's
        norm.
    activation, signs, order
        As for `align`.

    Returns
    -------
    list of lists of int
        The indices of the networks of each group, in the order of their first ones.
    """
    every = _all_layers(networks, activation, order)
    groups: list[list[int]] = []
    for index, own in enumerate(every):
        for group in groups:
            first = every[group[0]]
            _check(own, first)
            numbers, same = first.numbers(), own.in_units_of(first)
            moved = same.moved(*_nearest(same, first, signs))
            if np.linalg.norm(moved.numbers() - numbers) <= tolerance * np.linalg.norm(numbers):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def _all_layers(networks: Iterable[Any], activation: str | None, order: str | None) -> list[Layers]:
    if isinstance(networks, Mapping) or not isinstance(networks, Iterable):
        raise TypeError(
            f"networks must be several networks, such as a list, but is a {type(networks).__name__}"
        )
    return [layers_of(network, activation, order) for network in networks]


def _pair(a: Any, b: Any, activation: str | None, order: str | None) -> tuple[Layers, Layers]:
    own, other = layers_of(a, activation, order), layers_of(b, activation, order)
    _check(own, other)
    return own, other.in_units_of(own)


def _check(own: Layers, other: Layers) -> None:
    if own.is_odd != other.is_odd:
        raise ValueError("the two networks have different activations")
    if own.shape != other.shape:
        raise ValueError(
            f"the layers of the two networks are {own.shape} and {other.shape}, but must be the same"
        )
    if [len(bias) > 0 for bias in own.biases] != [len(bias) > 0 for bias in other.biases]:
        raise ValueError("a layer of one of the two networks has biases, and the same of the other has none")
    if own.fixed.shape != other.fixed.shape:
        raise ValueError("only one of the two networks has a linear part or output biases")


def _nearest(own: Layers, other: Layers, signs: bool | None) -> Equivalent:
    is_odd = _may_change_signs(own, signs)
    if not own.has_hidden_layers:
        return Equivalent([], [])
    return Equivalent(*_onefold.nearest(own.pairs(), other.pairs(), is_odd))


def _may_change_signs(own: Layers, signs: bool | None) -> bool:
    if signs and not own.is_odd:
        raise ValueError("signs is True, but changing signs is no symmetry of this activation; leave it out")
    return own.is_odd if signs is None else signs
