"""What `onefold fit`, with nothing else said, selects where the target is independent of the inputs.

Usage: python noise.py [--binary ONEFOLD] [--seeds 20]

Each seed is another table of 100 to 400 rows and 2 to 10 normal inputs: seeds that are even have two to four classes, the others numbers.
The right result is the constant answer; the linear model is as good as that. Prints a line for each seed and how many were right.
"""

import argparse
import csv
import json
import random
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def table(seed):
    """Rows of independent inputs and target."""
    rng = random.Random(seed)
    rows, inputs, classes = rng.randint(100, 400), rng.randint(2, 10), rng.randint(2, 4)
    target = (lambda: f"class{rng.randrange(classes)}") if seed % 2 == 0 else (lambda: repr(rng.gauss(0, 1)))
    return [[*(repr(rng.gauss(0, 1)) for _ in range(inputs)), target()] for _ in range(rows)]


def fitted(binary, rows, folder):
    """The answer of `fit --json`."""
    with open(Path(folder) / "noise.csv", "w", newline="") as file:
        csv.writer(file).writerows([[f"x{i}" for i in range(len(rows[0]) - 1)] + ["target"], *rows])
    command = [binary, "fit", "noise.csv", "--seed", "1", "--json", "--output", "noise.json"]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target/release/onefold")
    parser.add_argument("--seeds", type=int, default=20)
    args = parser.parse_args()
    binary = str(Path(args.binary).resolve())
    right = 0
    for seed in range(args.seeds):
        rows = table(seed)
        with tempfile.TemporaryDirectory() as folder:
            answer = fitted(binary, rows, folder)
        # Without hidden layers: the inputs are used by the linear part alone, or not at all.
        layers = answer["topology"].removesuffix("+linear").split("-")
        is_right = len(layers) == 2
        right += is_right
        print(f"seed {seed:2}  {len(rows)} x {len(rows[0]) - 1}  {answer['topology']:16} {answer['choice']['reason']}", flush=True)
    print(f"constant or linear in {right} of {args.seeds}")


if __name__ == "__main__":
    main()
