"""Measures campaigns on several engines: `python -m benchmarks.scaling NAME`."""
