"""Random arguments of `onefold fit`."""

import math

METHODS = ["auto", "de", "de-sb", "cma-es", "cma-es-sb", "cma-es-ipop", "cma-es-bipop", "jade", "shade", "l-shade", "jso", "multistart", "hybrid"]


def spread_of(table, rows):
    """The mean variance of the targets, or of one-hot classes, by which thresholds are drawn."""
    if "class" in table.kinds:
        return 0.2
    spreads = []
    for at in table.targets:
        values = [float(row[at]) for row in rows]
        mean = sum(v / len(values) for v in values)
        try:
            spreads.append(sum((v - mean) ** 2 for v in values) / len(values))
        except OverflowError:
            return math.inf
    return sum(spreads) / len(spreads)


def of_method(rng, method):
    """Settings that a method has."""
    flags = []
    if rng.random() < 0.4:
        flags += ["--population", rng.choice([8, 12, 20, 40])] if method not in ("auto", "hybrid", "multistart") else ["--population", rng.randint(1, 6)]
    if rng.random() < 0.2:
        flags += ["--start", rng.choice(["-2..2", "0..1", "-0.1..0.1"])]
    if method in ("de", "de-sb") and rng.random() < 0.5:
        flags += ["--mutation", rng.choice(["rand1", "best1", "current-to-best1", "rand2", "best2"])]
        flags += ["--weight", rng.choice(["0.5", "0.3..0.9"]), "--crossover", rng.choice(["binomial", "exponential"])]
    if method.startswith("cma") and rng.random() < 0.5:
        flags += ["--sigma", rng.choice(["0.3", "1"]), "--preset", rng.choice(["reference", "tutorial", "pycma"])]
    return flags


def fit_flags(rng, table, rows, budget=(150, 3000), threshold=None):
    """Arguments of a short run, its method, and its threshold if it has one."""
    method = rng.choice(METHODS)
    hidden = rng.choice(["1", "2", "3", "5", "2-2", "3-1-2", "2+linear", "2-2+linear", "none", "none+linear"])
    flags = ["--method", method, "--seed", rng.randrange(1 << 32), "--hidden", hidden]
    flags += ["--max-evaluations", int(budget[0] * (budget[1] / budget[0]) ** rng.random())]
    flags += of_method(rng, method)
    if rng.random() < 0.3:
        flags += ["--threads", rng.choice([0, 1, 2, 3])]
    if rng.random() < 0.3:
        flags += ["--scaling", rng.choice(["none", "min-max", "standard", "10"])]
    if rng.random() < 0.2 and len(table.targets) == 1:
        flags += ["--target-scaling", rng.choice(["none", "standard"])]
    if rng.random() < 0.2:
        # Without hidden layers and a linear part nothing else is left.
        flags += ["--output-bias=" + ("yes" if hidden == "none" else rng.choice(["yes", "no"]))]
    if rng.random() < 0.2:
        flags += ["--decay", rng.choice(["0.001", "0.1"])]
    if rng.random() < 0.1:
        flags += ["--penalty-radius", rng.choice(["off", "3"])]
    wanted = None
    if rng.random() < 0.6 if threshold is None else threshold:
        wanted = spread_of(table, rows) * rng.choice([0.95, 0.7, 0.4, 0.1, 0.01, 1e-3])
        # A threshold far below what the target's digits allow.
        wanted = wanted * 1e-12 if rng.random() < 0.05 else wanted
        wanted = wanted if 0 < wanted < math.inf else None
        if wanted is not None:
            flags += ["--target", repr(wanted)]
    if wanted is None and "class" in table.kinds and rng.random() < 0.5:
        flags += rng.choice([["--output-layer", "least-squares"], ["--output-layer", "logistic"], ["--output-layer", "cross-entropy"], ["--temperature", rng.choice(["0.25", "1.7", "40"])]])
    return flags, method, wanted


def split_flags(rng, case, table, has_missing):
    """Which rows train: the flags, and those rows; none of them if all do."""
    kind = rng.randrange(4)
    if kind == 0 and not has_missing and len(table.rows) >= 12 and "class" not in table.kinds:
        a, b = rng.choice([(1, 1), (2, 1), (3, 2)])
        return ["--split", f"{a}/{b}"], [row for i, row in enumerate(table.rows) if i % (a + b) < a]
    if kind == 1:
        # Rows that are known from training, so that no word is unknown.
        others = [row for row in table.rows if rng.random() < 0.5][:50] or table.rows[:1]
        case.write("test.csv", table.text(others))
        return ["--test", "test.csv"], None
    return ["--test-fraction", "0"], None
