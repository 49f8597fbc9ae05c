"""Runs exported ONNX files or Python modules; programs.rs says on what, and what it wants to see."""

import importlib
import json
import os
import sys
import warnings

import numpy as np

warnings.simplefilter("error")
sys.path.insert(0, os.getcwd())
sys.dont_write_bytecode = True


def onnx(name, rows, classification):
    import onnx as onnx_package
    import onnxruntime

    model = onnx_package.load(f"{name}.onnx")
    onnx_package.checker.check_model(model, full_check=True)
    assert model.ir_version == 8 and [o.version for o in model.opset_import] == [17]
    metadata = {p.key: p.value for p in model.metadata_props}
    names = json.loads(metadata["input_names"])
    names += json.loads(metadata["class_names" if classification else "output_names"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(f"{name}.onnx", options, providers=["CPUExecutionProvider"])
    assert [i.name for i in session.get_inputs()] == ["input"]
    assert [o.name for o in session.get_outputs()] == ["output"] + ["class"] * classification
    real = {"tensor(float)": np.float32, "tensor(double)": np.float64}[session.get_inputs()[0].type]
    with np.errstate(over="ignore"):
        rows = rows.astype(real)
    for count in (0, 1, 7):
        assert len(session.run(None, {"input": rows[:count]})[0]) == count
    output, *classes = session.run(None, {"input": rows})
    return names, output, classes[0] if classification else None


def python(name, rows, classification):
    module = importlib.import_module(name)
    assert module.NAME == name
    outputs = module.predict(rows)
    one = module.predict(list(rows[0]))
    # Another routine of numpy's, which may add in another order.
    near = 100 * np.finfo(outputs.dtype).eps * np.abs(module._READOUT[0]).sum()
    assert one.shape == outputs[0].shape and np.abs(one - outputs[0]).max() <= near
    assert module.predict(rows[:0]).shape == (0, outputs.shape[1])
    for wrong in (rows[:, 1:], rows[None], 1.0, np.append(rows[0], 1.0)):
        try:
            module.predict(wrong)
        except ValueError:
            continue
        raise AssertionError("a wrong shape was accepted")
    if not classification:
        return module.INPUT_NAMES + module.OUTPUT_NAMES, outputs, None
    assert np.ndim(module.classify(rows[0])) == 0
    return module.INPUT_NAMES + module.CLASS_NAMES, outputs, module.classify(rows)


with open("list") as file:
    lines = file.read().splitlines()
for line in lines:
    name, case, inputs, outputs, classification = line.split()
    rows = np.fromfile(f"{case}.rows").reshape(-1, int(inputs))
    classification = classification == "true"
    kind = onnx if os.path.exists(f"{name}.onnx") else python
    names, result, classes = kind(name, rows, classification)
    if classes is None:
        classes = np.full(len(rows), -1)
    np.column_stack([result.astype(np.float64), classes]).tofile(f"{name}.results")
    with open(f"{name}.names", "wb") as file:
        file.write("".join(text + "\0" for text in names).encode())
