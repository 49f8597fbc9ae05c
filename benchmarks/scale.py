"""Small and large tables: onefold beside what users of scikit-learn pick, in one run: test error, seconds, memory, threads.

Usage: python scale.py ONEFOLD [--only CASES] [--again] [--small] [--json FILE] [--folder FOLDER] [--limit SECONDS]

ONEFOLD is the built command. Every fit is a process of its own that reads its training rows and its test rows from CSV files. Seconds of
onefold are those of the whole process; seconds of scikit-learn begin before pandas reads the file and end when the test rows are predicted,
so that its imports, which the results name apart, do not count. Memory is the peak of the process, libraries included. Both sides may use
all cores of this process, and take turns. Cases, which --only selects by names with commas between:

  digits       scikit-learn's digits, ten stratified splits
  friedman     make_friedman1 with noise 1, 10^6 rows of 10 columns, and 200,000 rows to test
  classes      make_classification, 200,000 rows of 10 columns, and 40,000 rows to test, three tables
  ten-million  make_friedman1 again, 10^7 rows, onefold only
  grid         make_friedman1, one of rows, columns and neurons varied; single cells by names such as 100000x10x8

Results are written after each case. A case that the file already has of the same command is skipped, unless --again is given. A fit of the grid
that takes longer than the limit is ended and counts as "more than". --small divides numbers of rows by 100 and writes to a file of its own: to try the script.
Generated tables stay in the folder, which is in the system's folder for temporary files by default; all of them take 1.3 GB.
"""

import argparse
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

# Nothing large may be imported here: the peak of memory of a process begins with that of the one that starts it, some 20 MiB.

HERE = Path(__file__).resolve().parent
CORES = len(os.sched_getaffinity(0))
MIB = 2**20
LONGEST = 600.0  # seconds of any fit outside of the grid, which has the limit of the command line

# The grid: rows, columns, neurons; one of them varied at a time.
CELLS = [(rows, 10, 8) for rows in (10**3, 10**4, 10**5, 10**6, 10**7)]
CELLS += [(10**4, columns, 8) for columns in (2, 100, 1000)]  # 10 is above
CELLS += [(10**5, 10, neurons) for neurons in (2, 16, 64)]  # 8 is above
# Layers and decay for make_classification were found on the table of seed 0, which is not among these.
CLASSES_SEEDS = (1, 2, 3)
# Beyond this only onefold with all threads and the floors: the networks of scikit-learn would not end within the limit.
MOST_ROWS_OF_ALL = 10**6


class Failed(Exception):
    """A process that ended with an error."""


class Bench:
    """Starts processes and measures them."""

    def __init__(self, args):
        self.command = str(Path(args.onefold).resolve())
        self.folder = Path(args.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.limit = args.limit
        self.divisor = 100 if args.small else 1

    def data(self, kind, rows, test_rows, columns, seed=0):
        """The files with training and test rows, made if they are not there yet."""
        rows, test_rows = (max(n // self.divisor, 200) for n in (rows, test_rows))
        sizes = {"train": rows, "test": test_rows}
        files = [self.folder / f"{kind}-{seed}-{part}-{rows}-{n}x{columns}.csv" for part, n in sizes.items()]
        if not all(file.exists() for file in files):
            parts = [file.with_suffix(".part") for file in files]
            numbers = [str(n) for n in (rows, test_rows, columns, seed)]
            subprocess.run([sys.executable, HERE / "scale_data.py", kind, *numbers, *parts], check=True)
            for part, file in zip(parts, files):
                part.rename(file)
        return files

    def process(self, args, limit):
        """What a process prints as JSON, with its seconds and its peak of memory; only these two beyond the limit."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
            started = time.perf_counter()
            child = subprocess.Popen(args, stdout=output, stderr=messages, cwd=self.folder)
            killer = threading.Timer(limit, child.kill)
            killer.start()
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - started
            is_over = not killer.is_alive()
            killer.cancel()
            measured = {
                "seconds": seconds,
                "memory_mib": usage.ru_maxrss * 1024 / MIB,
                "cpu_seconds": usage.ru_utime + usage.ru_stime,
            }
            if is_over:
                return measured | {"over_limit": True}
            if status != 0:
                messages.seek(0)
                raise Failed(f"{messages.read().decode()}\nthis command failed: {' '.join(map(str, args))}")
            output.seek(0)
            return measured | {"answer": json.load(output)}

    def onefold(self, files, *options, limit=LONGEST):
        args = [self.command, "fit", files[0], "--test", files[1], "--json", *map(str, options)]
        run = self.process(args, limit)
        answer = run.pop("answer", None)
        if answer:
            kind = "error" if answer["test_accuracy"] is None else "accuracy"
            run[kind] = answer["test_mse"] if kind == "error" else answer["test_accuracy"]
        return run

    def peer(self, name, files, neurons=0, seed=0, limit=LONGEST):
        args = [sys.executable, HERE / "scale_peers.py", name, *files, str(neurons), str(seed)]
        run = self.process(args, limit)
        return run | run.pop("answer", {})


def summary(runs):
    """Of the runs of one method: means of scores and seconds, the most memory."""
    mean = lambda key: statistics.mean(run[key] for run in runs)
    made = {"runs": len(runs), "seconds": mean("seconds"), "cpu_seconds": mean("cpu_seconds")}
    made["memory_mib"] = max(run["memory_mib"] for run in runs)
    if any("over_limit" in run for run in runs):
        return made | {"over_limit": True}
    return made | {key: mean(key) for key in ("error", "accuracy", "import_seconds") if key in runs[0]}


def at_most(what, value, limit):
    return {"what": what, "value": value, "wanted": "at most", "limit": limit, "met": value <= limit}


def at_least(what, value, limit):
    return {"what": what, "value": value, "wanted": "at least", "limit": limit, "met": value >= limit}


def beside_mlp(bench, tables, options):
    """Runs of onefold and of MLPClassifier on tables in turn, a list of their seeds and files; the floors on the first one only."""
    runs = {"onefold": [], "MLPClassifier": []}
    for seed, files in tables:
        runs["onefold"].append(bench.onefold(files, *options, "--seed", seed))
        runs["MLPClassifier"].append(bench.peer("MLPClassifier", files, seed=seed))
    for name in ("HistGradientBoostingClassifier", "LogisticRegression"):
        runs[name] = [bench.peer(name, tables[0][1])]
    return {name: summary(of_name) for name, of_name in runs.items()}


def share_of_seconds(methods, limit):
    share = methods["onefold"]["seconds"] / methods["MLPClassifier"]["seconds"]
    return at_most("share of the seconds of MLPClassifier", share, limit)


def digits(bench):
    """Sixteen neurons beside a hundred, ten splits."""
    tables = [(seed, bench.data("digits", 0, 0, 64, seed)) for seed in range(10)]
    methods = beside_mlp(bench, tables, ["--hidden", 16, "--decay", "1e-3"])
    return {
        "data": "digits: 1437 x 64, ten splits",
        "command": "onefold fit TRAIN --test TEST --hidden 16 --decay 1e-3 --seed S",
        "methods": methods,
        "checks": [
            at_least("mean test accuracy of ten seeds", methods["onefold"]["accuracy"], 0.965),
            share_of_seconds(methods, 1 / 5),
        ],
    }


def friedman(bench):
    """Eight neurons beside a hundred on a million rows."""
    files = bench.data("friedman", 10**6, 200_000, 10)
    first = bench.onefold(files, "--hidden", 8, "--seed", 0)
    other = bench.peer("MLPRegressor", files)
    ours = [first] + [bench.onefold(files, "--hidden", 8, "--seed", seed) for seed in (1, 2)]
    methods = {"onefold": summary(ours), "MLPRegressor": summary([other])}
    numbers_mib = 1_200_000 // bench.divisor * 11 * 8 / MIB
    share = methods["onefold"]["seconds"] / other["seconds"]
    return {
        "data": "friedman1, noise 1: 1,000,000 x 10",
        "command": "onefold fit TRAIN --test TEST --hidden 8 --seed S",
        "methods": methods,
        "checks": [
            at_most("largest test error of three seeds", max(run.get("error", float("inf")) for run in ours), 1.02),
            at_most("share of the seconds of MLPRegressor", share, 1 / 4),
            at_most("peak memory in multiples of all numbers, 8 bytes each", methods["onefold"]["memory_mib"] / numbers_mib, 2.0),
        ],
    }


def classes(bench):
    """Twice twenty neurons beside a hundred, three tables."""
    files = [bench.data("classes", 200_000, 40_000, 10, seed) for seed in CLASSES_SEEDS]
    methods = beside_mlp(bench, [(0, of_table) for of_table in files], ["--hidden", "20-20", "--decay", "1e-6"])
    limit = methods["MLPClassifier"]["accuracy"]
    return {
        "data": "make_classification: 200,000 x 10, three tables",
        "command": "onefold fit TRAIN --test TEST --hidden 20-20 --decay 1e-6 --seed 0",
        "methods": methods,
        "checks": [
            at_least("mean test accuracy, beside MLPClassifier's", methods["onefold"]["accuracy"], limit),
            share_of_seconds(methods, 1 / 2),
        ],
    }


def ten_million(bench):
    """A table that is large beside the memory of a small machine."""
    files = bench.data("friedman", 10**7, 200_000, 10)
    ours = summary([bench.onefold(files, "--hidden", 8, "--seed", 0)])
    return {
        "data": "friedman1, noise 1: 10,000,000 x 10",
        "command": "onefold fit TRAIN --test TEST --hidden 8 --seed 0",
        "methods": {"onefold": ours},
        "checks": [at_most("peak memory in GiB", ours["memory_mib"] / 1024, 3.0)],
    }


def cell(bench, rows, columns, neurons):
    """One point of the figure."""
    test_rows = min(max(rows // 5, 2000 * bench.divisor), 200_000)
    files = bench.data("friedman", rows, test_rows, columns)
    methods = {}
    is_for_all = rows <= MOST_ROWS_OF_ALL
    for threads in sorted({1, CORES} if is_for_all else {CORES}):
        plural = "s" if threads > 1 else ""
        options = ["--hidden", neurons, "--seed", 0, "--threads", threads]
        methods[f"onefold, {threads} thread{plural}"] = summary([bench.onefold(files, *options, limit=bench.limit)])
    networks = ("MLPRegressor adam", "MLPRegressor lbfgs") if is_for_all else ()
    for name in (*networks, "HistGradientBoosting", "LinearRegression"):
        methods[name] = summary([bench.peer(name, files, neurons, limit=bench.limit)])
    return {"rows": rows, "columns": columns, "neurons": neurons, "methods": methods}


def cases():
    """All cases by name, with the part of the results that they belong to."""
    runs = {"digits": digits, "friedman": friedman, "classes": classes, "ten-million": ten_million}
    named = {name: ("cases", run) for name, run in runs.items()}
    for rows, columns, neurons in CELLS:
        run = lambda bench, size=(rows, columns, neurons): cell(bench, *size)
        named[f"{rows}x{columns}x{neurons}"] = ("grid", run)
    return named


def machine():
    """The processor's name, its cores and its memory."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{names[0] if names else platform.machine()}, {CORES} cores, {memory:.0f} GiB"


def rounded(value):
    """Five digits are more than a measurement has."""
    if isinstance(value, dict):
        return {key: rounded(of_key) for key, of_key in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def load(path):
    """Results so far, unless they are of another machine."""
    results = {"machine": machine(), "command": "make compare-scale"}
    results["versions"] = {name: version(name) for name in ("scikit-learn", "numpy", "pandas")}
    results["versions"]["python"] = platform.python_version()
    older = json.loads(path.read_text()) if path.exists() else {}
    is_same = older.get("machine") == results["machine"] and older.get("versions") == results["versions"]
    return results | {part: older.get(part, {}) if is_same else {} for part in ("cases", "grid")}


def show(case, made):
    """The results of a case as text."""
    print(case)
    for method, row in made["methods"].items():
        score = row.get("accuracy", row.get("error", "-"))
        over = "more than " if "over_limit" in row else ""
        print(f"  {method:32} {score:>9}  {over}{row['seconds']:.2f} s  {row['memory_mib']:,.0f} MiB")
    for check in made.get("checks", []):
        met = "met" if check["met"] else "NOT met"
        print(f"  {check['what']}: {check['value']}, wanted {check['wanted']} {check['limit']:.4g}: {met}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold")
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--folder", default=Path(tempfile.gettempdir()) / "onefold-scale")
    parser.add_argument("--limit", type=float, default=60.0)
    args = parser.parse_args()
    bench = Bench(args)
    place = args.json or (bench.folder / "small.json" if args.small else HERE.parent / "results" / "scale.json")
    name = subprocess.run([bench.command, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    with open(bench.command, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    results = load(place)
    named = cases()
    chosen = args.only.split(",") if args.only else list(named)
    if unknown := set(chosen) - set(named) - {"grid"}:
        parser.error(f"there is no case {', '.join(sorted(unknown))}; the cases are grid, {', '.join(named)}")
    failures = []
    for case, (part, run) in named.items():
        is_known = results[part].get(case, {}).get("binary") == digest and not args.again
        if is_known or not (case in chosen or part in chosen):
            continue
        try:
            made = rounded({"onefold": name, "binary": digest, "limit_seconds": args.limit} | run(bench))
        except Failed as failure:
            failures.append(case)
            print(f"{case} failed: {failure}", file=sys.stderr)
            continue
        results[part][case] = made
        # As the list of cases has them, whatever was measured first.
        ordered = results | {p: {c: results[p][c] for c in named if c in results[p]} for p in ("cases", "grid")}
        place.write_text(json.dumps(ordered, indent=1) + "\n")
        show(case, made)
    if failures:
        raise SystemExit(f"these cases failed and have no new results: {', '.join(failures)}")


if __name__ == "__main__":
    main()
