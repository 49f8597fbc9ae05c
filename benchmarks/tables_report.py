"""The tables of docs/compare.md, from the store of tables.py. Standard library only.

Usage: python tables_report.py [--store FILE ...] [--page FILE] [--check]

What stands between `<!-- tables NAME -->` and `<!-- end -->` of the page is written anew; --check only compares, and ends with 1 if the page
is not what the store says. Several stores are read as one; of the same trial, the last counts.
"""

import argparse
import re
import statistics
from collections import Counter
from pathlib import Path

import tables_store
from tables_statistics import corrected_error, standard_error, verdict

ROOT = Path(__file__).resolve().parent.parent
TRIALS = 25  # of each method on each table: 5 folds, 5 seeds

# As the columns of tables have them.
TITLES = {
    "constant": "constant",
    "linear": "linear",
    "mlp": "MLP",
    "tuned-mlp": "tuned MLP",
    "boosting": "boosting",
    "onefold": "onefold",
}
OURS = "onefold"
PEERS = [method for method in TITLES if method != OURS]
BASELINES = ["constant", "linear", "mlp"]
NETWORKS = ["onefold", "mlp", "tuned-mlp"]


class Results:
    """What the stores say, by table and method."""

    def __init__(self, paths):
        self.records = tables_store.read(paths)
        self.tables = sorted(self.records["table"].values(), key=lambda table: table["place"])

    def of(self, kind, table, method):
        """The trials or times of a method on a table, by seed and fold."""
        chosen = self.records[kind].items()
        return {key[2:]: record for key, record in chosen if key[:2] == (table["table"], method)}

    def scores(self, table, method, score=None):
        """One score of each trial, by default the one that the table is judged by; empty if any trial lacks it."""
        score = score or ("accuracy" if table["task"] == "classification" else "r2")
        trials = self.of("trial", table, method)
        is_whole = all(score in trial["scores"] for trial in trials.values())
        return {key: trials[key]["scores"][score] for key in sorted(trials)} if is_whole else {}

    def differences(self, table, peer):
        """Ours minus theirs, on the folds that both have."""
        ours, theirs = self.scores(table, OURS), self.scores(table, peer)
        return [ours[key] - theirs[key] for key in ours if key in theirs]

    def verdict(self, table, peer):
        return verdict(self.differences(table, peer))

    def parameters(self, table, method):
        trials = self.of("trial", table, method).values()
        return statistics.mean(trial["parameters"] for trial in trials) if trials else None

    def seconds(self, table, method):
        return [record["seconds"] for record in self.of("time", table, method).values()]


def markdown(heads, rows):
    """A table; all columns but the first are numbers."""
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def mean_and_error(scores):
    values = list(scores.values())
    if len(values) < 2:
        return "-"
    return f"{statistics.mean(values):.4f} ± {standard_error(values):.4f}"


def origin(results):
    """Versions, machine, and what is missing."""
    environment = results.records["environment"][None]
    versions = environment["versions"]
    made = f"scikit-learn {versions['scikit-learn']}, numpy {versions['numpy']}"
    text = f"{len(results.tables)} tables, {made}. Seconds on {environment['machine']}.\n"
    missing = Counter()
    for table in results.tables:
        for method, title in TITLES.items():
            missing[title] += TRIALS - len(results.of("trial", table, method))
    if missing := {title: count for title, count in missing.items() if count}:
        counts = ", ".join(f"{count:,} of {title}" for title, count in missing.items())
        text += f"**Not complete**: there are trials to come, {counts}.\n"
    builds = {record["build"] for kind in ("trial", "time") for record in results.records[kind].values() if "build" in record}
    if len(builds) > 1:
        text += f"**Not one build**: the trials of onefold are of {len(builds)} builds.\n"
    return text


def scores(results, task):
    """Scores of all methods; beside those of others, whether onefold wins or loses."""
    rows = []
    for table in results.tables:
        if table["task"] != task:
            continue
        cells = []
        for method in TITLES:
            found = results.verdict(table, method) if method != OURS else None
            mark = f" {found}" if found in ("win", "loss") else ""
            cells.append(mean_and_error(results.scores(table, method)) + mark)
        classes = f", {table['classes']} classes" if table["classes"] else ""
        rows.append([f"{table['table']} ({table['rows']} x {table['columns']}{classes})", *cells])
    return markdown(["table", *TITLES.values()], rows)


def probabilities(results):
    """What the accuracy does not show: the mean log loss, and in brackets the macro F1."""
    rows = []
    for table in results.tables:
        if table["task"] != "classification":
            continue
        cells = []
        for method in TITLES:
            loss, f1 = (results.scores(table, method, score).values() for score in ("log_loss", "macro_f1"))
            of_loss = f"{statistics.mean(loss):.3f}" if loss else "-"
            of_f1 = f" ({statistics.mean(f1):.3f})" if f1 else ""
            cells.append(of_loss + of_f1)
        rows.append([table["table"], *cells])
    return markdown(["table", *TITLES.values()], rows)


def sizes(results):
    """What onefold selected, and what networks cost."""
    rows = []
    for table in results.tables:
        topologies = Counter(trial["topology"] for trial in results.of("trial", table, OURS).values())
        most = ", ".join(f"{name} ({count})" for name, count in sorted(topologies.items(), key=lambda n: (-n[1], n[0]))[:3])
        cells = [table["table"], most or "-"]
        for method in NETWORKS:
            mean = results.parameters(table, method)
            cells.append("-" if mean is None else f"{mean:,.0f}")
        for method in NETWORKS:
            seconds = results.seconds(table, method)
            cells.append(f"{statistics.mean(seconds):.2f}" if seconds else "-")
        rows.append(cells)
    heads = [f"parameters: {TITLES[method]}" for method in NETWORKS] + [f"seconds: {TITLES[method]}" for method in NETWORKS]
    return markdown(["table", "selected most often", *heads], rows)


def by_verdict(results, peer):
    """The names of the tables, by verdict."""
    named = {"win": [], "tie": [], "loss": []}
    for table in results.tables:
        if found := results.verdict(table, peer):
            named[found].append(table["table"])
    return named


def wins(results):
    rows = []
    for peer in PEERS:
        named = by_verdict(results, peer)
        rows.append([TITLES[peer], *(str(len(of_kind)) for of_kind in named.values()), ", ".join(named["loss"]) or "-"])
    return markdown(["onefold against", "wins", "ties", "losses", "lost"], rows)


def worse_than_baselines(results, error):
    """The tables where the best of the baselines, by its mean, is better beyond two errors, and how many were compared."""
    worse, compared = [], 0
    for table in results.tables:
        found = {method: results.scores(table, method).values() for method in BASELINES}
        if not all(found.values()):
            continue
        best = max(BASELINES, key=lambda method: statistics.mean(found[method]))
        differences = results.differences(table, best)
        if len(differences) < 2:
            continue
        compared += 1
        mean, of_mean = statistics.mean(differences), error(differences)
        if mean < -2 * of_mean:
            worse.append(f"{table['table']} ({TITLES[best]}, by {-mean:.4f} ± {of_mean:.4f})")
    return worse, compared


def requirements(results):
    """A row for each: what, measured, wanted, whether it is met."""
    rows = []

    def add(what, measured, wanted, is_met):
        rows.append([what, measured, wanted, "met" if is_met else "**not met**"])

    for error, kind in ((standard_error, "plain"), (corrected_error, "corrected")):
        worse, compared = worse_than_baselines(results, error)
        if compared:
            what = f"tables worse than the best of constant, linear and MLP beyond two standard errors, {kind}"
            add(what, ", ".join(worse) or f"none of {compared}", "none", not worse)
    named = by_verdict(results, "tuned-mlp")
    won, tied, lost = (len(of_kind) for of_kind in named.values())
    if won + tied + lost:
        add("wins and losses against the tuned MLP", f"{won} and {lost}", "as many wins as losses", won >= lost)
    pairs = [[results.parameters(table, method) for method in ("mlp", OURS)] for table in results.tables]
    ratios = [theirs / ours for theirs, ours in pairs if theirs and ours]
    if ratios:
        median = statistics.median(ratios)
        add("parameters of the MLP for each of onefold, median over tables", f"{median:.1f}", "at least 5", median >= 5)
    timed = [(seconds, table["table"]) for table in results.tables for seconds in results.seconds(table, OURS)]
    if timed:
        longest, name = max(timed)
        add("longest seconds of one choice", f"{longest:.1f} ({name})", "at most 60", longest <= 60)
    for name, least in (("digits", 0.95), ("parity-8", 0.97), ("two-spirals", 0.75)):
        add_score(add, results, name, "accuracy", least)
    for theirs in trials_of(results, "rare-class", "mlp", "macro_f1"):
        add_score(add, results, "rare-class", "macro_f1", theirs - 0.02)
    add_probabilities(add, results)
    return markdown(["requirement", "measured", "wanted", ""], rows) if rows else "Nothing is measured yet.\n"


def trials_of(results, name, method, score):
    """The mean of a score, as a list of one, or of none if it was not measured."""
    of_name = [table for table in results.tables if table["table"] == name]
    values = [results.scores(table, method, score).values() for table in of_name]
    return [statistics.mean(of_table) for of_table in values if of_table]


def add_score(add, results, name, score, least):
    for mean in trials_of(results, name, OURS, score):
        title = {"accuracy": "accuracy", "macro_f1": "macro F1"}[score]
        add(f"{title} on {name}", f"{mean:.4f}", f"at least {least:.4f}", mean >= least)


def add_probabilities(add, results):
    """Log loss and Brier score of classifications as multiples of the MLP's, on the folds that both have, and the calibration error."""
    for score, title in (("log_loss", "log loss"), ("brier", "Brier score")):
        ratios = []
        for table in results.tables:
            ours, theirs = (results.scores(table, method, score) for method in (OURS, "mlp"))
            common = ours.keys() & theirs.keys()
            if common:
                ratios.append((sum(ours[fold] for fold in common) / sum(theirs[fold] for fold in common), table["table"]))
        if ratios:
            median, (most, name) = statistics.median(ratio for ratio, _ in ratios), max(ratios)
            add(f"{title}, as a multiple of the MLP's, median over {len(ratios)} tables", f"{median:.3f}", "at most 1", median <= 1)
            add(f"{title}, as a multiple of the MLP's, largest", f"{most:.3f} ({name})", "at most 1.1", most <= 1.1)
    errors = [results.scores(table, OURS, "calibration_error").values() for table in results.tables]
    if means := [statistics.mean(of_table) for of_table in errors if of_table]:
        median = statistics.median(means)
        add("expected calibration error, median over tables", f"{median:.3f}", "at most 0.05", median <= 0.05)


PARTS = {
    "origin": origin,
    "requirements": requirements,
    "wins": wins,
    "classifications": lambda results: scores(results, "classification"),
    "regressions": lambda results: scores(results, "regression"),
    "probabilities": probabilities,
    "sizes": sizes,
}


def page(text, results):
    """A page with its tables as the results have them."""
    marked = re.compile(r"(<!-- tables ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
    return marked.sub(lambda found: found[1] + PARTS[found[2]](results) + found[3], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", nargs="+", default=[ROOT / "results/tables.jsonl"])
    parser.add_argument("--page", type=Path, default=ROOT / "docs/compare.md")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text = args.page.read_text()
    expected = page(text, Results(args.store))
    if not args.check:
        args.page.write_text(expected)
    elif text != expected:
        raise SystemExit(f"{args.page} is not what the store says: run python benchmarks/tables_report.py")


if __name__ == "__main__":
    main()
