"""Inputs without end, few threads, little memory."""

import os
import resource
import signal
import subprocess

from ..case import PROMPT
from ..tables import random_table
from .overwriting import SHORT, start

# What a reader may take before it gives up.
MEMORY_MIB = 700
LIMITS = {resource.RLIMIT_AS: 4 << 30}


def endless_device(case):
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    (case.work / "s").mkdir()
    device = case.rng.choice(["/dev/zero", "/dev/urandom"])
    command = case.rng.choice([
        ["fit", device, "--hidden", 1],
        ["fit", "d.csv", "--test", device, "--hidden", 1],
        ["predict", "m.json", device],
        ["predict", device, "d.csv"],
        ["evaluate", "m.json", device],
        ["show", device],
        ["export", device, "--format", "c"],
        [*arguments, *SHORT, "--seed", 1, "--resume", device, "-o", "n.json"],
        ["reproduce", "--campaign", device, "--store", "s"],
        ["report", "s", "--campaign", device],
    ])
    result = case.run(*command, outputs=["n.json"], memory=MEMORY_MIB, limits=LIMITS, longest=20, is_data=True)
    case.check("an endless input is refused", result.code in (1, 2), lambda: f"{result.code}: {result.text[-300:]}")


def endless_pipe(case):
    """A pipe that never ends: one cell, one line, or rows."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    kind = rng.choice(["cell", "quoted cell", "columns"])
    source = {"cell": "tr '\\0' a < /dev/zero", "quoted cell": "printf '\"'; tr '\\0' '\\n' < /dev/zero", "columns": "tr '\\0' , < /dev/zero"}[kind]
    feeder = subprocess.Popen(["sh", "-c", source], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    command = rng.choice([["fit", "-", "--hidden", 1, "-o", "n.json"], ["predict", "m.json", "-"], ["evaluate", "m.json", "-"]])
    try:
        result = case.run(*command, outputs=["n.json"], memory=MEMORY_MIB, limits=LIMITS, longest=30, is_data=True, stdin=feeder.stdout)
    finally:
        feeder.stdout.close()
        os.killpg(feeder.pid, signal.SIGKILL)
        feeder.wait()
    case.check("an endless input is refused", result.code in (1, 2), lambda: f"{kind}: {result.code}: {result.text[-300:]}")


def endless_rows(case):
    """Rows without end can be predicted one by one; Ctrl-C ends that."""
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    case.write("rows.csv", table.text())
    source = f"cat rows.csv; while :; do tail -n +{1 + table.has_header} rows.csv; done"
    feeder = subprocess.Popen(["sh", "-c", source], cwd=case.work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    during = lambda child: None if child.wait(0.4) else child.send(signal.SIGINT)
    with open(os.devnull, "wb") as nowhere:
        try:
            result = case.run("predict", "m.json", "-", *table.flags()[:4], memory=64, longest=20, is_data=True, stdin=feeder.stdout, stdout=nowhere, during=during)
        finally:
            feeder.stdout.close()
            os.killpg(feeder.pid, signal.SIGKILL)
            feeder.wait()
    case.check("Ctrl-C ends any command", result.late is not None and result.late <= PROMPT and not result.is_endless, lambda: f"{result.code}, {result.late} s: {result.text[-300:]}")


def silent_pipe(case):
    """A pipe that nobody writes to: Ctrl-C ends any command that waits for it."""
    rng = case.rng
    table, arguments, is_fitted = start(case)
    if not is_fitted:
        return
    os.mkfifo(case.work / "pipe")
    (case.work / "s").mkdir()
    command = rng.choice([
        ["fit", "pipe", "--hidden", 1],
        ["predict", "m.json", "pipe"],
        ["predict", "pipe", "d.csv"],
        ["show", "pipe"],
        [*arguments, *SHORT, "--seed", 1, "--resume", "pipe", "-o", "n.json"],
        ["reproduce", "--campaign", "pipe", "--store", "s"],
        ["fit", "-", "--hidden", 1],
    ])
    read, write = os.pipe()
    which = rng.choice([signal.SIGINT, signal.SIGTERM])
    during = lambda child: None if child.wait(0.4) else child.send(which)
    result = case.run(*command, outputs=["n.json"], longest=8, stdin=read, during=during)
    os.close(read)
    os.close(write)
    case.check("Ctrl-C ends any command", not result.is_endless and (result.late or 0) <= PROMPT, lambda: f"{result.code}, late {result.late}: {result.text[-300:]}")


def pipe_in_store(case):
    """A pipe among the files of a store."""
    rng = case.rng
    case.write("c.toml", 'name = "mine"\nruns = 1\n\n[[cell]]\ndata = "sinc"\nhidden = "2"\nmethod = "de-sb"\nmax_evaluations = 300\n')
    (case.work / "s").mkdir()
    os.mkfifo(case.work / "s" / rng.choice(["trials.jsonl", "campaign.toml", "other.jsonl"]))
    command = rng.choice([["report", "s", "--campaign", "c.toml"], ["reproduce", "--campaign", "c.toml", "--store", "s"]])
    child = case.start(*command)
    if not child.wait(1.0):
        child.send(signal.SIGINT)
    result = child.result(longest=6)
    case.check_end(result)
    case.check("a pipe in a store does not stop a command for ever", not result.is_endless, lambda: result.text[-300:])


def few_threads(case):
    """Threads that cannot be started, by a limit of processes or of memory."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(20, 100), missing=False, extreme=False)
    case.write("d.csv", table.text())
    os.chmod(case.work, 0o777)
    options = {"user": 65534} if os.getuid() == 0 else {}
    if rng.random() < 0.6 and options:
        limits, threads = {resource.RLIMIT_NPROC: rng.choice([1, 2, 3, 5])}, rng.choice([2, 8, 64, 300])
    else:
        # More would leave no memory for the C library, which then ends the process itself.
        threads = rng.choice([2, 8, 16])
        limits = {resource.RLIMIT_AS: rng.choice([100, 200, 400]) << 20}
    arguments = ["fit", "d.csv", *table.flags(), "--test-fraction", 0, "--max-evaluations", 300, "--seed", 1, "--threads", threads, "-o", "m.json"]
    arguments += ["--hidden", 2] if rng.random() < 0.7 else ["--time", "0.5s"]
    result = case.run(*arguments, outputs=["m.json"], limits=limits, **options)
    case.check("too few threads: a run, or a reason", result.code in (0, 1, 2), lambda: f"{result.code}: {result.text[-300:]}")
    case.model("m.json")


KINDS = {
    "endless devices": (3, endless_device),
    "endless pipes": (1, endless_pipe),
    "endless rows": (1, endless_rows),
    "pipes without a writer": (2, silent_pipe),
    "pipes in stores": (1, pipe_in_store),
    "few threads": (3, few_threads),
}
