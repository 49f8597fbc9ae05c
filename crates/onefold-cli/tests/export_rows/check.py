"""Exports models of awkward tables to every format, and compares them with `onefold predict` on raw columns.

python check.py --binary target/release/onefold --tables crates/onefold-cli/tests/awkward/tables --rows 10000

Rows are drawn from each table: cells of it, others like them, unseen words, missing values. Prints the largest
difference for each format, in units of the largest output where that is above 1, and fails where it is more than
the rounding of the format's precision allows.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import hostile
import numpy as np
import programs
import tables

# Largest difference that is rounding: sums of up to some hundred terms, in units of the largest output.
LEVEL = "0.8"
LIMITS = {"float": 2e-4, "double": 1e-11}
FORMATS = {
    "python": "double",
    "javascript": "double",
    "c": "float",
    "c, double": "double",
    "rust": "float",
    "rust, double": "double",
    "onnx": "float",
    "onnx, double": "double",
}


class Case:
    """A model of a table, rows, and the answers of `onefold predict`."""

    # Whether exported models may have no answer to a row.
    may_refuse = False

    def __init__(self, binary, path, folder, count, flags, is_hostile=False):
        self.binary, self.folder = binary, folder
        self.name = "model"
        self.file = folder / "model.json"
        self.refusal = None
        fit = [binary, "fit", path, "--seed", "1", "-o", self.file, *flags]
        done = subprocess.run(fit, capture_output=True, text=True)
        if done.returncode != 0:
            self.refusal = done.stderr.strip().splitlines()[0]
            return
        table = tables.read_table(path)
        if is_hostile:
            hostile.edit(self.file)
            # Cells with an end of a line cannot stand in a table.
            table = [[cell for cell in hostile.rename(row)] for row in table[1:]]
            table = [row for row in table if not any("\n" in cell for cell in row)]
        model = json.loads(self.file.read_text())
        self.columns, rows = tables.draw_rows(model, table, count, seed=path.stem)
        tables.write_rows(folder / "rows.csv", self.columns, rows, model["table"]["header"])
        names = [column.name for column in self.columns]
        self.typed = [
            dict(zip(names, [column.typed(cell) for column, cell in zip(self.columns, row)])) for row in rows
        ]
        header = [] if model["table"]["header"] else ["--header", "no"]
        # Each output with the ends of its interval behind it, where the model has intervals.
        self.has_intervals = model.get("intervals") is not None
        flags = [*header, *(["--interval", LEVEL] if self.has_intervals else [])]
        answers = self.onefold("predict", self.file, folder / "rows.csv", *flags)
        lines = list(csv.reader(answers.decode().splitlines()))[1:]
        width = len(model["output_names"]) * (3 if self.has_intervals else 1)
        self.answers = np.array([[float(cell) for cell in line[-width:]] for line in lines])
        assert self.answers.shape == (count, width)

    def onefold(self, *args):
        return programs.run(self.binary, *args, cwd=self.folder)

    def export(self, ending, precision):
        path = f"{self.name}.{ending}"
        flags = [] if ending == "mjs" else ["--precision", precision]
        flags += ["--interval", LEVEL] if self.has_intervals else []
        self.onefold("export", self.file, "-o", path, *flags, "--allow-rounding", "--name", self.name)

    def check_tests(self):
        """The programs of `--with-tests` agree with their files, and not with those of another model."""
        other = self.folder / "other.json"
        model = json.loads(self.file.read_text())
        # Of one output alone: probabilities depend on differences of scores.
        model["readout"][0][0] += 1.0
        other.write_text(json.dumps(model))
        for ending, run in programs.TESTS.items():
            form = ["--format", "c-fixed"] if ending == "fixed.h" else []
            path = f"tested.{ending.split('.')[-1]}"
            flags = [*form, "-o", path, "--allow-rounding", "--name", "tested"]
            self.onefold("export", self.file, *flags, "--with-tests")
            output = run(self.folder)
            assert "rows are right" in output, output
            self.onefold("export", other, *flags)
            try:
                run(self.folder)
            except programs.Failed:
                continue
            raise AssertionError(f"the program for {path} does not see that the network is another one")

    def difference(self, kind):
        """The largest difference of a format to `onefold predict`."""
        precision = FORMATS[kind]
        if kind == "python":
            self.export("py", precision)
            found = programs.python(self)
        elif kind == "javascript":
            self.export("mjs", precision)
            found = programs.javascript(self)
        elif kind.startswith("c"):
            self.export("h", precision)
            found = programs.c(self, precision)
        elif kind.startswith("onnx"):
            self.export("py", "double")
            self.export("onnx", precision)
            found = programs.onnx(self)
        else:
            self.export("rs", precision)
            found = programs.rust(self)
        assert found.shape == self.answers.shape, (found.shape, self.answers.shape)
        assert np.isfinite(found).all()
        return np.abs(found - self.answers).max() / max(1.0, np.abs(self.answers).max())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", help="names of tables, separated by commas")
    parser.add_argument("--formats", default=";".join(FORMATS))
    parser.add_argument("--hostile", action="store_true", help="a table of its own, with names that are code somewhere")
    parser.add_argument("--with-tests", action="store_true", help="try the programs that check exported files, too")
    parser.add_argument("--write", type=Path, help="a document whose table is written anew")
    args = parser.parse_args()
    if args.hostile:
        own = tempfile.TemporaryDirectory()
        args.tables = Path(own.name)
        (args.tables / "hostile.csv").write_text(hostile.table())
    paths = sorted(path for path in args.tables.iterdir() if not args.only or path.name.split(".")[0] in args.only.split(","))
    worst = {kind: (0.0, "") for kind in args.formats.split(";")}
    used, refused, with_intervals = 0, [], 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            flags = ["--hidden", "2", "--linear-part", "--max-generations", "3", "--decay", "0.01", "--folds", "3"]
            case = Case(args.binary.resolve(), path.resolve(), Path(folder), args.rows, flags, args.hostile)
            if case.refusal:
                refused.append(path.name)
                continue
            used += 1
            with_intervals += case.has_intervals
            programs.write_binary(case)
            for kind in worst:
                try:
                    difference = case.difference(kind)
                except Exception as e:
                    raise AssertionError(f"{path.name}, {kind}: {e}") from e
                worst[kind] = max(worst[kind], (float(difference), path.stem))
            if args.with_tests:
                case.check_tests()
    if used == 0:
        sys.exit("no table was tried")
    print(
        f"{used} tables of {args.rows} rows each, {with_intervals} with prediction intervals;"
        f" {len(refused)} that `onefold fit` refuses"
    )
    lines = ["| format | largest difference | table |", "|---|---|---|"]
    lines += [f"| {kind} | {difference:.1e} | {table.replace('_', ' ')} |" for kind, (difference, table) in worst.items()]
    print("\n".join(lines))
    if args.write:
        text = args.write.read_text()
        begin, end = "<!-- export-rows -->\n", "<!-- end of export-rows -->"
        before, rest = text.split(begin)
        args.write.write_text(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])
    too_much = [kind for kind, (difference, _) in worst.items() if not difference <= LIMITS[FORMATS[kind]]]
    if too_much:
        sys.exit(f"more than rounding: {', '.join(too_much)}")


if __name__ == "__main__":
    main()
