"""Tests of what tables.py keeps and of what tables_report.py makes of it: python benchmarks/tables_test.py

Those of tables and scores need scikit-learn, and are skipped without it.
"""

import contextlib
import json
import random
import statistics
import tempfile
import unittest
from pathlib import Path

import intervals_report
import tables_report
import tables_statistics
import tables_store

try:
    import numpy as np

    import tables_data
    import tables_methods
    import tables_scores
except ImportError:
    tables_data = None

TABLE = {"task": "regression", "rows": 100, "columns": 2, "classes": 0, "digest": "a"}
ENVIRONMENT = {"kind": "environment", "machine": "M", "versions": {"scikit-learn": "1", "numpy": "2"}}


def trial(method, seed, fold, score, **more):
    where = {"kind": "trial", "table": "t", "method": method, "seed": seed, "fold": fold}
    return where | {"scores": {"r2": score}, "parameters": 10, "seconds": 1.0} | more


class Statistics(unittest.TestCase):
    def test_critical_values_are_those_of_printed_tables(self):
        for freedom, printed in ((1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (24, 2.064), (100, 1.984)):
            self.assertAlmostEqual(tables_statistics.critical_value(freedom), printed, delta=5e-4)

    def test_the_corrected_test_knows_25_folds(self):
        # t = mean / (deviation sqrt(1/25 + 1/4)) with 24 degrees of freedom: the limit is 1.1115 deviations.
        random.seed(0)
        noise = [random.gauss(0, 1) for _ in range(25)]
        mean, deviation = statistics.mean(noise), statistics.stdev(noise)
        for shift, verdict in ((1.10, "tie"), (1.12, "win"), (-1.10, "tie"), (-1.12, "loss")):
            values = [(value - mean) / deviation + shift for value in noise]
            self.assertEqual(tables_statistics.verdict(values), verdict)

    def test_differences_without_spread(self):
        for value, verdict in ((0.0, "tie"), (0.1, "win"), (-0.1, "loss")):
            self.assertEqual(tables_statistics.verdict([value] * 25), verdict)
        self.assertIsNone(tables_statistics.verdict([1.0]))


class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "store.jsonl"

    def store(self):
        store = tables_store.Store(self.path)
        self.addCleanup(lambda: store.file.close())
        return store

    def test_a_run_killed_at_any_byte_is_continued(self):
        records = [ENVIRONMENT] + [trial("mlp", 0, fold, 0.5) for fold in range(3)]
        lines = [tables_store.line(record) for record in records]
        whole = b"".join(lines)
        for end in range(len(whole) + 1):
            self.path.write_bytes(whole[:end])
            with contextlib.closing(tables_store.Store(self.path).file) as file:
                kept = sum(len(b"".join(lines[: n + 1])) <= end for n in range(len(lines)))
                self.assertEqual(self.path.read_bytes(), b"".join(lines[:kept]))
                file.write(b"".join(lines[kept:]))
            self.assertEqual(self.path.read_bytes(), whole)

    def test_one_run_at_a_time(self):
        first = self.store()
        self.assertRaises(SystemExit, tables_store.Store, self.path)
        first.append(trial("mlp", 0, 0, 0.5))
        self.assertEqual(first.forget(lambda record: record["method"] == "mlp"), 1)
        self.assertRaises(SystemExit, tables_store.Store, self.path)
        first.append(trial("mlp", 0, 1, 0.5))
        self.assertEqual(list(tables_store.read([self.path])["trial"]), [("t", "mlp", 0, 1)])

    def test_a_table_that_changed_is_refused(self):
        store = self.store()
        store.note_table("t", 0, TABLE)
        store.note_table("t", 0, TABLE)
        self.assertEqual(len(self.path.read_text().splitlines()), 1)
        self.assertRaises(SystemExit, store.note_table, "t", 0, TABLE | {"digest": "b"})


class Report(unittest.TestCase):
    def results(self, ours, theirs):
        """Of 25 trials: onefold and the others, with scores by function of seed and fold."""
        records = [ENVIRONMENT, {"kind": "table", "table": "t", "place": 0} | TABLE]
        for seed in range(5):
            for fold in range(5):
                records.append(trial("onefold", seed, fold, ours(seed, fold), topology="2-1-1", build="b"))
                records += [trial(peer, seed, fold, theirs(seed, fold)) for peer in tables_report.PEERS]
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))
            file.flush()
            return tables_report.Results([file.name])

    def test_pairs_decide(self):
        """A small difference on every fold is a win or a loss, although scores vary far more between folds."""
        level = lambda seed, fold: 0.1 * seed + 0.05 * fold
        for sign, verdict, met in ((1, "win", "met"), (-1, "loss", "**not met**")):
            better = lambda seed, fold: level(seed, fold) + sign * (0.01 + 0.001 * ((seed + fold) % 3))
            results = self.results(better, level)
            self.assertEqual(results.verdict(results.tables[0], "mlp"), verdict)
            rows = tables_report.requirements(results).splitlines()[2:5]
            self.assertEqual([row.split(" | ")[3].removesuffix(" |") for row in rows], [met] * 3)

    def test_what_is_missing_is_said(self):
        results = self.results(lambda *_: 0.5, lambda *_: 0.5)
        self.assertNotIn("Not complete", tables_report.origin(results))
        del results.records["trial"]["t", "mlp", 4, 4]
        self.assertIn("1 of MLP", tables_report.origin(results))

    def test_the_page_is_what_the_store_says(self):
        text = (tables_report.ROOT / "docs/compare.md").read_text()
        results = tables_report.Results([tables_report.ROOT / "results/tables.jsonl"])
        self.assertEqual(tables_report.page(text, results), text, "run python benchmarks/tables_report.py")
        self.assertEqual(text.count("<!-- tables "), len(tables_report.PARTS))


class Intervals(unittest.TestCase):
    def test_the_page_is_what_the_store_says(self):
        text = (intervals_report.ROOT / "docs/intervals.md").read_text()
        results = intervals_report.Results(intervals_report.ROOT / "results/intervals.jsonl")
        self.assertEqual(intervals_report.written(text, results), text, "run python benchmarks/intervals_report.py")

    def test_intervals_of_onefold_contain_what_they_promise(self):
        results = intervals_report.Results(intervals_report.ROOT / "results/intervals.jsonl")
        means = results.means("onefold", "coverage")
        self.assertGreaterEqual(len(means), 10)
        self.assertTrue(0.88 <= statistics.mean(means) <= 0.93, means)


@unittest.skipIf(tables_data is None, "scikit-learn is not installed")
class TablesAndScores(unittest.TestCase):
    def test_tables_are_the_same_each_time(self):
        for name in tables_data.NAMES:
            first, second = tables_data.table(name), tables_data.table(name)
            self.assertEqual(first.description(), second.description(), name)
            self.assertTrue(np.isfinite(first.inputs).all() and np.isfinite(first.targets).all(), name)

    def test_tables_are_those_of_the_store(self):
        stored = tables_store.read([tables_report.ROOT / "results/tables.jsonl"])["table"]
        for name in tables_data.NAMES:
            self.assertEqual(stored[name,]["digest"], tables_data.table(name).description()["digest"], name)

    def test_probabilities_are_found_by_the_names_of_the_classes(self):
        row = {"target": "class1", "probability_class1": "0.75", "probability_class0": "0.25"}
        self.assertEqual(tables_methods.probabilities([row], 2).tolist(), [[0.25, 0.75]])
        self.assertIsNone(tables_methods.probabilities([{"target": "class1", "score_class0": "0", "score_class1": "1"}], 2))
        self.assertIsNone(tables_methods.probabilities([{"target": "class1"}], 2))
        row["probability_class0"] = "0.5"
        self.assertRaises(tables_methods.Failed, tables_methods.probabilities, [row], 2)

    def test_scores_of_probabilities_by_hand(self):
        # Confidence 0.8 twice, once right: |0.5 - 0.8| of two rows; confidence 0.6 right: |1 - 0.6| of one.
        found = tables_scores.of_probabilities(np.array([0, 1, 1]), np.array([[0.8, 0.2], [0.8, 0.2], [0.4, 0.6]]))
        self.assertAlmostEqual(found["calibration_error"], (2 * 0.3 + 0.4) / 3)
        self.assertAlmostEqual(found["brier"], 2 * (0.04 + 0.64 + 0.16) / 3)
        self.assertAlmostEqual(found["log_loss"], -np.log([0.8, 0.2, 0.6]).mean())


if __name__ == "__main__":
    unittest.main()
