"""Runs that nothing disturbs: any data, method and settings."""

import json
import math

from ..settings import METHODS, fit_flags, split_flags
from ..tables import Table, finite, random_table
from ..verify import verify


def end_line(result):
    """The line of the report that says how the run ended."""
    lines = result.out.decode("utf-8", "replace").splitlines()
    return next((line for line in lines if line.startswith(("reached", "did not reach", "finished", "interrupted"))), "")


def missing_flags(rng, table):
    has = any(cell in ("", "?", "NA", "nan") for row in table.rows for cell in row)
    return (["--missing", rng.choice(["indicate", "indicate", "drop", "mean", "refuse"])] if has else []), has


def fit(case, table, data="d.csv", model="m.json", **options):
    """Fits a random network to a table and verifies what is left; the result, the flags and the network."""
    rng = case.rng
    case.write(data, table.text())
    missing, has_missing = missing_flags(rng, table)
    split, train = split_flags(rng, case, table, has_missing)
    flags, method, threshold = fit_flags(rng, table, train or table.rows, **options)
    case.draws.append(method)
    categories = ["--categories", rng.choice(["one-hot", "ordinal"])] if "word" in table.kinds else []
    arguments = ["fit", data, *table.flags(), *missing, *categories, *split, *flags]
    result = case.run(*arguments, "-o", model, outputs=[model])
    case.check("a run that ends well leaves a model", (result.code == 0) == (case.work / model).exists(), lambda: f"exit code {result.code}: {result.text[-300:]}")
    network = verify(case, table, data, model, train, threshold, end_line(result)) if result.code == 0 else None
    return result, arguments, network


def check_spread(case, table, result):
    """A target whose variance is too small or too large for a float is refused."""
    for at in table.targets if "target" in table.kinds else ():
        values = [float(row[at]) for row in table.rows]
        most = max(map(abs, values)) or 1.0
        parts = [v / most for v in values]
        mean = math.fsum(parts) / len(parts)
        deviation = math.fsum((v - mean) ** 2 for v in parts) ** 0.5 / len(parts) ** 0.5
        spread = (deviation * most) * (deviation * most)
        if deviation * most > 0 and (spread == 0 or spread == math.inf):
            case.check("a target without a variance in floats is refused", result.code == 2, lambda: f"values up to {most!r}")


def plain(case):
    table = random_table(case.rng)
    result, _, _ = fit(case, table)
    if not any("" in row or "?" in row or "NA" in row or "nan" in row for row in table.rows):
        check_spread(case, table, result)


def many_threads(case):
    table = random_table(case.rng, rows=case.rng.randint(20, 400))
    result, arguments, network = fit(case, table)
    if network is None:
        return
    arguments = [a for i, a in enumerate(arguments) if a != "--threads" and (i == 0 or arguments[i - 1] != "--threads")]
    again = case.run(*arguments, "--threads", case.rng.choice([2, 4, 7]), "-o", "again.json", outputs=["again.json"])
    # Only the number of threads among the settings differs.
    first, second = ((case.work / name).read_text() for name in ("m.json", "again.json")) if again.code == 0 else ("", "-")
    plain = lambda text: [line for line in text.splitlines() if '"threads"' not in line]
    case.check("the number of threads changes no bit", plain(first) == plain(second), lambda: f"exit code {again.code}")


def near_threshold(case):
    """A threshold just above or below the error that a run has, on targets with a large offset or an extreme scale."""
    rng = case.rng
    rows = rng.randint(5, 120)
    scale = rng.choice([1.0, 1.0, 10.0 ** rng.uniform(-5, 5), 10.0 ** rng.uniform(-300, 300)])
    offset = rng.choice([0.0, 1.7e9, scale * 10.0 ** rng.uniform(0, 17)])
    kinds, names = ["number"] * rng.randint(1, 3) + ["target"], ["a", "b", "c", "d"]
    cells = []
    for _ in range(rows):
        inputs = [rng.gauss(0, 1) for _ in kinds[1:]]
        target = finite(offset + scale * (math.sin(sum(inputs)) + 0.3 * rng.gauss(0, 1)))
        cells.append([repr(v) for v in inputs] + [repr(target)])
    table = Table(names[: len(kinds)], kinds, cells, ",", True)
    case.write("d.csv", table.text())
    method = rng.choice(METHODS)
    case.draws.append(method)
    flags = ["--method", method, "--hidden", rng.randint(1, 4), "--seed", rng.randrange(1000), "--max-evaluations", rng.choice([100, 500, 2000])]
    flags += ["--target-scaling", "none"] if rng.random() < 0.2 else []
    arguments = ["fit", "d.csv", *table.flags(), "--test-fraction", 0, *flags]
    first = case.run(*arguments, "-o", "first.json", outputs=["first.json"])
    check_spread(case, table, first)
    if first.code != 0:
        return
    verify(case, table, "d.csv", "first.json")
    error = json.loads((case.work / "first.json").read_text())["metrics"]["train_mse"]
    for step in (-1.0, rng.choice([-1, 1]) * 10.0 ** rng.uniform(-15, -1), 0.0, rng.choice([1.5, 10.0, -0.5])):
        threshold = error * (1 + step)
        if not 0 <= threshold < math.inf:
            continue
        result = case.run(*arguments, "--target", repr(threshold), "-o", "m.json", outputs=["m.json"])
        if result.code == 0:
            verify(case, table, "d.csv", "m.json", None, threshold, end_line(result))


def selection(case):
    """The size is selected; with folds, too."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(10, 60), missing=False, extreme=rng.random() < 0.3)
    case.write("d.csv", table.text())
    folds = ["--folds", rng.choice([2, 3])] if rng.random() < 0.3 else ["--test-fraction", 0]
    extra = ["--hidden", "1"] if "--folds" in folds else ["--time", "0.6s"]
    arguments = ["fit", "d.csv", *table.flags(), *folds, *extra, "--seed", rng.randrange(1000), "--max-evaluations", 2000, "-o", "m.json"]
    result = case.run(*arguments, outputs=["m.json"])
    if result.code == 0:
        verify(case, table, "d.csv", told=end_line(result))


def standard_input(case):
    """The same table from standard input gives the same model."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(5, 100), missing=False)
    case.write("d.csv", table.text())
    flags, _, _ = fit_flags(rng, table, table.rows, budget=(50, 500))
    arguments = [*table.flags(), "--test-fraction", 0, *flags]
    first = case.run("fit", "d.csv", *arguments, "-o", "m.json", outputs=["m.json"])
    with open(case.work / "d.csv", "rb") as data:
        second = case.run("fit", "-", *arguments, "-o", "n.json", outputs=["n.json"], stdin=data)
    case.check("standard input is read as a file", first.code == second.code, lambda: f"{first.code} {second.code}: {second.text[-300:]}")
    if first.code == second.code == 0:
        plain = lambda name: [line for line in (case.work / name).read_text().splitlines() if '"data":' not in line]
        case.check("standard input gives the same model", plain("m.json") == plain("n.json"))


KINDS = {
    "a run on random data": (30, plain),
    "thresholds near the error": (10, near_threshold),
    "other numbers of threads": (5, many_threads),
    "a selected network or folds": (3, selection),
    "standard input": (2, standard_input),
}
