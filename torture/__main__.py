"""Random data, methods and settings, and every adversity that comes to mind; what must hold is checked after each.

    make torture ARGS="--minutes 30 --seed 1"         half an hour on two cores
    make torture ARGS="--case 1234 --seed 1"          one case again, its files are kept
    make torture ARGS="--kind Ctrl-C --minutes 1"     one kind only

Models are recomputed with NumPy from the file's format; nothing here uses the library. A case is its number and the seed, apart from the moments
of kills. Ctrl-C ends the run after the current cases. The exit code is 1 if anything was violated.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .runner import Run  # noqa: E402  the variable must be set before NumPy is loaded


def main():
    parser = argparse.ArgumentParser(prog="make torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/onefold", help="the command [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="how long [default: 1, unless --cases is given]")
    parser.add_argument("--cases", type=int, help="how many cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to go on where a run ended")
    parser.add_argument("--case", type=int, help="one case alone; its folder is kept")
    parser.add_argument("--kind", help="only kinds whose name contains this")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", default=None, metavar="FOLDER", help="where the files of violations are kept [default: a new folder in the system's one]")
    parser.add_argument("--json", metavar="FILE", help="write the counts to this file")
    args = parser.parse_args()
    if not pathlib.Path(args.binary).is_file():
        sys.exit(f"--binary {args.binary}: there is no such file")
    folder = pathlib.Path(args.keep) if args.keep else pathlib.Path(tempfile.mkdtemp(prefix="onefold-torture-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    run = Run(args, folder.resolve())
    run.work()
    run.report()
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(run.summary(), indent=1, ensure_ascii=False) + "\n")
    run.clean()
    sys.exit(1 if run.violations else 0)


if __name__ == "__main__":
    main()
