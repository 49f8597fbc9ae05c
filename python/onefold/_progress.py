"""Progress of a fit on a terminal or in a notebook."""

from __future__ import annotations

import json
import sys
from typing import Any

WIDTH = 24


class Progress:
    """Shows where a fit stands: a line that is rewritten, also by notebooks, or one line for each rung."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_live = sys.stderr.isatty() or "ipykernel" in sys.modules
        self.shown = ""
        self.rung: Any = None

    def __call__(self, news: str) -> None:
        state = json.loads(news)
        text = self._text(state)
        if self.is_live:
            sys.stderr.write("\r" + text.ljust(len(self.shown)))
            self.shown = text
        elif state.get("rung") != self.rung:
            self.rung = state.get("rung")
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _text(self, state: dict[str, Any]) -> str:
        if state["phase"] == "training":
            return (
                f"{self.name}: training, cost {state['cost']:.4g} after {state['evaluations']:,} evaluations"
            )
        if "rung" not in state:
            return f"{self.name}: selection, tried {state['topology']}"
        done = round(WIDTH * min(state["fraction"], 1.0))
        bar = "█" * done + "░" * (WIDTH - done)
        left, all_ = state["left"], state["candidates"]
        rung = f"rung {state['rung']} of at most {state['rungs']}"
        return f"{self.name}: {bar} {rung}, {left} of {all_} candidates left"

    def finish(self) -> None:
        """Ends the line."""
        if self.shown:
            sys.stderr.write("\r" + " " * len(self.shown) + "\r")
            sys.stderr.flush()
