"""What a model file computes, written with NumPy from the file's format and nothing of the library."""

import json

import numpy as np

EPSILON = np.finfo(float).eps
MISSING = {"", "?", "na", "n/a", "nan", "null"}


def is_missing(text):
    return text.strip().lower() in MISSING


class Network:
    """A model file."""

    def __init__(self, text):
        self.file = file = json.loads(text)
        assert file["format"] == "onefold-model"
        widths = [int(width) for width in file["topology"].removesuffix("+linear").split("-")]
        self.is_linear = file["topology"].endswith("+linear")
        place, self.layers = 0, []
        for before, width in zip(widths, widths[1:-1]):
            size = width * (before + 1)
            part = np.array(file["hidden"][place : place + size], float).reshape(width, before + 1)
            self.layers.append((part[:, :-1], part[:, -1]))
            place += size
        assert place == len(file["hidden"]), "hidden parameters do not fit the topology"
        readout = np.array(file["readout"], float)
        # The outputs of the last hidden layer, if there is one, and the inputs if there is a linear part.
        last = (widths[-2] if len(widths) > 2 else 0) + self.is_linear * widths[0]
        assert readout.shape[0] == widths[-1] and readout.shape[1] in (last, last + 1), "readout does not fit the topology"
        self.readout = readout[:, :last]
        self.bias = readout[:, last] if readout.shape[1] > last else np.zeros(widths[-1])
        scaler = file.get("scaler") or {"offset": [0.0] * widths[0], "scale": [1.0] * widths[0]}
        self.has_probabilities = file.get("output_activation", "identity") == "softmax"
        assert file["classification"] or not self.has_probabilities, "a regression has probabilities"
        self.offset, self.scale = np.array(scaler["offset"], float), np.array(scaler["scale"], float)
        assert len(self.offset) == len(self.scale) == widths[0], "scaler does not fit the topology"

    def encode(self, row, averages=None):
        """The inputs of a row of texts by column number from 1; none where a value is missing and not filled in.

        Words that were not in the training rows have the average encoding: that of the file, or `averages` for each column.
        """
        inputs = []
        for column in self.file["table"]["inputs"]:
            text, (kind, how) = row[column["number"]].strip(), next(iter(column["kind"].items()))
            if kind == "number":
                mean = (how or {}).get("mean")
                if is_missing(text):
                    if mean is None:
                        return None
                    inputs.append(mean)
                else:
                    inputs.append(float(text))
                inputs += [float(is_missing(text))] * column.get("indicator", False)
                continue
            if is_missing(text):
                if self.file["table"]["missing"] != "indicate":
                    return None
                # The most frequent word, the first of equals; with places, their mean.
                shares = how["shares"] if kind == "one-hot" else []
                inputs += [float(k == shares.index(max(shares))) for k in range(len(shares))] if shares else [how["mean"]]
                inputs += [1.0] * column.get("indicator", False)
                continue
            words = how["words"]
            if text not in words:
                inputs += averages[column["number"]] if averages else how["shares"] if kind == "one-hot" else [how["mean"]]
            elif kind == "one-hot":
                inputs += [float(word == text) for word in words]
            else:
                inputs.append(float(words.index(text)))
            inputs += [0.0] * column.get("indicator", False)
        return inputs

    def outputs(self, inputs):
        """Outputs for rows of inputs, and a bound of what rounding may change in them."""
        with np.errstate(all="ignore"):
            x = (inputs - self.offset) / self.scale
            error = 2 * EPSILON * np.abs(x)
            columns = [(x, error)] if self.is_linear else []
            for weights, shifts in self.layers:
                size = np.abs(x) @ np.abs(weights).T + np.abs(shifts)
                error = np.minimum(error @ np.abs(weights).T + (weights.shape[1] + 2) * EPSILON * size, 1.0) + 4 * EPSILON
                x = np.tanh(x @ weights.T + shifts)
            columns = [(x, error)] * bool(self.layers) + columns + [(x[:, :0], error[:, :0])]
            x, error = (np.concatenate(parts, axis=1) for parts in zip(*columns))
            size = np.abs(x) @ np.abs(self.readout).T + np.abs(self.bias)
            error = error @ np.abs(self.readout).T + (x.shape[1] + 2) * EPSILON * size
            outputs = x @ self.readout.T + self.bias
            return softmax(outputs, error) if self.has_probabilities else (outputs, error)


def softmax(scores, error):
    """Probabilities of the classes, and a bound of what rounding may change in them.

    The derivative of a probability p by its score is p (1 - p), at most 1/4, and by all others together as much.
    """
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs = powers / powers.sum(axis=1, keepdims=True)
        by_scores = np.minimum((error + error.max(axis=1, keepdims=True)) / 4, 1.0)
        return outputs, by_scores + (20 + 2 * scores.shape[1]) * EPSILON


def mean_square(differences):
    """The mean of squares, also where squares alone are too large or too small for a float."""
    differences = np.abs(np.asarray(differences, float))
    most = differences.max(initial=0.0)
    if most == 0 or not np.isfinite(most):
        return float(most)
    with np.errstate(all="ignore"):
        return float(np.mean((differences / most) ** 2)) * most * most
