"""Networks of integers beside those of floating point: accuracy on iris and digits, and the bound that is stated.

python fixed.py --binary target/release/onefold

digits.csv.gz are the 1,797 test images of "Optical Recognition of Handwritten Digits" (Alpaydin and Kaynak, UCI
Machine Learning Repository, CC BY 4.0), as scikit-learn has them.
"""

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

import check
import numpy as np
import programs
import tables

HERE = Path(__file__).parent
IRIS = ["--hidden", "3", "--seed", "7"]
DIGITS = ["--hidden", "8", "--max-generations", "40", "--seed", "1"]


class Whole(check.Case):
    """A model of a table, and all rows of that table."""

    def __init__(self, binary, path, folder, flags):
        self.binary, self.folder, self.name, self.file = binary, folder, "model", folder / "model.json"
        self.has_intervals = False
        self.onefold("fit", path, "-o", self.file, *flags)
        cells = tables.read_table(path)
        names, rows = cells[0], cells[1:]
        self.truth = [row[-1] for row in rows]
        model = json.loads(self.file.read_text())
        self.classes = model["output_names"]
        self.columns = [tables.Column(column, model["table"]["missing"], []) for column in model["table"]["inputs"]]
        place = {name: n for n, name in enumerate(names)}
        self.typed = [{c.name: c.typed(row[place[c.name]]) for c in self.columns} for row in rows]

    def outputs(self, form):
        flags = ["--format", form, *([] if form == "c-fixed" else ["--precision", "double"])]
        said = self.onefold("export", self.file, "-o", "model.h", *flags, "--name", self.name).decode()
        self.stated = float(re.search(r"by up to ([0-9.e-]+)", said).group(1))
        return programs.c(self, "double")

    def accuracy(self, outputs):
        return float(np.mean([self.classes[n] == name for n, name in zip(outputs.argmax(axis=1), self.truth)]))


def iris(binary, folder):
    """The built-in set as a table."""
    text = subprocess.run([binary, "datasets", "iris", "--csv"], capture_output=True, text=True, check=True).stdout
    path = folder / "iris.csv"
    path.write_text("sepal length,sepal width,petal length,petal width,class\n" + text)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    binary = parser.parse_args().binary.resolve()
    for name, flags in (("iris", IRIS), ("digits", DIGITS)):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            path = iris(binary, folder) if name == "iris" else HERE / "digits.csv.gz"
            case = Whole(binary, path, folder, flags)
            programs.write_binary(case)
            exact = case.outputs("c")
            fixed = case.outputs("c-fixed")
            accuracies = [case.accuracy(exact), case.accuracy(fixed)]
            difference = np.abs(exact - fixed).max()
            print(
                f"{name:7} accuracy {accuracies[0]:.4f} in double, {accuracies[1]:.4f} in integers;"
                f" largest difference of an output {difference:.1e}, stated {case.stated:.1e}"
            )
            assert abs(accuracies[0] - accuracies[1]) <= 0.01, "the accuracy is another one"
            assert difference <= case.stated, "an output differs by more than is stated"


if __name__ == "__main__":
    main()
