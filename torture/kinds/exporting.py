"""Exported models: what they are said to lose is what they lose."""

import re
import shutil
import subprocess

import numpy as np

from ..network import Network
from ..tables import random_table
from ..verify import Truth

COMPILER = shutil.which("cc")
STATED = re.compile(r"outputs by (?:about|at most|up to|less than)?\s*([0-9.]+(?:e[-+]?\d+)?)")
SHORT = ["--test-fraction", 0, "--max-evaluations", 600]

PROGRAM = """#include <stdio.h>
#include "m.h"
int main(void) {
    %(real)s in[%(inputs)d], out[%(outputs)d];
    double v;
    for (;;) {
        for (int i = 0; i < %(inputs)d; i++) { if (scanf("%%lf", &v) != 1) return 0; in[i] = (%(real)s)v; }
        m_predict(in, out);
        for (int i = 0; i < %(outputs)d; i++) printf("%%.17g ", (double)out[i]);
        printf("\\n");
    }
}
"""


def rows_in_range(rng, encoded):
    """The training rows, and random rows between their smallest and largest values."""
    low, high = encoded.min(axis=0), encoded.max(axis=0)
    random = np.array([[rng.random() for _ in low] for _ in range(100)])
    with np.errstate(all="ignore"):
        between = low * (1 - random) + high * random
        # Whole numbers that are large for what they differ by stay whole.
        is_whole = (encoded == np.floor(encoded)).all(axis=0) & (np.maximum(np.abs(low), np.abs(high)) > high - low)
        between = np.where(is_whole, np.floor(between), between)
    return np.vstack([encoded[:200], between])


def run_python(case, text, rows):
    space = {}
    try:
        exec(compile(text, "m.py", "exec"), space)
        return np.asarray(space["predict"](rows), float)
    except Exception as error:  # whatever it is, the module does not work
        case.check("exported Python works", False, repr(error))
        return None


def run_c(case, text, rows, outputs, precision):
    (case.folder / "c").mkdir(exist_ok=True)
    (case.folder / "c" / "m.h").write_text(text)
    program = PROGRAM % {"real": precision, "inputs": rows.shape[1], "outputs": outputs}
    (case.folder / "c" / "main.c").write_text(program)
    built = subprocess.run([COMPILER, "-O1", "-std=c99", "-o", "main", "main.c", "-lm"], cwd=case.folder / "c", capture_output=True)
    if not case.check("exported C compiles", built.returncode == 0, lambda: built.stderr[-500:]):
        return None
    given = "\n".join(" ".join(repr(float(v)) for v in row) for row in rows)
    answer = subprocess.run(["./main"], cwd=case.folder / "c", input=given.encode(), capture_output=True)
    return np.array([[float(v) for v in line.split()] for line in answer.stdout.decode().splitlines()]).reshape(len(rows), outputs)


def exported(case):
    rng = case.rng
    table = random_table(rng, rows=rng.randint(10, 200), missing=False)
    case.write("d.csv", table.text())
    flags = ["--hidden", rng.choice(["1", "2", "4", "2-2", "2+linear", "none", "none+linear"]), "--seed", rng.randrange(1000), "--scaling", rng.choice(["standard", "standard", "min-max", "none"])]
    result = case.run("fit", "d.csv", *table.flags(), *SHORT, *flags, "-o", "m.json", outputs=["m.json"])
    text = case.model("m.json") if result.code == 0 else None
    if text is None:
        return
    network = Network(text)
    truth = Truth(network, table)
    rows = rows_in_range(rng, np.array([truth.encoded[i] for i in truth.known]))
    if not np.isfinite(rows).all():
        return
    expected, bound = network.outputs(rows)
    for precision in ("float", "double"):
        file = "m.h" if COMPILER and rng.random() < 0.4 else "m.py"
        said = case.run("export", "m.json", "-o", file, "--precision", precision, outputs=[file])
        case.draws.append(f"export {precision} {'refused' if said.code else 'made'}")
        if said.code != 0:
            case.check("a double export is always possible", precision == "float", lambda: said.text[-300:])
            case.check("a refused export leaves no file", not (case.work / file).exists())
            continue
        code = (case.work / file).read_text()
        found = run_c(case, code, rows, expected.shape[1], precision) if file == "m.h" else run_python(case, code, rows)
        if found is None or not np.isfinite(expected).all():
            continue
        told = said.out.decode() + said.text
        stated = STATED.search(told.replace("\n", " "))
        if not case.check("an export says what rounding changes", stated, told):
            continue
        with np.errstate(all="ignore"):
            change = np.abs(found - expected)
        # The change is said of the library's outputs; those of NumPy differ from them by the rounding of both.
        limit = float(stated[1]) + 2 * bound
        worst = np.nanmax(change - limit) if np.isfinite(change).all() else np.inf
        holds = np.isfinite(change).all() and (change <= limit).all()
        case.check(f"a {precision} export changes outputs by no more than it says", holds, lambda: f"{file}: {float(stated[1])} stated, {change.max()} found, {worst} too much, outputs up to {np.abs(expected).max()}")


KINDS = {"exported models": (10, exported)}
