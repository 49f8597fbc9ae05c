"""Line charts as small SVG files that are readable on light and on dark pages. Standard library only."""

import math
from pathlib import Path
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, TOP, GAP, BOTTOM = 300, 230, 46, 30, 26, 74
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 }
.axis { stroke: #8c959f; fill: none } .grid { stroke: #8c959f; stroke-opacity: .25 } path { fill: none; stroke-width: 1.8 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
"""


class Series(NamedTuple):
    """A line."""

    name: str
    colour: str
    points: list[tuple[float, float]]
    dash: str = ""


class Panel(NamedTuple):
    """A chart beside others with the same axes."""

    title: str
    series: list[Series]


class Axes(NamedTuple):
    """What both axes show, and where ticks are."""

    x_label: str
    y_label: str
    x_ticks: list[float]
    y_ticks: list[float]
    is_log: bool = False


def _number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _tick(value, is_log):
    if not is_log:
        return f"{value:g}"
    exponent = round(math.log10(value))
    return f'10<tspan dy="-5" font-size="9">{exponent}</tspan>'


def _panel(panel, axes, left):
    def place(value, ticks, start, length, is_log):
        turn = math.log10 if is_log else float
        low, high = turn(ticks[0]), turn(ticks[-1])
        return start + length * (turn(value) - low) / (high - low)

    def x(value):
        return place(value, axes.x_ticks, left, WIDTH, axes.is_log)

    def y(value):
        return place(value, axes.y_ticks, TOP + HEIGHT, -HEIGHT, False)

    yield f'<text class="title" x="{left}" y="{TOP - 10}">{panel.title}</text>'
    for tick in axes.y_ticks:
        yield f'<line class="grid" x1="{left}" x2="{left + WIDTH}" y1="{_number(y(tick))}" y2="{_number(y(tick))}"/>'
        yield f'<text x="{left - 6}" y="{_number(y(tick) + 4)}" text-anchor="end">{tick:g}</text>'
    for tick in axes.x_ticks:
        place_of = _number(x(tick))
        yield f'<line class="grid" y1="{TOP}" y2="{TOP + HEIGHT}" x1="{place_of}" x2="{place_of}"/>'
        yield f'<text x="{place_of}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{_tick(tick, axes.is_log)}</text>'
    yield f'<rect class="axis" x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}"/>'
    for series in panel.series:
        points = [f"{_number(x(a))},{_number(y(b))}" for a, b in series.points]
        dash = f' stroke-dasharray="{series.dash}"' if series.dash else ""
        yield f'<path stroke="{series.colour}"{dash} d="M{" ".join(points)}"/>'


def write(path, panels, axes, columns=2):
    """Draws panels in rows, with one legend below all of them."""
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    of_column, of_row = LEFT + WIDTH + GAP, TOP + HEIGHT + 44
    width, height = columns * of_column, rows * of_row + BOTTOM - 44
    parts = []
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        parts.append(f'<g transform="translate({column * of_column} {row * of_row})">')
        parts.extend(_panel(panel, axes, LEFT))
        middle = LEFT + WIDTH / 2
        if row == rows - 1:
            parts.append(f'<text x="{middle}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{axes.x_label}</text>')
        if column == 0:
            middle = TOP + HEIGHT / 2
            parts.append(f'<text transform="translate(12 {middle}) rotate(-90)" text-anchor="middle">{axes.y_label}</text>')
        parts.append("</g>")
    place, below = LEFT, height - 12
    for series in panels[0].series:
        dash = f' stroke-dasharray="{series.dash}"' if series.dash else ""
        parts.append(f'<path stroke="{series.colour}"{dash} d="M{place},{below - 4} {place + 24},{below - 4}"/>')
        parts.append(f'<text x="{place + 30}" y="{below}">{series.name}</text>')
        place += 30 + 7 * len(series.name) + 22
    size = f'viewBox="0 0 {max(width, place)} {height}" width="{max(width, place)}" height="{height}"'
    body = "\n".join(parts)
    Path(path).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n{body}\n</svg>\n')
