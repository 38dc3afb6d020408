"""Kernels: found, started, talked to, interrupted, ended; and what their cells answer."""
