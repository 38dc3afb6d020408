"""The composition root: builds every service once and runs the server.

The only room that may reach inside others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recto.app.direct import ask_chunks, usage_report
from recto.app.garbage import settle_garbage
from recto.app.headless import Headless, open_headless
from recto.app.model_services import ModelConnections, ModelServices, open_model_services
from recto.app.replay import ReplayResult, Trace, replay_run, trace_request
from recto.app.server import START_FAILURES, CannotStart, ReadyServer, ServeOptions, serve
from recto.app.services import AppServices, open_services
from recto.app.store import open_store

if TYPE_CHECKING:
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
    from recto.app.mcp_commands import open_mcp
    from recto.app.mcp_stdio import NoAnswer, NotHeard, serve_stdio

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
# A workspace does not need the gateway, and a start must not wait for it.
LATER = {
    **dict.fromkeys(
        (
            "GatewayOptions",
            "GatewayParts",
            "OpenDoors",
            "ReadyGateway",
            "build_gateway",
            "serve_as_worker",
            "serve_gateway",
        ),
        "recto.app.gateway",
    ),
    "ask_gateway": "recto.app.gateway_commands",
    "open_mcp": "recto.app.mcp_commands",
    # The SDK takes seconds to load.
    **dict.fromkeys(("NoAnswer", "NotHeard", "serve_stdio"), "recto.app.mcp_stdio"),
}


def __getattr__(name: str) -> Any:
    """Load what is not always needed when it is first asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)
