"""Commands for people and scripts."""

from recto.cli.command import main

__all__ = ["main"]
