"""Kinds of cases: each module has a table of them with weights."""

from . import characters, disks, endless, exporting, forged, misuse, overwriting, rows, signals, stores, training

MODULES = (training, signals, disks, overwriting, rows, characters, exporting, forged, endless, stores, misuse)
KINDS = {name: entry for module in MODULES for name, entry in module.KINDS.items()}
