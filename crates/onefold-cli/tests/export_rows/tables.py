"""Rows like those of a table: as text for `onefold predict`, and as values for exported models."""

import csv
import datetime
import gzip
import random
import re

MISSING_WORDS = ["", "NA", "n/a", "NaN", "null", "?", " "]
MISSING_NUMBERS = [*MISSING_WORDS, "-", ".", "None", "#DIV/0!"]
UNSEEN = ["violet", "gr\u00fcnlich", "RED", "b", "zzz", '"', "a,b", "*/", "red\u00a0"]
FORMS = {
    "day-first": ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%y", "%d %B %Y", "%b %d, %Y", "%a, %d %b %Y %H:%M:%S GMT", "%Y-%m-%dT%H:%M:%S+05:30"],
    "month-first": ["%Y-%m-%d", "%m/%d/%Y", "%m-%d-%y", "%B %d, %Y", "%A %d %b. %Y", "%Y/%m/%d %I:%M %p", "%Y-%m"],
}
CLOCKS = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S%p", "%H:%M:%S.%f", "%H:%MZ"]


def read_table(path):
    """The cells of a table, without a line of names."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    text = content.decode("utf-8-sig")
    # A first line of a spreadsheet that only names the delimiter.
    text = text.partition("\n")[2] if text.startswith("sep=") else text
    first = text.splitlines()[0]
    delimiter = max(",;|\t", key=first.count)
    return list(csv.reader(text.splitlines(), delimiter=delimiter))


def number(text, notation):
    """The number of a text, as people write it."""
    text = text.strip()
    plain = re.sub(r"[^0-9.,eE+()\u2212-]", "", re.sub("[A-Z]{3}|kr", "", text)).replace("\u2212", "-")
    if notation and notation["decimal"] == ",":
        plain = plain.replace(".", "").replace(",", ".")
    plain = plain.replace(",", "")
    sign = -1.0 if plain.startswith("(") or plain.endswith("-") else 1.0
    return sign * float(plain.strip("()").rstrip("-"))


class Column:
    """An input column of a model: draws cells, and says what an exported model is given for them."""

    def __init__(self, column, missing, cells):
        self.name, self.number = column["name"], column["number"]
        self.kind, self.value = next(iter(column["kind"].items()))
        is_number = self.kind in ("number", "date")
        has_mean = isinstance(self.value, dict) and self.value.get("mean") is not None
        self.may_be_missing = missing == "indicate" or (missing == "mean" and is_number and has_mean)
        marks = MISSING_NUMBERS if is_number else MISSING_WORDS
        is_mark = {mark.strip().lower() for mark in marks}
        self.marks, self.is_mark = marks, is_mark
        self.cells = [cell for cell in cells if cell.strip().lower() not in is_mark]

    @property
    def is_number(self):
        return self.kind == "number"

    def draw(self, rng):
        """A cell: one of the table, one like it, or a missing one."""
        dice = rng.random()
        if dice < 0.1 and self.may_be_missing:
            return rng.choice(self.marks)
        if dice < 0.25 and not self.is_number:
            return self.other(rng)
        if dice < 0.25 and not self.value.get("notation"):
            cell = number(rng.choice(self.cells), None)
            return repr(rng.choice([cell + rng.gauss(0, 1), cell * rng.uniform(-1, 2), round(cell)]))
        cell = rng.choice(self.cells)
        return f" {cell} " if dice > 0.95 else cell

    def other(self, rng):
        if self.kind == "date":
            start = datetime.datetime(1890 if rng.random() < 0.2 else 2019, 1, 1)
            when = start + datetime.timedelta(seconds=rng.randrange(0, 8 * 365 * 86400))
            if self.value["clock"]:
                return when.strftime(rng.choice(CLOCKS))
            form = rng.choice(FORMS[self.value["order"]])
            # Two digits stand for years from 1969 on.
            return when.replace(year=max(when.year, 1970) if "%y" in form else when.year, day=min(when.day, 28)).strftime(form)
        if self.kind == "boolean":
            return rng.choice([self.value["yes"].upper(), self.value["no"].title(), "perhaps"])
        return rng.choice(UNSEEN)

    def typed(self, cell):
        """What an exported model is given: a number, a text, or none."""
        if not self.is_number:
            return cell
        return None if cell.strip().lower() in self.is_mark else number(cell, self.value.get("notation"))


def draw_rows(model, table, count, seed):
    """The columns of a model, and rows of cells."""
    schema = model["table"]
    cells = table[1 if schema["header"] else 0 :]
    columns = [
        Column(column, schema["missing"], [row[column["number"] - 1] for row in cells])
        for column in schema["inputs"]
    ]
    rng = random.Random(seed)
    return columns, [[column.draw(rng) for column in columns] for _ in range(count)]


def write_rows(path, columns, rows, has_header):
    """A table of the inputs alone, which `onefold predict` finds by name or by their number."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        if has_header:
            writer.writerow([column.name for column in columns])
        writer.writerows(rows)
