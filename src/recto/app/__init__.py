"""The composition root: builds every service once and runs the server.

The only room that may reach inside others.
"""

from recto.app.asking import Asking, Lines, open_asking
from recto.app.direct import ask_chunks, usage_report
from recto.app.serving import START_FAILURES, CannotStart, Options, Ready, serve
from recto.app.store import open_store

__all__ = [
    "START_FAILURES",
    "Asking",
    "CannotStart",
    "Lines",
    "Options",
    "Ready",
    "ask_chunks",
    "open_asking",
    "open_store",
    "serve",
    "usage_report",
]
