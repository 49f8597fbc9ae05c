"""The tables of docs/intervals.md, from the store of intervals.py. Standard library only.

Usage: python intervals_report.py [--store FILE] [--page FILE] [--check]

What stands between `<!-- intervals NAME -->` and `<!-- end -->` of the page is written anew; --check only compares, and ends with 1 if the page is
not what the store says.
"""

import argparse
import re
import statistics
from pathlib import Path

import tables_store

ROOT = Path(__file__).resolve().parent.parent
LEVEL = 0.9
SPLITS = 20
# As the columns of tables have them.
METHODS = {"onefold": "onefold", "mlp": "MLP, split-conformal", "boosting": "boosting, split-conformal"}


class Results:
    """What a store says, by table and method."""

    def __init__(self, path):
        self.records = tables_store.read([path])
        self.tables = sorted(self.records["table"].values(), key=lambda table: table["place"])
        names = [table["table"] for table in self.tables]
        is_complete = [all((name, method, seed) in self.records["trial"] for name in names for method in METHODS) for seed in range(SPLITS)]
        # The splits that all methods have of all tables.
        self.splits = [*is_complete, False].index(False)

    def of(self, table, method, what):
        """One number of each complete split."""
        return [self.records["trial"][table["table"], method, seed][what] for seed in range(self.splits)]

    def means(self, method, what):
        """The mean over splits of each table."""
        return [statistics.mean(values) for table in self.tables if (values := self.of(table, method, what))]


def markdown(heads, rows):
    """A table; all columns but the first are numbers."""
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def number(values, digits):
    return f"{statistics.mean(values):.{digits}f}" if values else "-"


def table_of(results, what, digits):
    heads = ["table", "rows", *METHODS.values()]
    rows = []
    for table in results.tables:
        numbers = [number(results.of(table, method, what), digits) for method in METHODS]
        rows.append([table["table"], f"{table['rows']:,}", *numbers])
    rows.append(["mean", "", *(number(results.means(method, what), digits) for method in METHODS)])
    return markdown(heads, rows)


def summary(results):
    """What the tables say, in sentences."""
    coverage, width = results.means("onefold", "coverage"), results.means("onefold", "width")
    if not coverage:
        return "There are no complete records yet.\n"
    sentences = [
        f"Over {len(coverage)} tables and {results.splits} splits of each, intervals of onefold at the level {LEVEL} contain"
        f" {statistics.mean(coverage):.3f} of the test rows in the mean, {min(coverage):.3f} to {max(coverage):.3f} by table."
    ]
    for method, name in METHODS.items():
        if method != "onefold" and len(theirs := results.means(method, "width")) == len(width):
            narrower = sum(ours < other for ours, other in zip(width, theirs, strict=True))
            ratio = statistics.geometric_mean([ours / other for ours, other in zip(width, theirs, strict=True)])
            sentences.append(
                f"They are narrower than those of {name.replace(', ', ' (')}) on {narrower} of {len(width)} tables,"
                f" {ratio:.2f} times as wide in the geometric mean."
            )
    if results.splits < SPLITS:
        sentences.append(f"Not complete: {results.splits} of {SPLITS} splits were measured, and `make compare-intervals` measures the others.")
    note = results.records["environment"].get(None)
    if note:
        versions = ", ".join(f"{name} {version}" for name, version in note["versions"].items())
        sentences.append(f"Measured with {versions}.")
    return " ".join(sentences) + "\n"


PARTS = {
    "summary": summary,
    "coverage": lambda results: table_of(results, "coverage", 3),
    "width": lambda results: table_of(results, "width", 2),
}


def written(page, results):
    """The page with its parts made anew."""

    def part(found):
        name = found.group(1)
        return f"<!-- intervals {name} -->\n{PARTS[name](results)}<!-- end -->"

    return re.sub(r"<!-- intervals (\w+) -->\n.*?<!-- end -->", part, page, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default=ROOT / "results/intervals.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/intervals.md")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    page = args.page.read_text()
    new = written(page, Results(args.store))
    if args.check and new != page:
        raise SystemExit(f"{args.page} is not what {args.store} says; make it with intervals_report.py")
    if not args.check:
        args.page.write_text(new)


if __name__ == "__main__":
    main()
