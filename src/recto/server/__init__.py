"""Recto's own HTTP API, its event stream, the sign-in and the page."""

from recto.server.application import build_api, build_application
from recto.server.description import describe_api
from recto.server.gate import ServerIdentity
from recto.server.logs import logging_to
from recto.server.mcp_server.endpoint import McpEndpoint
from recto.server.metadata import answer_metadata
from recto.server.page import BuiltPage, PageMissing
from recto.server.services import Services, Site
from recto.server.sessions import Sessions
from recto.server.usage_view import present_budget, present_usage

__all__ = [
    "ServerIdentity",
    "BuiltPage",
    "McpEndpoint",
    "PageMissing",
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
