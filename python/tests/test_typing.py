"""Style and types: ruff, mypy --strict, and the stubs against the compiled module."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*arguments, **kwargs):
    result = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, check=False, **kwargs
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_style():
    run("ruff", "check", "python", cwd=ROOT)
    run("ruff", "format", "--check", "python", cwd=ROOT)


def test_examples_and_package_are_typed():
    run("mypy", "--strict", "python/onefold", "python/examples", cwd=ROOT)


def test_stubs_are_those_of_the_compiled_module(tmp_path):
    run("mypy.stubtest", "onefold._onefold", cwd=tmp_path)
