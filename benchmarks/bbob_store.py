"""Records of bbob.py: a text file with one run in a line. Standard library only.

Fields, separated by tabs: method, dimension, function, instance, seed, budget, evaluations made, and the evaluations at which each of
the 51 targets was first reached, the easiest first: each as the difference to the one before, nothing for no difference, and as many as
were reached.
"""

import fcntl
import os
from pathlib import Path
from typing import NamedTuple

#: Differences to the optimum that count as targets: those of COCO, from 10^2 to 10^-8.
TARGETS = [10 ** (2 - i / 5) for i in range(51)]


class Key(NamedTuple):
    """What a run is."""

    method: str
    dim: int
    function: int
    instance: int
    seed: int
    budget: int


class Run(NamedTuple):
    """What came of it."""

    evaluations: int
    #: The evaluations at which the first targets were reached, ascending.
    hits: tuple[int, ...]


def to_line(key, run):
    differences = [after - before for before, after in zip((0, *run.hits), run.hits, strict=False)]
    hits = ",".join(str(d) if d else "" for d in differences)
    return "\t".join([*map(str, key), str(run.evaluations), str(len(run.hits)), hits]) + "\n"


def from_line(line):
    method, *numbers, hits = line.rstrip("\n").split("\t")
    *key, evaluations, count = map(int, numbers)
    total, reached = 0, []
    for text in hits.split(",") if count else []:
        total += int(text or 0)
        reached.append(total)
    if len(reached) != count:
        raise ValueError(f"{count} targets are said to be reached, but {len(reached)} are listed: {line!r}")
    return Key(method, *key), Run(evaluations, tuple(reached))


def read(path):
    """The runs of a file. What follows the last line end was not finished by a killed run."""
    text = Path(path).read_text() if Path(path).exists() else ""
    return dict(from_line(line) for line in text.split("\n")[:-1])


class Store:
    """A file that this process alone appends to."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(self.path, "ab", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{path} is in use by another run; end it, or give another file with --store") from None
        self.file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
        self.runs = read(path)

    def append(self, key, run):
        self.file.write(to_line(key, run).encode())
        self.runs[key] = run

    def merge(self, paths):
        """Adds the runs of other files. A run that both have must be the same in both."""
        for path in paths:
            for key, run in read(path).items():
                if self.runs.get(key, run) != run:
                    raise SystemExit(f"{path} and {self.path} have different results of {key}")
                if key not in self.runs:
                    self.append(key, run)

    def forget(self, methods):
        """Rewrites the file without the runs of some methods."""
        self.runs = {key: run for key, run in self.runs.items() if key.method not in methods}
        part = self.path.with_suffix(".part")
        part.write_text("".join(to_line(key, run) for key, run in self.runs.items()))
        fcntl.flock(kept := open(part, "ab", buffering=0), fcntl.LOCK_EX)
        os.replace(part, self.path)
        self.file.close()
        self.file = kept
