"""The awkward tables of the command's tests: what pandas reads is read, or refused with all reasons."""

from pathlib import Path

import onefold
import pandas as pd
import pytest

TABLES = Path(__file__).parents[2] / "crates/onefold-cli/tests/awkward/tables"
NAMES = sorted(path.name for path in TABLES.iterdir())
# Tables that are refused, what their first problem is, and how many they have.
REFUSED = {
    "a_row_too_short.csv": ("line 22: 2 fields instead of 3", 1),
    "comma_that_may_be_either.csv": ("line 2, column area: 1,100 may have a thousands separator", 1),
    "cut_off_in_compressed_data.csv.gz": ("its gzip data is damaged or incomplete", 1),
    "dates_of_either_order.csv": ("line 3, column when: 2/6/2021 may have the day or the month first", 1),
    "dates_with_a_word_among_them.csv": ('line 19, column when: "last week" is not a date', 1),
    "everything_wrong_at_once.csv": ("line 14: 3 fields instead of 4", 5),
    "percent_signs_in_some_rows.csv": ("line 3, column share: 3% has % beside it", 1),
    "point_and_comma_mixed.csv": ("line 2, column area: 0.25 cannot be read with a decimal comma", 8),
    "title_above_the_table.csv": ("line 1: 1 line of 1 field, where those below have 3 each", 1),
    "two_columns_of_one_name.csv": ("line 1, column size: several columns have this name", 1),
    "two_currencies.csv": ("line 3, column area: $977.25 has $ beside it, and other numbers", 1),
}
# Rows that pandas does not count, because it takes the first for names, or that are names or have no target.
OTHER_ROWS = {"delimiter_named_in_the_first_line.csv": -1, "no_header.csv": 1, "gaps_in_the_target.csv": -6}


def test_the_refused_tables_are_there():
    assert len(NAMES) >= 40 and REFUSED.keys() | OTHER_ROWS.keys() <= set(NAMES)


@pytest.mark.filterwarnings("ignore::onefold.TableWarning")
@pytest.mark.parametrize("name", NAMES)
def test_what_pandas_reads_is_read_or_refused_with_all_reasons(name):
    def fit():
        return onefold.fit(TABLES / name, hidden="none+linear", decay=0.01, seed=1)

    if name in REFUSED:
        first, count = REFUSED[name]
        with pytest.raises(ValueError) as refused:
            fit()
        message = str(refused.value)
        assert first in message
        assert count == 1 or f"has {count} problems:\n" in message
        return
    frame = pd.read_csv(TABLES / name, sep=None, engine="python", dtype=str, keep_default_na=False)
    metrics = fit().metrics
    assert metrics["train"]["rows"] + metrics["test"]["rows"] == len(frame) + OTHER_ROWS.get(name, 0)
