"""Campaigns on Dask, Ray, loky and MPI, with real worker processes."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time

import onefold
import pytest

distributed = pytest.importorskip("distributed")
ray = pytest.importorskip("ray")

SMALL = """
name = "small"
runs = 20

[[cell]]
data = "iris"
hidden = "3"
method = "de-sb"

[[cell]]
data = "syn5"
hidden = "3"
method = "cma-es"
data_seed = "run"

[[cell]]
data = "sinc"
hidden = "5"
method = "de"
target = 1e-30
max_evaluations = 2e5
runs = 4
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A campaign, and its records from worker processes without an engine."""
    folder = tmp_path_factory.mktemp("small")
    path = folder / "small.toml"
    path.write_text(SMALL)
    return path, timeless(onefold.run_campaign(path, folder / "store", slice_seconds=100))


def timeless(done):
    return [{**record, "seconds": None} for record in done.records()]


@pytest.fixture(scope="module")
def dask():
    """Two worker processes of Dask, each with its nanny."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def ray_executor():
    """A local cluster of Ray with two cores."""
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    # A new one, whatever else is running.
    ray.init(address="local", num_cpus=2, **options)
    yield onefold.RayExecutor()
    ray.shutdown()


def test_dask_leaves_the_same_records(dask, small, tmp_path):
    path, expected = small
    done = onefold.run_campaign(path, tmp_path / "store", dask.get_executor(), slice_seconds=0.3)
    assert (done.finished, done.failed) == (44, [])
    assert timeless(done) == expected


def test_a_killed_worker_of_dask_loses_nothing(dask, small, tmp_path):
    path, expected = small
    pids = list(dask.run(os.getpid).values())
    killer = threading.Timer(0.5, os.kill, (pids[0], signal.SIGKILL))
    killer.start()
    done = onefold.run_campaign(path, tmp_path / "store", dask, slice_seconds=0.3)
    killer.join()
    assert done.failed == [] and timeless(done) == expected


def test_ray_leaves_the_same_records(ray_executor, small, tmp_path):
    path, expected = small
    done = onefold.run_campaign(path, tmp_path / "store", ray_executor, slice_seconds=0.3)
    assert (done.finished, done.failed) == (44, [])
    assert timeless(done) == expected


def test_killed_workers_of_ray_lose_nothing(ray_executor, small, tmp_path):
    path, expected = small

    def kill():
        for _ in range(2):
            time.sleep(0.4)
            for pid in workers_of_ray()[:1]:
                os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = onefold.run_campaign(path, tmp_path / "store", ray_executor, slice_seconds=0.3)
    killer.join()
    assert done.failed == [] and timeless(done) == expected


def workers_of_ray():
    """The processes of Ray that run a task of ours."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().startswith(b"ray::_call"):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def test_a_trial_that_kills_workers_of_dask_is_left_out(small, tmp_path):
    path, expected = small
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "env": {"ONEFOLD_TEST_ABORT": "iris/4-3-3/de-sb#3"},
    }
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        done = onefold.run_campaign(path, tmp_path / "store", client, cells="iris/*")
    assert [(trial.cell, trial.seed) for trial in done.failed] == [("iris/4-3-3/de-sb", 3)]
    ours = [r for r in expected if r["cell"] == "iris/4-3-3/de-sb" and r["seed"] != 3]
    assert timeless(done) == ours


def test_loky_leaves_the_same_records(small, tmp_path):
    from loky import get_reusable_executor

    path, expected = small
    executor = get_reusable_executor(2)
    done = onefold.run_campaign(path, tmp_path / "store", executor)
    executor.shutdown(kill_workers=True)
    assert timeless(done) == expected


MPI = """
    import sys, onefold
    from mpi4py.futures import MPIPoolExecutor
    if __name__ == "__main__":
        with MPIPoolExecutor() as executor:
            done = onefold.run_campaign(sys.argv[1], sys.argv[2], executor, cells="iris/*")
        print("finished", done.finished, len(done.failed))
"""


def test_mpi_leaves_the_same_records(small, tmp_path):
    path, expected = small
    mpiexec = shutil.which("mpiexec", path=str(pathlib.Path(sys.executable).parent))
    if mpiexec is None:
        pytest.skip("there is no mpiexec beside the interpreter")
    script = tmp_path / "on_mpi.py"
    script.write_text(textwrap.dedent(MPI))
    call = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", script, path, tmp_path / "store"]
    answer = subprocess.run([str(part) for part in call], capture_output=True, text=True, timeout=120)
    assert answer.stdout == "finished 20 0\n", answer.stderr
    records = [json.loads(line) for line in onefold._onefold.read_store(str(tmp_path / "store"))]
    ours = [{**record, "seconds": None} for record in records]
    assert ours == [record for record in expected if record["cell"] == "iris/4-3-3/de-sb"]


@pytest.mark.parametrize("engine", ["dask", "ray_executor"])
def test_a_tuning_elsewhere_finds_the_same_population(engine, request, tmp_path):
    options = {"runs": 10, "smallest": 20, "largest": 60}
    here = onefold.tune("syn5/1-3-1/cma-es", store=tmp_path / "here", workers=2, **options)
    executor = request.getfixturevalue(engine)
    there = onefold.tune("syn5/1-3-1/cma-es", store=tmp_path / "there", executor=executor, **options)
    assert here.population is not None and there.failed == []
    assert (there.population, there.campaign, there.rows) == (here.population, here.campaign, here.rows)


def test_an_address_without_a_scheduler_is_named(small, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"dask://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConnectionError, match="there is no Dask scheduler"):
        onefold.run_campaign(small[0], tmp_path / "store", address)


def table(rows=200):
    """Rows of two classes that a curve divides."""
    import numpy as np

    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(rows, 3))
    return X, (X[:, 0] ** 2 + np.sin(2 * X[:, 1]) + 0.2 * rng.normal(size=rows) > 1).astype(int)


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_selection_elsewhere_leaves_the_same_model(engine, request, tmp_path):
    X, y = table(120)
    options = {"effort": 0.1, "random_state": 3}
    here = onefold.OnefoldClassifier(**options).fit(X, y)
    executor = request.getfixturevalue("dask").get_executor() if engine == "dask" else engine
    there = onefold.OnefoldClassifier(**options, executor=executor).fit(X, y)
    assert there.model_.to_json() == here.model_.to_json()
    assert there.selection_.equals(here.selection_)


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_many_fits_elsewhere_are_those_of_here(engine, request):
    X, y = table(300)
    fits = [(X, y, {"hidden": 2, "decay": 1e-3, "random_state": seed}) for seed in range(4)]
    fits += [(X[:100], X[:100, 0] + 0.5, {"hidden": 1, "decay": 1e-3, "random_state": 1})]
    executor = request.getfixturevalue("dask") if engine == "dask" else None
    fitted = onefold.fit_many(fits, executor)
    assert [type(one).__name__ for one in fitted] == ["OnefoldClassifier"] * 4 + ["OnefoldRegressor"]
    for one, (X, y, params) in zip(fitted, fits, strict=True):
        assert one.model_.to_json() == type(one)(n_jobs=1, **params).fit(X, y).model_.to_json()
    with pytest.raises(onefold.OnefoldError, match="fit 0: ValueError"):
        onefold.fit_many([(X, y, {"hidden": "wide"})], executor)


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_a_grid_search_works_on_back_ends_of_joblib(backend, request):
    import joblib
    from sklearn.model_selection import GridSearchCV

    if backend == "dask":
        request.getfixturevalue("dask")
    X, y = table(90)
    estimator = onefold.OnefoldClassifier(decay=1e-3, random_state=1, n_jobs=1)
    search = GridSearchCV(estimator, {"hidden": [1, 2]}, cv=3, n_jobs=2)
    with joblib.parallel_backend(backend, n_jobs=2):
        search.fit(X, y)
    alone = GridSearchCV(estimator, {"hidden": [1, 2]}, cv=3).fit(X, y)
    assert list(search.cv_results_["mean_test_score"]) == list(alone.cv_results_["mean_test_score"])


def test_copies_of_an_estimator_share_its_executor():
    import pickle

    from sklearn.base import clone

    with onefold._local.LocalExecutor(1) as executor:
        estimator = onefold.OnefoldClassifier(hidden=(2,), executor=executor)
        copied = clone(estimator)
        assert copied.executor is executor and copied.hidden == (2,)
        assert pickle.loads(pickle.dumps(estimator)).executor is None
    assert pickle.loads(pickle.dumps(onefold.OnefoldClassifier(executor="local"))).executor == "local"


# It ends the cluster of the other tests, and so is the last one.
def test_a_trial_that_kills_workers_of_ray_is_left_out(small, tmp_path):
    path, expected = small
    ray.shutdown()
    environment = {"env_vars": {"ONEFOLD_TEST_ABORT": "iris/4-3-3/de-sb#3"}}
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        runtime_env=environment,
    )
    done = onefold.run_campaign(path, tmp_path / "store", onefold.RayExecutor(), cells="iris/*")
    ray.shutdown()
    assert [(trial.cell, trial.seed) for trial in done.failed] == [("iris/4-3-3/de-sb", 3)]
    ours = [r for r in expected if r["cell"] == "iris/4-3-3/de-sb" and r["seed"] != 3]
    assert timeless(done) == ours
