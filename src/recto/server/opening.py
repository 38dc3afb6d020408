"""The server while it opens: the page is there at once, and what asks for more waits."""

import asyncio

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from recto.server.gate import RequestGate, Site
from recto.server.problems import Problem, problem_response
from recto.server.routes.browser import LINK, PAGE

LINKS = "/open/"
NOT_OPENED = Problem(
    503,
    "Recto could not open the folder",
    "What went wrong is said where Recto was started.",
    remedy="Mend it, then start Recto again.",
)


class OpeningApplication:
    """Lets a browser load the page while the program itself is still being loaded.

    Both take seconds and neither needs the other. Who may have the page is asked as ever.
    """

    def __init__(self, site: Site) -> None:
        early = Starlette(routes=[LINK, PAGE])
        early.state.site = site
        self._page = site.page
        self._early = RequestGate(
            early, routes=lambda: early.routes, sessions=site.sessions, doorway=site.doorway
        )
        self._whole: ASGIApp | None = None
        self._is_settled = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether the program is loaded."""
        return self._whole is not None

    def open(self, application: ASGIApp) -> None:
        """The program is loaded: it answers everything from now on."""
        self._whole = application
        self._is_settled.set()

    def give_up(self) -> None:
        """Nothing will come: whoever waits is told so."""
        self._is_settled.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or wait for what can."""
        if not self._is_settled.is_set():
            if self._is_early(scope):
                await self._early(scope, receive, send)
                return
            await self._is_settled.wait()
        answering = self._refuse if self._whole is None else self._whole
        await answering(scope, receive, send)

    def _is_early(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        return scope["path"].startswith(LINKS) or self._page.has(scope["path"])

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await WebSocketClose(1013, NOT_OPENED.title)(scope, receive, send)
        else:
            await problem_response(NOT_OPENED, scope["path"])(scope, receive, send)
