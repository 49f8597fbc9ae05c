"""Writes docs/gallery.md: the programs in python/examples with what they print and draw.

Usage: python gallery.py     (make gallery)
"""

import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python/examples"
PAGE = ROOT / "docs/gallery.md"
#: The order of the page.
NAMES = ("first_fit", "mixed_columns", "deploy_to_c", "own_function", "paper_cell", "merge_networks")
HEAD = """# Gallery

Programs that use the [Python package](python.md), with what they print. `make gallery` runs them and
writes this page; a test runs them, too, and compares the words.
"""


def run(name, folder):
    """What an example prints; what it draws is left in the folder."""
    result = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, cwd=folder, check=False
    )
    assert result.returncode == 0 and result.stdout, result.stderr
    return result.stdout


def section(name, output, figures):
    """The part of the page about an example."""
    code = (EXAMPLES / f"{name}.py").read_text()
    title, _, rest = ast.get_docstring(ast.parse(code)).partition(": ")
    body = code.split('"""\n', 1)[1].strip()
    about = rest[:1].upper() + rest[1:]
    link = f"[python/examples/{name}.py](../python/examples/{name}.py)"
    shown = "".join(f"\n![{title}]({figure})\n" for figure in figures)
    return (
        f"## {title}\n\n{about} {link}\n\n```python\n{body}\n```\n\n```text\n{output.rstrip()}\n```\n{shown}"
    )


def words(text):
    """A text without its numbers, which depend on versions of other packages."""
    return re.sub(r"[-+ ]*\d[\d,.e+-]*", "#", text).split()


def shown_output(page, name):
    """What the page says that an example prints."""
    of_example = page.split(f"(../python/examples/{name}.py)")[1]
    return of_example.split("```text\n")[1].split("```")[0]


def main():
    sections = []
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            output, figures = run(name, folder), []
            for drawn in sorted(Path(folder).glob("*.svg")):
                figures.append(f"gallery-{drawn.name}")
                (ROOT / "docs" / figures[-1]).write_text(drawn.read_text())
        if name == "merge_networks":
            figures.append("symmetry-digits.svg")
        sections.append(section(name, output, figures))
    PAGE.write_text("\n".join([HEAD, *sections]))


if __name__ == "__main__":
    main()
