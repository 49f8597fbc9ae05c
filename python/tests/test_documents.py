"""What documents and examples show is run."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onefold
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("module", [name for _, name, _ in pkgutil.iter_modules(onefold.__path__)])
def test_documentation(module):
    found = doctest.testmod(importlib.import_module(f"onefold.{module}"), optionflags=FLAGS)
    assert found.failed == 0


def test_the_page_about_python():
    found = doctest.testfile(
        str(ROOT / "docs/python.md"), module_relative=False, optionflags=FLAGS, globs={"np": np}
    )
    assert found.failed == 0 and found.attempted > 20


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_examples_run(example, tmp_path):
    result = subprocess.run(
        [sys.executable, example], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode == 0 and result.stdout, result.stderr


def test_every_public_name_is_documented():
    for module in (onefold, onefold.optimizers, onefold.symmetry):
        for name in module.__all__:
            thing = getattr(module, name)
            assert thing.__doc__, name
            for method, value in vars(thing).items() if isinstance(thing, type) else ():
                if not method.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{method}"
