"""One case: its folder, its random choices, the commands it runs and what was found."""

import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import unicodedata

from .process import LONGEST, Child

# Seconds after a signal or a deadline in which a command must have ended. The promise is one second; a machine that runs other
# things meanwhile may need more.
PROMPT = 3.0
# A run on a small table must not need more.
MEMORY_MIB = 256
CODES = (0, 1, 2, 130)
# Controls and characters that change the direction of text.
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What the command must not be confused by.
ENVIRONMENTS = [
    {}, {}, {}, {}, {"COLUMNS": "1"}, {"COLUMNS": "99999999999999"}, {"COLUMNS": "-1"}, {"TERM": "\x1b[31m"}, {"LANG": "tr_TR.UTF-8", "LC_ALL": "C"},
    {"RAYON_NUM_THREADS": "x"}, {"RAYON_NUM_THREADS": "1000000"}, {"NO_COLOR": "1"}, {"HOME": "/nowhere"}, {"RUST_LOG": "trace"},
]


def digest(path):
    if path.is_symlink():
        return "link to " + os.readlink(path)
    if path.is_file():
        return hashlib.sha1(path.read_bytes()).hexdigest()
    return "other"


def shown(text, length=1500):
    """A text for the report: its beginning, without characters that could harm a terminal."""
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    plain = "".join(c if c in "\n" or unicodedata.category(c)[0] != "C" else f"\\x{ord(c):02x}" for c in text)
    return plain if len(plain) <= length else plain[:length] + "…"


class Case:
    def __init__(self, number, kind, seed, binary, folder):
        self.number, self.kind, self.binary = number, kind, binary
        self.rng = random.Random(f"{seed}/{number}")
        self.folder = pathlib.Path(folder) / f"case-{number}"
        self.work = self.folder / "work"
        self.checks, self.violations, self.times = {}, [], {}
        self.commands, self.runs = [], 0
        self.environment = dict(self.rng.choices(ENVIRONMENTS, k=1)[0])
        self.draws = []  # what was drawn, for the counts

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.work.mkdir(parents=True)
        (self.folder / "tmp").mkdir()
        (self.folder / "tmp").chmod(0o777)
        self.write("bystander.txt", "nobody named this file\n")
        return self

    def __exit__(self, *_):
        for path in self.folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                os.chmod(path, 0o755)
        if self.violations:
            (self.folder / "commands.txt").write_text("\n".join(self.commands) + "\n", errors="replace")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Files

    def write(self, name, content):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    def files(self):
        """All files with a digest of their content."""
        found = {}
        for folder, folders, names in os.walk(self.work):
            for name in names + [f for f in folders if os.path.islink(os.path.join(folder, f))]:
                path = pathlib.Path(folder) / name
                found[str(path.relative_to(self.work))] = digest(path)
        return found

    # Findings

    def check(self, invariant, holds, detail=""):
        """Counts a check, and a violation with its reason where it does not hold."""
        counted = self.checks.setdefault(invariant, [0, 0])
        counted[0] += 1
        if not holds:
            counted[1] += 1
            detail = detail() if callable(detail) else detail
            self.violations.append((invariant, shown(str(detail)), self.commands[-1] if self.commands else ""))
        return bool(holds)

    def time(self, what, seconds):
        self.times.setdefault(what, []).append(seconds)

    # Commands

    def start(self, *arguments, **options):
        self.runs += 1
        argv = [self.binary, *map(str, arguments)]
        self.commands.append(shlex.join(argv))
        env = {**os.environ, "TMPDIR": str(self.folder / "tmp"), **self.environment}
        env.pop("RUST_BACKTRACE", None)
        return Child(argv, self.work, self.folder / f"run-{self.runs}", env=env, **options)

    def run(self, *arguments, outputs=(), longest=LONGEST, memory=MEMORY_MIB, is_data=False, during=None, **options):
        """Runs a command to its end and checks what must hold for all. `outputs` are files that it may write, `during` is called
        with the running process, `is_data` says that standard output is a table or a file rather than a message."""
        before = self.files()
        child = self.start(*arguments, **options)
        if during:
            during(child)
        result = child.result(longest)
        self.check_end(result, memory, is_data)
        if result.code is not None and result.code >= 0:
            self.check_files(before, outputs, result.text)
        return result

    def check_end(self, result, memory=MEMORY_MIB, is_data=False):
        tail = lambda: f"exit code {result.code}: {result.text[-600:]}"
        self.check("it ends", not result.is_endless, lambda: f"still running after {result.seconds:.0f} s")
        if result.is_endless:
            return
        if result.late is None or result.code >= 0:
            self.check("the exit code is 0, 1, 2 or 130", result.code in CODES, tail)
        self.check("no panic", b"panicked" not in result.err, tail)
        if result.code in (1, 2):
            lines = result.text.splitlines()
            # Progress and warnings may stand before it.
            self.check("a failure is told by `error: `", any(line.startswith("error: ") for line in lines), tail)
            self.check("a failure is told once", sum(line.startswith("error: ") for line in lines) <= 1, tail)
        told = result.text + ("" if is_data else result.out.decode("utf-8", "replace"))
        raw = RAW.search(told)
        self.check("no control characters in messages", raw is None, lambda: repr(told[max(0, raw.start() - 100) : raw.end() + 60]))
        self.check("memory is bounded", result.peak_mib <= memory, lambda: f"{result.peak_mib:.0f} MiB")

    def check_files(self, before, outputs, told=""):
        after = self.files()
        changed = [name for name in before if after.get(name) != before[name] and name not in outputs]
        self.check("other files are unchanged", not changed, lambda: f"changed: {changed}")
        # A file that a message names is no surprise.
        new = [name for name in after if name not in before and name not in outputs and name not in told]
        self.check("no other files are left", not new, lambda: f"new: {new}")

    def model(self, name):
        """The text of a model file, if there is one; it must be complete."""
        path = self.work / name
        if not path.exists():
            return None
        text = path.read_text(errors="replace")
        try:
            is_model = json.loads(text)["format"] == "onefold-model"
        except (ValueError, KeyError, TypeError):
            is_model = False
        self.check("a model file is complete", is_model, lambda: f"{name}: {len(text)} characters")
        return text if is_model else None
