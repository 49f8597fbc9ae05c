"""Names and cells with control characters, formulas, and pieces of other languages."""

import ast
import re

from ..case import RAW
from ..tables import random_table
from ..verify import parse

HOSTILE = [
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\x07b", "back\x08\x08", "\x9b31m", "line\u2028sep", "\u202eabc", "\u2066x\u2069", "del\x7f", "cr\rcr",
    "two\nlines", "tab\tin", "=cmd|' /C calc'!A0", "=1+1", "+1+cmd", "-2+3+cmd", "@SUM(A1)", "=HYPERLINK(\"http://x\")", "\\input{/etc/passwd}", "*/ #include <x> /*",
    "<script>alert(1)</script>", "'; touch PWNED; '", '"""\nopen("PWNED","w")\n"""', "${PWNED}`x`", "%s%n%x", "\\u0022", "\\", "'", '"', "a" * 300, "\u200b", "?\ufeff?",
]
FORMULA = re.compile(r"^[\s]*[=+\-@\t\r]")
EXPORTS = {"c": "m.h", "rust": "m.rs", "javascript": "m.mjs", "python": "m.py", "onnx": "m.onnx"}


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def hostile_table(rng):
    table = random_table(rng, rows=rng.randint(10, 60), missing=False, extreme=False)
    table.quoting, table.line_end, table.has_header, table.bom = 1, "\n", True, False
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(table.kinds))
        if rng.random() < 0.5 or table.kinds[at] in ("number", "target"):
            name = rng.choice(HOSTILE)
            if name not in table.names:
                table.names[at] = name
        else:
            old, new = rng.choice(table.rows)[at], rng.choice(HOSTILE)
            for row in table.rows:
                row[at] = new if row[at] == old else row[at]
    return table


def no_raw(case, what, text):
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    raw = RAW.search(text)
    case.check(f"no control characters in {what}", raw is None, lambda: repr(text[max(0, raw.start() - 80) : raw.end() + 40]))


def hostile_names(case):
    rng = case.rng
    table = hostile_table(rng)
    case.write("d.csv", table.text())
    data = "d.csv"
    if rng.random() < 0.2:
        data = rng.choice(["d\x1b[31m.csv", "d\u202e.csv", "=d.csv", "d\n.csv"])
        case.write(data, table.text())
    ids = ["--id-column", rng.choice(table.inputs) + 1] if len(table.inputs) > 1 and rng.random() < 0.4 else []
    short = ["--test-fraction", 0, "--hidden", 2, "--max-evaluations", 200, "--seed", 1, "-o", "m.json"]
    result = case.run("fit", data, *table.flags(), *ids, *short, outputs=["m.json"])
    case.draws.append("accepted" if result.code == 0 else "refused")
    if case.model("m.json") is None:
        return
    case.run("show", "m.json")
    case.run("evaluate", "m.json", data, *table.flags()[:4])
    answer = case.run("predict", "m.json", data, *table.flags()[:4], is_data=True)
    if answer.code == 0:
        cells = [cell for line in parse(answer.out) for cell in line]
        bad = [cell for cell in cells if FORMULA.match(cell) and not is_number(cell)]
        case.check("no formulas in answers", not bad, lambda: f"{bad[:3]!r}")
        case.check("predict answers every row", len(parse(answer.out)) == len(table.rows) + 1, lambda: f"{len(parse(answer.out)) - 1} for {len(table.rows)}")
        control = [cell for cell in cells if RAW.search(cell.replace("\n", ""))]
        case.check("no control characters in answers", not control, lambda: f"{control[:3]!r}")
    # A wrong argument and a wrong cell, so that names stand in messages.
    table.rows[0][table.inputs[0]] = rng.choice(HOSTILE)
    case.write("bad.csv", table.text())
    case.run("evaluate", "m.json", "bad.csv", *table.flags()[:4])
    case.run("fit", data, "--target-column", rng.choice(HOSTILE), *short, outputs=["m.json"])
    format, file = rng.choice(list(EXPORTS.items()))
    exported = case.run("export", "m.json", "-o", file, outputs=[file], is_data=False)
    if exported.code == 0 and format != "onnx":
        text = (case.work / file).read_text(errors="replace")
        no_raw(case, "exported code", text)
        if format == "python":
            try:
                exec(compile(ast.parse(text), file, "exec"), {})
                works = True
            except Exception as error:  # whatever it is, the module does not work
                works = False
                text = repr(error)
            case.check("exported Python works", works, lambda: text)
    case.check("no name was executed", not list(case.work.glob("**/PWNED*")))


def hostile_campaign(case):
    """Names in a campaign reach LaTeX, HTML, CSV and the terminal."""
    rng = case.rng
    quote = lambda text: '"' + "".join(c if c.isalnum() else f"\\u{ord(c):04x}" if ord(c) < 65536 else c for c in text) + '"'
    key = rng.choice(["table", "name", "note"])
    text = f'name = "mine"\nruns = 2\n\n[[cell]]\ndata = "sinc"\nhidden = "2"\nmethod = "de-sb"\nmax_evaluations = 300\n'
    text += f"{key} = {quote(rng.choice(HOSTILE))}\n"
    case.write("c.toml", text)
    made = case.start("reproduce", "--campaign", "c.toml", "--store", "s", "--threads", 1).result()
    case.check_end(made)
    if made.code != 0:
        return
    for ending in rng.sample(["tex", "html", "csv", "md", "txt"], 3):
        report = case.run("report", "s", "-o", f"r.{ending}", outputs=[f"r.{ending}"])
        if report.code == 0:
            made = (case.work / f"r.{ending}").read_text(errors="replace")
            no_raw(case, "reports", made)
            if ending == "tex":
                case.check("LaTeX is escaped", "\\input" not in made, lambda: made[:300])
            if ending == "html":
                case.check("HTML is escaped", "<script>alert" not in made, lambda: made[:300])
            if ending == "csv":
                bad = [cell for line in parse(made.encode()) for cell in line if FORMULA.match(cell) and not is_number(cell)]
                case.check("no formulas in answers", not bad, lambda: f"{bad[:3]!r}")


KINDS = {
    "hostile names": (12, hostile_names),
    "hostile campaigns": (2, hostile_campaign),
}
