"""The web application: every route, behind the gate."""

import logging
from collections.abc import Callable

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.server.errors import add_error_answers
from recto.server.gate import RequestGate
from recto.server.listen import line_of
from recto.server.routes import (
    browser,
    contexts,
    doctor,
    events,
    health,
    instructions,
    keeping,
    preferences,
    projects,
    session,
    skills,
    start,
    tokens,
    tools,
)
from recto.server.routes.chats import (
    chat_files,
    chat_groups,
    chat_history,
    chat_tools,
    chats,
    previews,
    tool_outputs,
    turns,
    undo,
)
from recto.server.routes.documents import (
    authorship,
    documents,
    notebooks,
    proposals,
    publications,
    references,
    returned_drafts,
    reviews,
    suggest,
    threads,
    tracked_changes,
    versions,
    word,
)
from recto.server.routes.files import file_operations, files, links, raw, replacements, repository
from recto.server.routes.mcp import mcp, mcp_apps, mcp_message, mcp_offers, mcp_server
from recto.server.routes.models import ai, gateway, local_models, models, servers, usage
from recto.server.services import Services, Site

log = logging.getLogger("recto.requests")


def build_application(services: Services, site: Site, *, monotonic: Callable[[], float]) -> ASGIApp:
    """The application for these services; every request passes the gate and is logged."""
    api = build_api(services.version)
    api.state.services = services
    api.state.site = site
    gate = RequestGate(api, routes=lambda: api.routes, sessions=site.sessions, doorway=site.doorway)
    return RequestLog(gate, monotonic)


def build_api(version: str) -> FastAPI:
    """The routes without the gate: enough to describe the API."""
    api = FastAPI(title="Recto", version=version, openapi_url=None, docs_url=None, redoc_url=None)
    for routes in (
        suggest,  # routes are tried in this order, and for this one somebody waits at every key
        health,
        start,
        session,
        projects,
        files,
        file_operations,
        links,
        replacements,
        repository,
        raw,
        documents,
        contexts,
        tokens,
        events,
        local_models,
        models,
        servers,
        gateway,
        preferences,
        usage,
        chat_files,
        chat_groups,
        chats,
        chat_tools,
        tool_outputs,
        chat_history,
        turns,
        previews,
        undo,
        reviews,
        authorship,
        versions,
        threads,
        proposals,
        skills,
        instructions,
        publications,
        returned_drafts,
        references,
        notebooks,
        tools,
        tracked_changes,
        word,
        mcp,
        mcp_apps,
        mcp_message,
        mcp_offers,
        ai,
        mcp_server,
        doctor,
        keeping,
        browser,
    ):
        # Flat, not nested by include_router: the gate reads the marker off each route.
        api.router.routes.extend(routes.router.routes)
    add_error_answers(api)
    return api


class RequestLog:
    """Notes each request: method, route, status, time. Never the address: it may hold a secret."""

    def __init__(self, app: ASGIApp, monotonic: Callable[[], float]) -> None:
        self._app = app
        self._monotonic = monotonic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        line = line_of(scope)
        ahead = None if line is None else line.ahead
        started, status = self._monotonic() if ahead is None else ahead.began, 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            if ahead is not None:
                status = status or ahead.status
            route = getattr(scope.get("route"), "path", "(no route)")
            milliseconds = round((self._monotonic() - started) * 1000, 1)
            log.info(
                "request",
                extra={
                    "method": scope["method"],
                    "route": route,
                    "status": status,
                    "ms": milliseconds,
                },
            )
