"""Random tables, as text and as numbers."""

import csv
import io
import math

NAMES = ["a", "b", "size", "höhe", "x y", "Temp. (°C)", "naïve", "col#1", "p/q", "price, net", 'say "hi"', "z_9", "日本", "E", "tail "]
WORDS = ["red", "blue", "green", "Käse", "two words", "x,y", "semi;colon", 'qu"ote', "α", "none of these", "b|c", "UPPER", "tab\there"]
DELIMITERS = {",": ",", ";": ";", "tab": "\t", "|": "|"}


def number_text(rng, value):
    """A way to write a number."""
    style = rng.randrange(8)
    if style == 0:
        return f"{value:.17g}"
    if style == 1:
        return f"{value:.6e}"
    if style == 2 and 1e-4 < abs(value) < 1e15:
        return f"{value:.4f}"
    if style == 3 and value >= 0:
        return f"+{value!r}"
    if style == 4:
        return f"{value:.3g}"
    return repr(value)


class Table:
    """Cells by row; `kinds` says for each column whether it has numbers, words, classes or a regression's target."""

    def __init__(self, names, kinds, rows, delimiter, has_header):
        self.names, self.kinds, self.rows = names, kinds, rows
        self.delimiter, self.has_header = delimiter, has_header
        self.line_end, self.quoting, self.bom = "\n", csv.QUOTE_MINIMAL, False

    @property
    def targets(self):
        return [i for i, kind in enumerate(self.kinds) if kind in ("target", "class")]

    @property
    def inputs(self):
        return [i for i, kind in enumerate(self.kinds) if kind in ("number", "word")]

    def text(self, rows=None, without=()):
        """The file, or one of other rows, or one without some columns."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=DELIMITERS[self.delimiter], lineterminator=self.line_end, quoting=self.quoting)
        keep = [i for i in range(len(self.kinds)) if i not in without]
        if self.has_header:
            writer.writerow([self.names[i] for i in keep])
        for row in self.rows if rows is None else rows:
            cells = [row[i] for i in keep]
            if cells == [""]:  # an empty line would be no row
                out.write('""' + self.line_end)
            else:
                writer.writerow(cells)
        return ("\ufeff" if self.bom else "") + out.getvalue()

    def flags(self):
        """Arguments that say how the table is to be read."""
        targets = ",".join(str(i + 1) for i in self.targets)
        task = "classification" if "class" in self.kinds else "regression"
        return ["--delimiter", self.delimiter, "--header", "yes" if self.has_header else "no", "--target-column", targets, "--task", task]


def size_of(rng):
    """A scale: mostly ordinary, sometimes near the ends of what a float can be."""
    return 10.0 ** (rng.uniform(-4, 4) if rng.random() < 0.7 else rng.uniform(-150, 150) if rng.random() < 0.7 else rng.uniform(-300, 300))


def offset_of(rng, scale):
    kind = rng.randrange(6)
    if kind < 3:
        return 0.0
    if kind == 3:
        return 1.7e9 * rng.random()  # a time
    return scale * 10.0 ** rng.uniform(0, 17) * rng.choice([-1, 1])


def finite(value):
    return value if math.isfinite(value) else math.copysign(1e308, value if value == value else 1)


def random_table(rng, rows=None, missing=True, words=True, classes=None, extreme=True):
    """A table whose targets depend on its inputs."""
    rows = rows or max(5, int(5 * 600 ** (rng.random() ** 2)))
    width = rng.randint(1, 5)
    kinds = ["word" if words and rng.random() < 0.25 else "number" for _ in range(width)]
    is_class = rng.random() < 0.35 if classes is None else classes
    count = 1 if is_class or rng.random() < 0.8 else 2
    kinds += ["class" if is_class else "target"] * count
    if rng.random() < 0.3:
        first = kinds.pop()
        kinds.insert(0, first)
    names = rng.sample(NAMES, len(kinds))
    size, offset = (size_of, offset_of) if extreme else (lambda r: 10.0 ** r.uniform(-2, 2), lambda r, s: 0.0)
    scales = [size(rng) for _ in kinds]
    offsets = [offset(rng, scale) for scale in scales]
    vocabularies = [rng.sample(WORDS, rng.randint(2, 5)) for _ in kinds]
    labels = rng.sample(WORDS, rng.randint(2, 4))
    share = rng.choice([0.0, 0.0, 0.02, 0.2]) if missing else 0.0
    noise = rng.choice([0.0, 0.01, 0.3, 1.0])
    cells, made = [], 0
    for _ in range(rows):
        row, signal = [], 0.0
        drawn = {}
        for i, kind in enumerate(kinds):
            if kind == "number":
                z = rng.gauss(0, 1)
                drawn[i] = number_text(rng, finite(offsets[i] + scales[i] * z))
                signal += math.sin(z + i)
            elif kind == "word":
                drawn[i] = rng.choice(vocabularies[i])
                signal += vocabularies[i].index(drawn[i]) - 1
        for i, kind in enumerate(kinds):
            if kind == "target":
                row.append(number_text(rng, finite(offsets[i] + scales[i] * (signal + noise * rng.gauss(0, 1)))))
            elif kind == "class":
                # Every class occurs, for as long as there are rows.
                label = labels[made] if made < len(labels) else labels[int(abs(signal + noise * rng.gauss(0, 1)) * 1.3) % len(labels)]
                row.append(label)
            else:
                row.append(rng.choice(["", "?", "NA", "nan"]) if rng.random() < share and made >= 4 else drawn[i])
        made += 1
        cells.append(row)
    table = Table(names, kinds, cells, rng.choice(list(DELIMITERS)), rng.random() < 0.7)
    table.line_end = rng.choice(["\n", "\n", "\r\n"])
    table.quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    table.bom = rng.random() < 0.1
    return table
