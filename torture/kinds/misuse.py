"""Arguments without sense, files in the wrong places, readers that go away, folders that vanish."""

import json
import os
import shutil
import signal

from ..settings import METHODS
from ..tables import random_table
from ..verify import verify
from .overwriting import SHORT, start
from .signals import LONG, long_run
from .training import end_line

VALUES = ["", "-1", "0", "1", "3", "0.5", "NaN", "inf", "-inf", "1e400", "1e-400", "-0", "99999999999999999999", "1e18", "x", "1..0", "0..0", "-1..1", "NaN..1", "0/0", "1/0", "9/9", "\x1b[31m", "ä", "1,2", "0s", "5min", "1e300s", "none", "=1", "-", "--", "*", "a=1,b=2"]
FLAGS = [
    "--output-bias", "--method", "--seed", "--start", "--bounds", "--threads", "--align", "--align-to", "--mutation", "--weight", "--dither", "--crossover", "--crossover-rate", "--sigma", "--preset",
    "--covariance", "--target", "--max-evaluations", "--max-generations", "--stagnation", "--spread", "--penalty-weight", "--penalty-radius", "--decay", "--rank-tolerance", "--data-seed", "--noise",
    "--split", "--split-kind", "--encoding", "--scaling", "--target-scaling", "--delimiter", "--header", "--id-column", "--target-column", "--ignore-column", "--task", "--categories", "--missing",
    "--test-fraction", "--split-seed", "--test", "--folds", "--checkpoint-every", "--population", "--samples", "--test-samples", "--hidden", "--topology",
]
# Sizes that are asked for are not refused for being large, so they are kept small here.
SMALL = {"--population", "--samples", "--test-samples", "--hidden", "--topology", "--folds", "--threads"}


def odd_arguments(case):
    """Flags with values at random: a run, or a reason."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(5, 40), missing=False, extreme=False)
    case.write("d.csv", table.text())
    source = rng.choice(["d.csv", "d.csv", "sinc", "iris", "tic-tac-toe"])
    flags = []
    for flag in rng.sample(FLAGS, rng.randint(1, 4)):
        values = [v for v in VALUES if not (flag in SMALL and ("9999" in v or "e18" in v))]
        flags.append(f"{flag}={rng.choice(values)}")
    defaults = [] if any(f.startswith(("--hidden", "--topology")) for f in flags) else ["--hidden", "2"]
    method = [] if any(f.startswith("--method") for f in flags) else ["--method", rng.choice(METHODS)]
    result = case.run("fit", source, *defaults, *method, *flags, "--time", "0.2s", "-o", "m.json", outputs=["m.json"], longest=20)
    case.draws.append("accepted" if result.code == 0 else "refused")
    case.check("odd arguments: a run, or a reason", result.code in (0, 1, 2), lambda: f"{result.code}: {result.text[-300:]}")
    case.check("a run that ends well leaves a model", (result.code == 0) == (case.work / "m.json").exists(), lambda: f"exit code {result.code}")
    case.model("m.json")


def wrong_places(case):
    """Models for tables, tables for models, folders, empty files, and names that look like flags."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    case.write("empty", "")
    case.write("-o", table.text())
    (case.work / "folder").mkdir()
    os.symlink("nowhere", case.work / "dangling")
    files = ["m.json", "d.csv", "empty", "folder", "dangling", ".", "/", "missing", "./-o", "bystander.txt", "/dev/null", b"n\xff.csv", "/proc/self/mem"]
    case.write("s/campaign.toml", 'name = "x"\n')
    pick = lambda: rng.choice(files)
    command = rng.choice([
        ["fit", pick(), "--hidden", 1, *SHORT, "-o", "n.json"],
        ["fit", "d.csv", *table.flags(), "--test", pick(), "--hidden", 1, *SHORT, "-o", "n.json"],
        ["predict", pick(), pick()],
        ["evaluate", pick(), pick()],
        ["show", pick()],
        ["export", pick(), "--format", rng.choice(["c", "onnx", "python", "rust", "javascript"])],
        ["report", pick()],
        ["report", "s", "--campaign", pick()],
        [*arguments, *SHORT, "--seed", 1, "--resume", pick(), "-o", "n.json"],
        [*arguments, *SHORT, "--seed", 1, "-o", rng.choice(["folder", ".", "/", "missing/n.json", "dangling/x", "empty/n.json", "x" * 300 + ".json"])],
    ])
    command = [part if isinstance(part, bytes) else str(part) for part in command]
    before = case.files()
    child = case.start(*[os.fsdecode(part) for part in command])
    result = child.result(20)
    case.check_end(result, is_data=command[0] in ("predict", "export"))
    case.check_files(before, ["n.json"], result.text)
    case.check("wrong files: a run, or a reason", result.code in (0, 1, 2), lambda: f"{result.code}: {result.text[-300:]}")


def closed_reader(case):
    """Who reads the output goes away, as `head` does."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    rows = table.rows * 200
    case.write("many.csv", table.text(rows))
    how = table.flags()[:4]
    command = rng.choice([
        ["predict", "m.json", "many.csv", *how], ["show", "m.json"], ["evaluate", "m.json", "many.csv", *how], ["datasets", "tic-tac-toe", "--csv"],
        ["export", "m.json", "--format", "c"], ["fit", "--help"], [*arguments, *SHORT, "--seed", 1, "-o", "n.json"], ["completions", "bash"],
    ])
    read, write = os.pipe()
    os.close(read)
    try:
        result = case.run(*command, outputs=["n.json"], is_data=True, stdout=write)
    finally:
        os.close(write)
    case.check("a closed output does no harm", result.code in (0, 1, -signal.SIGPIPE), lambda: f"{result.code}: {result.text[-300:]}")
    case.model("n.json")


def vanished_folder(case):
    """The folder of the output, or the table, is removed during the run: the model is not lost."""
    rng = case.rng
    arguments, table = long_run(case, rows=60)
    (case.work / "out").mkdir()
    what = rng.choice(["folder", "table", "folder became a file"])

    def during(child):
        child.wait(0.3)
        if what == "table":
            os.unlink(case.work / "d.csv")
        else:
            shutil.rmtree(case.work / "out")
            if what == "folder became a file":
                case.write("out", "a file\n")
        child.wait(0.3)
        child.send(signal.SIGINT)

    child = case.start(*arguments, *LONG, "-o", "out/m.json")
    during(child)
    result = child.result(20)
    case.check_end(result)
    if result.late is None:
        return
    if what == "table":
        case.write("d.csv", table.text())
        case.check("a vanished table ends no run", result.code in (0, 130), lambda: f"{result.code}: {result.text[-300:]}")
        verify(case, table, "d.csv", "out/m.json", threshold=1e-290, told=end_line(result))
    else:
        from .disks import is_kept

        is_there = (case.work / "out/m.json").exists()
        case.check("a vanished folder loses no trained model", is_there or is_kept(case, result), lambda: f"{result.code}: {result.text[-300:]}")


def as_json(case):
    """`--json` prints one JSON object, whatever the data and the end."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(5, 80), missing=False)
    case.write("d.csv", table.text())
    flags = ["--hidden", rng.choice(["1", "2", "2-2"]), "--method", rng.choice(METHODS), "--seed", 1, "--max-evaluations", 500]
    result = case.run("fit", "d.csv", *table.flags(), "--test-fraction", rng.choice([0, 0.3]), *flags, "--json", is_data=True)
    if result.code == 0:
        try:
            json.loads(result.out, parse_constant=lambda text: 1 / 0)
            is_json = True
        except (ValueError, ZeroDivisionError):
            is_json = False
        case.check("--json prints JSON", is_json, lambda: result.out[:300])


KINDS = {
    "odd arguments": (6, odd_arguments),
    "files in wrong places": (5, wrong_places),
    "a reader that goes away": (2, closed_reader),
    "folders that vanish": (2, vanished_folder),
    "results as JSON": (2, as_json),
}
