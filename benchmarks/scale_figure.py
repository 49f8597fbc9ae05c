"""Draws results/scale.json: seconds and test errors over rows, columns and neurons.

Usage: python scale_figure.py RESULTS FIGURE     (for instance results/scale.json docs/scale.svg)

Full marks are of methods whose test error is at most 5 % above the least of all methods on the same table; a fit that took longer than the
limit has an arrow in place of its mark, and no error.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

NEAR = 1.05  # a test error at most this times the least of the table counts as reached
# The colours of Okabe and Ito, which the colour-blind can tell apart.
STYLES = {
    "onefold, 2 threads": ("#D55E00", "o", "-"),
    "onefold, 1 thread": ("#D55E00", "o", ":"),
    "MLPRegressor adam": ("#0072B2", "s", "-"),
    "MLPRegressor lbfgs": ("#56B4E9", "D", "-"),
    "HistGradientBoosting": ("#009E73", "^", "-"),
    "LinearRegression": ("#777777", "v", "-"),
}
# What is varied, and what the other two are.
PANELS = {
    "rows": {"columns": 10, "neurons": 8},
    "columns": {"rows": 10_000, "neurons": 8},
    "neurons": {"rows": 100_000, "columns": 10},
}


def points(grid, varied, fixed):
    """The cells of a panel in order."""
    cells = [cell for cell in grid.values() if all(cell[key] == value for key, value in fixed.items())]
    return sorted(cells, key=lambda cell: cell[varied])


def draw(upper, lower, cells, varied):
    """Seconds in the upper panel, errors in the lower one."""
    for name, (colour, mark, line) in STYLES.items():
        of_name = [(cell, cell["methods"][name]) for cell in cells if name in cell["methods"]]
        upper.plot([c[varied] for c, _ in of_name], [m["seconds"] for _, m in of_name], line, color=colour, lw=1.4)
        known = [(c[varied], m["error"]) for c, m in of_name if "error" in m]
        if name != "onefold, 1 thread":  # the same errors as with two
            lower.plot([x for x, _ in known], [e for _, e in known], line, color=colour, lw=1.4)
        for cell, method in of_name:
            errors = [other["error"] for other in cell["methods"].values() if "error" in other]
            style = {"color": colour, "ms": 6, "mew": 1.4, "ls": ""}
            if "error" not in method:
                upper.plot(cell[varied], method["seconds"], marker=r"$\uparrow$", **style | {"ms": 10})
                continue
            style["mfc"] = colour if method["error"] <= NEAR * min(errors) else "white"
            upper.plot(cell[varied], method["seconds"], mark, **style)
            if name != "onefold, 1 thread":
                lower.plot(cell[varied], method["error"], mark, **style)


def main():
    results, figure = json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]
    # Text stays text, and the same results give the same file.
    plt.rcParams.update({"font.size": 11, "svg.fonttype": "none", "svg.hashsalt": "onefold", "font.family": "sans-serif"})
    drawing, panels = plt.subplots(2, len(PANELS), figsize=(9, 6.6), sharex="col", sharey="row")
    for (varied, fixed), (upper, lower) in zip(PANELS.items(), panels.T):
        draw(upper, lower, points(results["grid"], varied, fixed), varied)
        upper.set_title(", ".join(f"{value:,} {key}" for key, value in fixed.items()), fontsize=11)
        lower.set_xlabel(varied)
        for panel in (upper, lower):
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.grid(True, color="#dddddd", lw=0.6)
            panel.set_axisbelow(True)
        lower.axhline(1, color="black", lw=0.8, ls="--")
    panels[0][2].set_xticks([2, 8, 16, 64], ["2", "8", "16", "64"])
    panels[0][2].minorticks_off()
    panels[0][0].set_ylabel("seconds, reading included")
    panels[1][0].set_ylabel("test error (noise: 1)")
    panels[1][0].set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    handles = [plt.Line2D([], [], color=c, marker=m, ls=line, label=name) for name, (c, m, line) in STYLES.items()]
    drawing.legend(handles=handles, loc="lower center", ncols=3, frameon=False)
    drawing.tight_layout(rect=(0, 0.09, 1, 1))
    drawing.savefig(figure, facecolor="white", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
