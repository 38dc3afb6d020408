"""The composition root: builds every service once and runs the server.

The only room that may reach inside others.
"""

from recto.app.asking import Asking, Lines, open_asking
from recto.app.direct import ask_chunks, usage_report
from recto.app.headless import Headless, open_headless
from recto.app.replaying import Replayed, Trace, replay_run, trace_request
from recto.app.serving import START_FAILURES, CannotStart, Options, Ready, serve
from recto.app.store import open_store
from recto.app.working import Working, open_working

__all__ = [
    "START_FAILURES",
    "Asking",
    "CannotStart",
    "Headless",
    "Lines",
    "Options",
    "Ready",
    "Replayed",
    "Trace",
    "Working",
    "ask_chunks",
    "open_asking",
    "open_headless",
    "open_store",
    "open_working",
    "replay_run",
    "serve",
    "trace_request",
    "usage_report",
]
