"""Optimisers to ask and to tell."""

import copy
import pickle
import threading
import time

import numpy as np
import onefold
import pytest
from onefold import optimizers

CLASSES = [getattr(optimizers, name) for name in optimizers.__all__ if name not in ("Best", "Optimizer")]
BOUNDS = [(-5, 5)] * 4


def run(optimizer, generations):
    for _ in range(generations):
        optimizer.tell((optimizer.ask() ** 2).sum(axis=1))
    return optimizer


def test_every_method_has_a_class():
    assert {kind.method for kind in CLASSES} == {m.name for m in onefold.methods(for_functions=True)}


@pytest.mark.parametrize("kind", CLASSES)
def test_states_continue_to_the_same_bits(kind):
    whole, part = (run(kind(BOUNDS, seed=3, max_evaluations=5000), 7) for _ in range(2))
    state = part.save()
    restored = kind(BOUNDS, seed=3, max_evaluations=5000)
    restored.restore(state)
    for other in (restored, pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
        assert type(other) is kind and other.seed == 3
        run(other, 5)
        assert (other.ask() == run(copy.deepcopy(whole), 5).ask()).all()
        assert other.best.fun == pytest.approx(other.best.x @ other.best.x)


@pytest.mark.parametrize("kind", CLASSES)
def test_minimize_is_asking_and_telling(kind):
    result = onefold.minimize(
        lambda X: (X**2).sum(axis=1),
        BOUNDS,
        method=kind.method,
        seed=5,
        vectorized=True,
        max_generations=10,
        max_evaluations=5000,
    )
    told = run(kind(BOUNDS, seed=5, max_evaluations=5000), 10)
    assert told.best.fun == result.fun and (told.best.x == result.x).all()
    points, values = told.population
    assert (points == result.population).all() and (values == result.population_energies).all()


@pytest.mark.parametrize("kind", CLASSES)
def test_a_search_begins_at_the_point_that_is_given(kind):
    x0 = [1, -2, 0.5, 4.75]
    optimizer = kind(BOUNDS, x0=x0, seed=2, max_evaluations=5000)
    first = optimizer.ask()
    assert not (first == kind(BOUNDS, seed=2, max_evaluations=5000).ask()).all()
    assert "cma" in kind.method or (first[0] == x0).all()
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert (other.ask() == first).all()
    if "cma" in kind.method:
        # Its mean is there.
        near = kind(BOUNDS, x0=x0, seed=2, sigma=1e-6, max_evaluations=5000).ask()
        assert np.allclose(near, x0, rtol=0, atol=1e-4)


def test_what_is_wrong_is_said():
    optimizer = optimizers.Jade(BOUNDS, seed=1)
    with pytest.raises(ValueError, match="call ask"):
        optimizer.tell([1.0])
    candidates = optimizer.ask()
    assert (optimizer.ask() == candidates).all()
    with pytest.raises(ValueError, match=f"{len(candidates)} costs are expected, but 2 were told"):
        optimizer.tell([1.0, 2.0])
    with pytest.raises(ValueError, match="cannot be continued"):
        optimizer.restore(b"damaged")
    with pytest.raises(ValueError, match="belongs to an optimiser with another method"):
        optimizer.restore(optimizers.CmaEs(BOUNDS, seed=1).save())
    with pytest.raises(ValueError, match="a Jade is 'jade'"):
        optimizers.Jade(BOUNDS, "de")
    assert "Jade(<4 bounds>, seed=1)" in repr(optimizer)


def test_costs_of_any_kind_are_told():
    optimizer = optimizers.Optimizer(BOUNDS, "cma-es", seed=1, population=6)
    for costs in (
        [1, 2, 3, 4, 5, 6],
        np.arange(12.0)[::2],
        np.array([np.nan, np.inf, 1, 2, 3, 4], dtype=np.float32),
    ):
        optimizer.ask()
        optimizer.tell(costs)
    assert optimizer.best.fun == 0.0


def test_threads_can_use_one_optimizer_each_and_share_one():
    shared = optimizers.BipopCmaEs(BOUNDS, seed=1)
    found = {}

    def work(seed):
        found[seed] = run(optimizers.LShade(BOUNDS, seed=seed, max_evaluations=4000), 20).best.fun
        for _ in range(50):
            shared.ask()
            assert shared.best.fun == np.inf

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, best in found.items():
        assert best == run(optimizers.LShade(BOUNDS, seed=seed, max_evaluations=4000), 20).best.fun
    assert len(found) == 4


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    "options",
    [
        {"target": 1e-2},
        {"max_evaluations": 600},
        {"max_generations": 9},
        {"stagnation": 3},
        {"spread": 0.5},
        {"max_evaluations": 3000, "target": 1e-300},
    ],
)
def test_an_optimiser_is_finished_where_minimize_ends(kind, options):
    result = onefold.minimize(
        lambda X: (X**2).sum(axis=1), BOUNDS, method=kind.method, seed=5, vectorized=True, **options
    )
    optimizer, generations, interrupted = kind(BOUNDS, seed=5, **options), 0, False
    assert optimizer.finished is None
    while not optimizer.finished:
        # Neither asking nor a pickle changes when it ends.
        if generations == 4:
            optimizer, interrupted = pickle.loads(pickle.dumps(optimizer)), True
        optimizer.tell((optimizer.ask() ** 2).sum(axis=1))
        generations += 1
    assert (
        generations == result.nit
        and optimizer.best.fun == result.fun
        and optimizer.finished == result.message
    )
    points, values = optimizer.population
    assert (points == result.population).all() and (values == result.population_energies).all()
    assert interrupted or generations <= 4


def test_the_time_is_over_across_a_restored_state():
    optimizer = run(optimizers.Jade(BOUNDS, seed=1, time=0.05), 1)
    time.sleep(0.06)
    assert optimizer.finished == "the time is over"
    restored = optimizers.Jade(BOUNDS, seed=1, time=0.05)
    restored.restore(optimizer.save())
    assert restored.finished == "the time is over"


@pytest.mark.parametrize("kind", CLASSES)
def test_states_of_others_and_damaged_ones_are_refused(kind):
    state = run(kind(BOUNDS, seed=1, max_evaluations=5000), 5).save()
    for other, name in (
        (kind([(100, 200)] * 4, seed=1, max_evaluations=5000), "bounds"),
        (kind(BOUNDS, seed=2, max_evaluations=5000), "seed"),
        (kind(BOUNDS, seed=1, max_evaluations=9000), "max_evaluations"),
        (kind(BOUNDS, seed=1, max_evaluations=5000, population=20), "population"),
    ):
        before = other.ask()
        with pytest.raises(ValueError, match=f"an optimiser with another {name}"):
            other.restore(state)
        assert (other.ask() == before).all()
    optimizer = kind(BOUNDS, seed=1, max_evaluations=5000)
    rng = np.random.default_rng(1)
    for _ in range(200):
        place, bit = rng.integers(len(state)), 1 << int(rng.integers(8))
        damaged = state[:place] + bytes([state[place] ^ bit]) + state[place + 1 :]
        with pytest.raises(ValueError, match="it is damaged"):
            optimizer.restore(damaged)
    for length in (0, 10, len(state) // 2, len(state) - 1):
        with pytest.raises(ValueError, match="it is damaged"):
            optimizer.restore(state[:length])
    optimizer.restore(state)


def test_modules_show_what_they_offer():
    for module in (optimizers, onefold.symmetry):
        assert dir(module) == sorted(module.__all__)
