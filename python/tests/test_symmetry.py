"""Symmetric equivalents of networks."""

import itertools
import json
import warnings

import numpy as np
import onefold
import pytest
from onefold import OnefoldRegressor, symmetry
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier


def random_network(rng, widths, biases=True):
    arrays = []
    for inputs, width in itertools.pairwise(widths):
        arrays.append(rng.normal(size=(width, inputs)))
        if biases:
            arrays.append(rng.normal(size=width))
    return arrays


def norm(a, b):
    return np.sqrt(sum(((x - y) ** 2).sum() for x, y in zip(a, b, strict=True)))


def outputs(network, X, activation):
    for layer in range(0, len(network), 2):
        X = X @ network[layer].T + network[layer + 1]
        if layer + 2 < len(network):
            X = activation(X)
    return X


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_one_hidden_layer_equals_brute_force(activation):
    rng = np.random.default_rng(7)
    for _ in range(10):
        a, b = (random_network(rng, (2, 4, 3)) for _ in range(2))
        signs = itertools.product([1, -1], repeat=4) if activation == "tanh" else [(1, 1, 1, 1)]
        least = min(
            norm([a[0][o] * s[:, None], a[1][o] * s, a[2][:, o] * s, a[3]], b)
            for o, s in itertools.product(
                map(list, itertools.permutations(range(4))), [np.array(sign) for sign in signs]
            )
        )
        assert symmetry.distance(a, b, activation=activation) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize(("activation", "function"), [("tanh", np.tanh), ("relu", lambda x: x.clip(0))])
def test_equivalents_compute_the_same_function(activation, function):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 3))
    a, b = (random_network(rng, (3, 5, 4, 2)) for _ in range(2))
    aligned = symmetry.align(a, b, activation=activation)
    least = symmetry.distance(a, b, activation=activation)
    assert norm(aligned, b) == pytest.approx(least) and least < norm(a, b)
    canonical = symmetry.canonical(a, activation=activation)
    assert norm(canonical, symmetry.canonical(aligned, activation=activation)) < 1e-12
    for other in (aligned, canonical):
        assert np.allclose(outputs(other, X, function), outputs(a, X, function))
    found = symmetry.nearest(a, b, activation=activation)
    assert [sorted(order) for order in found.permutations] == [list(range(5)), list(range(4))]
    assert set(np.concatenate(found.signs)) <= ({1.0, -1.0} if activation == "tanh" else {1.0})


def test_lists_are_returned_as_they_were_given():
    rng = np.random.default_rng(5)
    a, b = (random_network(rng, (2, 3, 1)) for _ in range(2))
    expected = symmetry.align(a, b, activation="tanh")
    of_pairs = symmetry.align(list(zip(a[::2], a[1::2], strict=True)), b, activation="tanh")
    assert isinstance(of_pairs[0], tuple) and (of_pairs[0][0] == expected[0]).all()
    columns = [array.T for array in a], [array.T for array in b]
    transposed = symmetry.align(*columns, activation="tanh")
    assert all((y == x.T).all() for x, y in zip(transposed, expected, strict=True))
    single = symmetry.align([array.astype(np.float32) for array in a], b, activation="tanh")
    assert single[0].dtype == np.float32
    state = {"0.weight": a[0], "0.bias": a[1], "2.weight": a[2], "2.bias": a[3]}
    aligned = symmetry.align(state, b, activation="tanh")
    assert list(aligned) == list(state) and (aligned["2.weight"] == expected[2]).all()
    assert (symmetry.align(a, b, activation="tanh", signs=False)[3] == a[3]).all()


def test_what_is_wrong_is_said():
    rng = np.random.default_rng(5)
    a = random_network(rng, (2, 3, 1))
    for kwargs, message in [
        ({}, "does not say its activation; give one of .*tanh"),
        ({"activation": "cube"}, "activation is 'cube'"),
        ({"activation": "relu", "signs": True}, "no symmetry of this activation"),
        ({"activation": "tanh", "order": "in-out"}, "make no network"),
        ({"activation": "tanh", "order": "up"}, "order is 'up'"),
    ]:
        with pytest.raises(ValueError, match=message):
            symmetry.align(a, a, **kwargs)
    with pytest.raises(ValueError, match="fit both orders"):
        symmetry.canonical([np.eye(2), np.eye(2)], activation="tanh")
    with pytest.raises(ValueError, match="2-3-1 and 2-4-1, but must be the same"):
        symmetry.align(a, random_network(rng, (2, 4, 1)), activation="tanh")
    with pytest.raises(ValueError, match="weights and biases in turn"):
        symmetry.canonical([np.zeros(3)], activation="tanh")
    with pytest.raises(TypeError, match="int is no network"):
        symmetry.canonical(3)
    with pytest.raises(ValueError, match=r"running_mean"):
        symmetry.canonical({"0.weight": a[0], "1.running_mean": a[1]}, activation="tanh")


def iris_mlp(activation, seed):
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPClassifier((6, 5), activation=activation, max_iter=60, random_state=seed).fit(X, y)


@pytest.mark.parametrize("activation", ["tanh", "relu", "logistic"])
def test_networks_of_scikit_learn(activation):
    X, _ = load_iris(return_X_y=True)
    a, b = iris_mlp(activation, 1), iris_mlp(activation, 2)
    before = a.predict_proba(X)
    aligned = symmetry.align(a, b)
    assert np.allclose(aligned.predict_proba(X), before) and (a.predict_proba(X) == before).all()
    assert symmetry.distance(a, aligned) < 1e-9 < symmetry.distance(a, b)
    assert symmetry.distance(a, b) < norm(a.coefs_ + a.intercepts_, b.coefs_ + b.intercepts_)
    assert symmetry.distinct([a, b, aligned]) == [[0, 2], [1]]


def test_models_of_onefold_on_other_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2)) * [1, 30] + [5, -2]
    y = np.tanh(X[:, 0] - 5) + 0.02 * X[:, 1]
    settings = {"decay": 1e-4, "options": {"linear_part": True}}
    a = onefold.OnefoldRegressor(2, random_state=1, **settings).fit(X, y)
    b = onefold.OnefoldRegressor(2, random_state=2, **settings).fit(X[:60], y[:60])
    moved = symmetry.align(a, b)
    assert np.allclose(moved.predict(X), a.predict(X)) and moved is not a
    assert symmetry.distance(a, moved) < 1e-9
    # The scaling of inputs belongs to the function: another one of the same function is at no distance.
    other = json.loads(b.model_.to_json())
    offset, scale = np.array(other["scaler"]["offset"]), np.array(other["scaler"]["scale"])
    factor, shift = 2.0, 1.0
    other["scaler"] = {"offset": (offset - shift).tolist(), "scale": (scale * factor).tolist()}
    hidden = np.array(other["hidden"]).reshape(2, 3)
    hidden[:, 2] -= hidden[:, :2] @ (shift / scale)
    hidden[:, :2] *= factor
    readout = np.array(other["readout"])
    readout[:, -1] -= readout[:, 2:4] @ (shift / scale)
    readout[:, 2:4] *= factor
    other["hidden"], other["readout"] = hidden.ravel().tolist(), readout.tolist()
    same = onefold.Model.from_json(json.dumps(other))
    assert np.allclose(same.predict(X), b.predict(X))
    assert symmetry.distance(same, b.model_) < 1e-9
    merged = symmetry.average([a, b])
    assert merged.score(X, y) > 0.9


def test_averages_are_in_the_middle():
    rng = np.random.default_rng(2)
    a, b = (random_network(rng, (2, 3, 1)) for _ in range(2))
    middle = symmetry.average([a, b], activation="tanh")
    aligned = symmetry.align(b, a, activation="tanh")
    assert all(np.allclose(m, (x + y) / 2) for m, x, y in zip(middle, a, aligned, strict=True))
    assert norm(symmetry.average([a, b], weights=[1, 0], activation="tanh"), a) == 0
    with pytest.raises(ValueError, match="no networks"):
        symmetry.average([])
    with pytest.raises(ValueError, match="2 numbers"):
        symmetry.average([a, b], weights=[1], activation="tanh")


def test_an_mlp_says_its_activation_itself():
    X, y = load_iris(return_X_y=True)
    networks = [MLPClassifier((4,), "relu", max_iter=5, random_state=seed).fit(X, y) for seed in (0, 1)]
    with pytest.raises(ValueError, match="activation is 'tanh', but the MLP has 'relu'"):
        symmetry.align(*networks, activation="tanh")
    aligned = symmetry.align(*networks, activation="relu")
    assert np.allclose(aligned.predict_proba(X), networks[0].predict_proba(X))


def test_whole_numbers_become_real_ones():
    a, b = ([np.array([[1], [2]]) + i, np.array([[1, 2]]) + i] for i in (0, 1))
    merged = symmetry.average([a, b], activation="relu", order="out-in")
    assert (merged[0] == [[1.5], [2.5]]).all() and (merged[1] == [[1.5, 2.5]]).all()
    lists = symmetry.average(
        [[[[1], [2]], [[1, 2]]], [[[2], [3]], [[2, 3]]]], activation="relu", order="out-in"
    )
    assert (lists[0] == merged[0]).all()
    single = [array.astype(np.float32) for array in a]
    assert symmetry.align(single, a, activation="relu", order="out-in")[0].dtype == np.float32


def test_networks_without_hidden_layers_have_no_symmetry():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    a, b = (OnefoldRegressor("none+linear", decay=0).fit(X, X[:, 0] + k * X[:, 1]) for k in (1, 2))
    assert symmetry.distance(a, a) == 0 and symmetry.distance(a, b) > 0
    assert symmetry.nearest(a, b) == ([], [])
    assert np.allclose(symmetry.canonical(a).predict(X), a.predict(X))
    assert np.allclose(symmetry.average([a, b]).predict(X), X[:, 0] + 1.5 * X[:, 1])
    assert symmetry.distinct([a, b, a]) == [[0, 2], [1]]


def test_an_average_has_no_scores_of_others(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2))
    y = np.sin(2 * X[:, 0])
    a, b = (OnefoldRegressor(3, effort=0.1, random_state=1).fit(X, sign * y) for sign in (1, -3))
    assert symmetry.align(a, b).model_.metrics == a.model_.metrics
    merged = symmetry.average([a, b]).model_
    assert a.model_.has_intervals and not merged.has_intervals
    assert "train" not in merged.metrics and "train_mse" not in merged.metrics
    with pytest.raises(ValueError, match="no errors of held-out rows"):
        merged.half_widths()
    merged.save(tmp_path / "merged.json")
    assert onefold.load(tmp_path / "merged.json").to_json() == merged.to_json()
    merged.export(tmp_path / "merged.onnx")
    assert merged.evaluate(X, y)["rows"] == 90


def test_what_is_no_network_is_named():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    fitted = OnefoldRegressor(2, decay=1e-3, random_state=1).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="models of onefold have 'tanh'"):
        symmetry.align(fitted, fitted, activation="relu")
    with pytest.raises(ValueError, match=r"1.weight has the shape \(4,\)"):
        symmetry.canonical({"0.weight": np.ones((4, 2)), "1.weight": np.ones(4)}, activation="tanh")
    with pytest.raises(TypeError, match="networks must be several networks"):
        symmetry.average({"0.weight": np.ones((2, 2))}, activation="tanh")
    without = [rng.normal(size=(4, 2)), rng.normal(size=(1, 4))]
    with pytest.raises(ValueError, match="has biases, and the same of the other has none"):
        symmetry.align(without, [without[0], np.ones(4), without[1], np.ones(1)], activation="tanh")
