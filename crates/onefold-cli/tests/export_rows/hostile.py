"""Names that are code somewhere, in headers, classes and cells of a model: exported, compiled, run, compared."""

import datetime
import json

# Those with an end of a line cannot stand in a table, but in a model file.
COLUMNS = [
    "*/ int y; #error /*",
    '"); system("true"); ("',
    "__proto__",
    "int",
    "</script><script>alert(1)</script>",
    "=cmd()",
    "??/\n#error \\",
    "{x} ${y} `z` {{}} %s %n",
    "\\",
    "output",
    "",
]
WORDS = ["'; drop table", "\\u0022 \\x41 \\101 \\N{DASH}", "\u2028\u2029\u202e", "\"\"\" ''' \"", "*/ /* //", "two\nlines\r\n", "#{x}", "\x1b[31m"]
CLASSES = ['"""\n*/ #error', "yes\\", "\u0000"]
PLAIN_WORDS = [f"word{n}" for n in range(len(WORDS))]


def table():
    """A table with plain names: numbers, words, yes and no, dates, gaps, and a class."""
    lines = [",".join([*(f"column{n}" for n in range(len(COLUMNS))), "class"])]
    for i in range(120):
        day = datetime.date(2021, 1, 4) + datetime.timedelta(days=9 * i % 300)
        numbers = [i * (k + 3) % 17 + 0.25 * k for k in range(6)]
        cells = [*numbers, PLAIN_WORDS[i % 8], PLAIN_WORDS[i * 3 % 5], ["yes", "No"][i % 2], day.isoformat(), PLAIN_WORDS[i * 7 % 4]]
        if i % 9 == 4:
            cells[i % 11] = ""
        lines.append(",".join([*map(str, cells), f"class{(i * 5 + i // 7) % 3}"]))
    return "\n".join(lines) + "\n"


NAMES = {f"column{n}": name for n, name in enumerate(COLUMNS)}
NAMES |= dict(zip(PLAIN_WORDS, WORDS))
NAMES |= {f"class{n}": name for n, name in enumerate(CLASSES)}


def rename(value):
    """The same with hostile names."""
    if isinstance(value, dict):
        return {key: rename(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rename(one) for one in value]
    return NAMES.get(value, value) if isinstance(value, str) else value


def edit(path):
    """Puts hostile names into a model file."""
    model = rename(json.loads(path.read_text()))
    # Its columns are then found by number.
    model["table"]["header"] = False
    for column in model["table"]["inputs"]:
        kind = column["kind"].get("one-hot")
        if kind:
            order = sorted(range(len(kind["words"])), key=lambda n: kind["words"][n].encode())
            kind["words"] = [kind["words"][n] for n in order]
            kind["shares"] = [kind["shares"][n] for n in order]
    model["origin"]["data"] = "".join(COLUMNS)
    path.write_text(json.dumps(model))
