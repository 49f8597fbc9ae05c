"""Worker processes on this machine.

Unlike those of `ProcessPoolExecutor`, a worker that dies takes no other task with it, and workers end when
their driver does, however it ends: a thread of each waits for the end of its standard input.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import IO, Any

LENGTH = struct.Struct("<Q")


class WorkerLost(RuntimeError):
    """The process that ran a task has ended without a result."""


class LocalExecutor(Executor):
    """Runs functions of importable modules in processes of their own.

    Parameters
    ----------
    workers : int, optional
        Number of processes; by default one for each core that this process may use.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = cores() if workers is None else workers
        if self.workers < 1:
            raise ValueError(f"workers is {workers}, but must be at least 1")
        self._tasks: queue.SimpleQueue[tuple[Future[Any], bytes] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_shut = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self.workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends a call to the next worker that is free."""
        if self._is_shut:
            raise RuntimeError("this executor has been shut down")
        future: Future[Any] = Future()
        self._tasks.put((future, pickle.dumps((fn, args, kwargs), protocol=5)))
        return future

    def pids(self) -> list[int]:
        """The processes that are there."""
        with self._lock:
            return [process.pid for process in self._processes]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all workers; with `cancel_futures`, at once."""
        self._is_shut = True
        if cancel_futures:
            while True:
                try:
                    task = self._tasks.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    task[0].cancel()
            with self._lock:
                for process in self._processes:
                    process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        """Feeds one worker after the other: the next is started when the last has died."""
        process: subprocess.Popen[bytes] | None = None
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if process is None or process.poll() is not None:
                    process = self._start(process)
                succeeded, value = exchange(process, call)
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                code = None if process is None else end(process)
                future.set_exception(WorkerLost(f"a worker process ended with the code {code} ({error})"))
            except BaseException as error:
                future.set_exception(error)
            else:
                if succeeded:
                    future.set_result(value)
                else:
                    future.set_exception(value)
        if process is not None:
            self._forget(process)
            end(process)

    def _start(self, before: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes]:
        if before is not None:
            self._forget(before)
            end(before)
        # The same modules are found as here, and the main module is not run again.
        code = f"import sys; sys.path[:] = {sys.path!r}; from onefold import _local; _local.work()"
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        with self._lock:
            self._processes.add(process)
            if self._is_shut:
                process.kill()
        return process

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def exchange(process: subprocess.Popen[bytes], call: bytes) -> tuple[bool, Any]:
    """Sends a call and waits for its result: whether it returned, and its value or exception."""
    assert process.stdin is not None and process.stdout is not None
    send(process.stdin, call)
    succeeded, value = pickle.loads(receive(process.stdout))
    return succeeded, value


def end(process: subprocess.Popen[bytes]) -> int:
    """Closes the pipes of a worker, which makes it end, and waits."""
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:
            pass
    try:
        return process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def send(pipe: IO[bytes], message: bytes) -> None:
    """Writes a message with its length."""
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Reads a message; `EOFError` if the writer has ended before it is whole."""
    (length,) = LENGTH.unpack(read_whole(pipe, LENGTH.size))
    return read_whole(pipe, length)


def read_whole(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError("the pipe was closed")
    return content


def work() -> None:
    """The main function of a worker: calls what arrives on standard input."""
    # Ctrl-C on a terminal reaches all processes; what ends a worker is its driver.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results = os.fdopen(os.dup(1), "wb")
    # What a function prints must not get between results.
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(tasks,), daemon=True).start()
    while True:
        try:
            fn, args, kwargs = pickle.loads(tasks.get())
            answer = (True, fn(*args, **kwargs))
        except BaseException as error:
            answer = (False, error)
        send(results, pickled(answer))


def pickled(answer: tuple[bool, Any]) -> bytes:
    """A result or an exception as bytes; those that cannot be pickled become an exception that says so."""
    try:
        return pickle.dumps(answer, protocol=5)
    except Exception as error:
        return pickle.dumps((False, RuntimeError(f"{answer[1]!r} cannot be sent back: {error}")))


def listen(tasks: queue.SimpleQueue[bytes]) -> None:
    """Receives tasks. When the driver ends, even while it sends a task, so does this process."""
    pipe = os.fdopen(0, "rb")
    while True:
        try:
            tasks.put(receive(pipe))
        except (EOFError, OSError):
            os._exit(0)
