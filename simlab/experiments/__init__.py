"""Experiments: a designer's question as a TOML file, its cells, what a run stores and what it shows."""
