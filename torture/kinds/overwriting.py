"""Outputs that are inputs, links, and runs that want the same name."""

import os
import stat

from ..tables import random_table
from ..verify import verify


SHORT = ["--max-evaluations", 300]


def start(case, missing=False):
    """A table and a model of it."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(8, 60), missing=missing, extreme=False)
    case.write("d.csv", table.text())
    arguments = ["fit", "d.csv", *table.flags(), "--test-fraction", 0, "--hidden", 2]
    result = case.run(*arguments, *SHORT, "--seed", 1, "-o", "m.json", outputs=["m.json"])
    return table, arguments, result.code == 0


def spelled(case, name):
    """A way to write the name of a file that exists."""
    path, rng = case.work / name, case.rng
    kind = rng.choice(["plain", "dot", "up", "whole", "link", "hard", "folder link", "proc"])
    case.draws.append(f"spelled: {kind}")
    if kind == "dot":
        return f"./{name}"
    if kind == "up":
        (case.work / "sub").mkdir(exist_ok=True)
        return f"sub/.././{name}"
    if kind == "whole":
        return str(path)
    if kind == "link":
        os.symlink(name, case.work / f"link-{name}")
        return f"link-{name}"
    if kind == "hard":
        os.link(path, case.work / f"hard-{name}")
        return f"hard-{name}"
    if kind == "folder link":
        os.symlink(".", case.work / "here")
        return f"here/{name}"
    if kind == "proc":
        return f"/proc/self/cwd/{name}"
    return name


def output_is_input(case):
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    case.write("t.csv", table.text(table.rows[:3]))
    how = table.flags()[:4]
    what = rng.choice(["fit", "fit test", "predict data", "predict model", "export", "checkpoint", "checkpoint is output", "standard input"])
    stdin = None
    if what == "fit":
        victim, command = "d.csv", [*arguments, *SHORT, "-o"]
    elif what == "fit test":
        victim, command = "t.csv", ["fit", "d.csv", *table.flags(), "--test", "t.csv", "--hidden", 1, "--max-evaluations", 50, "-o"]
    elif what == "predict data":
        victim, command = "d.csv", ["predict", "m.json", "d.csv", *how, "-o"]
    elif what == "predict model":
        victim, command = "m.json", ["predict", "m.json", "d.csv", *how, "-o"]
    elif what == "export":
        victim, command = "m.json", ["export", "m.json", "--format", rng.choice(["c", "python", "onnx"]), "-o"]
    elif what == "checkpoint":
        victim, command = "d.csv", [*arguments, *SHORT, "-o", "n.json", "--checkpoint-every", "1ms", "--checkpoint"]
    elif what == "checkpoint is output":
        victim, command = "m.json", [*arguments, *SHORT, "-o", "m.json", "--checkpoint-every", "1ms", "--checkpoint"]
    else:
        victim, command, stdin = "d.csv", ["predict", "m.json", "-", *how, "-o"], open(case.work / "d.csv", "rb")
    name = spelled(case, victim)
    content = (case.work / victim).read_bytes()
    outputs = [name, "n.json"] if name.startswith("hard-") else ["n.json"]
    result = case.run(*command, name, outputs=outputs, stdin=stdin)
    if stdin:
        stdin.close()
    same = (case.work / victim).exists() and (case.work / victim).read_bytes() == content
    case.check("an input is never overwritten", same, lambda: f"{what}: {victim} as {name}, exit code {result.code}")
    if not name.startswith("hard-"):
        case.check("an output that is an input is bad input", result.code == 2, lambda: f"{what}: {result.code}")


def same_default_name(case):
    """Two runs that differ and want the same name, one after the other or at once."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    # Long enough that they overlap.
    lasting = ["--target", "1e-290", "--max-evaluations", "1e9", "--time", "0.3s"]
    commands = [[*arguments, "--seed", 5, "--decay", decay, *lasting] for decay in ("0.01", "0.2")]
    before = case.files()
    if rng.random() < 0.5:
        results = [child.result() for child in [case.start(*command) for command in commands]]
    else:
        results = [case.start(*command).result() for command in commands]
    for result in results:
        case.check_end(result)
    made = [name for name in case.files() if name not in before]
    names = [word for r in results for line in r.out.decode("utf-8", "replace").splitlines() if line.startswith("  model ") for word in line.split()[1:2]]
    ended = sum(result.code == 0 for result in results)
    case.check("each run has a model file of its own", len(made) == ended and sorted(names) == sorted(made), lambda: f"{ended} ended well, said {names}, made {made}")
    for name in made:
        verify(case, table, "d.csv", name)


def permissions(case):
    """A file that is replaced stays as private as it was."""
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    mode = case.rng.choice([0o600, 0o640, 0o644, 0o660])
    os.chmod(case.work / "m.json", mode)
    result = case.run(*arguments, *SHORT, "--seed", 2, "-o", "m.json", outputs=["m.json"])
    now = stat.S_IMODE(os.stat(case.work / "m.json").st_mode)
    case.check("a replaced file keeps its permissions", now == mode, lambda: f"{mode:o} became {now:o}, exit code {result.code}")
    verify(case, table, "d.csv")


def planted_links(case):
    """Links under names that temporary files might have."""
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    case.write("victim.txt", "precious\n")
    first = os.getpid()
    with open("/proc/loadavg") as file:
        first = int(file.read().split()[-1])
    for number in range(first, first + 40):
        for name in (f"n.json.tmp-{number}", f".n.json.tmp-{number}", f"n.json.{number}.tmp"):
            os.symlink("victim.txt", case.work / name)
    planted = {name for name in case.files() if "tmp" in name}
    result = case.run(*arguments, *SHORT, "--seed", 3, "-o", "n.json", outputs=["n.json", *planted])
    case.check("temporary names are not opened through links", (case.work / "victim.txt").read_text() == "precious\n" and result.code == 0, lambda: f"{result.code}: {result.text[-300:]}")
    verify(case, table, "d.csv", "n.json")


def output_link(case):
    """An output that is a link to a file elsewhere, to a folder, or to nothing."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    (case.work / "elsewhere").mkdir()
    kind = rng.choice(["file", "nothing", "folder", "itself"])
    case.write("elsewhere/other.json", "{}\n")
    os.symlink({"file": "elsewhere/other.json", "nothing": "elsewhere/new.json", "folder": "elsewhere", "itself": "n.json"}[kind], case.work / "n.json")
    result = case.run(*arguments, *SHORT, "--seed", 3, "-o", "n.json", outputs=["n.json", "elsewhere/other.json", "elsewhere/new.json"])
    if result.code == 0:
        verify(case, table, "d.csv", "n.json")


KINDS = {
    "an output that is an input": (10, output_is_input),
    "two runs with one default name": (3, same_default_name),
    "permissions of a replaced file": (2, permissions),
    "links under temporary names": (2, planted_links),
    "an output that is a link": (2, output_link),
}
