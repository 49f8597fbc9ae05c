"""Campaigns on worker processes of this machine."""

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import onefold
import pytest
from onefold._local import LocalExecutor, WorkerLost

SMALL = """
name = "small"
runs = 6

[[cell]]
data = "iris"
hidden = "3"
method = "de-sb"

[[cell]]
data = "syn5"
hidden = "3"
method = "cma-es"
data_seed = "run"
"""

# Trials of some seconds, which do not reach their target.
LONG = """
name = "long"
runs = 2

[[cell]]
data = "sinc"
hidden = "5"
method = "de"
target = 1e-30
max_evaluations = 1e6
"""


@pytest.fixture
def small(tmp_path):
    """A campaign of twelve short trials."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def long(tmp_path):
    """A campaign of two longer ones."""
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    return path


def timeless(done):
    """The records without what differs between any two runs."""
    return [{**record, "seconds": None} for record in done.records()]


@pytest.fixture(scope="session")
def expected(tmp_path_factory):
    """The records that one process leaves, without any executor."""
    folder = tmp_path_factory.mktemp("expected")
    path = folder / "small.toml"
    path.write_text(SMALL)
    driver = onefold._onefold.Driver(
        path.read_text(), "small.toml", str(folder / "store"), (None,) * 2 + (False, None)
    )
    cells = [onefold._onefold.TrialCell(driver.parcel(number)) for number in range(2)]
    lines = [cells[cell].run([(seed, None)], 1e9, 1)[0][0] for cell, seed, _ in driver.missing()]
    driver.add(lines)
    driver.close()
    records = [json.loads(line) for line in onefold._onefold.read_store(str(folder / "store"))]
    return [{**record, "seconds": None} for record in records]


def loky(workers):
    from joblib.externals.loky import get_reusable_executor

    return get_reusable_executor(workers)


EXECUTORS = {
    "local": lambda: None,
    "threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
    "processes": lambda: concurrent.futures.ProcessPoolExecutor(2),
    "loky": lambda: loky(2),
}


@pytest.mark.parametrize("name", EXECUTORS)
def test_every_executor_leaves_the_same_records(name, small, tmp_path, expected):
    store = tmp_path / "store"
    first = onefold.run_campaign(small, store, EXECUTORS[name](), cells="iris/*", runs=2)
    assert (first.finished, first.trials) == (2, 2)
    done = onefold.run_campaign(small, store, EXECUTORS[name]())
    assert (done.finished, done.trials, done.failed, done.elsewhere) == (10, 12, [], 0)
    assert timeless(done) == expected
    assert [row["runs"] for row in done.rows] == [6, 6]
    assert onefold.run_campaign(small, store, EXECUTORS[name]()).finished == 0
    lines = [line for file in store.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert len(lines) == 12


def test_trials_in_slices_leave_the_same_records(long, tmp_path):
    whole = onefold.run_campaign(long, tmp_path / "whole", workers=2, slice_seconds=100)
    sliced = onefold.run_campaign(long, tmp_path / "sliced", workers=2, slice_seconds=0.02)
    assert timeless(sliced) == timeless(whole)
    # The folder is there only if trials were divided; their states are removed at the end.
    assert list((tmp_path / "sliced").glob(".checkpoints")) and not list(
        (tmp_path / "sliced").glob(".checkpoints/*")
    )


def test_data_files_are_sent_along(tmp_path, monkeypatch):
    rows = "\n".join(f"{x / 500},{(x / 500) ** 2}" for x in range(1000))
    (tmp_path / "rows.csv").write_text("x,y\n" + rows + "\n")
    cell = '[[cell]]\ndata = "./rows.csv"\nhidden = "2"\nmethod = "de"\ntarget = 1e-3\n'
    (tmp_path / "mine.toml").write_text('name = "mine"\nruns = 3\n\n' + cell)
    monkeypatch.chdir(tmp_path)
    # Larger than what is sent with every task.
    monkeypatch.setattr(onefold._parcels, "SMALL", 1000)
    with LocalExecutor(2) as executor:
        # So that workers cannot read the file themselves.
        executor.submit(os.chdir, "/").result()
        done = onefold.run_campaign("mine.toml", "store", executor)
    assert (done.finished, done.failed) == (3, [])


@pytest.mark.parametrize("name", ["local", "processes", "loky"])
def test_a_trial_that_kills_its_workers_is_left_out(name, small, tmp_path, expected, monkeypatch, capfd):
    monkeypatch.setenv("ONEFOLD_TEST_ABORT", "iris/4-3-3/de-sb#3")
    if name == "loky":
        # Its processes may have been started before the variable was set.
        loky(2).shutdown(kill_workers=True)
    done = onefold.run_campaign(small, tmp_path / "store", EXECUTORS[name]())
    assert [(trial.cell, trial.seed) for trial in done.failed] == [("iris/4-3-3/de-sb", 3)]
    assert "died 3 times" in done.failed[0].reason
    assert "iris/4-3-3/de-sb seed 3 is left out" in capfd.readouterr().err
    others = [r for r in expected if (r["cell"], r["seed"]) != ("iris/4-3-3/de-sb", 3)]
    assert timeless(done) == others
    if name == "loky":
        loky(2).shutdown(kill_workers=True)


def test_a_tuning_that_cannot_begin_says_why(small, tmp_path):
    def refused(match, cell="iris/*", **options):
        with pytest.raises(ValueError, match=match):
            onefold.tune(cell, small, tmp_path / "store", **options)

    refused("populations from 3 to 9: must be a range from 5", smallest=3, largest=9)
    refused("runs 0: must be at least 1", runs=0)
    refused("matches iris/4-3-3/de-sb, syn5/1-3-1/cma-es; name one of them", cell="*")
    refused("no cell", cell="wine/*")


def test_populations_with_a_trial_that_kills_workers_are_not_selected(small, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("ONEFOLD_TEST_ABORT", "iris/4-3-3/de-sb@50#2")
    options = {"runs": 4, "smallest": 50, "largest": 75}
    found = onefold.tune("iris/*", small, tmp_path / "store", workers=2, **options)
    assert [(trial.cell, trial.seed) for trial in found.failed] == [("iris/4-3-3/de-sb@50", 2)]
    assert found.population == 75
    assert "seed 2 is left out" in capfd.readouterr().err


def test_lost_workers_cost_nothing_but_time(long, tmp_path):
    expected = onefold.run_campaign(long, tmp_path / "expected", workers=2)
    with LocalExecutor(2) as executor, concurrent.futures.ThreadPoolExecutor(1) as thread:
        run = thread.submit(onefold.run_campaign, long, tmp_path / "store", executor, slice_seconds=0.2)
        killed = 0
        while not run.done() and killed < 4:
            time.sleep(0.3)
            for pid in executor.pids()[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
        done = run.result()
    assert killed > 0 and done.failed == []
    assert timeless(done) == timeless(expected)


def test_a_lost_worker_takes_no_other_task_with_it():
    with LocalExecutor(2) as executor:
        lost = executor.submit(os._exit, 3)
        fine = [executor.submit(abs, -number) for number in range(5)]
        assert [future.result() for future in fine] == [0, 1, 2, 3, 4]
        with pytest.raises(WorkerLost, match="ended with the code 3"):
            lost.result()
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()


DRIVER = """
    import sys, onefold
    print("ready", flush=True)
    onefold.run_campaign(sys.argv[1], sys.argv[2], workers=2)
"""


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) == pid:
                        found.append(int(entry))
            except (OSError, ValueError):
                pass
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started(path, store):
    """A driver in a process of its own, with its workers."""
    code = [sys.executable, "-c", textwrap.dedent(DRIVER), str(path), str(store)]
    driver = subprocess.Popen(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert driver.stdout.readline() == b"ready\n"
    while len(workers := children(driver.pid)) < 2:
        assert driver.poll() is None
        time.sleep(0.02)
    return driver, workers


ENDLESS = LONG.replace("1e6", "1e9").replace("runs = 2", "runs = 4")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_driver(end, tmp_path):
    path, store = tmp_path / "endless.toml", tmp_path / "store"
    path.write_text(ENDLESS)
    driver, workers = started(path, store)
    time.sleep(1.0)
    sent = time.monotonic()
    driver.send_signal(end)
    driver.wait(timeout=20)
    # A second, and what the interpreter needs to end on a busy machine.
    assert time.monotonic() - sent < (10 if end == signal.SIGINT else 20)
    if end == signal.SIGINT:
        assert b"KeyboardInterrupt" in driver.stderr.read()
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() - sent < 20, "workers live on"
        time.sleep(0.05)


def test_a_worker_ends_although_its_driver_was_killed_while_it_sent_a_task():
    code = f"import sys; sys.path[:] = {sys.path!r}; from onefold import _local; _local.work()"
    worker = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(b"\x00\x10\x00\x00\x00\x00\x00\x00" + b"half of a task")
    worker.stdin.flush()
    time.sleep(0.3)
    assert worker.poll() is None
    worker.stdin.close()
    assert worker.wait(timeout=20) == 0


def test_a_killed_driver_goes_on_with_the_same_store(small, tmp_path, expected):
    store = tmp_path / "store"
    slow = tmp_path / "slow.toml"
    slow.write_text(SMALL)
    driver, _ = started(slow, store)
    while not any(file.stat().st_size for file in store.glob("*.jsonl")) and driver.poll() is None:
        time.sleep(0.005)
    driver.kill()
    driver.wait()
    done = onefold.run_campaign(small, store)
    assert timeless(done) == expected


def test_mistakes_are_named(small, tmp_path):
    small.write_text(SMALL.replace('hidden = "3"', 'hiden = "3"', 1))
    with pytest.raises(ValueError, match=r"small\.toml line 7: in this cell, there is no key hiden"):
        onefold.run_campaign(small, tmp_path / "s")
    small.write_text(SMALL)
    with pytest.raises(ValueError, match="no cell matches wine"):
        onefold.run_campaign(small, tmp_path / "s", cells="wine*")
    with pytest.raises(TypeError, match="must be an executor"):
        onefold.run_campaign(small, tmp_path / "s", 3)
    with pytest.raises(ValueError, match='"slurm://x", but must be "local"'):
        onefold.run_campaign(small, tmp_path / "s", "slurm://x")
    with pytest.raises(ValueError, match="slice_seconds is 0, but must be positive"):
        onefold.run_campaign(small, tmp_path / "s", slice_seconds=0)
    with pytest.raises(FileNotFoundError):
        onefold.run_campaign(tmp_path / "none.toml")


def test_records_are_a_frame(tmp_path):
    done = onefold.run_campaign(store=tmp_path, cells="syn5/1-3-1/cma-es", runs=2, workers=1)
    frame = done.frame()
    assert len(frame) == done.finished == 2 and list(frame["seed"]) == [0, 1]
    assert list(frame["evaluations"]) == [record["evaluations"] for record in done.records()]
    for name in ("runs", "in_flight", "workers", "threads"):
        with pytest.raises(ValueError, match=f"{name} is -1, but must be at least 1"):
            onefold.run_campaign(store=tmp_path, **{name: -1})
