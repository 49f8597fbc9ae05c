"""Full disks, folders that cannot be written to, checkpoints that cannot be saved."""

import json
import os
import resource
import signal
import subprocess

from ..network import Network
from ..tables import random_table
from ..verify import verify
from .signals import LONG, long_run
from ..settings import fit_flags
from .training import end_line


def models_in(text):
    """Models among the JSON objects of a text."""
    found, decoder, at = [], json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            if isinstance(value, dict) and value.get("format") == "onefold-model":
                found.append(json.dumps(value))
        at = text.find("{", end)
    return found


def is_kept(case, result):
    """Whether the trained model is printed, or in a file that is named."""
    texts = models_in(result.out.decode("utf-8", "replace")) + models_in(result.text)
    for word in (result.text + " " + result.out.decode("utf-8", "replace")).replace("\n", " ").split(" "):
        path = case.work / word.strip("'\"`,;:.()")
        if word and len(word) < 4000 and path.is_file() and path.name.endswith(".json"):
            texts += models_in(path.read_text(errors="replace"))
    return any(Network(text) for text in texts)


def small_run(case):
    rng = case.rng
    table = random_table(rng, rows=rng.randint(10, 60), missing=False, extreme=False)
    case.write("d.csv", table.text())
    flags, _, _ = fit_flags(rng, table, table.rows, budget=(200, 800), threshold=False)
    return ["fit", "d.csv", *table.flags(), "--test-fraction", 0, *flags], table


def lost(case, result):
    case.check("a full disk is a failure", result.code in (1, 2), lambda: f"exit code {result.code}: {result.text[-300:]}")
    # Nothing is lost where the command refuses before it trains.
    if result.code == 1:
        case.check("a full disk loses no trained model", is_kept(case, result), lambda: result.text[-400:])


def long_file(case):
    """No file can become as long as a model."""
    arguments, _ = small_run(case)
    limits = {resource.RLIMIT_FSIZE: case.rng.choice([0, 1, 100, 1000, 1500])}
    result = case.run(*arguments, "-o", "m.json", limits=limits, through_pipes=True)
    lost(case, result)


def full_device(case):
    arguments, _ = small_run(case)
    if case.rng.random() < 0.5:
        result = case.run(*arguments, "-o", "/dev/full")
        lost(case, result)
        return
    with open("/dev/full", "wb") as full:
        result = case.run(*arguments, "-o", "m.json", outputs=["m.json"], stdout=full)
    case.check("a report that cannot be written is a failure", result.code == 1 or "--max-evaluations" in result.text, lambda: f"{result.code}: {result.text[-300:]}")
    case.model("m.json")


class SmallDisk:
    """A file system in memory with little room, where that is permitted."""

    def __init__(self, case, pages):
        self.path = case.work / "disk"
        self.path.mkdir()
        options = f"size={pages * 4096}"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(self.path)], capture_output=True)
        self.is_there = done.returncode == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_there:
            subprocess.run(["umount", "-l", str(self.path)], capture_output=True)

    def fill(self, left=0):
        with open(self.path / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
            file.truncate(max(0, file.tell() - 4096 * left))


def small_disk(case):
    rng = case.rng
    with SmallDisk(case, 8) as disk:
        if not disk.is_there:
            return
        arguments, table = small_run(case)
        if rng.random() < 0.5:
            old = b"an old file\n"
            (disk.path / "m.json").write_bytes(old)
        disk.fill(left=rng.choice([0, 0, 1]))
        was = (disk.path / "m.json").read_bytes() if (disk.path / "m.json").exists() else None
        result = case.run(*arguments, "-o", "disk/m.json", outputs=["disk/m.json"])
        if result.code == 0:
            verify(case, table, "d.csv", "disk/m.json", told=end_line(result))
            return
        lost(case, result)
        now = (disk.path / "m.json").read_bytes() if (disk.path / "m.json").exists() else None
        case.check("a full disk leaves the file that was there", now == was)


def checkpoint_on_full_disk(case):
    """That checkpoints cannot be saved is said at once, and ends nothing."""
    rng = case.rng
    with SmallDisk(case, 4) as disk:
        if not disk.is_there:
            return
        arguments, table = long_run(case, rows=100)
        disk.fill()
        told = []

        def during(child):
            told.append(child.wait_for_text(b"checkpoint", 3.0))
            child.wait(0.6)
            child.send(signal.SIGINT)

        saving = ["--checkpoint", "disk/c.ckpt", "--checkpoint-every", rng.choice(["10ms", "100ms"])]
        result = case.run(*arguments, *LONG, *saving, "-o", "m.json", outputs=["m.json"], during=during, longest=20)
        if result.late is not None:
            case.check("a checkpoint that cannot be saved is told at once", told[0], lambda: result.text[-300:])
        case.check("a checkpoint that cannot be saved ends no run", (case.work / "m.json").exists(), lambda: f"{result.code}: {result.text[-300:]}")
        verify(case, table, "d.csv", threshold=1e-290, told=end_line(result))


def read_only_folder(case):
    """As a user who may read but not write."""
    rng = case.rng
    arguments, table = small_run(case)
    case.run(*arguments, "-o", "m.json", outputs=["m.json"])
    (case.work / "closed").mkdir()
    os.chmod(case.work / "closed", 0o555)
    where = rng.choice(["fit", "predict", "export", "checkpoint"])
    if not (case.work / "m.json").exists():
        return
    options = {"user": 65534} if os.getuid() == 0 else {}
    command = {
        "fit": [*arguments, "-o", "closed/m.json"],
        "predict": ["predict", "m.json", "d.csv", *table.flags()[:4], "-o", "closed/p.csv"],
        "export": ["export", "m.json", "-o", "closed/m.py"],
        "checkpoint": [*arguments, "-o", "/dev/null", "--checkpoint", "closed/c.ckpt"],
    }[where]
    result = case.run(*command, **options)
    case.check("a folder that cannot be written to is bad input", result.code == 2, lambda: f"{where}: {result.code}: {result.text[-300:]}")


def resume_before_a_checkpoint(case):
    """The same command line works for the first run, too."""
    arguments, table = small_run(case)
    if case.run(*arguments, "-o", "first.json", outputs=["first.json"]).code != 0:
        return
    result = case.run(*arguments, "--checkpoint", "c.ckpt", "--resume", "c.ckpt", "-o", "m.json", outputs=["m.json", "c.ckpt"])
    case.check("--resume goes on, or begins anew where nothing was saved", result.code == 0, lambda: result.text[-300:])
    if result.code == 0:
        case.check("a resumed run equals an uninterrupted one", (case.work / "m.json").read_bytes() == (case.work / "first.json").read_bytes())
    verify(case, table, "d.csv", told=end_line(result))
    result = case.run(*arguments, "--resume", "other.ckpt", "-o", "n.json", outputs=["n.json"])
    case.check("--resume of a file that is not there is bad input", result.code == 2, lambda: result.text[-300:])


KINDS = {
    "files that cannot grow": (3, long_file),
    "/dev/full": (2, full_device),
    "a full file system": (3, small_disk),
    "checkpoints on a full file system": (1, checkpoint_on_full_disk),
    "a read-only folder": (2, read_only_folder),
    "--resume before a checkpoint": (1, resume_before_a_checkpoint),
}
