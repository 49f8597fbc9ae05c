"""Progress bars: in terminals, in pipes and in notebooks."""

import json
import os
import pty
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import numpy as np, onefold
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    onefold.OnefoldRegressor(effort=0.3, random_state=1, verbose=1).fit(X, np.sin(2 * X[:, 0]) * X[:, 1])
"""


def test_a_pipe_gets_a_line_for_each_rung():
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)], capture_output=True, text=True, check=True
    )
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith("OnefoldRegressor: ") for line in lines), result.stderr
    assert "\r" not in result.stderr and len(set(lines)) == len(lines)


def test_a_terminal_gets_one_line_that_is_rewritten():
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(PROGRAM)], stderr=theirs) as program:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert program.returncode == 0
    text = shown.decode()
    assert text.count("\r") > 1 and "█" in text and "candidates left" in text
    assert "\n" not in text and text.endswith(" \r"), "the line is removed in the end"


def test_a_notebook_gets_a_bar_that_is_updated():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(PROGRAM))])
    updates = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, index):
            if message["msg_type"] in ("display_data", "update_display_data"):
                updates.append(message["content"]["data"]["text/html"])
            return super().process_message(message, cell, index)

    Client(notebook, timeout=120, kernel_name="python3").execute()
    assert len(updates) > 1 and all("<progress" in update for update in updates)
    assert any("candidates left" in update for update in updates)
    outputs = notebook.cells[0].outputs
    shown = [output for output in outputs if output.output_type == "display_data"]
    assert len(shown) == 1, json.dumps(outputs)
    assert 'value="1.000"' in shown[0].data["text/html"] and "finished" in shown[0].data["text/html"]
