"""Checks an exported network on rows with known outputs: ends with 1 where one differs by more than rounding.

Needs numpy and onnxruntime.
"""

import json
import pathlib
import sys

import numpy as np
import onnxruntime

# Of each row its values, the outputs, and the class where there is one that rounding cannot change.
CASES = ROWS
TOLERANCE = TOLERANCES
REALS = {"tensor(float)": np.float32, "tensor(double)": np.float64}


def feed(session, row):
    """The inputs of the graph: one for each column, or all numbers in one."""
    inputs = {one.name: one.type for one in session.get_inputs()}
    columns = session.get_modelmeta().custom_metadata_map.get("columns")
    if columns is None:
        return {"input": np.array([row], REALS[inputs["input"]])}
    values = {}
    for column in json.loads(columns):
        value, kind = row[column["name"]], inputs[column["input"]]
        if kind == "tensor(string)":
            values[column["input"]] = np.array([["" if value is None else value]], object)
        else:
            values[column["input"]] = np.array([[np.nan if value is None else value]], REALS[kind])
    return values


def main():
    session = onnxruntime.InferenceSession(pathlib.Path(__file__).parent / FILE)
    names = [output.name for output in session.get_outputs()]
    wrong, largest = 0, 0.0
    for n, (row, outputs, expected) in enumerate(CASES):
        found = dict(zip(names, session.run(names, feed(session, row))))
        differences = np.abs(found["output"][0].astype(float) - outputs)
        largest = max(largest, differences.max())
        is_same = len(differences) == len(outputs) and (differences <= TOLERANCE).all()
        if not is_same or (expected is not None and found["class"][0] != expected):
            print(f"row {n}: {found['output'][0]} instead of {outputs}: {row}")
            wrong += 1
    print(f"{len(CASES) - wrong} of {len(CASES)} rows are right; largest difference {largest:.1e}")
    return 1 if wrong or not CASES else 0


if __name__ == "__main__":
    sys.exit(main())
