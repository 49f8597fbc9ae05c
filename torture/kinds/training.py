"""Runs that nothing disturbs: any data, method and settings."""

from ..settings import fit_flags, split_flags
from ..tables import random_table
from ..verify import verify


def end_line(result):
    """The line of the report that says how the run ended."""
    lines = result.out.decode("utf-8", "replace").splitlines()
    return next((line for line in lines if line.startswith(("reached", "did not reach", "finished", "interrupted"))), "")


def missing_flags(rng, table):
    has = any(cell in ("", "?", "NA", "nan") for row in table.rows for cell in row)
    return (["--missing", rng.choice(["drop", "mean", "mean", "refuse"])] if has else []), has


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


def plain(case):
    fit(case, random_table(case.rng))


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
    "other numbers of threads": (5, many_threads),
    "a selected network or folds": (3, selection),
    "standard input": (2, standard_input),
}
