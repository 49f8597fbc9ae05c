"""What documents and examples show is run."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import gallery
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


def test_tables_about_clusters_are_those_of_the_results():
    code = [sys.executable, "-m", "benchmarks.scaling.report", "--check"]
    assert subprocess.run(code, cwd=ROOT).returncode == 0, "python -m benchmarks.scaling.report renews them"


def test_all_examples_are_in_the_gallery():
    assert len(EXAMPLES) >= 6 and {example.stem for example in EXAMPLES} == set(gallery.NAMES)


@pytest.mark.parametrize("name", gallery.NAMES)
def test_examples_print_what_the_gallery_shows(name, tmp_path):
    output, page = gallery.run(name, tmp_path), gallery.PAGE.read_text()
    assert gallery.words(output) == gallery.words(gallery.shown_output(page, name)), "make gallery renews it"
    code = (gallery.EXAMPLES / f"{name}.py").read_text().split('"""\n', 1)[1].strip()
    assert code in page, "make gallery renews it"


def test_every_public_name_is_documented():
    for module in (onefold, onefold.optimizers, onefold.symmetry):
        for name in module.__all__:
            thing = getattr(module, name)
            assert thing.__doc__, name
            for method, value in vars(thing).items() if isinstance(thing, type) else ():
                if not method.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{method}"
