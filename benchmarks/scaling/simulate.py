"""Simulates the paper's campaign on 1 to 10,000 workers, with the recorded seconds of its trials.

The rules are those of the driver (python/onefold/_dispatch.py): long trials first and in slices, short ones in
tasks of up to a second, two tasks for each worker in flight. The driver is one server: every task and every
trial takes its time. A worker fails at random moments and is back after a while; its tasks are sent again.
"""

import heapq
import json
import random
from collections import defaultdict, deque
from dataclasses import dataclass, field

from . import runs

WORKERS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]
TASK_SECONDS, LEAST_SECONDS, DEPTH, SLICE = 1.0, 0.1, 2, 10.0
# Hours between two failures of a worker, and seconds until it is back.
HOURS, BACK = 1.0, 30.0


@dataclass
class Costs:
    """What was measured: seconds of the driver for a task and for a trial, and of a worker for a task."""

    task: float
    trial: float
    worker: float


# Where nothing was measured: 5 ms of the driver and of a worker for a task, 0.2 ms of the driver for a trial.
ASSUMED = Costs(task=5e-3, trial=2e-4, worker=5e-3)


@dataclass
class Task:
    """The remaining seconds of trials that are sent together, and whether they are a long one."""

    trials: list[float]
    is_long: bool


@dataclass
class Simulation:
    """One run of a campaign."""

    durations: dict[str, list[float]]
    workers: int
    costs: Costs
    hours: float | None
    slice_seconds: float
    seed: int = 1
    now: float = 0.0
    driver_free: float = 0.0
    driver_busy: float = 0.0
    lost: float = 0.0
    events: list = field(default_factory=list)

    def run(self) -> dict:
        """Simulated seconds, and what limited them."""
        self.rng = random.Random(self.seed)
        self.predicted = {cell: sum(all_) / len(all_) for cell, all_ in self.durations.items()}
        self.waiting = {cell: deque(all_) for cell, all_ in self.durations.items()}
        self.left = sum(sum(all_) for all_ in self.durations.values())
        self.continued: deque[list[float]] = deque()
        self.idle = deque(range(self.workers))
        self.sent: deque[Task] = deque()
        self.in_flight = 0
        self.long_in_flight = 0
        self.count = 0
        self.send()
        while self.events:
            self.now, _, happens, *more = heapq.heappop(self.events)
            happens(*more)
            self.send()
        work = sum(sum(all_) for all_ in self.durations.values())
        return {
            "workers": self.workers,
            "seconds": self.now,
            "speedup": work / self.now,
            "driver_busy": self.driver_busy / self.now,
            "lost": self.lost,
        }

    def at(self, when: float, happens, *more) -> None:
        self.count += 1
        heapq.heappush(self.events, (when, self.count, happens, *more))

    def serve(self, seconds: float) -> float:
        """When the driver has done something that takes it some seconds."""
        self.driver_free = max(self.now, self.driver_free) + seconds
        self.driver_busy += seconds
        return self.driver_free

    def send(self) -> None:
        while self.in_flight < DEPTH * self.workers:
            task = self.next_task()
            if task is None:
                return
            self.in_flight += 1
            self.at(self.serve(self.costs.task / 2), self.arrive, task)

    def next_task(self) -> Task | None:
        """The next task: at most one long trial for each worker."""
        has_room = self.long_in_flight < self.workers
        if self.continued and has_room:
            self.long_in_flight += 1
            return Task(self.continued.popleft(), True)
        cells = [cell for cell in self.waiting if has_room or self.predicted[cell] < TASK_SECONDS]
        if not cells:
            return None
        left = sum(len(line) * self.predicted[cell] for cell, line in self.waiting.items())
        room = min(TASK_SECONDS, max(LEAST_SECONDS, left / (4 * self.workers)))
        cell = max(cells, key=self.predicted.__getitem__)
        line = self.waiting[cell]
        count = min(len(line), max(1, int(room / max(self.predicted[cell], 1e-6))))
        task = [line.popleft() for _ in range(count)]
        if not line:
            del self.waiting[cell]
        self.long_in_flight += self.predicted[cell] >= TASK_SECONDS
        return Task(task, self.predicted[cell] >= TASK_SECONDS)

    def arrive(self, task: Task) -> None:
        self.sent.append(task)
        self.start()

    def start(self) -> None:
        while self.idle and self.sent:
            worker, task = self.idle.popleft(), self.sent.popleft()
            takes = min(sum(task.trials), self.slice_seconds)
            fails = self.rng.expovariate(1 / (3600 * self.hours)) if self.hours else float("inf")
            if fails < takes:
                self.lost += fails
                self.at(self.now + fails, self.fail, worker, task)
            else:
                self.at(self.now + takes + self.costs.worker, self.finish, worker, task, takes)

    def fail(self, worker: int, task: Task) -> None:
        self.land(task, task.trials)
        self.at(self.now + BACK, self.come_back, worker)

    def come_back(self, worker: int) -> None:
        self.idle.append(worker)
        self.start()

    def finish(self, worker: int, task: Task, takes: float) -> None:
        self.idle.append(worker)
        self.start()
        rest = []
        for seconds in task.trials:
            done = min(seconds, takes)
            takes -= done
            if seconds - done > 1e-9:
                rest.append(seconds - done)
        served = self.serve(self.costs.task / 2 + self.costs.trial * (len(task.trials) - len(rest)))
        self.at(served, self.land, task, rest)

    def land(self, task: Task, rest: list[float]) -> None:
        """The driver knows what is left of a task."""
        self.in_flight -= 1
        self.long_in_flight -= task.is_long
        if rest:
            self.continued.append(rest)


def durations(times: int) -> dict[str, list[float]]:
    """The recorded seconds of the paper's trials by cell, several times over."""
    found = defaultdict(list)
    with (runs.ROOT / "results" / "paper" / "trials.jsonl").open() as lines:
        for line in lines:
            record = json.loads(line)
            found[record["cell"]] += [record["seconds"]] * times
    return dict(found)


def measure(costs: Costs, times: tuple[int, ...] = (1, 10)) -> list[dict]:
    """The campaign once and many times over; without failures, and with them in slices and in one piece."""
    rows = []
    for factor in times:
        trials = durations(factor)
        for what, hours, slice_seconds in [
            ("no failures", None, SLICE),
            ("failures, slices", HOURS, SLICE),
            ("failures, whole trials", HOURS, float("inf")),
        ]:
            for workers in WORKERS:
                # What many times the campaign takes on few workers is no question.
                if factor > 1 and workers not in (100, 1000, 10_000):
                    continue
                row = {"times": factor, "what": what, "task_milliseconds": 1e3 * costs.task}
                row |= Simulation(trials, workers, costs, hours, slice_seconds).run()
                rows.append({key: round(v, 3) if isinstance(v, float) else v for key, v in row.items()})
                print(rows[-1], flush=True)
    return rows
