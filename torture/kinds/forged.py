"""Forged and truncated models and checkpoints: refused or harmless."""

import json
import signal

from ..tables import random_table

VALUES = [None, True, -1, 0, 1e308, -1e308, 5e-324, 2**63, 2**64, 1e400, "", "x", "nan", [], {}, [[]], "1000000-1000000-1", "1-0-1", "99999999999999999999-1", "\x1b[31m", -0.0]


def paths(value, prefix=()):
    """Places in a tree."""
    found = [prefix]
    if isinstance(value, dict):
        for key in value:
            found += paths(value[key], (*prefix, key))
    elif isinstance(value, list):
        for i in list(range(len(value)))[:4]:
            found += paths(value[i], (*prefix, i))
    return found


def forge(rng, text):
    """A damaged copy."""
    kind = rng.randrange(8)
    if kind == 0:
        return text[: rng.randrange(len(text))].encode()
    if kind == 1:
        data = bytearray(text.encode())
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    if kind == 2:
        return (text * 2).encode()
    if kind == 3:
        return b"[" * rng.choice([10, 1000, 200000])
    tree = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice(paths(tree)[1:])
        node = tree
        try:
            for key in path[:-1]:
                node = node[key]
            action = rng.randrange(4)
            if action == 0:
                del node[path[-1]]
            elif action == 1 and isinstance(node[path[-1]], list):
                node[path[-1]] = node[path[-1]] * 3
            else:
                node[path[-1]] = rng.choice(VALUES)
        except (KeyError, IndexError, TypeError):
            pass
    return json.dumps(tree).encode()


def forged_model(case):
    rng = case.rng
    table = random_table(rng, rows=rng.randint(10, 40), missing=False, extreme=False)
    case.write("d.csv", table.text())
    made = case.run("fit", "d.csv", *table.flags(), "--test-fraction", 0, "--hidden", 2, "--max-evaluations", 200, "--seed", 1, "-o", "m.json", outputs=["m.json"])
    text = case.model("m.json") if made.code == 0 else None
    if text is None:
        return
    for i in range(4):
        case.write("f.json", forge(rng, text))
        command = rng.choice([["predict", "f.json", "d.csv", *table.flags()[:4]], ["show", "f.json"], ["evaluate", "f.json", "d.csv"], ["export", "f.json", "--format", "c"], ["export", "f.json", "--format", "python"]])
        result = case.run(*command, is_data=command[0] in ("predict", "export"))
        case.draws.append("accepted" if result.code == 0 else "refused")
        case.check("a forged file is refused or works", result.code in (0, 2), lambda: f"{result.code}: {result.text[-300:]}")


def forged_checkpoint(case):
    rng = case.rng
    table = random_table(rng, rows=rng.randint(20, 100), missing=False, extreme=False)
    case.write("d.csv", table.text())
    method = rng.choice(["auto", "de-sb", "cma-es", "l-shade", "jade", "multistart"])
    arguments = ["fit", "d.csv", *table.flags(), "--test-fraction", 0, "--hidden", 3, "--method", method, "--seed", 1, "--target", "1e-290"]

    def during(child):
        if not child.wait(0.12):
            child.send(signal.SIGINT)

    budget = ["--max-evaluations", 2000000]
    case.run(*arguments, *budget, "--checkpoint", "c.ckpt", "--checkpoint-every", "5ms", "-o", "m.json", outputs=["m.json", "c.ckpt"], during=during)
    path = case.work / "c.ckpt"
    if not path.exists():
        return
    text = path.read_text()
    for _ in range(3):
        case.write("f.ckpt", forge(rng, text))
        result = case.run(*arguments, *budget, "--time", "0.1s", "--resume", "f.ckpt", "-o", "n.json", outputs=["n.json"], longest=20)
        case.check("a forged file is refused or works", result.code in (0, 2), lambda: f"{result.code}: {result.text[-300:]}")
        case.model("n.json")


KINDS = {"forged models": (5, forged_model), "forged checkpoints": (3, forged_checkpoint)}
