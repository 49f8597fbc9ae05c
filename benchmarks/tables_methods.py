"""The methods that tables.py compares: baselines, networks and trees of scikit-learn, and onefold with nothing said."""

import csv
import hashlib
import json
import subprocess
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import tables_scores
from scale_data import header

warnings.simplefilter("ignore", ConvergenceWarning)  # the defaults stop after 200 epochs

# In the order in which they run: the cheap ones first.
METHODS = ["constant", "linear", "mlp", "boosting", "onefold", "tuned-mlp"]

# The grid of the tuned network: 6 x 3 x 2. It may train for five times the default's epochs, as one who tunes would let it.
SIZES = [(10,), (30,), (100,), (200,), (30, 30), (100, 100)]
ALPHAS = [1e-4, 1e-2, 1.0]
ACTIVATIONS = ["relu", "tanh"]
EPOCHS = 1000
INNER_FOLDS = 3
LONGEST = 600.0  # seconds, after which a command is taken to hang


class Failed(Exception):
    """A command that ended with an error, or whose answers contradict each other."""


@dataclass
class Task:
    """One fold of one table. Classes are counted from 0, and all of them are in the training rows."""

    train: tuple
    test: tuple
    is_classification: bool
    seed: int
    jobs: int = 1


@dataclass
class Outcome:
    """Predictions for the test rows and what they cost."""

    predicted: np.ndarray
    seconds: float
    parameters: int | None = None
    probabilities: np.ndarray | None = None
    details: dict = field(default_factory=dict)

    def record(self, task):
        """What the store keeps of it."""
        targets = task.test[1]
        if task.is_classification:
            scores = tables_scores.of_labels(targets, self.predicted)
            if self.probabilities is not None:
                scores |= tables_scores.of_probabilities(targets, self.probabilities)
        else:
            scores = tables_scores.of_numbers(targets, self.predicted)
        scores = {name: float(f"{score:.6g}") for name, score in scores.items()}
        return {"scores": scores, "parameters": self.parameters, "seconds": round(self.seconds, 4)} | self.details


def scaled(model, is_classification):
    """Inputs scaled; for a regression the target too."""
    if not is_classification:
        model = TransformedTargetRegressor(model, transformer=StandardScaler())
    return Pipeline([("scaler", StandardScaler()), ("model", model)])


def mlp(task, **settings):
    kind = MLPClassifier if task.is_classification else MLPRegressor
    return scaled(kind(random_state=task.seed, **settings), task.is_classification)


def tuned_mlp(task):
    """Chosen by the score that the table is judged by, on inner folds of the training rows, then trained on all of them."""
    place = "model__" if task.is_classification else "model__regressor__"
    grid = {"hidden_layer_sizes": SIZES, "alpha": ALPHAS, "activation": ACTIVATIONS}
    folds = StratifiedKFold if task.is_classification else KFold
    return GridSearchCV(
        mlp(task, max_iter=EPOCHS),
        {place + name: values for name, values in grid.items()},
        scoring="accuracy" if task.is_classification else "r2",
        cv=folds(INNER_FOLDS, shuffle=True, random_state=task.seed),
        n_jobs=task.jobs,
    )


def peer(method, task):
    """The untrained model of scikit-learn."""
    if method == "constant":
        return DummyClassifier(strategy="prior") if task.is_classification else DummyRegressor()
    if method == "linear":
        return Pipeline([("scaler", StandardScaler()), ("model", LogisticRegression() if task.is_classification else Ridge())])
    if method == "boosting":
        kind = HistGradientBoostingClassifier if task.is_classification else HistGradientBoostingRegressor
        return kind(random_state=task.seed)
    return mlp(task) if method == "mlp" else tuned_mlp(task)


def of_peer(method, task):
    model = peer(method, task)
    started = time.perf_counter()
    model.fit(*task.train)
    seconds = time.perf_counter() - started
    fitted = getattr(model, "best_estimator_", model)
    outcome = Outcome(model.predict(task.test[0]), seconds, parameters(method, task, fitted))
    if task.is_classification:
        outcome.probabilities = model.predict_proba(task.test[0])
    if method == "tuned-mlp":
        chosen = {name.rsplit("__", 1)[1]: value for name, value in model.best_params_.items()}
        sizes = "-".join(map(str, chosen["hidden_layer_sizes"]))
        outcome.details["chosen"] = f"{sizes} {chosen['activation']} {chosen['alpha']:g}"
    return outcome


def parameters(method, task, model):
    """How many numbers a model has; trees are not counted."""
    if method == "boosting":
        return None
    if method == "constant":
        return int(task.train[1].max()) + 1 if task.is_classification else 1
    model = model.named_steps["model"]
    model = getattr(model, "regressor_", model)
    if method == "linear":
        return int(np.size(model.coef_) + np.size(model.intercept_))
    return sum(weights.size for weights in model.coefs_ + model.intercepts_)


class Onefold:
    """The command, which is given a training file, a test file and nothing else that matters."""

    def __init__(self, binary):
        self.binary = str(Path(binary).resolve())
        name = self.run(["--version"], ".").strip()
        with open(self.binary, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
        self.build = f"{name} {digest}"

    def run(self, args, folder):
        command = [self.binary, *args]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST)
        except OSError as error:
            raise SystemExit(f"{self.binary} cannot be started ({error.strerror}); name the built command with --binary") from None
        except subprocess.TimeoutExpired:
            raise Failed(f"more than {LONGEST:.0f} s: onefold {' '.join(args)}") from None
        if done.returncode != 0:
            raise Failed(f"exit code {done.returncode}: onefold {' '.join(args)}\n{done.stderr}")
        return done.stdout

    def __call__(self, task):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write(folder / "train.csv", *task.train, task.is_classification)
            write(folder / "test.csv", *task.test, task.is_classification)
            kind = "classification" if task.is_classification else "regression"
            fit = ["fit", "train.csv", "--test", "test.csv", "--task", kind, "--seed", "1", "--json", "--output", "model.json"]
            started = time.perf_counter()
            answer = json.loads(self.run(fit, folder))
            seconds = time.perf_counter() - started
            rows = list(csv.DictReader(self.run(["predict", "model.json", "test.csv"], folder).splitlines()))
        outcome = Outcome(np.array([]), seconds, answer["parameters"], details={"topology": answer["topology"], "build": self.build})
        if task.is_classification:
            outcome.predicted = np.array([int(row["target"].removeprefix("class")) for row in rows])
            outcome.probabilities = probabilities(rows, int(task.train[1].max()) + 1)
        else:
            outcome.predicted = np.array([float(row["target"]) for row in rows])
        check(outcome.predicted, answer, task)
        return outcome


def write(path, inputs, targets, is_classification):
    """Rows as a CSV file, numbers with all digits; classes as words."""
    lines = [header(inputs.shape[1])]
    for row, target in zip(inputs.tolist(), targets.tolist()):
        last = f"class{target}" if is_classification else repr(target)
        lines.append(",".join([*map(repr, row), last]) + "\n")
    path.write_text("".join(lines))


def probabilities(rows, classes):
    """The columns of probabilities, found by the names of the classes; none if there are only scores."""
    names = []
    for c in range(classes):
        of_class = [name for name in rows[0] if name == f"class{c}" or name.endswith(f"_class{c}")]
        if len(of_class) != 1 or of_class[0].startswith("score"):
            return None
        names += of_class
    found = np.array([[float(row[name]) for name in names] for row in rows])
    if found.min() < 0 or abs(found.sum(axis=1) - 1).max() > 1e-6:
        raise Failed(f"the columns {', '.join(names)} of onefold predict are not probabilities")
    return found


def check(predicted, answer, task):
    """`predict` must agree with what `fit` said of the test rows."""
    targets = task.test[1]
    if task.is_classification:
        said, found = answer.get("test_accuracy"), np.mean(predicted == targets)
    else:
        said, found = answer.get("test_mse"), np.mean((predicted - targets) ** 2)
    if said is not None and abs(said - found) > 1e-6 * abs(found):
        raise Failed(f"fit says {said} of the test rows, its predictions come to {found}")


def run(method, task, onefold):
    """Trains a method and predicts the test rows."""
    return onefold(task) if method == "onefold" else of_peer(method, task)
