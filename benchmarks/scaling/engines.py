"""Engines with worker processes on this machine, whose parts can be killed one by one."""

import contextlib
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

import distributed

BIN = pathlib.Path(sys.executable).parent
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for_port(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if time.monotonic() > end:
            raise TimeoutError(f"nothing listens on port {port}")
        time.sleep(0.1)


def processes() -> dict[int, tuple[int, bytes]]:
    """All processes: parent and command line."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                if stat[0] != "Z":
                    found[int(entry.name)] = (int(stat[1]), (entry / "cmdline").read_bytes())
    return found


def descendants(pid: int) -> list[int]:
    """The processes below one, at any depth."""
    table = processes()
    found, new = [], [pid]
    while new:
        new = [child for child, (parent, _) in table.items() if parent in new]
        found += new
    return found


def processor_seconds(pids: list[int]) -> float:
    """Processor time of processes, with that of children that have ended."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(int(field) for field in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")


def kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Dask:
    """A scheduler and workers, each with its nanny, which starts it again."""

    def __init__(self, workers: int) -> None:
        self.count = workers
        self.port = free_port()
        self.address = f"dask://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show"]
        self.scheduler = subprocess.Popen([*command, *options], **QUIET)
        wait_for_port(self.port)
        self.nannies = [self.start_nanny() for _ in range(self.count)]
        while len(self.workers()) < self.count:
            time.sleep(0.1)

    def start_nanny(self) -> subprocess.Popen:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{self.port}"]
        options = ["--nthreads", "1", "--nworkers", "1", "--no-dashboard", "--death-timeout", "60"]
        return subprocess.Popen([*command, *options], **QUIET)

    def workers(self) -> list[int]:
        """The processes of workers that are ready for tasks.

        A nanny ends together with a worker that is killed while it starts; it is started again, as by whoever
        runs a cluster.
        """
        self.nannies = [nanny if nanny.poll() is None else self.start_nanny() for nanny in self.nannies]
        with contextlib.suppress(Exception), distributed.Client(f"tcp://127.0.0.1:{self.port}", timeout=10) as client:
            return sorted(client.run(os.getpid, on_error="ignore").values())
        return []

    def pids(self) -> list[int]:
        """All its processes."""
        first = [self.scheduler.pid, *(nanny.pid for nanny in self.nannies)]
        return first + [pid for parent in first for pid in descendants(parent)]

    def lose_head(self) -> None:
        """Kills the scheduler, and starts it and workers again, as whoever runs a cluster would."""
        self.close()
        time.sleep(1)
        self.start()

    def close(self) -> None:
        for process in [self.scheduler, *self.nannies]:
            kill([process.pid, *descendants(process.pid)])
            process.wait()


class Ray:
    """A head node with as many cores as workers, and a server for drivers that are no part of it."""

    def __init__(self, workers: int) -> None:
        self.count = workers
        self.port, self.client_port = free_port(), free_port()
        self.address = f"ray://127.0.0.1:{self.client_port}"
        # Head node and drivers, which are started from here, share a secret of their own. Workers have the
        # priority of the other engines' workers.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        os.environ |= {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
        self.start()

    def start(self) -> None:
        options = ["--head", "--port", str(self.port), "--ray-client-server-port", str(self.client_port)]
        options += ["--num-cpus", str(self.count), "--include-dashboard", "false", "--block"]
        options += ["--object-store-memory", "100000000", "--disable-usage-stats"]
        self.head = subprocess.Popen([BIN / "ray", "start", *options], **QUIET)
        wait_for_port(self.client_port)

    def workers(self) -> list[int]:
        """The processes that run a task of ours."""
        below = set(descendants(self.head.pid))
        return [pid for pid, (_, command) in processes().items() if pid in below and command.startswith(b"ray::_call")]

    def pids(self) -> list[int]:
        """All its processes."""
        return [self.head.pid, *descendants(self.head.pid)]

    def lose_head(self) -> None:
        """Kills the head node with everything on it, and starts it again."""
        self.close()
        time.sleep(1)
        self.start()

    def close(self) -> None:
        kill([self.head.pid, *descendants(self.head.pid)])
        self.head.wait()


class Local:
    """Worker processes of the driver itself."""

    address = "local"

    def __init__(self, workers: int) -> None:
        self.count = workers

    def pids(self) -> list[int]:
        """None of its own: the workers are children of the driver."""
        return []

    def close(self) -> None:
        pass


ENGINES = {"local": Local, "dask": Dask, "ray": Ray}


def onefold() -> str:
    """The command."""
    root = pathlib.Path(__file__).parents[2]
    built = [root / "target" / kind / "onefold" for kind in ("release", "debug")]
    found = [str(path) for path in built if path.exists()] or [shutil.which("onefold")]
    if found[0] is None:
        raise FileNotFoundError("there is no command onefold; cargo build --release")
    return found[0]
