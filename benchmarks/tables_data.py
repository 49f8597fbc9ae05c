"""The named tables of tables.py: what scikit-learn bundles, its generators, and functions of our own.

They were fixed before any score was seen. Every table is made with fixed seeds and is the same numbers each time; the store of results has a
digest of each, and tables.py ends if a table is no longer the one that was scored.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from sklearn import datasets


@dataclass
class Table:
    """Inputs, and a target: numbers, or classes counted from 0."""

    inputs: np.ndarray
    targets: np.ndarray
    is_classification: bool

    def description(self):
        """What the store keeps of it."""
        # Last digits may depend on the processor. Adding zero makes -0 the same as 0.
        rounded = np.round(np.column_stack([self.inputs, self.targets]), 6) + 0.0
        return {
            "task": "classification" if self.is_classification else "regression",
            "rows": len(self.inputs),
            "columns": self.inputs.shape[1],
            "classes": int(self.targets.max()) + 1 if self.is_classification else 0,
            "digest": hashlib.sha256(rounded.tobytes()).hexdigest()[:12],
        }


def rare_class():
    """One row in a hundred is of the second class. No label is drawn at random (`flip_y`): half of the rare ones would be."""
    return datasets.make_classification(
        5000, 10, n_informative=5, weights=[0.99], class_sep=1.0, flip_y=0.0, random_state=0
    )


def noisy_labels():
    """A tenth of the labels are drawn at random."""
    return datasets.make_classification(600, 10, n_informative=5, flip_y=0.1, random_state=0)


def many_classes():
    return datasets.make_classification(1000, 20, n_informative=8, n_classes=5, random_state=0)


def hastie():
    """Ten normal columns; whether the sum of their squares is above its median."""
    inputs, targets = datasets.make_hastie_10_2(1000, random_state=0)
    return inputs, targets > 0


def parity_4():
    """The sixteen rows twenty times, each number with noise, so that no test row is a training row."""
    bits = np.tile(all_bits(4), (20, 1))
    noise = np.random.default_rng(0).normal(scale=0.15, size=bits.shape)
    return bits + noise, bits.sum(axis=1) % 2


def parity_8():
    """Every row once: the nearest training rows of a test row are of the other class."""
    bits = all_bits(8)
    return bits, bits.sum(axis=1) % 2


def all_bits(count):
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(float)


def two_spirals():
    """The paper's 194 points, as `onefold datasets two-spirals --csv` has them."""
    step = np.arange(97)
    angle, radius = step * np.pi / 16, 6.5 * (104 - step) / 104
    points = np.round(np.column_stack([radius * np.sin(angle), radius * np.cos(angle)]), 5) + 0.0
    return np.vstack([points, 0.0 - points]), np.repeat([1, 0], 97)


def checkerboard():
    """Four times four squares."""
    inputs = np.random.default_rng(0).uniform(size=(800, 2))
    return inputs, np.floor(4 * inputs).sum(axis=1) % 2


def noise_classes():
    """Classes that the columns say nothing of."""
    random = np.random.default_rng(0)
    return random.normal(size=(300, 5)), random.permutation(np.repeat([0, 1], 150))


def additive():
    """A sum of functions of one column each; the last two of six columns do not matter."""
    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, size=(500, 6))
    clean = np.sin(3 * x[:, 0]) + 2 * x[:, 1] ** 2 + np.abs(x[:, 2]) + np.exp(x[:, 3])
    return x, clean + random.normal(scale=0.2, size=500)


def multiplicative():
    """A product of functions of one column each; the last two of five columns do not matter."""
    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, size=(500, 5))
    clean = (1 + x[:, 0]) * np.cos(2 * x[:, 1]) * (2 + x[:, 2])
    return x, clean + random.normal(scale=0.2, size=500)


def noise_numbers():
    """Numbers that the columns say nothing of."""
    random = np.random.default_rng(0)
    return random.normal(size=(300, 5)), random.normal(size=300)


def bundled(load):
    return lambda: load(return_X_y=True)


CLASSIFICATIONS = {
    "iris": bundled(datasets.load_iris),
    "wine": bundled(datasets.load_wine),
    "breast-cancer": bundled(datasets.load_breast_cancer),
    "digits": bundled(datasets.load_digits),
    "moons": lambda: datasets.make_moons(400, noise=0.25, random_state=0),
    "circles": lambda: datasets.make_circles(400, noise=0.15, factor=0.5, random_state=0),
    "blobs": lambda: datasets.make_blobs(500, 4, centers=5, cluster_std=4.0, random_state=0),
    "noisy-labels": noisy_labels,
    "rare-class": rare_class,
    "many-classes": many_classes,
    "gaussian-quantiles": lambda: datasets.make_gaussian_quantiles(
        n_samples=600, n_features=5, n_classes=3, random_state=0
    ),
    "hastie": hastie,
    "parity-4": parity_4,
    "parity-8": parity_8,
    "two-spirals": two_spirals,
    "checkerboard": checkerboard,
    "noise-classes": noise_classes,
}

# The noise of friedman2 and friedman3 is a third of the standard deviation of the clean target, as in Friedman's paper.
REGRESSIONS = {
    "diabetes": bundled(datasets.load_diabetes),
    "friedman1": lambda: datasets.make_friedman1(500, noise=1.0, random_state=0),
    "friedman1-5000": lambda: datasets.make_friedman1(5000, noise=1.0, random_state=1),
    "friedman2": lambda: datasets.make_friedman2(500, noise=125.0, random_state=0),
    "friedman3": lambda: datasets.make_friedman3(500, noise=0.1, random_state=0),
    "sparse-uncorrelated": lambda: datasets.make_sparse_uncorrelated(500, 10, random_state=0),
    "s-curve": lambda: datasets.make_s_curve(500, noise=0.1, random_state=0),
    "swiss-roll": lambda: datasets.make_swiss_roll(600, noise=0.5, random_state=0),
    "additive": additive,
    "multiplicative": multiplicative,
    "noise-numbers": noise_numbers,
}

NAMES = [*CLASSIFICATIONS, *REGRESSIONS]


def table(name):
    """The table of this name."""
    is_classification = name in CLASSIFICATIONS
    inputs, targets = (CLASSIFICATIONS if is_classification else REGRESSIONS)[name]()
    return Table(inputs.astype(float), targets.astype(int if is_classification else float), is_classification)
