"""Runs that are killed, interrupted or out of time."""

import re
import signal

from ..case import PROMPT
from ..settings import METHODS
from ..tables import random_table
from ..verify import verify
from .training import end_line

LONG = ["--max-evaluations", "1e9", "--target", "1e-290"]


def long_run(case, rows=None):
    """Arguments of a run that takes long, and its table."""
    rng = case.rng
    table = random_table(rng, rows=rows or rng.randint(30, 1500), missing=False, extreme=False)
    case.write("d.csv", table.text())
    method = rng.choice(METHODS)
    case.draws.append(method)
    hidden = rng.choice(["3", "8", "20", "5-5", "60"])
    flags = ["--method", method, "--hidden", hidden, "--seed", rng.randrange(1000), "--test-fraction", 0]
    if rng.random() < 0.3:
        flags += ["--threads", rng.choice([0, 2])]
    return ["fit", "d.csv", *table.flags(), *flags], table


def prompt(case, what, result, since):
    case.time(what, since)
    case.check(f"{what}: it ends promptly", since <= PROMPT, lambda: f"after {since:.1f} s, exit code {result.code}")


def interrupted(case, which, times=1):
    rng = case.rng
    arguments, table = long_run(case)
    delay = rng.choice([0.05, 0.2, 0.5, 0.8]) * rng.uniform(0.5, 1.2)
    with_checkpoint = rng.random() < 0.4
    extra = ["--checkpoint", "c.ckpt"] if with_checkpoint else []

    def during(child):
        if not child.wait(delay):
            for _ in range(times):
                child.send(which)
                child.wait(0.02)

    result = case.run(*arguments, *LONG, *extra, "-o", "m.json", outputs=["m.json", "c.ckpt"], longest=20, during=during)
    if result.late is None:
        verify(case, table, "d.csv", threshold=1e-290, told=end_line(result))
        return
    name = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}[which] + (" twice" if times > 1 else "")
    prompt(case, name, result, result.late)
    # Before the command has said what it does with signals, they end it.
    is_early = delay < 0.15 and result.code == -which
    case.check("the exit code of an interrupted run is 130", result.code in (0, 130) or is_early, lambda: f"{result.code}: {result.text[-300:]}")
    if times == 1 and delay > 0.4:
        case.check("an interrupted run keeps its best network", (case.work / "m.json").exists(), lambda: result.text[-300:])
        # A generation that is cut off is discarded, and without one there is no state.
        if with_checkpoint and result.code == 130 and "in its first generation" not in result.text:
            case.check("an interrupted run leaves its checkpoint", (case.work / "c.ckpt").exists(), lambda: result.text[-300:])
    verify(case, table, "d.csv", threshold=1e-290, told=end_line(result))


def ctrl_c(case):
    interrupted(case, signal.SIGINT)


def terminate(case):
    interrupted(case, signal.SIGTERM)


def ctrl_c_twice(case):
    interrupted(case, signal.SIGINT, times=2)


def ctrl_c_in_selection(case):
    rng = case.rng
    table = random_table(rng, rows=rng.randint(200, 3000), missing=False, extreme=False)
    case.write("d.csv", table.text())
    threshold = ["--target", "1e-290"] if rng.random() < 0.3 else []
    folds = ["--folds", 5] if rng.random() < 0.2 else ["--test-fraction", 0]
    delay = rng.uniform(0.5, 1.2)

    def during(child):
        if not child.wait(delay):
            child.send(signal.SIGINT)

    arguments = ["fit", "d.csv", *table.flags(), *folds, *threshold, "--seed", 1, "--max-evaluations", "1e8", "-o", "m.json"]
    result = case.run(*arguments, outputs=["m.json"], longest=20, during=during)
    if result.late is not None:
        prompt(case, "Ctrl-C while a network is selected", result, result.late)
        case.check("the exit code of an interrupted run is 130", result.code in (0, 130), lambda: f"{result.code}")
        if "--folds" not in folds:
            case.check("an interrupted selection keeps its best network", (case.work / "m.json").exists(), lambda: result.text[-300:])
    verify(case, table, "d.csv", told=end_line(result))


def out_of_time(case):
    rng = case.rng
    arguments, table = long_run(case)
    limit = rng.choice([0.1, 0.3, 0.6])
    selects = rng.random() < 0.2
    if selects:
        at = arguments.index("--hidden")
        arguments = arguments[:at] + arguments[at + 2 :]
    result = case.run(*arguments, *LONG, "--time", f"{limit}s", "-o", "m.json", outputs=["m.json"], longest=20)
    prompt(case, "--time", result, result.seconds - limit)
    case.check("a run that is out of time ends well", result.code == 0, lambda: f"{result.code}: {result.text[-300:]}")
    verify(case, table, "d.csv", threshold=1e-290, told=end_line(result))


def heavy_generation(case):
    """One generation alone takes longer than a second."""
    rng = case.rng
    hidden = rng.choice([100, 250, 400])
    source = rng.choice(["sinc", "sinc2d", "iris"])
    arguments = ["fit", source, "--hidden", hidden, "--method", rng.choice(METHODS), "--seed", 1, "--max-evaluations", "1e9", "-o", "m.json"]
    if rng.random() < 0.5:
        result = case.run(*arguments, "--time", "1s", outputs=["m.json"], longest=12, memory=1024)
        prompt(case, "--time with a heavy generation", result, result.seconds - 1)
    else:
        during = lambda child: None if child.wait(1.0) else child.send(signal.SIGINT)
        result = case.run(*arguments, outputs=["m.json"], longest=12, memory=1024, during=during)
        prompt(case, "Ctrl-C with a heavy generation", result, result.late or 0)
    has_model = case.model("m.json") is not None
    is_told = any(re.match(r"error: .*\w", line) for line in result.text.splitlines())
    case.check("a heavy run leaves a model, or says why not", has_model or is_told, lambda: f"exit code {result.code}: {result.text[-300:]}")


def killed(case):
    """Killed at random moments and resumed: the result is that of a run that nothing disturbed."""
    rng = case.rng
    table = random_table(rng, rows=rng.randint(20, 300), missing=False, extreme=False)
    case.write("d.csv", table.text())
    method = rng.choice(METHODS)
    case.draws.append(method)
    flags = ["--method", method, "--hidden", rng.choice(["3", "5", "8", "3-3"]), "--seed", rng.randrange(1000), "--test-fraction", 0]
    arguments = ["fit", "d.csv", *table.flags(), *flags, "--target", "1e-290", "--max-evaluations", rng.choice([5000, 20000, 60000])]
    reference = case.run(*arguments, "-o", "reference.json", outputs=["reference.json"])
    if not case.check("a run without disturbance ends well", reference.code == 0, lambda: reference.text[-300:]):
        return
    saving = ["--checkpoint", "c.ckpt", "--checkpoint-every", rng.choice(["1ms", "10ms", "50ms"]), "-o", "m.json"]
    resume = []
    for _ in range(rng.randint(1, 4)):
        child = case.start(*arguments, *saving, *resume)
        if not child.wait(rng.uniform(0, 1.2) * reference.seconds):
            child.send(signal.SIGKILL)
        result = child.result()
        case.check_end(result)
        resume = ["--resume", "c.ckpt"]
        if result.code != -signal.SIGKILL:
            break
    before = (case.work / "c.ckpt").exists()
    result = case.run(*arguments, *saving, *resume, outputs=["m.json", "c.ckpt", *leftovers(case)])
    case.check("--resume goes on, or begins anew where nothing was saved", result.code == 0, lambda: f"checkpoint: {before}; {result.text[-300:]}")
    if result.code != 0:
        return
    same = (case.work / "m.json").read_bytes() == (case.work / "reference.json").read_bytes()
    case.check("a resumed run equals an uninterrupted one", same)
    case.check("nothing of killed runs is left", not leftovers(case), lambda: str(leftovers(case)))
    verify(case, table, "d.csv", threshold=1e-290, told=end_line(result))


def leftovers(case):
    """Files that nobody named."""
    known = {"d.csv", "m.json", "reference.json", "c.ckpt", "bystander.txt"}
    return sorted(name for name in case.files() if name not in known)


KINDS = {
    "killed and resumed": (8, killed),
    "Ctrl-C": (4, ctrl_c),
    "SIGTERM": (2, terminate),
    "Ctrl-C twice": (2, ctrl_c_twice),
    "Ctrl-C while a network is selected": (2, ctrl_c_in_selection),
    "--time": (4, out_of_time),
    "heavy generations": (1, heavy_generation),
}
