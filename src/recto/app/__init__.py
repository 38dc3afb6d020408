"""The composition root: builds every service once and runs the server.

The only room that may reach inside others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recto.app.direct import ask_chunks, usage_report
    from recto.app.failures import START_FAILURES
    from recto.app.garbage import settle_garbage
    from recto.app.gateway import (
        GatewayOptions,
        GatewayParts,
        OpenDoors,
        ReadyGateway,
        build_gateway,
        serve_as_worker,
        serve_gateway,
    )
    from recto.app.gateway_commands import ask_gateway
    from recto.app.headless import Headless, open_headless
    from recto.app.mcp_commands import open_mcp
    from recto.app.mcp_stdio import NoAnswer, NotHeard, serve_stdio
    from recto.app.model_services import ModelConnections, ModelServices, open_model_services
    from recto.app.replay import ReplayResult, Trace, replay_run, trace_request
    from recto.app.server import CannotStart, ReadyServer, ServeOptions, serve
    from recto.app.services import AppServices, open_services
    from recto.app.store import open_store

__all__ = [
    "START_FAILURES",
    "ModelServices",
    "CannotStart",
    "GatewayOptions",
    "GatewayParts",
    "OpenDoors",
    "ReadyGateway",
    "Headless",
    "ModelConnections",
    "NoAnswer",
    "NotHeard",
    "ServeOptions",
    "ReadyServer",
    "ReplayResult",
    "Trace",
    "AppServices",
    "ask_chunks",
    "ask_gateway",
    "build_gateway",
    "serve_as_worker",
    "serve_gateway",
    "open_model_services",
    "open_headless",
    "open_mcp",
    "open_store",
    "open_services",
    "replay_run",
    "serve",
    "settle_garbage",
    "serve_stdio",
    "trace_request",
    "usage_report",
]
PLACES = {
    "direct": ("ask_chunks", "usage_report"),
    "failures": ("START_FAILURES",),
    "garbage": ("settle_garbage",),
    "gateway": (
        "GatewayOptions",
        "GatewayParts",
        "OpenDoors",
        "ReadyGateway",
        "build_gateway",
        "serve_as_worker",
        "serve_gateway",
    ),
    "gateway_commands": ("ask_gateway",),
    "headless": ("Headless", "open_headless"),
    "mcp_commands": ("open_mcp",),
    "mcp_stdio": ("NoAnswer", "NotHeard", "serve_stdio"),
    "model_services": ("ModelConnections", "ModelServices", "open_model_services"),
    "replay": ("ReplayResult", "Trace", "replay_run", "trace_request"),
    "server": ("CannotStart", "ReadyServer", "ServeOptions", "serve"),
    "services": ("AppServices", "open_services"),
    "store": ("open_store",),
}
FOUND_IN = {name: place for place, names in PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load what is asked for: all of it takes seconds, and no command needs all."""
    if name not in FOUND_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{FOUND_IN[name]}"), name)
