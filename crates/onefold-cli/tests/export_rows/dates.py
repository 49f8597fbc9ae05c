"""Texts that are dates, nearly dates or none: exported models read them alike, and as `onefold predict` does.

python dates.py --binary target/release/onefold
"""

import argparse
import datetime
import random
import tempfile
from pathlib import Path

import check
import numpy as np
import programs
import tables

TABLES = Path(__file__).parent.parent / "awkward/tables"
FLAGS = ["--hidden", "none", "--linear-part", "--decay", "0.01"]
FORMS = [
    *tables.FORMS["day-first"],
    *tables.FORMS["month-first"],
    *tables.CLOCKS,
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y/%m/%d %I:%M%p -0330",
    "%d-%b-%y",
    "%b. %dst %Y",
    "%B %dth, %Y 12:30",
    "%B %Y",
    "%d.%m.%y",
    "%Y.%m.%d",
    "%Y-%m-%dT%H:%M:%S,%fZ",
    "%Y-%m-%d_%H:%M UTC",
    "%dSept%Y",
]


def texts(count):
    """Dates in many forms, some of them with characters inserted, replaced or left out."""
    rng = random.Random(7)
    for _ in range(count):
        when = datetime.datetime(1, 1, 1) + datetime.timedelta(seconds=rng.randrange(3000 * 365 * 86400))
        text = when.strftime(rng.choice(FORMS))
        for _ in range(rng.choice([0, 0, 0, 1, 2, 3])):
            place, character = rng.randrange(len(text) + 1), rng.choice("0123456789 -/.,:TtZ+_apmsthJan\tx")
            end = place + rng.choice([0, 1])
            text = text[:place] + (character if rng.random() < 0.7 else "") + text[end:]
        yield text


class Dates(check.Case):
    """A model of a table with dates, and rows in which only the date differs."""

    may_refuse = True

    def __init__(self, binary, path, folder, count):
        super().__init__(binary, path, folder, 1, FLAGS)
        row = self.typed[0]
        self.date = next(column.name for column in self.columns if column.kind == "date")
        self.typed = [row | {self.date: text} for text in texts(count)]

    def predicted(self, rows):
        """What `onefold predict` answers to rows that no export refuses."""
        cells = [[row[column.name] for column in self.columns] for row in rows]
        tables.write_rows(self.folder / "rows.csv", self.columns, cells, has_header=True)
        lines = self.onefold("predict", self.file, "rows.csv").decode().splitlines()[1:]
        return np.array([float(line) for line in lines])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    binary = parser.parse_args().binary.resolve()
    for name in ("american_dates", "british_dates", "times_of_day"):
        with tempfile.TemporaryDirectory() as folder:
            case = Dates(binary, TABLES / f"{name}.csv", Path(folder), 5000)
            programs.write_binary(case)
            for ending in ("py", "mjs", "h", "rs"):
                case.export(ending, "double")
            found = [programs.python(case), programs.javascript(case), programs.c(case, "double"), programs.rust(case)]
            refused = np.isnan(found[0].ravel())
            for other in found[1:]:
                assert (np.isnan(other.ravel()) == refused).all(), f"{name}: a text is a date in one language alone"
            answers = case.predicted([row for row, is_refused in zip(case.typed, refused) if not is_refused])
            largest = max(np.abs(other.ravel()[~refused] - answers).max() for other in found)
            print(f"{name}: {np.sum(~refused)} of {len(refused)} texts are read, largest difference {largest:.1e}")
            assert 100 < np.sum(~refused) < 4900 and largest <= 1e-9 * np.abs(answers).max()


if __name__ == "__main__":
    main()
