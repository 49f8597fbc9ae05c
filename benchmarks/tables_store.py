"""The store of tables.py: a file of JSON lines, to which every result is appended as soon as it is there. Standard library only.

Lines are of four kinds: `table` (what a table is), `environment` (machine and versions, of the lines below it), `trial` (scores of a
method on one fold) and `time` (seconds of a method on one fold, on a machine that does nothing else). The last line of a key counts.
"""

import fcntl
import json
import os
from pathlib import Path


def read(paths):
    """The records of stores, by kind and key."""
    records = {"table": {}, "environment": {}, "trial": {}, "time": {}}
    for path in paths:
        lines = Path(path).read_text().split("\n")
        # What follows the last line end is a line that a killed run did not finish.
        for line in lines[:-1]:
            record = json.loads(line)
            records[record["kind"]][key(record)] = record
    return records


def key(record):
    """What a later record of the same kind replaces."""
    if record["kind"] == "environment":
        return None
    return tuple(record[name] for name in ("table", "method", "seed", "fold") if name in record)


class Store:
    """A store that this process alone writes to."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.open()
        end = self.path.read_bytes().rfind(b"\n") + 1
        self.file.truncate(end)
        self.records = read([self.path])

    def open(self):
        self.file = open(self.path, "ab", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            raise SystemExit(f"{self.path} is in use by another run; end it, or give another file with --store") from None

    def append(self, record):
        """Keeps a record, in one write so that a kill leaves whole lines or one part of a line."""
        self.file.write(line(record))
        self.records[record["kind"]][key(record)] = record

    def forget(self, is_forgotten):
        """Rewrites the file without some records."""
        texts = self.path.read_text().splitlines()
        kept = [text for text in texts if not is_forgotten(json.loads(text))]
        part = self.path.with_suffix(".part")
        part.write_text("".join(text + "\n" for text in kept))
        os.replace(part, self.path)
        self.file.close()
        self.open()
        self.records = read([self.path])
        return len(texts) - len(kept)

    def note_environment(self, environment):
        """Appends machine and versions unless the last note is the same."""
        if self.records["environment"].get(None) != environment:
            self.append(environment)

    def note_table(self, name, place, description):
        """Appends what a table is; ends if the store has scores of another table of this name."""
        known = self.records["table"].get((name,))
        record = {"kind": "table", "table": name, "place": place} | description
        if known and known["digest"] != record["digest"]:
            raise SystemExit(f"{self.path}: the table {name} has changed since it was scored; remove its lines, or give another --store")
        if known != record:
            self.append(record)


def line(record):
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
