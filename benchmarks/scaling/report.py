"""Writes the tables of docs/scaling.md and its figure from results/scaling.json.

python -m benchmarks.scaling.report [--check]
"""

import json
import re
import sys

from . import figure, runs

DOCUMENT = runs.ROOT / "docs" / "scaling.md"
FIGURE = runs.ROOT / "docs" / "scaling.svg"
RESULTS = runs.ROOT / "results" / "scaling.json"
NAMES = {"local": "local processes", "pool": "`ProcessPoolExecutor`", "dask": "Dask", "ray": "Ray"}


def main() -> int:
    """Writes both; with --check, 1 if they differ from what would be written."""
    results = json.loads(RESULTS.read_text())
    text = with_tables(DOCUMENT.read_text(), results)
    drawing = figure.draw(results["simulation"]) if "simulation" in results else ""
    if "--check" in sys.argv:
        is_same = text == DOCUMENT.read_text() and (not drawing or drawing == FIGURE.read_text())
        return int(not is_same)
    DOCUMENT.write_text(text)
    if drawing:
        FIGURE.write_text(drawing)
    return 0


def with_tables(text: str, results: dict) -> str:
    """The document with its tables made anew."""
    for name, make in TABLES.items():
        if name in results:
            block = f"<!-- scaling {name} -->\n{make(results[name])}<!-- end -->"
            pattern = rf"<!-- scaling {name} -->\n.*?<!-- end -->"
            text = re.sub(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
    machine = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    return re.sub(r"(?<=<!-- machine -->)[^\n]*", lambda _: machine, text)


def table(head: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def records(rows: list[dict]) -> str:
    found = [
        [row["campaign"], NAMES.get(row["where"], row["where"]), row["trials"], f"`{row['digest']}`"]
        for row in rows
    ]
    return table(["campaign", "run by", "trials", "digest of the records"], found)


def chaos(rows: list[dict]) -> str:
    found = []
    for engine in dict.fromkeys(row["engine"] for row in rows):
        of_engine = [row for row in rows if row["engine"] == engine]
        sums = [sum(row[name] for row in of_engine) for name in ("workers_killed", "lost", "doubled", "blamed")]
        kinds = [row["killed"] for row in of_engine]
        same = sum(row["is_same"] for row in of_engine)
        found.append(
            [NAMES[engine], len(of_engine), sums[0], kinds.count("head"), kinds.count("driver"), *sums[1:], same]
        )
    head = ["engine", "rounds", "workers killed", "heads", "drivers", "lost", "doubled", "blamed", "rounds with the same records"]
    return table(head, found)


def overhead(rows: list[dict]) -> str:
    found = [
        [
            NAMES[row["engine"]],
            f"{row['trials']:,}",
            row["task_trials"],
            row["seconds"],
            row["trial_milliseconds"],
            row["overhead_milliseconds"],
            row["driver_milliseconds"],
            row["driver_megabytes"],
        ]
        for row in rows
    ]
    head = ["engine", "trials", "trials in a task", "seconds", "ms of a trial", "ms of overhead"]
    head += ["ms of the driver", "driver's MB"]
    return table(head, found)


def speedup(rows: list[dict]) -> str:
    found = [[NAMES[row["engine"]], row["trials"], row["one"], row["two"], row["ratio"]] for row in rows]
    return table(["engine", "trials of `sinc/*`", "seconds, one worker", "two workers", "ratio"], found)


def simulation(rows: list[dict]) -> str:
    found: dict[int, dict[str, str]] = {}
    for row in rows:
        name = f"{row['what']}{'' if row['times'] == 1 else ', ' + str(row['times']) + ' times'}"
        found.setdefault(row["workers"], {})[name] = f"{row['seconds']:,.0f} s"
    names = list(dict.fromkeys(name for row in found.values() for name in row))
    lines = [[f"{workers:,}", *(row.get(name, "") for name in names)] for workers, row in sorted(found.items())]
    return table(["workers", *names], lines)


TABLES = {
    "records": records,
    "chaos": chaos,
    "overhead": overhead,
    "speedup": speedup,
    "simulation": simulation,
}


if __name__ == "__main__":
    sys.exit(main())
