"""No row is lost and no cell misread: headers, stray cells, quotes, words that training did not have."""

import json
import re

from ..network import Network
from ..tables import random_table
from ..verify import Truth, average_encoding, check_predictions, parse, verify

STRAY = ["None", "#N/A", "-", "1.5%", "\u22123.5", "n.a.", "1,5", "--", "1 000", "1e", "0x1F", "inf", "unknown", "$3", "1.2.3", "12:30", "#REF!", "~5", "<0.1", "1/2"]
SHORT = ["--test-fraction", 0, "--hidden", 2, "--max-evaluations", 300, "--seed", 1, "-o", "m.json"]


def numeric(rng, rows, names):
    """A plain table of numbers, separated by commas."""
    lines = [[repr(round(rng.uniform(-9, 9), 3)) for _ in names] for _ in range(rows)]
    return names, lines


def file_of(names, lines):
    return "".join(",".join(cells) + "\n" for cells in ([names] if names else []) + lines)


def stray_cell(case):
    """One cell of a column of numbers is no number: refused, or said aloud."""
    rng = case.rng
    names, lines = numeric(rng, rng.randint(10, 200), ["a", "b", "y"])
    column, cell = rng.randrange(3), rng.choice(STRAY)
    row = rng.randrange(2, len(lines))
    lines[row][column] = f'"{cell}"' if "," in cell else cell
    case.write("d.csv", file_of(names, lines))
    result = case.run("fit", "d.csv", *SHORT, outputs=["m.json"])
    said = result.text + result.out.decode("utf-8", "replace")
    # A mark of a missing value is filled in, or its row left out, which the report counts.
    told = cell in said or "\\u{2212}" in said or "\n  missing " in said
    case.check("a stray cell is refused, or told", result.code == 2 or (result.code == 0 and told), lambda: f"{cell!r} in column {column + 1}: exit code {result.code}, {result.out[:300]}")
    if result.code == 0:
        case.draws.append("stray cell accepted")


def odd_header(case):
    """Headers with numbers, a year for a name, an empty name, or none at all."""
    rng = case.rng
    kind = rng.choice(["years", "one word", "empty name", "none", "dates", "quoted numbers"])
    names = {
        "years": ["id", "2020", "2021", "y"],
        "one word": ["1", "2", "3", "y"],
        "empty name": ["", "a", "b", "y"],
        "none": [],
        "dates": ["2020-01", "2020-02", "2020-03", "y"],
        "quoted numbers": ['"a 1"', '"2"', '"3"', '"y"'],
    }[kind]
    _, lines = numeric(rng, rng.randint(8, 80), ["a", "b", "c", "d"])
    case.write("d.csv", file_of(names, lines))
    result = case.run("fit", "d.csv", *SHORT, outputs=["m.json"])
    if result.code != 0:
        case.check("an odd header is refused with a reason", result.code == 2, lambda: result.text[-300:])
        return
    text = case.model("m.json")
    file = json.loads(text)
    said = result.out.decode("utf-8", "replace").splitlines()[0]
    is_right = file["table"]["header"] == bool(names) and f" {len(lines)} rows" in said and not file["classification"] and len(file["table"]["inputs"]) == 3
    case.check("a header is a header and a row is a row", is_right, lambda: f"{kind}: {said}")
    answer = case.run("predict", "m.json", "d.csv", is_data=True)
    count = len(parse(answer.out)) - 1
    case.check("predict answers every row", answer.code == 0 and count == len(lines), lambda: f"{kind}: {count} answers for {len(lines)} rows, {answer.text[-300:]}")


def words_without_header(case):
    """A model trained without a header; rows to be predicted may be words alone, or look like a header."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(12, 60), missing=False, extreme=False)
    table.has_header, table.delimiter, table.bom = False, ",", False
    case.write("d.csv", table.text())
    result = case.run("fit", "d.csv", *table.flags(), *SHORT, outputs=["m.json"])
    text = case.model("m.json") if result.code == 0 else None
    if text is None:
        return
    network = Network(text)
    rows = [rng.choice(table.rows) for _ in range(rng.randint(1, 12))]
    whole = rng.random() < 0.5
    case.write("new.csv", table.text(rows, without=() if whole else table.targets))
    # A delimiter inside a cell can be taken for the table's, unless it is said.
    is_plain = not any(mark in cell for row in rows for cell in row for mark in ",;|\t")
    flags = [] if is_plain and rng.random() < 0.5 else ["--delimiter", ","]
    answer = case.run("predict", "m.json", "new.csv", *flags, is_data=True)
    if answer.code == 0:
        check_predictions(case, Truth(network, table, rows), answer.out)
    else:
        case.check("rows that cannot be understood are refused", answer.code == 2 and not flags, lambda: answer.text[-300:])


def broken_quotes(case):
    """Quotes that do not enclose a whole cell."""
    rng = case.rng
    names, lines = numeric(rng, rng.randint(6, 40), ["a", "b", "y"])
    row, column = rng.randrange(len(lines)), rng.randrange(3)
    cell = rng.choice(['"2"3', '2"3"', '"2""3', '"2" 3', '1"', '"', '"1"2"', '""5'])
    lines[row][column] = cell
    case.write("d.csv", file_of(names, lines))
    result = case.run("fit", "d.csv", *SHORT, outputs=["m.json"])
    case.check("a broken quote is refused", result.code == 2, lambda: f"{cell} in row {row + 1}: exit code {result.code}")


def ragged_rows(case):
    """A row with too few or too many cells, bytes that are not text, a lone carriage return."""
    rng = case.rng
    names, lines = numeric(rng, rng.randint(6, 40), ["a", "b", "y"])
    row = rng.randrange(1, len(lines))
    kind = rng.choice(["short", "long", "not text", "nul"])
    if kind == "short":
        lines[row] = lines[row][:-1]
    elif kind == "long":
        lines[row].append("5")
    data = file_of(names, lines).encode()
    at = data.index(b"\n", len(data) // 2)
    if kind == "not text":
        data = data[:at] + b"\xff\xfe" + data[at:]
    elif kind == "nul":
        data = data[:at] + b"\x00" + data[at:]
    case.write("d.csv", data)
    result = case.run("fit", "d.csv", *SHORT, outputs=["m.json"])
    case.check("a damaged row is refused", result.code == 2, lambda: f"{kind} in row {row + 1}: exit code {result.code}")


def unknown_words(case):
    """Words that training did not have count as the average of those it had, and the row is marked."""
    rng = case.rng
    while True:
        table = random_table(rng, rows=rng.randint(12, 150), missing=False, extreme=False, classes=rng.random() < 0.3)
        if "word" in table.kinds:
            break
    case.write("d.csv", table.text())
    categories = rng.choice(["one-hot", "ordinal"])
    scaling = rng.choice(["standard", "standard", "min-max", "none"])
    flags = [*table.flags(), "--categories", categories, "--scaling", scaling, *SHORT]
    result = case.run("fit", "d.csv", *flags, outputs=["m.json"])
    text = case.model("m.json") if result.code == 0 else None
    if text is None:
        return
    network = Network(text)
    used = {c["number"] - 1: c["name"] for c in network.file["table"]["inputs"] if "number" not in c["kind"]}
    if not used:
        return
    rows, marks = [], []
    for _ in range(rng.randint(1, 20)):
        row, strange = list(rng.choice(table.rows)), []
        for at, name in used.items():
            if rng.random() < 0.4:
                row[at] = rng.choice(["never seen", "Ω", "RED", "x1", "reds"])
                strange.append(f"{name}={row[at]}")
        rows.append(row)
        marks.append("; ".join(strange))
    case.write("new.csv", table.text(rows))
    answer = case.run("predict", "m.json", "new.csv", *table.flags()[:4], "--mark-unknown", is_data=True)
    if not case.check("unknown words do not end predict", answer.code == 0, lambda: answer.text[-300:]):
        return
    truth = Truth(network, table, rows, average_encoding(table, network, table.rows))
    # Standard error lists the lines of the file with such words; no cell here has a line end.
    expected = [i + 1 + table.has_header for i, mark in enumerate(marks) if mark]
    told = re.search(r"\(lines? ([0-9, ]+)\)", " ".join(answer.text.split()))
    named = [int(line) for line in told[1].split(",")] if told else []
    case.check("standard error names the lines with unknown words", named == expected, lambda: f"{expected}: {answer.text[-300:]}")
    lines = parse(answer.out)
    if case.check("predict answers every row", len(lines) == len(rows) + 1, lambda: f"{len(lines) - 1} for {len(rows)}"):
        check_predictions(case, truth, answer.out)
        found = [cells[-1] for cells in lines]
        wrong = [pair for pair in zip(found, ["unknown", *marks]) if pair[0] != pair[1]]
        case.check("exactly the unknown words of each row are marked", not wrong, lambda: f"found and expected: {wrong[:3]}")


def detected(case):
    """Delimiter and header are detected where they are plain; every row is there."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(6, 100), missing=False, words=False, classes=False, extreme=False)
    case.write("d.csv", table.text())
    targets = ["--target-column", ",".join(str(i + 1) for i in table.targets)]
    result = case.run("fit", "d.csv", *targets, *SHORT, outputs=["m.json"])
    if not case.check("a plain table is read without flags", result.code == 0, lambda: result.text[-300:]):
        return
    file = json.loads((case.work / "m.json").read_text())
    case.check("a header is a header and a row is a row", file["table"]["header"] == table.has_header and not file["classification"], lambda: str(table.names))
    verify(case, table, "d.csv")


KINDS = {
    "stray cells": (5, stray_cell),
    "odd headers": (4, odd_header),
    "words without a header": (4, words_without_header),
    "broken quotes": (2, broken_quotes),
    "damaged rows": (2, ragged_rows),
    "unknown words": (5, unknown_words),
    "tables without flags": (3, detected),
}
