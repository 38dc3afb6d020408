"""Recorded provider streams for the benchmarks, made from templates."""
