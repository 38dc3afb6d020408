"""Recto's own HTTP API, its event stream, the sign-in and the page.

Each name is loaded when it is first asked for: the page must not wait for the API.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recto.server.application import build_api, build_application
    from recto.server.description import describe_api
    from recto.server.gate import ServerIdentity, Site
    from recto.server.logs import logging_to
    from recto.server.mcp_server.endpoint import McpEndpoint
    from recto.server.metadata import answer_metadata
    from recto.server.opening import OpeningApplication
    from recto.server.page import BuiltPage, PageMissing
    from recto.server.request_log import RequestLog
    from recto.server.services import Services
    from recto.server.sessions import Sessions
    from recto.server.views.usage import present_budget, present_usage

__all__ = [
    "ServerIdentity",
    "BuiltPage",
    "McpEndpoint",
    "OpeningApplication",
    "PageMissing",
    "RequestLog",
    "Services",
    "Sessions",
    "Site",
    "answer_metadata",
    "build_api",
    "build_application",
    "describe_api",
    "logging_to",
    "present_budget",
    "present_usage",
]
PLACES = {
    "ServerIdentity": "gate",
    "BuiltPage": "page",
    "McpEndpoint": "mcp_server.endpoint",
    "OpeningApplication": "opening",
    "PageMissing": "page",
    "RequestLog": "request_log",
    "Services": "services",
    "Sessions": "sessions",
    "Site": "gate",
    "answer_metadata": "metadata",
    "build_api": "application",
    "build_application": "application",
    "describe_api": "description",
    "logging_to": "logs",
    "present_budget": "views.usage",
    "present_usage": "views.usage",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
