"""The gateway's web application: the doors for programs, and the people's API behind its gate."""

from collections.abc import Callable

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from recto.gateway.people_gate import PeopleGate
from recto.gateway.problems import add_problem_answers
from recto.gateway.routes import admin, figures, health, kept, own, pages, provider, session
from recto.gateway.routes.pages import Pages
from recto.gateway.services import GatewayServices
from recto.gateway.upstreams import Upstreams

DOOR_PATHS = ("/v1/", "/v1beta/", "/api/v1/search")
"""What begins so is for programs with a key; no cookie counts there."""
METRICS_PATH = "/metrics"


def build_people_api() -> FastAPI:
    """The people's routes, without their gate: enough to describe them."""
    api = FastAPI(title="Recto gateway", openapi_url=None, docs_url=None, redoc_url=None)
    for routes in (health, session, provider, own, kept, admin, figures, pages):
        # Flat, not nested by include_router: the gate reads the marker off each route.
        api.router.routes.extend(routes.router.routes)
    add_problem_answers(api)
    return api


def tell_nobody(scope: Scope) -> None:
    """Where nobody counts the connections of strangers."""


def build_gateway_application(
    services: GatewayServices,
    doors: ASGIApp | None,
    *,
    metrics: ASGIApp | None = None,
    upstreams: Upstreams | None = None,
    pages: Pages | None = None,
    on_known: Callable[[Scope], None] = tell_nobody,
) -> ASGIApp:
    """Everything that the gateway answers. `doors` gets what programs ask with a key.

    A command that only asks for people and keys opens none, and shows no pages. `metrics`
    answers who watches over it. `on_known` is told of requests of people who are known.
    """
    api = build_people_api()
    api.state.services = services
    api.state.upstreams = upstreams
    api.state.pages = pages
    gate = PeopleGate(api, routes=lambda: api.routes, services=services, on_known=on_known)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if doors is not None and is_for_doors(scope):
            await doors(scope, receive, send)
        elif metrics is not None and scope["type"] == "http" and scope["path"] == METRICS_PATH:
            await metrics(scope, receive, send)
        elif scope["type"] == "http":
            await gate(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "No socket is here."})

    return application


def is_for_doors(scope: Scope) -> bool:
    """Whether a request is one that programs make with a key."""
    return scope["type"] in ("http", "websocket") and scope["path"].startswith(DOOR_PATHS)
