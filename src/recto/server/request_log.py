"""A line in the log for each request."""

import logging
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.server.listen import line_of

log = logging.getLogger("recto.requests")


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
