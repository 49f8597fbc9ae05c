"""The campaigns that are measured."""

import pathlib

# Cells whose trials end at a number of evaluations: how many trials, and how many evaluations. About 1 ms to
# 60 s on one core of 2026, most of them short.
MIXED = [(300, 1e3), (130, 1e4), (40, 2e5), (23, 2e6), (6, 2e7), (1, 2.5e8)]
# For rounds in which workers are killed: 60 trials, some with several slices.
CHAOS = [(40, 1e4), (10, 1e5), (10, 1.5e7)]


def text(name: str, cells: list[tuple[int, float]]) -> str:
    """A campaign file."""
    parts = [f'name = "{name}"\n']
    for runs, evaluations in cells:
        # The default population needs 1400 evaluations for its first generation.
        population = "population = 20\n" if evaluations < 1400 else ""
        parts.append(
            f'[[cell]]\nname = "{evaluations:.0e}"\ndata = "sinc"\nhidden = "5"\nmethod = "de"\n'
            f"target = 1e-30\nmax_evaluations = {evaluations:.0f}\nruns = {runs}\n{population}"
        )
    return "\n".join(parts)


def write(folder: pathlib.Path, name: str, cells: list[tuple[int, float]]) -> pathlib.Path:
    """Writes a campaign file."""
    path = folder / f"{name}.toml"
    path.write_text(text(name, cells))
    return path


def many(trials: int) -> list[tuple[int, float]]:
    """Trials of about a millisecond."""
    return [(trials, 1000)]
