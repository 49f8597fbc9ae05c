"""Progress of a fit on a terminal or in a notebook."""

from __future__ import annotations

import html
import importlib
import json
import sys
from typing import Any

WIDTH = 24


class Progress:
    """Shows where a fit stands: a bar in a notebook, a line that is rewritten on a terminal, otherwise one
    line for each rung."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.notebook = _Notebook() if _is_notebook() else None
        self.is_live = sys.stderr.isatty()
        self.shown = ""
        self.rung: Any = None

    def __call__(self, news: str) -> None:
        state = json.loads(news)
        fraction, text = _fraction(state), _text(state)
        if self.notebook is not None:
            self.notebook.show(fraction, f"{self.name}: {text}")
            return
        if fraction is not None:
            done = round(WIDTH * fraction)
            text = "█" * done + "░" * (WIDTH - done) + " " + text
        text = f"{self.name}: {text}"
        if self.is_live:
            sys.stderr.write("\r" + text.ljust(len(self.shown)))
            self.shown = text
        elif state.get("rung") != self.rung:
            self.rung = state.get("rung")
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def finish(self) -> None:
        """Removes the line on a terminal, and completes the bar in a notebook."""
        if self.notebook is not None:
            self.notebook.show(1.0, f"{self.name}: finished")
        elif self.shown:
            sys.stderr.write("\r" + " " * len(self.shown) + "\r")
            sys.stderr.flush()


class _Notebook:
    """A bar of HTML that is updated in its place."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, fraction: float | None, text: str) -> None:
        display: Any = importlib.import_module("IPython.display")
        value = "" if fraction is None else f' value="{fraction:.3f}"'
        # The words are there for what cannot show HTML, too.
        bar = display.HTML(f'<progress max="1"{value}></progress> <span>{html.escape(text)}</span>')
        if self.handle is None:
            self.handle = display.display(bar, display_id=True)
        else:
            self.handle.update(bar)


def _is_notebook() -> bool:
    """Whether a kernel of Jupyter runs this. IPython is not loaded for the question."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


def _fraction(state: dict[str, Any]) -> float | None:
    """How much of the selection is done, where that is known."""
    return min(float(state["fraction"]), 1.0) if "fraction" in state else None


def _text(state: dict[str, Any]) -> str:
    if state["phase"] == "training":
        return f"training, cost {state['cost']:.4g} after {state['evaluations']:,} evaluations"
    if "rung" not in state:
        return f"selection, tried {state['topology']}"
    left, all_ = state["left"], state["candidates"]
    return f"rung {state['rung']} of at most {state['rungs']}, {left} of {all_} candidates left"
