"""Draws the simulated speed-up over the number of workers."""

import math

WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 20, 50
# The colours of Okabe and Ito, which the colour-blind can tell apart.
STYLES = {
    "no failures": ("#0072B2", ""),
    "failures, slices": ("#009E73", "6 3"),
    "failures, whole trials": ("#D55E00", "2 3"),
}
MOST = 10_000


def x(workers: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log10(workers) / math.log10(MOST)


def y(speedup: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log10(max(speedup, 0.5)) / math.log10(MOST)


def draw(rows: list[dict]) -> str:
    """An SVG; thick lines for the campaign once, thin ones for many times."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(5):
        value = 10**power
        parts += [
            f'<path d="M{x(value):.1f} {TOP}V{HEIGHT - BOTTOM}M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
            f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{value:,}</text>',
            f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:,}</text>',
        ]
    parts += [
        f'<path d="M{x(1):.1f} {y(1):.1f}L{x(MOST):.1f} {y(MOST):.1f}" stroke="#999" stroke-dasharray="1 3"/>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">workers</text>',
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">speed-up</text>',
    ]
    labels = []
    for times in dict.fromkeys(row["times"] for row in rows):
        for what, (colour, dashes) in STYLES.items():
            line = [row for row in rows if row["times"] == times and row["what"] == what]
            points = " ".join(f"{x(row['workers']):.1f},{y(row['speedup']):.1f}" for row in line)
            width = 2.5 if times == 1 else 1.2
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')
            labels.append((colour, width, dash, what + ("" if times == 1 else f", campaign {times} times")))
    for number, (colour, width, dash, label) in enumerate(labels):
        at = TOP + 14 + 17 * number
        parts += [
            f'<path d="M{LEFT + 12} {at}h28" stroke="{colour}" stroke-width="{width}"{dash}/>',
            f'<text x="{LEFT + 46}" y="{at + 4}">{label}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
