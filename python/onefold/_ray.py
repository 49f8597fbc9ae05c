"""An executor over the tasks of Ray, which has none of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

# Attempts to connect to a cluster that answers.
ATTEMPTS = 3


class RayExecutor(Executor):
    """Runs functions as tasks of Ray, each on one core.

    Ray is started or connected to by `ray.init` if that has not been done.

    Parameters
    ----------
    address : str, optional
        Address of a cluster, as for `ray.init`: ``"auto"``, or ``"ray://HOST:10001"`` for a cluster that
        this machine is not part of. By default a running one, or a new one on this machine.
    num_cpus : float, default=1
        Cores of each task.

    Examples
    --------
    >>> import onefold
    >>> with onefold.RayExecutor() as executor:  # doctest: +SKIP
    ...     onefold.run_campaign("mine.toml", executor=executor)
    """

    def __init__(self, address: str | None = None, *, num_cpus: float = 1) -> None:
        self.address = address
        self.num_cpus = num_cpus
        self._lock = threading.Lock()
        self._running: dict[Future[Any], Any] = {}
        self._is_shut = False
        self.connect()

    def connect(self) -> None:
        """Connects to the cluster, unless that has been done; also after its head node was restarted."""
        ray = _ray()
        for attempt in range(ATTEMPTS):
            if ray.is_initialized():
                break
            try:
                ray.init(address=self.address, log_to_driver=False, logging_level="error")
            except ConnectionError as error:
                # The server for drivers may fail to start one of its processes, and succeed the next time.
                if "Initialization failure" not in str(error) or attempt + 1 == ATTEMPTS:
                    raise
        # Retries belong to whoever submits a task: they know which trial was lost.
        self._call = ray.remote(num_cpus=self.num_cpus, max_retries=0)(_call)

    def reconnect(self) -> bool:
        """Connects anew if the cluster does not answer; whether that was so."""
        ray = _ray()
        try:
            ray.cluster_resources()
            return False
        except Exception:
            ray.shutdown()
        with self._lock:
            self._running = {}
        self.connect()
        return True

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends a call to the cluster."""
        if self._is_shut:
            raise RuntimeError("this executor has been shut down")
        reference = self._call.remote(fn, args, kwargs)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._running[future] = reference
        reference.future().add_done_callback(lambda done: self._finish(future, done))
        return future

    def workers(self) -> int:
        """Tasks that the cluster can run at a time."""
        cores = float(_ray().cluster_resources().get("CPU", 1.0))
        return max(1, int(cores / self.num_cpus)) if self.num_cpus > 0 else max(1, int(cores))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accepts no further calls; with `cancel_futures`, those that run are ended. Ray goes on."""
        self._is_shut = True
        with self._lock:
            running = list(self._running)
        if cancel_futures:
            self.cancel_running(running)
        elif wait:
            for future in running:
                future.exception()

    def cancel_running(self, futures: Iterable[Future[Any]]) -> None:
        """Ends tasks although they run, by the end of their processes."""
        for future in futures:
            with self._lock:
                reference = self._running.get(future)
            if reference is not None:
                # The task, or the whole cluster, may have ended.
                with contextlib.suppress(Exception):
                    _ray().cancel(reference, force=True)

    def _finish(self, future: Future[Any], done: Any) -> None:
        with self._lock:
            self._running.pop(future, None)
        try:
            error = done.exception()
        except CancelledError as cancelled:
            error = cancelled
        if future.done():
            return
        if error is None:
            future.set_result(done.result())
        else:
            # An exception of the function itself comes wrapped.
            future.set_exception(getattr(error, "cause", None) or error)


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ImportError("RayExecutor needs Ray: pip install 'ray[client]'") from None
    return ray
