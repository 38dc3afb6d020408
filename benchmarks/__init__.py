"""Benchmarks: each prints a ratio against a named alternative, measured in the same run."""
