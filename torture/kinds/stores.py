"""Stores of campaigns: several processes, kills, links, files that are not ours."""

import json
import os
import re
import signal

CELL = '[[cell]]\nname = "{name}"\ndata = "{data}"\nhidden = "{hidden}"\nmethod = "{method}"\nmax_evaluations = {budget}\ntarget = {target}\n\n'


def campaign(case, budget=(200, 20000)):
    rng = case.rng
    text = f'name = "mine"\nruns = {rng.randint(1, 4)}\n\n'
    for i in range(rng.randint(1, 3)):
        text += CELL.format(
            name=f"cell{i}",
            data=rng.choice(["sinc", "syn5", "iris"]),
            hidden=rng.choice(["2", "3", "5"]),
            method=rng.choice(["auto", "de", "de-sb", "cma-es", "shade"]),
            budget=int(budget[0] * (budget[1] / budget[0]) ** rng.random()),
            target=rng.choice(["1e-3", "5e-2", "1e-9"]),
        )
    case.write("c.toml", text)
    return ["reproduce", "--campaign", "c.toml", "--threads", rng.choice([0, 1, 2])]


def records(case, store):
    """The records of a store; lines that are none are violations."""
    found = []
    for path in sorted((case.work / store).glob("*.jsonl")):
        for line in path.read_text(errors="replace").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                case.check("a store has whole records", False, f"{path.name}: {line[:100]}")
    return found


def plain(record):
    return {key: value for key, value in record.items() if key != "seconds"}


def check_store(case, store, reference):
    """Every trial once, with the bits of a run that nothing disturbed, and successes that are true."""
    found = records(case, store)
    keys = [(r["cell"], r["seed"]) for r in found]
    case.check("a store has every trial once", len(keys) == len(set(keys)) == len(reference), lambda: f"{len(keys)} records, {len(set(keys))} trials of {len(reference)}")
    wanted = {(r["cell"], r["seed"]): plain(r) for r in reference}
    wrong = [k for r in found if plain(r) != wanted.get(k := (r["cell"], r["seed"]))]
    case.check("a disturbed campaign has the records of an undisturbed one", not wrong, lambda: str(wrong[:3]))
    for record in found:
        is_right = record["reached"] == (record["verified_cost"] <= record["readings"]["target"])
        case.check("a record's success follows from its error", is_right, lambda: f"{record['cell']} {record['seed']}")
    others = [str(p.relative_to(case.work / store)) for p in (case.work / store).rglob("*") if p.is_file()]
    ours = re.compile(r"campaign\.toml|.*\.jsonl|trials.*\.jsonl\.cut-\d+|\.locks/.*|\.checkpoints/.*")
    odd = [name for name in others if not ours.fullmatch(name)]
    case.check("no other files are left", not odd, lambda: str(odd))


def concurrent(case):
    rng = case.rng
    command = campaign(case)
    first = case.start(*command, "--store", "reference").result()
    case.check_end(first)
    if "first generation" in first.text:
        return
    if not case.check("a campaign ends well", first.code == 0, lambda: first.text[-300:]):
        return
    reference = records(case, "reference")
    children = [case.start(*command, "--store", "s", "--checkpoint-every", "5ms") for _ in range(rng.randint(2, 3))]
    if rng.random() < 0.6:
        children[0].wait(rng.uniform(0, 1.2) * first.seconds)
        children[0].send(rng.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
    for child in children:
        result = child.result()
        case.check_end(result)
        if result.late is not None:
            case.time("a signal to reproduce", result.late)
    last = case.start(*command, "--store", "s").result()
    case.check_end(last)
    case.check("a campaign goes on after a kill", last.code == 0, lambda: last.text[-300:])
    if last.code == 0:
        check_store(case, "s", reference)
        report = case.run("report", "s", "--format", rng.choice(["terminal", "csv", "json", "markdown", "latex"]))
        case.check("a store can be reported", report.code == 0, lambda: report.text[-300:])


def linked_store(case):
    """Links in a store lead to files of yours."""
    rng = case.rng
    command = campaign(case, budget=(100, 300))
    case.write("home/.bashrc", "precious\n")
    case.write("home/notes.jsonl", "precious without line end")
    (case.work / "home/folder").mkdir()
    (case.work / "s").mkdir()
    link = rng.choice(["campaign.toml", "trials.jsonl", ".locks", ".checkpoints", "other.jsonl", ".locks/trials.jsonl"])
    if link == ".locks/trials.jsonl":
        (case.work / "s/.locks").mkdir()
    target = {"campaign.toml": "home/.bashrc", "trials.jsonl": "home/notes.jsonl", "other.jsonl": "home/notes.jsonl", ".locks/trials.jsonl": "home/.bashrc"}.get(link, "home/folder")
    name = os.path.join("../" * (1 + link.count("/")), target)
    if rng.random() < 0.3:
        name = str(case.work / target)
    if rng.random() < 0.2 and target != "home/folder":
        target = name = None
        os.symlink("../home/new", case.work / "s" / link)
    else:
        os.symlink(name, case.work / "s" / link)
    case.draws.append(f"link: {link}")
    before = {k: v for k, v in case.files().items() if k.startswith("home")}
    result = case.start(*command, "--store", "s").result()
    case.check_end(result)
    after = {k: v for k, v in case.files().items() if k.startswith("home")}
    case.check("links in a store change nothing outside it", before == after, lambda: f"{link}: {sorted(set(before.items()) ^ set(after.items()))[:3]}")
    case.check("links in a store are refused", result.code == 2, lambda: f"{link}: exit code {result.code}, {result.text[-300:]}")
    case.run("report", "s", "--campaign", "c.toml")


def foreign_store(case):
    """A folder that holds a file of the same name that is not ours: nothing in it changes."""
    rng = case.rng
    command = campaign(case, budget=(100, 300))
    content = rng.choice(["my notes\nthe last line", '{"a": 1}\n{"b": 2', "no line end", '{"format":', '{"format":1,"cell":"x"', "\n\n  \nx", "[1,2,3]", "\x00\x01\x02"])
    name = rng.choice(["trials.jsonl", "trials.jsonl", "trials-2.jsonl", "other.jsonl"])
    case.write(f"s/{name}", content)
    before = (case.work / "s" / name).read_bytes()
    result = case.start(*command, "--store", "s").result()
    case.check_end(result)
    after = (case.work / "s" / name).read_bytes()
    # A partial record of ours may be removed, anything else not.
    ours = content.startswith('{"format":')
    case.check("a file that is not ours is unchanged", after == before or ours or (result.code == 0 and after.startswith(before)), lambda: f"{name}: {before!r} became {after[:60]!r}, exit code {result.code}")
    if not after.startswith(before):
        kept = [p.read_bytes() for p in (case.work / "s").iterdir() if re.fullmatch(re.escape(name) + r"\.cut-\d+", p.name)]
        case.check("what is cut from a store is kept beside it", kept == [before], lambda: f"{name}: {before!r}, kept {kept}")


def damaged_store(case):
    """Records that are cut, doubled, forged: refused with the line, or read; never lost."""
    rng = case.rng
    command = campaign(case, budget=(100, 400))
    first = case.start(*command, "--store", "s").result()
    if first.code != 0:
        return
    path = case.work / "s" / "trials.jsonl"
    data = bytearray(path.read_bytes())
    kind = rng.choice(["cut", "bytes", "merge", "empty line", "crlf"])
    whole = records(case, "s")
    if kind == "cut":
        data = data[: rng.randrange(len(data))]
    elif kind == "bytes":
        for _ in range(rng.randint(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == "merge":
        data = data + data
    elif kind == "empty line":
        data = data.replace(b"\n", b"\n\n")
    else:
        data = data.replace(b"\n", b"\r\n")
    path.write_bytes(bytes(data))
    report = case.run("report", "s", "--format", "json", is_data=True)
    last = case.start(*command, "--store", "s").result()
    case.check_end(last)
    complete = data[: data.rfind(b"\n") + 1]
    case.check("complete lines of a store are kept", path.read_bytes().startswith(complete), lambda: kind)
    if kind in ("cut", "merge", "empty line", "crlf"):
        case.check("a damaged store goes on", last.code == 0, lambda: f"{kind}: {last.text[-300:]}")
    if last.code == 0 and kind == "cut":
        check_store(case, "s", whole)


KINDS = {
    "processes that share a store": (4, concurrent),
    "links in a store": (3, linked_store),
    "files that are not ours": (3, foreign_store),
    "damaged stores": (3, damaged_store),
}
