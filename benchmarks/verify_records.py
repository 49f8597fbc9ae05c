"""Recomputes recorded trials from their parameters alone, with NumPy and nothing of the library.

    make verify-records                        200 records of results/paper and results/readings, chosen by a seed
    .venv/bin/python benchmarks/verify_records.py target/release/onefold --all results/paper

For each record: the data set is made here (generated sets are printed by `onefold datasets`, then checked against the paper's formula and noise;
fixed tables are compared with the SHA-256 of their sources), the hidden layers are a plain forward pass with np.tanh, and the output weights are
solved anew by singular values. A record is false if

- it says that the target was reached, and the recomputed error is above the target;
- "reached" does not follow from its own recorded error;
- it says that the target was reached with parameters outside the sphere in which there is no penalty;
- its recorded error is below what any output weights could reach, or, where the hidden outputs are well conditioned, differs from the recomputed one
  (1e-6), or its test error does (1e-4);
- it was reached, and its recorded success on training or test rows is not that of the recomputed network, by more than two rows (several output weights fit
  nearly collinear hidden outputs equally well, so a row on the border may fall to either side);
- the same trial is there twice, with other parameters.

Numbers of evaluations are not recomputed: only running a trial again can do that.
"""

import argparse
import hashlib
import json
import pathlib
import random
import subprocess
import sys

import numpy as np

SHA256 = {
    "balance": "5611187ef7345d807aa8ae22615945ade52a190537c0b1434bd44c3e877c5bb4",
    "tic-tac-toe": "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5",
    "two-spirals": "8092180091dd09dafe6164758be6ed315c80a7c6d580a8273a19f1f7d3019162",
    "iris": "596ffd580471ca4d4880f8e439c7281f3b50d8249a5960353cb200b1490f63a0",
    "iris-fisher": "36f668d1cbc29a8c2c1128c5d2f0d400fa04ed4dc62d12246f44ce9360360cc0",
}


def sinc(z):
    return np.where(z == 0, 1.0, np.sin(z) / np.where(z == 0, 1.0, z))


FORMULAS = {
    "syn5": lambda x: (x[0] + 0.5) ** 2 * (0.1 + (x[0] - 0.65) ** 2),
    "syn5-printed": lambda x: (x[0] + 0.5) ** 2 * (0.1 + (x[0] + 0.65) ** 2),
    "sinc": lambda x: sinc(10 * x[0]),
    "incsinc": lambda x: x[0] / 2 + sinc(10 * x[0]),
    "sinc2d": lambda x: sinc(5 * np.hypot(x[0], x[1])) / 3,
}


def lines_of(has_won):
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    return any(all(has_won(i) for i in row) for row in rows)


def tic_tac_toe():
    """Final positions: x won, o won, and draws, each in the order x < o < b of their squares."""
    groups = ([], [], [])
    for code in range(3**9):
        board = ["xob"[code // 3 ** (8 - i) % 3] for i in range(9)]
        xs, os = board.count("x"), board.count("o")
        x, o = (lines_of(lambda i, s=s: board[i] == s) for s in "xo")
        if x and not o and xs == os + 1:
            groups[0].append(",".join(board) + ",positive")
        elif o and not x and xs == os:
            groups[1].append(",".join(board) + ",negative")
        elif not x and not o and (xs, os) == (5, 4):
            groups[2].append(",".join(board) + ",negative")
    return "".join(line + "\n" for group in groups for line in group)


def balance():
    grid = [(a, b, c, d) for a in range(1, 6) for b in range(1, 6) for c in range(1, 6) for d in range(1, 6)]
    side = lambda a, b, c, d: "L" if a * b > c * d else "R" if a * b < c * d else "B"
    return "".join(f"{side(*r)},{r[0]},{r[1]},{r[2]},{r[3]}\n" for r in grid)


def two_spirals():
    text = ""
    for i in range(97):
        angle, r = i * np.pi / 16, 6.5 * (104 - i) / 104
        x, y = r * np.sin(angle), r * np.cos(angle)
        for a, b, label in ((x, y, 1), (-x, -y, 0)):
            fields = [f"{v:.5f}" for v in (a, b)]
            text += ",".join("0.00000" if f == "-0.00000" else f for f in fields) + f",{label}\n"
    return text


def table(name, onefold):
    """The rows of a fixed table as lists of fields, after its text has been compared with its source's SHA-256."""
    make = {"tic-tac-toe": tic_tac_toe, "balance": balance, "two-spirals": two_spirals}.get(name)
    text = make() if make else subprocess.run([onefold, "datasets", name, "--csv"], check=True, capture_output=True, text=True).stdout
    found = hashlib.sha256(text.encode()).hexdigest()
    assert found == SHA256[name], f"{name} is not the table of its source: {found}"
    return [line.split(",") for line in text.splitlines()]


def fixed(name, readings, onefold):
    """Inputs and one-hot outputs of a fixed table, and which rows train."""
    rows = table(name, onefold)
    if name == "balance":
        labels, fields = [r[0] for r in rows], [r[1:] for r in rows]
        number = {"raw": float, "centred": lambda v: (float(v) - 3) / 2, "from-zero": lambda v: float(v) - 1}[readings["encoding"]]
    else:
        labels, fields = [r[-1] for r in rows], [r[:-1] for r in rows]
        number = readings["encoding"].__getitem__ if name == "tic-tac-toe" else float
    inputs = np.array([[number(v) for v in row] for row in fields])
    classes = {"balance": ["L", "B", "R"], "tic-tac-toe": ["positive", "negative"], "two-spirals": ["1", "0"]}.get(name, sorted(set(labels)))
    outputs = np.array([[float(label == c) for c in classes] for label in labels])
    pattern, kind = readings["split"].split()
    a, b = map(int, pattern.split("/"))
    place = np.arange(len(rows)) + (kind == "shifted")
    return inputs, outputs, place % (a + b) < a


def generated(name, readings, data_seed, onefold):
    """The training and test rows of a generated set, checked against the paper's formula and noise."""
    command = [onefold, "datasets", name, "--csv", "--data-seed", str(data_seed), "--samples", str(readings["samples"]), "--noise", str(readings["noise"])]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = np.array([[float(v) for v in line.split(",")] for line in text.splitlines()])
    inputs, outputs = rows[:, :-1], rows[:, -1:]
    noise = (outputs[:, 0] - FORMULAS[name](inputs.T)) / readings["noise"]
    assert np.abs(inputs).max() <= 1 and abs(noise.mean()) < 5 / np.sqrt(len(rows)) and 0.8 < noise.std() < 1.2, f"{name} data seed {data_seed}"
    return inputs, outputs, np.arange(len(rows)) < readings["samples"]


def scaled(inputs, trains, scaling):
    if scaling == "none":
        return inputs
    if isinstance(scaling, dict):
        return inputs / scaling["divide-by"]
    known = inputs[trains]
    if scaling == "standard":
        return (inputs - known.mean(axis=0)) / known.std(axis=0)
    low, high = known.min(axis=0), known.max(axis=0)
    return (2 * inputs - low - high) / (high - low)


def hidden_outputs(parameters, inputs, widths):
    """Layer by layer; a neuron has its weights and then its shift."""
    place, outputs = 0, inputs
    for width in widths:
        size = outputs.shape[1] + 1
        neurons = np.array(parameters[place : place + width * size]).reshape(width, size)
        outputs = np.tanh(outputs @ neurons[:, :-1].T + neurons[:, -1])
        place += width * size
    assert place == len(parameters), "the number of parameters does not fit the network"
    return outputs


def least_squares(columns, outputs, tolerance):
    """Output weights by singular values of the normalised columns; smaller ones than `tolerance` times the largest count as zero."""
    norms = np.linalg.norm(columns, axis=0)
    norms[norms == 0] = 1
    weights = np.linalg.lstsq(columns / norms, outputs, rcond=tolerance)[0]
    return weights / norms[:, None]


def is_well_conditioned(columns):
    """Whether the output weights are unique for all practical purposes, so that errors can be compared digit by digit."""
    norms = np.linalg.norm(columns, axis=0)
    return norms.min() > 0 and np.linalg.cond(columns / norms) < 1e5


def check(record, onefold, cache):
    """What is wrong with a record, if anything, and the recomputed error."""
    readings, cell = record["readings"], record["cell"].split("/")
    name = "iris-fisher" if cell[0] == "iris" and "fisher" in cell else cell[0]
    if name == "syn5" and readings.get("formula") != "corrected":
        name = "syn5-printed"  # what 0.1.0 called syn5
    key = (name, record["data_seed"], json.dumps([readings.get(k) for k in ("encoding", "split", "samples", "noise")]))
    if key not in cache:
        is_generated = record["data_seed"] is not None
        cache[key] = generated(name, readings, record["data_seed"], onefold) if is_generated else fixed(name, readings, onefold)
    inputs, outputs, trains = cache[key]
    widths = [int(width) for width in cell[1].split("-")[1:-1]]
    hidden = hidden_outputs(record["parameters"], scaled(inputs, trains, readings["scaling"]), widths)
    if readings["output_bias"]:
        hidden = np.hstack([hidden, np.ones((len(hidden), 1))])
    target, recorded = readings["target"], record["verified_cost"]
    # The residual of actual weights, and the least that any weights could leave.
    error = lambda tolerance: np.mean((outputs[trains] - hidden[trains] @ least_squares(hidden[trains], outputs[trains], tolerance)) ** 2)
    best, least = min(error(t) for t in (1e-8, 1e-10, 1e-12, 1e-14)), error(1e-15)
    if record["reached"] != (recorded <= target):
        return f"says reached: {record['reached']}, with a recorded error of {recorded:.6e} and the target {target}", best
    if record["reached"] and best > target * (1 + 1e-9):
        return f"says reached, but its error is {best:.6e} and the target {target}", best
    if recorded < min(best, least) * (1 - 1e-6):
        return f"has a recorded error of {recorded:.6e}, and no output weights reach less than {best:.6e}", best
    count = len(record["parameters"])
    if record["reached"] and readings["penalty_radius"] == "sqrt-dim" and np.linalg.norm(record["parameters"]) > count**0.5 * (1 + 1e-12):
        return "says reached, but its parameters lie outside the sphere in which there is no penalty", best
    # Outside the sphere the paper evaluates the network at parameters of norm 1 and adds a penalty, which the recorded error then contains.
    is_penalised = abs(np.linalg.norm(record["parameters"]) - 1) < 1e-9
    if is_well_conditioned(hidden[trains]) and not is_penalised:
        weights = least_squares(hidden[trains], outputs[trains], 1e-12)
        if abs(best / recorded - 1) > 1e-6:
            return f"has a recorded error of {recorded:.6e}, recomputed {best:.6e}", best
        found = np.mean((outputs[~trains] - hidden[~trains] @ weights) ** 2)
        if abs(found / record["test_mse"] - 1) > 1e-4:
            return f"has a recorded test error of {record['test_mse']:.6e}, recomputed {found:.6e}", best
    for part, rows in (("train", trains), ("test", ~trains)):
        share = record.get(f"{part}_accuracy")
        if share is not None and record["reached"]:
            right = [
                np.sum((hidden[rows] @ least_squares(hidden[trains], outputs[trains], t)).argmax(axis=1) == outputs[rows].argmax(axis=1))
                for t in (1e-6, 1e-7, 1e-8, 1e-10, 1e-12, 1e-14)
            ]
            if min(abs(r - share * rows.sum()) for r in right) > 2.01:
                return f"has {share:.4f} of the {part} rows right, recomputed {right} of {rows.sum()}", best
    return None, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("onefold", help="the command, for iris and for the rows of generated sets")
    parser.add_argument("stores", nargs="*", default=["results/paper", "results/readings"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="every record instead of --count of them")
    args = parser.parse_intermixed_args()
    files = [f for store in args.stores for f in sorted(pathlib.Path(store).glob("*.jsonl"))]
    records = [json.loads(line) for f in files for line in f.read_text().splitlines()]
    if not records:
        sys.exit(f"no records in {', '.join(map(str, args.stores))}")
    chosen = records if args.all else random.Random(args.seed).sample(records, min(args.count, len(records)))
    cache, false, same = {}, 0, 0
    first = {}
    for record in records:
        key = (record["cell"], record["seed"], record["settings"])
        if first.setdefault(key, record["parameters"]) != record["parameters"]:
            false += 1
            print(f"{record['cell']} seed {record['seed']}: is there twice, with other parameters")
    for record in chosen:
        wrong, best = check(record, args.onefold, cache)
        same += record["reached"] and abs(best / record["verified_cost"] - 1) < 1e-6
        if wrong:
            false += 1
            print(f"{record['cell']} seed {record['seed']}: {wrong}")
    reached = sum(r["reached"] for r in chosen)
    print(f"{len(chosen)} of {len(records)} records, {reached} of them successes, in {len({r['cell'] for r in chosen})} cells: {false} false")
    print(f"{same} successes have the recomputed error within 1e-6; the others have nearly collinear hidden outputs, for which other weights do better")
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
