"""Verifies a model file against the table it was made of: predictions, errors, and what was said about them."""

import csv
import io
import json

import numpy as np

from .network import Network, is_missing, mean_square


class Truth:
    """What a model computes for the rows of a table, by NumPy."""

    def __init__(self, network, table, rows=None, averages=None):
        self.network, self.table = network, table
        self.rows = table.rows if rows is None else rows
        self.encoded = [network.encode({i + 1: cell for i, cell in enumerate(row)}, averages) for row in self.rows]
        self.known = [i for i, inputs in enumerate(self.encoded) if inputs is not None]
        inputs = np.array([self.encoded[i] for i in self.known], float).reshape(len(self.known), len(network.offset))
        self.outputs, self.bound = network.outputs(inputs)

    def targets(self):
        """The targets of the rows whose inputs are known, as the outputs of the network should be."""
        names = self.network.file["output_names"]
        if self.network.file["classification"]:
            at = self.table.targets[0]
            return np.array([[float(self.rows[i][at].strip() == name) for name in names] for i in self.known])
        return np.array([[float(self.rows[i][at]) for at in self.table.targets] for i in self.known])

    def tolerance(self):
        size = np.abs(self.outputs).max(axis=0, initial=0.0)
        return 1e-9 * size + 16 * self.bound


def parse(text):
    return list(csv.reader(io.StringIO(text.decode("utf-8", "replace"), newline="")))


def check_predictions(case, truth, answer):
    """The rows of an answer are those of the table, in order, and have the values of the network."""
    lines = parse(answer)
    if not case.check("predict answers every row", len(lines) == len(truth.rows) + 1, lambda: f"{len(lines) - 1} answers for {len(truth.rows)} rows"):
        return
    names, first = truth.network.file["output_names"], int(truth.network.file["classification"])
    found = np.full(truth.outputs.shape, np.nan)
    classes = []
    for place, i in enumerate(truth.known):
        cells = lines[i + 1]
        if len(cells) < first + len(names):
            break
        classes.append(cells[0])
        for output in range(len(names)):
            try:
                found[place, output] = float(cells[first + output])
            except ValueError:
                pass
    with np.errstate(all="ignore"):
        wrong = ~(np.abs(found - truth.outputs) <= truth.tolerance())
        wrong &= ~((found == truth.outputs) | (np.isnan(found) & np.isnan(truth.outputs)))
    detail = lambda: f"row {truth.known[np.argwhere(wrong)[0][0]]}: {found[wrong][0]!r} is {truth.outputs[wrong][0]!r}"
    case.check("predictions are those of the file", not wrong.any(), detail)
    if first and not wrong.any() and len(classes) == len(found):
        right = [classes[i].strip() == names[int(np.argmax(found[i]))] for i in range(len(found))]
        case.check("the predicted class has the highest score", all(right), lambda: f"row {right.index(False)}")


def check_error(case, truth, model, threshold, told):
    """The training error in the file is that of its network, and "reached" follows from it."""
    file, metrics = truth.network.file, truth.network.file["metrics"]
    if not truth.known:
        return
    targets = truth.targets()
    error = mean_square(truth.outputs - targets)
    # What rounding of the outputs may change in the error.
    slack = 2 * error**0.5 * truth.bound.max() + truth.bound.max() ** 2
    recorded = metrics["train_mse"]
    close = abs(recorded - error) <= 1e-6 * error + 4 * slack
    case.check("the training error is that of the file's network", close, lambda: f"{model} says {recorded!r}, recomputed {error!r}")
    origin = file["origin"]
    if threshold is None:
        return
    case.check("the report and the file agree on reached", origin["reached"] == told.startswith("reached"), lambda: told[:200])
    if not origin["reached"]:
        return
    # The error as the file has it must be below, too: no rounding excuses that.
    case.check("reached: the error in the file is at most the threshold", recorded <= threshold, lambda: f"{recorded!r} for {threshold!r}")
    case.check("reached: the recomputed error is at most the threshold", error <= threshold * (1 + 1e-9) + slack, lambda: f"{error!r} for {threshold!r}")


def has_gap_outside_inputs(table, network):
    """Whether a value is missing in a column that became no input, as all training rows have the same in it.

    `fit` may have left such a row out, and the model does not know of the column: which rows trained is not certain.
    """
    used = {column["number"] - 1 for column in network.file["table"]["inputs"]}
    return any(is_missing(row[i]) for i in table.inputs if i not in used for row in table.rows)


def verify(case, table, data, model="m.json", train=None, threshold=None, told="", flags=()):
    """Everything about a model file that exists. `train` are the rows that trained, `told` the line of the report on the end."""
    text = case.model(model)
    if text is None:
        return None
    network = Network(text)
    truth = Truth(network, table)
    how = ["--delimiter", table.delimiter, "--header", "yes" if table.has_header else "no", *flags]
    answer = case.run("predict", model, data, *how, is_data=True)
    has_gap = len(truth.known) < len(table.rows)
    if case.check("a model predicts the table it was made of", answer.code == 0 or has_gap, lambda: answer.text[-500:]) and answer.code == 0:
        check_predictions(case, truth, answer.out)
    if has_gap_outside_inputs(table, network):
        return network
    trained = Truth(network, table, train if train is not None else table.rows)
    check_error(case, trained, model, threshold, told)
    if train is None and answer.code == 0 and not has_gap:
        scores = case.run("evaluate", model, data, *how, "--json", is_data=True)
        if case.check("a model can be evaluated on the table it was made of", scores.code == 0, lambda: scores.text[-500:]):
            found, recorded = json.loads(scores.out)["mse"], network.file["metrics"]["train_mse"]
            same = found == recorded or (found is not None and abs(found - recorded) <= 1e-12 * abs(recorded))
            case.check("evaluate gives the error of the file", same, lambda: f"{found!r} and {recorded!r}")
            if threshold is not None and network.file["origin"]["reached"]:
                case.check("reached: evaluate gives at most the threshold", found <= threshold, lambda: f"{found!r} for {threshold!r}")
    return network


def average_encoding(table, network, train):
    """The average over training rows of how each column of words is encoded, by column number from 1."""
    averages = {}
    for column in network.file["table"]["inputs"]:
        kind, how = next(iter(column["kind"].items()))
        if kind == "number":
            continue
        known = [row[column["number"] - 1].strip() for row in train if not is_missing(row[column["number"] - 1])]
        words = how["words"]
        if kind == "one-hot":
            averages[column["number"]] = [known.count(word) / len(known) for word in words]
        else:
            averages[column["number"]] = [sum(words.index(w) for w in known) / len(known)]
    return averages
