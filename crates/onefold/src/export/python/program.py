"""Checks an exported network on rows with known outputs: ends with 1 where one differs by more than rounding."""

import importlib.util
import pathlib
import sys

file = pathlib.Path(__file__).parent / FILE
spec = importlib.util.spec_from_file_location("network", file)
network = importlib.util.module_from_spec(spec)
spec.loader.exec_module(network)

# Of each row its values, the outputs, and the class where there is one that rounding cannot change.
CASES = ROWS
TOLERANCE = TOLERANCES


def main():
    predict, classify = network.FUNCTION, CLASSIFY
    wrong, largest = 0, 0.0
    for n, (row, outputs, expected) in enumerate(CASES):
        found = [float(y) for y in predict(row)]
        differences = [abs(y - z) for y, z in zip(found, outputs)]
        largest = max(largest, *differences)
        is_same = len(found) == len(outputs) and all(d <= t for d, t in zip(differences, TOLERANCE))
        if not is_same or (expected is not None and int(classify(row)) != expected):
            print(f"row {n}: {found} instead of {outputs}: {row}")
            wrong += 1
    print(f"{len(CASES) - wrong} of {len(CASES)} rows are right; largest difference {largest:.1e}")
    return 1 if wrong or not CASES else 0


if __name__ == "__main__":
    sys.exit(main())
