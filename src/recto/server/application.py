"""The web application: every route, behind the gate."""

from fastapi import FastAPI
from starlette.types import ASGIApp

from recto.server.errors import add_error_answers
from recto.server.gate import RequestGate, Site
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
from recto.server.services import Services


def build_application(services: Services, site: Site) -> ASGIApp:
    """The application for these services; every request passes the gate."""
    api = build_api(services.version)
    api.state.services = services
    api.state.site = site
    return RequestGate(api, routes=lambda: api.routes, sessions=site.sessions, doorway=site.doorway)


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
    ):
        # Flat, not nested by include_router: the gate reads the marker off each route.
        api.router.routes.extend(routes.router.routes)
    api.router.routes.extend([browser.LINK, browser.PAGE])
    add_error_answers(api)
    return api
