"""What differs between the engines that tasks are sent to: sizes, lost workers, recovery."""

from __future__ import annotations

import contextlib
import enum
import importlib
import pickle
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

from ._local import LocalExecutor, cores

# Time between two looks at the number of workers.
COUNT_EVERY = 2.0


class Loss(enum.Enum):
    """Why there is no result of a task."""

    # Its worker died while it ran this task and no other.
    OWN_WORKER = enum.auto()
    # A worker died, but the engine ends, or blames, other tasks too.
    A_WORKER = enum.auto()
    # The engine would not run it again, after several workers died while they had it.
    SEVERAL_WORKERS = enum.auto()
    # The connection, or the engine itself.
    ENGINE = enum.auto()


# By name, so that no engine is imported only to look for its exceptions.
LOSSES = {
    "WorkerLost": Loss.OWN_WORKER,
    "WorkerCrashedError": Loss.OWN_WORKER,
    "OutOfMemoryError": Loss.OWN_WORKER,
    "BrokenExecutor": Loss.A_WORKER,
    "NodeDiedError": Loss.A_WORKER,
    "KilledWorker": Loss.SEVERAL_WORKERS,
}

# Tasks do not raise; these come from workers that cannot load the task.
NOT_RUNNABLE = (ImportError, AttributeError, TypeError, pickle.PickleError)


def loss(error: BaseException) -> Loss:
    """Why a task failed with this exception. One that workers cannot load is raised."""
    if isinstance(error, NOT_RUNNABLE):
        raise RuntimeError(
            f"the workers cannot run onefold ({type(error).__name__}: {error}); "
            "install the same version of onefold on all of them"
        ) from error
    kinds = [LOSSES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in LOSSES]
    return kinds[0] if kinds else Loss.ENGINE


class Engine:
    """An executor, how many workers it has, and how it comes back after a loss."""

    def __init__(self, executor: Any, workers: int | None = None) -> None:
        self.given_workers = workers
        self.is_own = executor is None or isinstance(executor, str) or _is_factory(executor)
        self._make: Callable[[], Any] | None = executor if _is_factory(executor) else None
        if executor is None or executor == "local":
            executor = LocalExecutor(workers)
        elif isinstance(executor, str):
            executor = _connect(executor)
        elif self._make is not None:
            executor = self._make()
        self.executor = _as_executor(executor)
        self._counted_at = -COUNT_EVERY
        self._count = 1

    def submit(self, fn: Callable[..., Any], *args: Any) -> Future[Any]:
        """Sends a call."""
        future: Future[Any] = self.executor.submit(fn, *args)
        return future

    def workers(self) -> int:
        """Tasks that can be run at a time."""
        if self.given_workers is not None:
            return self.given_workers
        if time.monotonic() >= self._counted_at + COUNT_EVERY:
            # While the engine is being restarted, what was known is still the best guess.
            with contextlib.suppress(Exception):
                self._count = max(1, _workers(self.executor))
            self._counted_at = time.monotonic()
        return self._count

    def recover(self) -> bool:
        """Makes the engine usable again after a loss, and raises if that is not possible yet.

        Whether it is a new connection, so that tasks that were sent before are lost.
        """
        executor = self.executor
        client = getattr(executor, "_client", None)
        if client is not None:
            self.executor = _dask_again(client)
            return self.executor._client is not client
        if hasattr(executor, "reconnect"):
            return bool(executor.reconnect())
        if self._make is not None:
            executor.shutdown(wait=False)
            self.executor = _as_executor(self._make())
        elif isinstance(executor, ProcessPoolExecutor):
            self.executor = _pool_again(executor)
        elif type(executor).__module__.startswith(("loky", "joblib")):
            self.executor = _loky_again(executor)
        # The tasks of a pool that a dead process broke have failed themselves.
        return False

    def close(self, futures: Iterable[Future[Any]], *, cancel: bool) -> None:
        """Ends an executor that was made here, and cancels these tasks of one that was not."""
        closing = threading.Thread(target=self._close, args=(list(futures), cancel), daemon=True)
        closing.start()
        # An engine that does not answer must not keep anybody from leaving.
        closing.join(0.5 if cancel else None)

    def _close(self, futures: list[Future[Any]], cancel: bool) -> None:
        executor = self.executor
        if not self.is_own:
            if hasattr(executor, "cancel_running"):
                executor.cancel_running(futures)
            for future in futures:
                future.cancel()
            return
        client = getattr(executor, "_client", None)
        if client is not None:
            executor.shutdown(wait=not cancel)
            client.close(timeout=1)
        elif cancel:
            executor.shutdown(wait=False, cancel_futures=True)
        else:
            executor.shutdown()


def _is_factory(executor: Any) -> bool:
    return callable(executor) and not hasattr(executor, "submit")


def _as_executor(executor: Any) -> Any:
    """An executor, or that of a Dask client. Tasks of Dask must not be taken for one another."""
    client = getattr(executor, "_client", executor)
    if hasattr(client, "get_executor"):
        return client.get_executor(pure=False)
    if isinstance(executor, Executor) or callable(getattr(executor, "submit", None)):
        return executor
    raise TypeError(
        f"executor is {executor!r}, but must be an executor, a function that makes one, a Dask client, "
        '"local", "dask://HOST:PORT" or "ray://HOST:PORT"'
    )


def _connect(address: str) -> Any:
    """A connection to the engine that an address names."""
    scheme, _, rest = address.partition("://")
    if scheme == "dask" and rest:
        try:
            import distributed
        except ImportError:
            raise ImportError(f"{address} needs Dask: pip install distributed") from None
        try:
            connect: Any = distributed.Client
            return connect(f"tcp://{rest}", timeout=10)
        except OSError as error:
            raise ConnectionError(f"{address}: there is no Dask scheduler ({error})") from None
    if scheme == "ray":
        from ._ray import RayExecutor

        try:
            return RayExecutor(address if rest else None)
        except ConnectionError as error:
            raise ConnectionError(
                f"{address}: there is no head node of Ray, or it expects a token, which RAY_AUTH_TOKEN has "
                f"({error})"
            ) from None
    raise ValueError(f'executor is "{address}", but must be "local", "dask://HOST:PORT" or "ray://HOST:PORT"')


def _workers(executor: Any) -> int:
    """Tasks that an executor can run at a time."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return sum(client.nthreads().values())
    for name in ("workers", "num_workers", "_max_workers"):
        count = getattr(executor, name, None)
        count = count() if callable(count) else count
        if isinstance(count, int):
            return count
    return cores()


def _dask_again(client: Any) -> Any:
    """The client itself if it is connected again, otherwise a new one at the same address."""
    if client.status == "running":
        return client.get_executor(pure=False)
    address = client.scheduler.address if client.scheduler is not None else client._start_arg
    with contextlib.suppress(Exception):
        client.close(timeout=1)
    return type(client)(address, timeout=5).get_executor(pure=False)


def _pool_again(pool: ProcessPoolExecutor) -> ProcessPoolExecutor:
    """A pool like one that a dead process broke; one that still works stays."""
    if not getattr(pool, "_broken", False):
        return pool
    made: Any = pool
    return ProcessPoolExecutor(
        made._max_workers,
        mp_context=made._mp_context,
        initializer=made._initializer,
        initargs=made._initargs,
    )


def _loky_again(pool: Any) -> Any:
    """The executor of loky, by itself or inside joblib, which is made anew if a dead process broke it."""
    loky = importlib.import_module(type(pool).__module__.rpartition(".")[0])
    return loky.get_reusable_executor(max_workers=getattr(pool, "_max_workers", None))
