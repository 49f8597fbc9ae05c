"""Networks of any kind as dense layers, and back: models, scikit-learn's MLPs, arrays, state dicts."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._model import Model

Array = NDArray[np.float64]

#: Activations with f(-x) = -f(x), for which signs are symmetries.
ODD = frozenset({"tanh", "identity", "linear", "softsign", "sin", "erf", "arctan"})
#: Others whose symmetries are permutations.
OTHERS = frozenset({"relu", "logistic", "sigmoid", "gelu", "silu", "swish", "elu", "softplus", "leaky_relu"})


@dataclass
class Layers:
    """Dense layers: weights with one row for each neuron, biases (none or one for each neuron)."""

    weights: list[Array]
    biases: list[Array]
    is_odd: bool
    #: Makes a network like the original from other layers.
    rebuild: Callable[[Layers], Any]
    #: Numbers of the network that no symmetry moves, for distances and averages.
    fixed: Array = field(default_factory=lambda: np.zeros(0))
    #: Offset and scale of the inputs, where the network scales them.
    scaler: tuple[Array, Array] | None = None
    #: Whether it computes the function of the network that it was made of.
    is_same_function: bool = True

    @property
    def has_hidden_layers(self) -> bool:
        """Whether there are neurons that can be exchanged."""
        return len(self.weights) > 1

    @property
    def shape(self) -> str:
        """The number of inputs and the widths of the layers, as in ``"4-3-2"``."""
        return "-".join(map(str, [self.weights[0].shape[1], *(len(weight) for weight in self.weights)]))

    def pairs(self) -> list[tuple[Array, Array]]:
        """Weights and biases of each layer."""
        return list(zip(self.weights, self.biases, strict=True))

    def numbers(self) -> Array:
        """All parameters in one vector."""
        return np.concatenate([*(w.ravel() for w in self.weights), *self.biases, self.fixed])

    def moved(self, permutations: Sequence[Sequence[int]], signs: Sequence[Sequence[float]]) -> Layers:
        """The equivalent with these permutations and signs of the neurons of each hidden layer."""
        weights, biases = list(self.weights), list(self.biases)
        for layer, (order, sign) in enumerate(zip(permutations, signs, strict=True)):
            index, factor = np.asarray(order, dtype=np.intp), np.asarray(sign)
            weights[layer] = weights[layer][index] * factor[:, None]
            if len(biases[layer]):
                biases[layer] = biases[layer][index] * factor
            weights[layer + 1] = weights[layer + 1][:, index] * factor
        return replace(self, weights=weights, biases=biases)

    def in_units_of(self, other: Layers) -> Layers:
        """The same function with the scaling of inputs of another network."""
        if self.scaler is None or other.scaler is None or len(self.scaler[0]) != len(other.scaler[0]):
            return self
        (offset, scale), (new_offset, new_scale) = self.scaler, other.scaler
        factor, shift = new_scale / scale, (new_offset - offset) / scale
        if (factor == 1).all() and (shift == 0).all():
            return self
        weights, biases, fixed = list(self.weights), list(self.biases), self.fixed
        if len(weights) > 1:
            weights[0], biases[0] = weights[0] * factor, biases[0] + weights[0] @ shift
        rest = fixed.reshape(len(weights[-1]), -1)
        if rest.shape[1] >= len(factor):
            if rest.shape[1] == len(factor):
                raise ValueError("the networks scale inputs differently, and one has no output bias to move")
            linear = rest[:, :-1]
            fixed = np.column_stack([linear * factor, rest[:, -1] + linear @ shift]).ravel()
        return replace(self, weights=weights, biases=biases, fixed=fixed, scaler=other.scaler)


def layers_of(network: Any, activation: str | None, order: str | None) -> Layers:
    """The layers of a network of any kind."""
    model = getattr(network, "model_", network)
    if isinstance(model, Model):
        if activation not in (None, "tanh"):
            raise ValueError(f"activation is {activation!r}, but models of onefold have 'tanh'; leave it out")
        return _of_model(network, model)
    if hasattr(network, "coefs_") and hasattr(network, "intercepts_"):
        return _of_sklearn(network, activation)
    if isinstance(network, Mapping):
        return _of_state(network, _is_odd(activation, "a state dict"))
    if isinstance(network, Sequence):
        return _of_arrays(network, _is_odd(activation, "a list of arrays"), order)
    raise TypeError(
        f"{type(network).__name__} is no network: give a model of onefold, a fitted MLP of scikit-learn, "
        "a list of arrays or a state dict"
    )


def _is_odd(activation: str | None, what: str) -> bool:
    if activation in ODD:
        return True
    if activation in OTHERS:
        return False
    names = ", ".join(sorted(ODD | OTHERS))
    if activation is None:
        raise ValueError(f"{what} does not say its activation; give one of {names}")
    raise ValueError(f"activation is {activation!r}, but must be one of {names}")


def _of_model(network: Any, model: Model) -> Layers:
    parts = json.loads(model.to_json())
    widths = [len(model.input_names), *model.hidden_layers]
    weights, biases, at = [], [], 0
    for inputs, width in zip(widths, model.hidden_layers, strict=False):
        block = np.array(parts["hidden"][at : at + (inputs + 1) * width]).reshape(width, inputs + 1)
        at += block.size
        weights.append(np.ascontiguousarray(block[:, :-1]))
        biases.append(block[:, -1].copy())
    readout = np.array(parts["readout"])
    weights.append(readout[:, : widths[-1] if model.hidden_layers else 0].copy())
    biases.append(np.zeros(0))
    rest = readout[:, weights[-1].shape[1] :]

    def rebuild(layers: Layers) -> Any:
        hidden = [np.column_stack(pair).ravel() for pair in layers.pairs()[:-1]]
        fixed = layers.fixed.reshape(rest.shape)
        made = dict(parts)
        made["hidden"] = np.concatenate(hidden).tolist() if hidden else []
        made["readout"] = np.hstack([layers.weights[-1], fixed]).tolist()
        if not layers.is_same_function:
            # Nobody has measured its errors.
            made = {name: part for name, part in made.items() if name not in ("intervals", "training_rows")}
            made["metrics"] = {}
        moved = Model.from_json(json.dumps(made))
        if network is model:
            return moved
        other = copy.deepcopy(network)
        other.model_ = moved
        return other

    scaler = (np.array(parts["scaler"]["offset"]), np.array(parts["scaler"]["scale"]))
    return Layers(weights, biases, True, rebuild, rest.ravel(), scaler)


def _of_sklearn(network: Any, activation: str | None) -> Layers:
    def rebuild(layers: Layers) -> Any:
        other = copy.deepcopy(network)
        kinds = [coef.dtype if coef.dtype.kind == "f" else np.dtype(float) for coef in network.coefs_]
        other.coefs_ = [w.T.astype(kind) for w, kind in zip(layers.weights, kinds, strict=True)]
        other.intercepts_ = [b.astype(kind) for b, kind in zip(layers.biases, kinds, strict=True)]
        return other

    weights = [np.array(coef.T, dtype=np.float64, order="C") for coef in network.coefs_]
    biases = [np.array(intercept, dtype=np.float64) for intercept in network.intercepts_]
    if activation not in (None, network.activation):
        raise ValueError(
            f"activation is {activation!r}, but the MLP has {network.activation!r}; leave it out"
        )
    return Layers(weights, biases, _is_odd(network.activation, "the MLP"), rebuild)


def _number_array(value: Any) -> Array:
    """An array, also of a tensor of PyTorch on any device."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.array(value, dtype=np.float64)


def _like(original: Any, array: Array) -> Any:
    """An array of the kind of another; whole numbers become real ones."""
    if hasattr(original, "new_tensor"):
        return (
            original.new_tensor(array) if original.is_floating_point() else original.float().new_tensor(array)
        )
    kind = np.asarray(original).dtype
    return np.asarray(array, dtype=kind if kind.kind == "f" else np.float64)


def _of_state(state: Mapping[str, Any], is_odd: bool) -> Layers:
    names = [name for name in state if name.endswith("weight")]
    if not names:
        raise ValueError("a state dict must have the weights of dense layers, each a matrix named ...weight")
    for name in names:
        if (shape := _number_array(state[name]).shape) and len(shape) == 2:
            continue
        raise ValueError(
            f"{name} has the shape {shape}, but only dense layers are known, whose weights are matrices"
        )
    known = {name for weight in names for name in (weight, weight[: -len("weight")] + "bias")}
    if others := [name for name in state if name not in known]:
        raise ValueError(
            f"the state dict has {', '.join(others)}, which are no weights or biases of dense layers"
        )
    bias_of = {name: name[: -len("weight")] + "bias" for name in names}
    weights = [_number_array(state[name]) for name in names]
    biases = [
        _number_array(state[bias]) if (bias := bias_of[name]) in state else np.zeros(0) for name in names
    ]

    def rebuild(layers: Layers) -> Any:
        made = dict(state)
        for name, (weight, bias) in zip(names, layers.pairs(), strict=True):
            made[name] = _like(state[name], weight)
            if len(bias):
                made[bias_of[name]] = _like(state[bias_of[name]], bias)
        return type(state)(made)  # type: ignore[call-arg]

    return Layers(weights, biases, is_odd, rebuild)


def _of_arrays(arrays: Sequence[Any], is_odd: bool, order: str | None) -> Layers:
    is_paired = all(isinstance(entry, tuple) and len(entry) == 2 for entry in arrays)
    flat = [array for pair in arrays for array in pair] if is_paired else list(arrays)
    numbers = [_number_array(array) for array in flat]
    matrices = [i for i, array in enumerate(numbers) if array.ndim == 2]
    # A bias follows its weights.
    steps = zip(matrices, [*matrices[1:], len(flat)], strict=True)
    if not matrices or matrices[0] != 0 or any(after - before > 2 for before, after in steps):
        raise ValueError("arrays must be weights and biases in turn, or weights alone: matrices and vectors")
    weights = [numbers[i] for i in matrices]
    biases = [
        numbers[i + 1] if i + 1 < len(flat) and i + 1 not in matrices else np.zeros(0) for i in matrices
    ]
    is_transposed = _is_transposed(weights, biases, order)
    if is_transposed:
        weights = [np.ascontiguousarray(weight.T) for weight in weights]

    def rebuild(layers: Layers) -> Any:
        made: list[Any] = list(flat)
        for i, (weight, bias) in zip(matrices, layers.pairs(), strict=True):
            made[i] = _like(flat[i], weight.T if is_transposed else weight)
            if len(bias):
                made[i + 1] = _like(flat[i + 1], bias)
        return list(zip(made[::2], made[1::2], strict=True)) if is_paired else made

    return Layers(weights, biases, is_odd, rebuild)


def _is_transposed(weights: list[Array], biases: list[Array], order: str | None) -> bool:
    """Whether weights have one column for each neuron, and not one row."""

    def fits(transposed: bool) -> bool:
        shapes = [weight.shape[::-1] if transposed else weight.shape for weight in weights]
        joins = all(after[1] == before[0] for before, after in itertools.pairwise(shapes))
        return joins and all(len(bias) in (0, shape[0]) for bias, shape in zip(biases, shapes, strict=True))

    possible = [transposed for transposed in (False, True) if fits(transposed)]
    if order is not None:
        if order not in ("out-in", "in-out"):
            raise ValueError(
                f"order is {order!r}, but must be 'out-in' (as PyTorch) or 'in-out' (as scikit-learn)"
            )
        possible = [transposed for transposed in possible if transposed == (order == "in-out")]
    if not possible:
        shapes = ", ".join(str(weight.shape) for weight in weights)
        raise ValueError(f"the shapes of the weights, {shapes}, make no network of dense layers")
    if len(possible) == 2:
        raise ValueError(
            "the shapes of the weights fit both orders; "
            "say order='out-in' (as PyTorch) or 'in-out' (as scikit-learn)"
        )
    return possible[0]
