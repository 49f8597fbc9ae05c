"""Sends tasks to an engine: a bounded number at a time, and again, perhaps alone, if they are lost."""

from __future__ import annotations

import enum
import queue
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._engines import Engine, Loss, loss
from ._onefold import OnefoldError

# A trial is given up after its worker has died this many times while it ran nothing else.
MOST_DEATHS = 3
# Deaths of workers without a single result, after which the workers themselves are taken to be broken.
HOPELESS = 12
# Seconds for which an engine may be away.
PATIENCE = 60.0
# Tasks in flight for each worker: while one is run, the next is on its way.
DEPTH = 2
# Seconds of work in a task, and the least near the end.
TASK_SECONDS = 1.0
LEAST_SECONDS = 0.1
# Most items of a task, whatever they are predicted to take.
MOST_ITEMS = 2000
# A task that has lost its worker hands back its state sooner, so that an innocent one is soon cleared.
SUSPECT_SECONDS = 1.0


class Care(enum.IntEnum):
    """How an item is run."""

    TOGETHER = 0
    # In a task of its own.
    ALONE = 1
    # In a task of its own, while no other is run.
    EXCLUSIVE = 2


@dataclass(eq=False, slots=True)
class Item:
    """Something to be run."""

    key: Any
    # Items of one group are predicted to take equally long.
    group: Hashable
    care: Care = Care.TOGETHER
    deaths: int = 0
    # Whether a part of it is done, so that it goes on before others are begun.
    is_begun: bool = False


class Job(Protocol):
    """What is dispatched."""

    def task(self, items: list[Item], seconds: float) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        """The call that runs some items for at most some seconds; none if nothing is left of them."""

    def receive(self, items: list[Item], answer: Any) -> list[Item]:
        """Takes the answer; the items that have to be run again."""

    def give_up(self, item: Item) -> None:
        """Is told that an item's workers died again and again."""

    def show(self, dispatch: Dispatch) -> None:
        """Is called now and then."""


@dataclass
class Flight:
    """A task that was sent."""

    items: list[Item]
    is_exclusive: bool
    # Whether it keeps a worker busy for a second or more, so that no other should wait behind it.
    is_long: bool
    # How often the engine had been recovered when it was sent.
    recoveries: int


@dataclass
class Dispatch:
    """Runs items of a job on an engine."""

    engine: Engine
    job: Job
    # Seconds after which a task hands back what is unfinished.
    slice_seconds: float
    # Most tasks in flight, if that is limited.
    most: int | None = None
    predicted: dict[Hashable, float] = field(default_factory=dict)
    waiting: dict[Hashable, deque[Item]] = field(default_factory=dict)
    continued: deque[Item] = field(default_factory=deque)
    suspects: deque[Item] = field(default_factory=deque)
    exclusive: deque[Item] = field(default_factory=deque)
    flying: dict[Future[Any], Flight] = field(default_factory=dict)
    long_flying: int = 0
    results: int = 0
    deaths: int = 0
    recoveries: int = 0

    def __post_init__(self) -> None:
        self.landed: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()

    def add(self, items: Iterable[Item]) -> None:
        """Adds items; those of a group keep their order."""
        for item in items:
            self.waiting.setdefault(item.group, deque()).append(item)

    def seconds_left(self) -> float:
        """Predicted seconds of all items that are not done."""
        waiting = sum(len(items) * self.predicted[group] for group, items in self.waiting.items())
        others = [*self.continued, *self.suspects, *self.exclusive]
        others += [item for flight in self.flying.values() for item in flight.items]
        return waiting + sum(self.predicted[item.group] for item in others)

    def run(self) -> None:
        """Returns when everything is done or given up."""
        shown_at = time.monotonic()
        while True:
            self._send()
            if not self.flying:
                return
            try:
                future = self.landed.get(timeout=0.2)
            except queue.Empty:
                pass
            else:
                self._land(future)
            if time.monotonic() > shown_at + 0.2:
                self.job.show(self)
                shown_at = time.monotonic()

    def _send(self) -> None:
        """Sends tasks until enough are in flight, or nothing is waiting."""
        workers = self.engine.workers()
        most = DEPTH * workers if self.most is None else self.most
        while len(self.flying) < most:
            items = self._next(workers)
            if not items:
                return
            is_suspect = items[0].care > Care.TOGETHER
            seconds = min(self.slice_seconds, SUSPECT_SECONDS) if is_suspect else self.slice_seconds
            call = self.job.task(items, seconds)
            if call is not None:
                self._submit(items, call)

    def _submit(self, items: list[Item], call: tuple[Callable[..., Any], tuple[Any, ...]]) -> None:
        since = time.monotonic()
        while True:
            try:
                future = self.engine.submit(call[0], *call[1])
                break
            except Exception as error:
                self._recover(since, error)
        is_long = self._is_long(items[0])
        self.long_flying += is_long
        self.flying[future] = Flight(items, items[0].care is Care.EXCLUSIVE, is_long, self.recoveries)
        future.add_done_callback(self.landed.put)

    def _recover(self, since: float, error: BaseException) -> None:
        """Waits until the engine is there again."""
        while True:
            try:
                is_new = self.engine.recover()
                self.recoveries += 1
                if is_new:
                    self._send_again()
                return
            except Exception as reason:
                if time.monotonic() > since + PATIENCE:
                    raise OnefoldError(
                        f"the engine was lost ({type(error).__name__}: {error}) and did not come back in "
                        f"{PATIENCE:.0f} s ({reason}); start again with the same store to go on"
                    ) from error
                time.sleep(0.5)

    def _send_again(self) -> None:
        """Puts back all tasks that were sent over a connection that is gone: nobody will answer."""
        flights, self.flying, self.long_flying = list(self.flying.values()), {}, 0
        for flight in flights:
            self.add_first(flight.items)

    def _next(self, workers: int) -> list[Item]:
        """The items of the next task: continued ones first, then the longest, short ones together."""
        if self.suspects:
            return [self.suspects.popleft()]
        # A long one goes to a worker of its own, not behind another long one.
        has_room = self.long_flying < workers
        if self.continued and has_room:
            return [self.continued.popleft()]
        if not self.waiting:
            # What may kill its worker is run at the end, when nothing else can be hit or blamed.
            is_end = self.exclusive and not self.flying and not self.continued
            return [self.exclusive.popleft()] if is_end else []
        left = sum(len(items) * self.predicted[group] for group, items in self.waiting.items())
        room = min(TASK_SECONDS, max(LEAST_SECONDS, left / (4 * workers)))
        items: list[Item] = []
        while groups := [group for group in self.waiting if has_room or self.predicted[group] < TASK_SECONDS]:
            longest = max(groups, key=self.predicted.__getitem__)
            seconds = max(self.predicted[longest], 1e-6)
            if items and seconds > room:
                break
            line = self.waiting[longest]
            count = min(len(line), MOST_ITEMS - len(items), max(1, int(room / seconds)))
            items += [line.popleft() for _ in range(count)]
            room -= count * seconds
            if not line:
                del self.waiting[longest]
            if line or len(items) >= MOST_ITEMS:
                break
        return items

    def _is_long(self, item: Item) -> bool:
        return item.is_begun or self.predicted[item.group] >= TASK_SECONDS

    def _land(self, future: Future[Any]) -> None:
        flight = self.flying.pop(future, None)
        if flight is None:
            # It was sent again.
            return
        self.long_flying -= flight.is_long
        is_cancelled = future.cancelled()
        error = InterruptedError("the task was cancelled") if is_cancelled else future.exception()
        if error is None:
            self.results += 1
            for item in self.job.receive(flight.items, future.result()):
                item.care, item.deaths = Care.TOGETHER, 0
                self.add_first([item])
            return
        kind = loss(error)
        if kind in (Loss.ENGINE, Loss.A_WORKER) and flight.recoveries == self.recoveries:
            self._recover(time.monotonic(), error)
        if kind is Loss.ENGINE:
            self.add_first(flight.items)
            return
        self.deaths += 1
        if self.deaths >= HOPELESS and self.results == 0:
            raise OnefoldError(
                f"{self.deaths} workers have died and none has returned a result; the last: {error}"
            ) from error
        for item in flight.items:
            self._suspect(item, kind, is_alone=len(flight.items) == 1, is_exclusive=flight.is_exclusive)

    def add_first(self, items: list[Item]) -> None:
        """Puts items back that were not run."""
        for item in items:
            if item.care is Care.EXCLUSIVE:
                self.exclusive.append(item)
            elif item.care is Care.ALONE:
                self.suspects.append(item)
            elif item.is_begun:
                self.continued.append(item)
            else:
                self.waiting.setdefault(item.group, deque()).appendleft(item)

    def _suspect(self, item: Item, kind: Loss, *, is_alone: bool, is_exclusive: bool) -> None:
        """An item whose worker died is run alone, then exclusively, and then given up."""
        if is_exclusive and kind is Loss.SEVERAL_WORKERS:
            item.deaths = MOST_DEATHS
        elif is_exclusive or (is_alone and item.care is Care.ALONE and kind is Loss.OWN_WORKER):
            item.deaths += 1
        if item.deaths >= MOST_DEATHS:
            self.job.give_up(item)
            return
        item.care = Care.ALONE if item.care is Care.TOGETHER else Care.EXCLUSIVE
        self.add_first([item])
