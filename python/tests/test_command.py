"""The same file, options and seed give the same bytes as the command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onefold
import pytest

BINARY = Path(os.environ.get("ONEFOLD_BINARY", Path(__file__).parents[2] / "target/debug/onefold"))
pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="cargo build makes the command")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(4)
    file = tmp_path_factory.mktemp("table") / "plants.csv"
    lines = ["height,soil,kind"]
    for _ in range(60):
        height, soil = rng.uniform(1, 5), rng.choice(["sand", "clay"])
        lines.append(f"{height!s},{soil},{'oak' if height + 2 * (soil == 'clay') > 4 else 'elm'}")
    file.write_text("\n".join(lines) + "\n")
    return file


def command(table, *flags):
    output = table.with_name("model.json")
    subprocess.run([BINARY, "fit", table, "-o", output, *flags], check=True, capture_output=True)
    return output.read_text()


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--hidden", "2", "--decay", "1e-3"], {"hidden": 2, "decay": 1e-3}),
        (["--hidden", "2"], {"hidden": 2}),
        (["--target-column", "height", "--hidden", "3"], {"target_column": "height", "hidden": 3}),
        (
            ["--hidden", "1", "--method", "de-sb", "--decay", "0", "--max-evaluations", "4000"],
            {"hidden": 1, "method": "de-sb", "decay": 0, "max_evaluations": 4000},
        ),
        (["--test-fraction", "0.4", "--target", "0.1"], {"test_fraction": 0.4, "target": 0.1}),
        (
            [
                "--hidden",
                "2",
                "--weight-column",
                "height",
                "--class-weight",
                "oak=2,elm=1",
                "--merge-duplicates",
            ],
            {
                "hidden": 2,
                "weight_column": "height",
                "class_weight": {"oak": 2, "elm": 1},
                "merge_duplicates": True,
            },
        ),
    ],
)
def test_models_are_the_same_bytes(table, flags, options):
    assert onefold.fit(table, seed=7, **options).to_json() == command(table, "--seed", "7", *flags)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_estimators_have_the_same_weights(waves, tmp_path, is_weighted):
    X, y = waves
    file = tmp_path / "waves.csv"
    weights = np.arange(len(y)) % 4 if is_weighted else np.ones(len(y), dtype=int)
    values = zip(weights.tolist(), X.tolist(), y.tolist(), strict=True)
    rows = [",".join(map(str, [weight, *row, target])) for weight, row, target in values]
    file.write_text("w,a,b,y\n" + "\n".join(rows) + "\n")
    flags = ["--weight-column", "w", "--merge-duplicates"] if is_weighted else ["--ignore-column", "w"]
    text = command(file, "--seed", "7", "--hidden", "2", "--test-fraction", "0", *flags)
    model = onefold.Model.from_json(text)
    fitted = onefold.OnefoldRegressor(2, random_state=7).fit(X, y, weights if is_weighted else None)
    assert (fitted.predict(X) == model.predict(X)).all()
    for part in ('"hidden": [', '"readout": [', '"metrics": {'):
        place, other = text.index(part), fitted.model_.to_json().index(part)
        length = text[place:].index("]" if "[" in part else "}")
        assert text[place:][:length] == fitted.model_.to_json()[other:][:length]


CAMPAIGN = """
name = "small"
runs = 4

[[cell]]
data = "iris"
hidden = "3"
method = "de-sb"
"""


def test_a_campaign_on_workers_leaves_the_records_of_the_command(tmp_path):
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    call = [BINARY, "reproduce", "--campaign", "small.toml", "--format", "csv", "--store"]
    there = [*call, "there", "--on", "local", "--python", sys.executable, "--threads", "2"]
    printed = subprocess.run(there, cwd=tmp_path, capture_output=True, text=True)
    assert printed.returncode == 0 and "iris/4-3-3/de-sb" in printed.stdout, printed.stderr
    subprocess.run([*call, "here"], cwd=tmp_path, check=True, capture_output=True)
    stores = [onefold._onefold.read_store(str(tmp_path / name)) for name in ("here", "there")]
    here, there = [[{**json.loads(line), "seconds": 0} for line in store] for store in stores]
    assert len(here) == 4 and here == there


def test_tuning_on_an_engine_is_the_same(tmp_path):
    call = [BINARY, "tune", "syn5/1-3-1/cma-es", "--runs", "10", "--from", "20", "--to", "60"]
    flags = {"here": [], "there": ["--on", "local", "--python", sys.executable, "--threads", "2"]}
    printed = {}
    for name, more in flags.items():
        done = subprocess.run([*call, "--store", name, *more], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and "selected" in done.stdout, done.stderr
        printed[name] = done.stdout
    assert printed["here"] == printed["there"]
    stores = [onefold._onefold.read_store(str(tmp_path / name)) for name in flags]
    here, there = [[{**json.loads(line), "seconds": 0} for line in store] for store in stores]
    assert len(here) > 10 and here == there
    # The function finds the trials in the store, and runs none.
    found = onefold.tune("syn5/1-3-1/cma-es", store=tmp_path / "here", runs=10, smallest=20, largest=60)
    assert found.campaign is not None and found.campaign in printed["here"]
    assert f"population {found.population}: 10 of 10 runs" in printed["here"]


def test_an_engine_that_does_not_exist_is_named(tmp_path):
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    call = [BINARY, "reproduce", "--campaign", "small.toml", "--python", sys.executable, "--on", "dusk://x:1"]
    refused = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2
    assert 'must be "local", "dask://HOST:PORT" or "ray://HOST:PORT"' in refused.stderr
    assert refused.stderr.count("\n") == 1
