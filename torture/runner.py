"""Gives out cases to processes and counts what they find."""

import multiprocessing
import os
import platform
import queue
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback

from .case import Case
from .kinds import KINDS


def kind_of(number, seed, wanted):
    """The kind of a case follows from its number, not from what else is run."""
    names = [name for name in KINDS if not wanted or wanted.lower() in name.lower()]
    if not names:
        sys.exit(f"--kind {wanted}: the kinds are {', '.join(KINDS)}")
    rng = random.Random(f"{seed}/{number}/kind")
    return rng.choices(names, weights=[KINDS[name][0] for name in names])[0]


def run_case(number, seed, wanted, binary, folder, keep):
    kind = kind_of(number, seed, wanted)
    with Case(number, kind, seed, binary, folder) as case:
        try:
            KINDS[kind][1](case)
        except Exception:  # a mistake here must not hide what was found
            case.check("the stress test itself has no mistake", False, traceback.format_exc()[-1200:])
        if keep and not case.violations:
            print(f"kept in {case.folder}")
            print("\n".join(case.commands))
            case.violations = [None]
            found = []
        else:
            found = case.violations
    return number, kind, case.checks, found, case.times, case.draws, case.runs


def worker(numbers, results, stop, common):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while not stop.is_set():
        with numbers.get_lock():
            number = numbers.value
            numbers.value += 1
        if common["last"] is not None and number >= common["last"]:
            break
        results.put(run_case(number, common["seed"], common["kind"], common["binary"], common["folder"], False))
    results.put(None)


class Run:
    """All cases of a run, and their counts."""

    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        # A copy, so that a new build does not change the command meanwhile, and that another user may run it.
        self.binary = folder / "onefold"
        shutil.copy(args.binary, self.binary)
        self.binary.chmod(0o755)
        self.cases, self.commands, self.violations = 0, 0, []
        self.kinds, self.checks, self.times, self.draws = {}, {}, {}, {}
        self.seconds = 0.0

    def add(self, number, kind, checks, violations, times, draws, runs):
        self.cases += 1
        self.commands += runs
        self.kinds.setdefault(kind, [0, 0])
        self.kinds[kind][0] += 1
        self.kinds[kind][1] += bool(violations)
        for name, (checked, violated) in checks.items():
            total = self.checks.setdefault(name, [0, 0])
            total[0] += checked
            total[1] += violated
        for name, values in times.items():
            self.times.setdefault(name, []).extend(values)
        for draw in draws:
            self.draws[draw] = self.draws.get(draw, 0) + 1
        for invariant, detail, command in violations:
            self.violations.append((number, kind, invariant))
            print(f"VIOLATION in case {number} ({kind}): {invariant}\n  {detail}\n  {command}\n  {self.folder}/case-{number}", flush=True)

    def work(self):
        args, begin = self.args, time.monotonic()
        if args.case is not None:
            self.add(*run_case(args.case, args.seed, args.kind, str(self.binary), str(self.folder), True))
            self.seconds = time.monotonic() - begin
            return
        minutes = args.minutes if args.minutes or args.cases else 1
        until = begin + 60 * minutes if minutes else None
        last = args.first + args.cases if args.cases else None
        common = {"last": last, "seed": args.seed, "kind": args.kind, "binary": str(self.binary), "folder": str(self.folder)}
        context = multiprocessing.get_context("fork")
        numbers, results, stop = context.Value("q", args.first), context.Queue(), context.Event()
        processes = [context.Process(target=worker, args=(numbers, results, stop, common)) for _ in range(args.processes)]
        for process in processes:
            process.start()
        running, said = len(processes), begin
        while running:
            try:
                found = results.get(timeout=0.5)
                if found is None:
                    running -= 1
                else:
                    self.add(*found)
            except queue.Empty:
                # A worker that was killed says nothing more.
                if not any(process.is_alive() for process in processes) and results.empty():
                    break
            except KeyboardInterrupt:
                print("ending after the current cases", flush=True)
                stop.set()
            now = time.monotonic()
            if until and now > until:
                stop.set()
            if now - said > 60:
                said = now
                print(f"{(now - begin) / 60:.0f} min: {self.cases} cases, {len(self.violations)} violations", flush=True)
        for process in processes:
            process.join()
        self.seconds = time.monotonic() - begin

    def summary(self):
        version = subprocess.run([self.binary, "--version"], capture_output=True, text=True).stdout.strip()
        late = {}
        for name, values in sorted(self.times.items()):
            values.sort()
            at = lambda share: round(values[min(len(values) - 1, int(share * len(values)))], 3)
            late[name] = {"count": len(values), "median": at(0.5), "p99": at(0.99), "most": round(values[-1], 3)}
        counts = lambda table, names: {key: dict(zip(names, value)) for key, value in sorted(table.items())}
        return {
            "version": version,
            "seed": self.args.seed,
            "first": self.args.first,
            "minutes": round(self.seconds / 60, 1),
            "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
            "cases": self.cases,
            "commands": self.commands,
            "violations": len(self.violations),
            "kinds": counts(self.kinds, ("cases", "violated")),
            "invariants": counts(self.checks, ("checked", "violated")),
            "seconds_to_end": late,
            "draws": dict(sorted(self.draws.items())),
        }

    def report(self):
        summary = self.summary()
        for title, key in (("cases", "kinds"), ("checks", "invariants")):
            print(f"\n{title:>9}  violated")
            for name, value in summary[key].items():
                count, violated = value.values()
                print(f"{count:9}  {violated:8}  {name}")
        print("\nseconds to the end after a signal or a deadline")
        for name, value in summary["seconds_to_end"].items():
            print(f"{value['count']:9}  median {value['median']:.3f}, 99 % {value['p99']:.3f}, most {value['most']:.3f}  {name}")
        print(f"\n{self.cases} cases ({self.commands} commands) in {self.seconds:.0f} s with seed {self.args.seed}: {len(self.violations)} violations")

    def clean(self):
        self.binary.unlink()
        if self.args.case is None and not self.violations and not self.args.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"files in {self.folder}")
