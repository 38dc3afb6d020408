"""Recto's own HTTP API, its event stream, the sign-in and the page."""

from recto.server.application import build_api, build_application
from recto.server.description import describe_api
from recto.server.gate import Doorway
from recto.server.logs import logging_to
from recto.server.page import Page, PageMissing
from recto.server.services import Services
from recto.server.sessions import Sessions

__all__ = [
    "Doorway",
    "Page",
    "PageMissing",
    "Services",
    "Sessions",
    "build_api",
    "build_application",
    "describe_api",
    "logging_to",
]
