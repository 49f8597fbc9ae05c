"""Runs the command under limits, sends it signals, and measures what it took."""

import os
import resource
import signal
import subprocess
import time

# Longer than any run here may take, on a machine that is busy.
LONGEST = 60.0


class Result:
    """How a process ended. `late` is the time from the last signal to its end, in seconds."""

    def __init__(self, argv, code, out, err, seconds, peak_mib, late):
        self.argv, self.code, self.out, self.err = argv, code, out, err
        self.seconds, self.peak_mib, self.late = seconds, peak_mib, late
        self.is_endless = False

    @property
    def text(self):
        return self.err.decode("utf-8", "replace")


def limited(limits):
    """Sets limits of resources in the child; a file that becomes too long is then an error and no signal."""

    def set_limits():
        for which, value in limits.items():
            resource.setrlimit(which, (value, value))
        if resource.RLIMIT_FSIZE in limits:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    return set_limits


class Child:
    """A running process; its output goes to files outside its folder."""

    def __init__(self, argv, cwd, scratch, stdin=None, limits=None, env=None, stdout=None, user=None, through_pipes=False):
        self.argv = [str(a) for a in argv]
        self.files = [open(f"{scratch}.{end}", "w+b") for end in ("out", "err")]
        # A limit of the length of files is not meant for what the command prints.
        self.pipes = [subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=f) for f in self.files] if through_pipes else []
        prints = [pipe.stdin for pipe in self.pipes] or self.files
        self.start = time.monotonic()
        self.signalled = None
        self.process = subprocess.Popen(
            self.argv,
            cwd=cwd,
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=stdout if stdout is not None else prints[0],
            stderr=prints[1],
            env=env,
            preexec_fn=limited(limits) if limits else None,
            start_new_session=True,
            user=user,
        )
        for pipe in self.pipes:
            pipe.stdin.close()
        self.status = None
        self.peak_mib = 0.0

    def is_running(self):
        if self.status is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self._ended(status, usage)
        return self.status is None

    def _ended(self, status, usage):
        self.end = time.monotonic()
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.peak_mib = usage.ru_maxrss / 1024

    def wait(self, seconds):
        """Waits until the process ends or the time is over; whether it has ended."""
        until, pause = time.monotonic() + seconds, 0.0005
        while self.is_running():
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.02)
        return True

    def wait_for_text(self, text, seconds):
        """Waits until a text stands on standard error; whether it does."""
        until = time.monotonic() + seconds
        while True:
            is_running = self.is_running()
            self.files[1].seek(0)
            if text in self.files[1].read():
                return True
            if not is_running or time.monotonic() > until:
                return False
            time.sleep(0.01)

    def send(self, which):
        if self.is_running():
            os.kill(self.process.pid, which)
            self.signalled = time.monotonic()

    def result(self, longest=LONGEST):
        is_endless = not self.wait(longest)
        if is_endless:
            os.kill(self.process.pid, signal.SIGKILL)
            self.wait(10)
        for pipe in self.pipes:
            pipe.wait()
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read(1 << 24))
            file.close()
            os.unlink(file.name)
        late = self.end - self.signalled if self.signalled else None
        result = Result(self.argv, self.status, *texts, self.end - self.start, self.peak_mib, late)
        result.is_endless = is_endless
        return result
