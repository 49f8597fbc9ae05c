"""Sizes and instructions of exported C on Cortex-M0 and Cortex-M4, in floating point and in integers.

python benchmarks/cortex_m/measure.py target/release/onefold [--write]

Needs Debian's gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm. Sizes are those of a program that
classifies one row, without those of the same program without a network. Instructions are counted, not cycles: QEMU
executes them one by one and writes a line for each; that of 11 classifications minus that of one, divided by ten.
`--write` puts the table into docs/export.md.
"""

import argparse
import csv
import gzip
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
DIGITS = ROOT / "crates/onefold-cli/tests/export_rows/digits.csv.gz"
MODELS = {
    "iris 4-3-3": ["iris", "--seed", "7"],
    "digits 64-8-10": [DIGITS, "--hidden", "8", "--max-generations", "40", "--seed", "1"],
}
PROCESSORS = {
    "Cortex-M0": ("microbit", ["-mcpu=cortex-m0"]),
    "Cortex-M4": ("mps2-an386", ["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]),
}
FLAGS = ["-mthumb", "-O2", "-ffunction-sections", "-fdata-sections", "-nostartfiles", "-Wl,--gc-sections", "--specs=nosys.specs"]


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr}{done.stdout}")
    return done.stdout


def first_row(data):
    """Inputs of a row of the training data."""
    if data == "iris":
        return [6.1, 2.8, 4.7, 1.2]
    rows = csv.reader(gzip.decompress(Path(data).read_bytes()).decode().splitlines())
    names = next(rows)
    return dict(zip(names, map(float, next(rows))))


def write_row(folder, row, is_fixed):
    """row.h: the row as the network takes it; integers are computed by the header itself, on this machine."""
    header = (folder / "model.h").read_text()
    names = re.search(r"model_input_names\[\d+\] = \{(.*?)\};", header, re.S).group(1)
    names = re.findall(r'"([^"]*)"', names)
    values = list(row) if isinstance(row, list) else [row[name] for name in names]
    text = ", ".join(map(repr, values))
    if is_fixed:
        program = f"""#include <stdio.h>
#include "model.h"
int main(void) {{
    const double in[] = {{{text}}};
    int16_t out[MODEL_INPUTS];
    model_quantise(in, out);
    for (int i = 0; i < MODEL_INPUTS; i++) printf("%d, ", out[i]);
    return 0;
}}
"""
        (folder / "quantise.c").write_text(program)
        run("cc", "quantise.c", "-o", "quantise", "-lm", cwd=folder)
        text = run(folder / "quantise", cwd=folder)
    kind = "int16_t" if is_fixed else "float"
    (folder / "row.h").write_text(f"static const {kind} row[] = {{{text}}};\n")


def size(folder, flags, defines):
    """Bytes of code and constants, and of variables."""
    run("arm-none-eabi-gcc", *FLAGS, *flags, *defines, f"-I{folder}", "-T", HERE / "memory.ld", HERE / "firmware.c", "-o", "firmware.elf", "-lm", cwd=folder)
    text, data, bss = run("arm-none-eabi-size", "firmware.elf", cwd=folder).splitlines()[1].split()[:3]
    return int(text), int(data) + int(bss)


def instructions(folder, machine):
    command = ["qemu-system-arm", "-M", machine, "-nographic", "-semihosting", "-kernel", "firmware.elf"]
    single = ["-singlestep"] if "-singlestep" in run("qemu-system-arm", "-h", cwd=folder) else ["-accel", "tcg,one-insn-per-tb=on"]
    run(*command, *single, "-d", "exec,nochain", "-D", "log", cwd=folder)
    with (folder / "log").open() as log:
        return sum(line.startswith("Trace") for line in log)


def measure(binary, name, flags, folder):
    """Lines of the table for one model."""
    run(binary, "fit", *flags, "-o", "model.json", cwd=folder)
    lines = []
    for kind in ("float", "integers"):
        is_fixed = kind == "integers"
        form = "c-fixed" if is_fixed else "c"
        run(binary, "export", "model.json", "--format", form, "-o", "model.h", "--inputs", "encoded", "--allow-rounding", cwd=folder)
        write_row(folder, first_row(flags[0]), is_fixed)
        cells = []
        for machine, of_processor in PROCESSORS.values():
            defines = ["-DFIXED"] if is_fixed else []
            empty = size(folder, of_processor, ["-DREPEATS=1", "-DEMPTY"])
            code, variables = size(folder, of_processor, ["-DREPEATS=11", *defines])
            many = instructions(folder, machine)
            size(folder, of_processor, ["-DREPEATS=1", *defines])
            one = instructions(folder, machine)
            cells += [f"{code - empty[0]:,}", f"{variables - empty[1]:,}", f"{(many - one) / 10:,.0f}"]
        lines.append(f"| {name}, {kind} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    of_processors = " | ".join(f"{name}: code | variables | instructions" for name in PROCESSORS)
    lines = [f"| | {of_processors} |", "|---" * (1 + 3 * len(PROCESSORS)) + "|"]
    for name, flags in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            lines += measure(args.binary.resolve(), name, flags, Path(folder))
    table = "\n".join(lines)
    print(table)
    if args.write:
        document = ROOT / "docs/export.md"
        text = document.read_text()
        begin, end = "<!-- cortex-m -->\n", "<!-- end of cortex-m -->"
        before, rest = text.split(begin)
        document.write_text(before + begin + table + "\n" + end + rest.split(end)[1])


if __name__ == "__main__":
    main()
