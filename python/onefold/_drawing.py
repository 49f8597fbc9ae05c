"""Networks drawn with characters and as SVG."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model

#: Names or neurons shown of a layer; of more, the first ones and the number of the others.
SHOWN = 8
#: Distances in the drawing.
ROW, COLUMN, MARGIN, NAMES = 22, 110, 14, 110


def _shown(names: list[str]) -> list[str]:
    if len(names) <= SHOWN:
        return list(names)
    return [*names[: SHOWN - 1], f"… {len(names) - SHOWN + 1} more"]


def _between(model: Model) -> str:
    hidden = " ── ".join(f"{width} tanh" for width in model.hidden_layers)
    if not hidden:
        return "linear" if model.has_linear_part else "constant"
    return hidden + (" + linear" if model.has_linear_part else "")


def as_text(model: Model) -> str:
    """Inputs by name on the left, layers in the middle, outputs by name on the right."""
    left, right = _shown(model.input_names), _shown(model.output_names)
    rows = max(len(left), len(right))
    width, middle = max(map(len, left)), f"── {_between(model)} ──"
    above_left, above_right = (rows - len(left)) // 2, (rows - len(right)) // 2
    centre = (rows - 1) // 2
    lines = []
    for row in range(rows):
        i, j = row - above_left, row - above_right
        name = left[i] if 0 <= i < len(left) else ""
        first = _joint(i, len(left), row == centre, "┐┤┘")
        last = _joint(j, len(right), row == centre, "┌├└")
        line = f"{name:>{width}} {first}{middle if row == centre else ' ' * len(middle)}{last}"
        lines.append(f"{line} {right[j]}" if 0 <= j < len(right) else line.rstrip())
    return "\n".join(lines)


def _joint(place: int, count: int, is_centre: bool, signs: str) -> str:
    if not 0 <= place < count:
        return "─" if is_centre else " "
    if count == 1:
        return "─"
    if is_centre:
        return "┬" if place == 0 else "┴" if place == count - 1 else "┼"
    return signs[0] if place == 0 else signs[2] if place == count - 1 else signs[1]


def _weights(model: Model) -> list[list[list[float]]]:
    """For each layer, for each neuron, its weights."""
    parts = json.loads(model.to_json())
    widths, layers, at = [len(model.input_names), *model.hidden_layers], [], 0
    for inputs, width in zip(widths, model.hidden_layers, strict=False):
        rows = [
            parts["hidden"][at + n * (inputs + 1) : at + (n + 1) * (inputs + 1) - 1] for n in range(width)
        ]
        layers.append(rows)
        at += (inputs + 1) * width
    return [*layers, [row[: widths[-1]] for row in parts["readout"]]]


#: Words that can be read on light and on dark pages.
STYLE = (
    ".onefold-network text{fill:#24292f}"
    "@media(prefers-color-scheme:dark){.onefold-network text{fill:#e6edf3}}"
)


def as_svg(model: Model) -> str:
    """Neurons as circles, weights as lines: blue if positive, red if negative, faint if small."""
    counts = [len(model.input_names), *model.hidden_layers, len(model.output_names)]
    shown = [min(count, SHOWN) for count in counts]
    height = max(shown) * ROW + 2 * MARGIN
    width = 2 * NAMES + (len(counts) - 1) * COLUMN

    def place(layer: int, n: int) -> tuple[float, float]:
        return NAMES + layer * COLUMN, height / 2 + (n - (shown[layer] - 1) / 2) * ROW

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" role="img" '
        f'class="onefold-network"><title>{escape(model.topology)}</title><style>{STYLE}</style>'
    ]
    has_weights = bool(model.hidden_layers) or model.has_linear_part
    for layer, rows in enumerate(_weights(model) if has_weights else []):
        most = max((abs(w) for row in rows for w in row), default=0.0) or 1.0
        for n, row in enumerate(rows[: shown[layer + 1]]):
            for m, weight in enumerate(row[: shown[layer]]):
                (x1, y1), (x2, y2) = place(layer, m), place(layer + 1, n)
                colour = "#2166ac" if weight > 0 else "#b2182b"
                parts.append(
                    f'<line x1="{x1:.0f}" y1="{y1:.1f}" x2="{x2:.0f}" y2="{y2:.1f}" stroke="{colour}" '
                    f'stroke-opacity="{0.1 + 0.9 * abs(weight) / most:.2f}"/>'
                )
    for layer, count in enumerate(shown):
        for n in range(count):
            x, y = place(layer, n)
            parts.append(f'<circle cx="{x:.0f}" cy="{y:.1f}" r="6" fill="#ffffff" stroke="#555555"/>')
    for layer, names, anchor, shift in (
        (0, model.input_names, "end", -12),
        (-1, model.output_names, "start", 12),
    ):
        at = layer % len(counts)
        for n, name in enumerate(_shown(names)):
            x, y = place(at, n)
            text = escape(name if len(name) <= 16 else name[:15] + "…")
            parts.append(f'<text x="{x + shift:.0f}" y="{y + 4:.1f}" text-anchor="{anchor}">{text}</text>')
    for layer, count in enumerate(counts[1:-1], 1):
        if count > SHOWN:
            x, _ = place(layer, 0)
            parts.append(f'<text x="{x:.0f}" y="{height - 2}" text-anchor="middle">{count} neurons</text>')
    return "".join([*parts, "</svg>"])
