"""The gate every request passes: right host, right origin, marked route, known caller, in time.

Plain ASGI, outside the framework: no route, stream, WebSocket or file is served without it.
"""

import asyncio
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.server.access import MEGABYTE, RouteAccess, access_of, body_limit
from recto.server.listen import know
from recto.server.page import BuiltPage
from recto.server.problems import Problem, RequestProblem, problem_response
from recto.server.sessions import Session, Sessions
from recto.server.sign_in import sign_in_page

SAFE_METHODS = {"GET", "HEAD"}
PAGE_HEADER = "x-recto-page"
PROTOCOL = "recto"
PAGE_PROTOCOL = "recto.page."
"""A browser sets no header of a socket, so its page names this protocol with the secret in it."""
ENDPOINT = "endpoint"
"""Where a request carries the function that answers it."""
BODY_DEADLINE_S = 20.0
ANSWER_DEADLINE_S = 60.0

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
        b" font-src 'self'; img-src 'self' data: blob:; media-src data:; connect-src 'self';"
        b" manifest-src 'self'; frame-src 'self';"
        b" base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    # With no referrer at all a browser would say "null" for the origin of our own sign-in form.
    (b"referrer-policy", b"same-origin"),
    # A name in an answer's link must not be looked up before somebody clicks on it.
    (b"x-dns-prefetch-control", b"off"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    # What a route says nothing about is the user's own: no browser or proxy keeps it.
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Where the server stands: which names it answers to, and its cookie's name."""

    scheme: str
    hosts: frozenset[str]
    cookie: str


@dataclass(frozen=True, slots=True)
class Site:
    """What only a server has: who is signed in, where it stands, and its page."""

    sessions: Sessions
    doorway: ServerIdentity
    base_url: str
    page: BuiltPage


class RequestGate:
    """ASGI middleware around the whole application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        routes: Callable[[], Iterable[BaseRoute]],
        sessions: Sessions,
        doorway: ServerIdentity,
    ) -> None:
        self._app = app
        self._routes = routes
        self._sessions = sessions
        self._doorway = doorway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            self._admit(scope)
        except RequestProblem as refused:
            await refuse(refused.problem, scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, speaking(scope, send))
            return
        answer = GatedResponse(send)
        try:
            async with asyncio.timeout(None) as deadline:
                answer.deadline = deadline
                deadline.reschedule(asyncio.get_running_loop().time() + ANSWER_DEADLINE_S)
                body = LimitedBody(receive, body_limit(scope["state"][ENDPOINT]))
                await self._app(scope, body.receive, answer.send)
        except (TimeoutError, RequestProblem) as error:
            # The head is out: a second answer would be garbage in the first one's body.
            if answer.started:
                raise
            problem = error.problem if isinstance(error, RequestProblem) else TOO_SLOW
            answer.deadline = None  # it has passed, or does not count any more
            await problem_response(problem, scope["path"])(scope, receive, answer.send)

    def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        # First, before any credential counts: a foreign page must not even test cookies.
        self._check_where_from(scope, headers)
        access = self._marker(scope)
        session = self._caller(headers, scope)
        scope["state"]["session"] = session
        if access is RouteAccess.ANYONE:
            return
        # A route that somebody forgot to mark is closed, not open.
        if access is None:
            raise RequestProblem(Problem(403, "This address is closed", "It has no access marker."))
        if session is None:
            raise RequestProblem(NO_SESSION)
        if not self._is_page(session, access, headers, scope):
            raise RequestProblem(NO_PAGE)
        know(scope)

    def _check_where_from(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        # Against DNS rebinding: a stranger's name that points to this machine is not ours.
        if host.lower() not in self._doorway.hosts:
            raise RequestProblem(
                Problem(421, "Wrong host", "Recto does not answer to this host name.")
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            raise RequestProblem(FOREIGN)
        site = headers.get("sec-fetch-site")
        # "none" is an address that was typed or opened from elsewhere: it may look, not change.
        typed_in = site == "none" and scope.get("method") in SAFE_METHODS
        if site not in (None, "same-origin") and not typed_in:
            raise RequestProblem(FOREIGN)

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == self._doorway.scheme and parts.netloc.lower() == host.lower()

    def _marker(self, scope: Scope) -> RouteAccess | None:
        endpoint = self._endpoint(scope)
        scope.setdefault("state", {})[ENDPOINT] = endpoint
        # No such address: only a caller we know is told so.
        return RouteAccess.SESSION if endpoint is None else access_of(endpoint)

    def _endpoint(self, scope: Scope) -> object | None:
        for route in self._routes():
            match, found = route.matches(scope)
            if match is Match.FULL:
                return found.get("endpoint")
        return None

    def _caller(self, headers: Headers, scope: Scope) -> Session | None:
        token = read_token(headers)
        if token is not None:
            if self._sessions.is_token(token):
                return self._sessions.token_session
            # A wrong token is no anonymous caller: it is refused, and counted.
            raise self._wrong()
        cookie = read_cookie(headers.get("cookie", ""), self._doorway.cookie)
        if cookie is None:
            return None
        session = self._sessions.find(cookie)
        if session is None:
            if self._sessions.note_wrong():
                raise RequestProblem(TOO_MANY)
            return None
        # A browser says where a changing request comes from; one that does not is not trusted.
        says = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not says:
            raise RequestProblem(FOREIGN)
        return session

    def _is_page(
        self, session: Session, access: RouteAccess, headers: Headers, scope: Scope
    ) -> bool:
        """Whether a browser's request comes from our page, which alone has more than the cookie."""
        if session is self._sessions.token_session or access is RouteAccess.PAGE:
            return True
        cookie = read_cookie(headers.get("cookie", ""), self._doorway.cookie) or ""
        known = self._sessions.page_secret(cookie)
        if access is RouteAccess.EMBED:
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
            ticket = query.get("ticket", [""])[-1]
            if hmac.compare_digest(ticket.encode(), known.ticket.encode()):
                return True
        shown = headers.get(PAGE_HEADER) or spoken(scope)
        return hmac.compare_digest(shown.encode(), known.secret.encode())

    def _wrong(self) -> RequestProblem:
        return RequestProblem(TOO_MANY if self._sessions.note_wrong() else NO_SESSION)


class LimitedBody:
    """The request's body, within a size and a time."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._size = 0
        self._complete = False
        self._ends = asyncio.get_running_loop().time() + BODY_DEADLINE_S

    async def receive(self) -> Message:
        """The next piece; waiting for the caller to leave has no deadline."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._ends):
                message = await self._receive()
        except TimeoutError:
            raise RequestProblem(
                Problem(408, "The request came too slowly", "Its body did not arrive in time.")
            ) from None
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            most = f"At most {self._most // MEGABYTE} MB can be sent here."
            raise RequestProblem(Problem(413, "The request is too large", most))
        # After the body, `receive` only waits for the caller to leave: that may take long.
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message


class GatedResponse:
    """The response: carries the security headers; once it starts, only the caller ends it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.deadline: asyncio.Timeout | None = None

    async def send(self, message: Message) -> None:
        """Pass one message on."""
        if message["type"] == "http.response.start":
            self.started = True
            if self.deadline is not None:
                # Streams last for hours; only their first byte has a deadline.
                self.deadline.reschedule(None)
            message["headers"] = with_security_headers(message.get("headers", []))
        await self._send(message)


def with_security_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with ours; a policy that the route wrote itself stays as it is."""
    own = list(headers)
    named = {name.lower() for name, _ in own}
    return own + [header for header in SECURITY_HEADERS if header[0] not in named]


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request that stops at the gate."""
    if scope["type"] == "websocket":
        # ASGI wants the connect message taken before a socket is closed.
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": problem.title})
        return
    visits = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
    response = sign_in_page(problem) if visits else problem_response(problem, scope["path"])
    await response(scope, receive, GatedResponse(send).send)


def read_token(headers: Headers) -> str | None:
    """The token as clients of either habit send it; None if there is none, "" if it can't be one.

    Some send `Authorization: Bearer`, others `x-api-key`.
    """
    bearer = headers.get("authorization")
    if bearer is None:
        return headers.get("x-api-key")
    kind, _, token = bearer.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def spoken(scope: Scope) -> str:
    """The page's secret among the protocols of a socket, where a browser can say it."""
    offered: list[str] = scope.get("subprotocols", [])
    return next((one[len(PAGE_PROTOCOL) :] for one in offered if one.startswith(PAGE_PROTOCOL)), "")


def speaking(scope: Scope, send: Send) -> Send:
    """Answers the page's protocols with the one that says nothing: a browser wants one of them."""
    if PROTOCOL not in scope.get("subprotocols", []):
        return send

    async def accept(message: Message) -> None:
        if message["type"] == "websocket.accept":
            message["subprotocol"] = PROTOCOL
        await send(message)

    return accept


def read_cookie(header: str, name: str) -> str | None:
    """The value of one cookie; a malformed header has none."""
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return morsel.value if morsel else None


FOREIGN = Problem(403, "Refused", "The request comes from another website.")
NO_SESSION = Problem(
    401,
    "Not signed in",
    "Recto does not know this browser or script.",
    remedy="Open the link that recto printed, or run recto again.",
)
NO_PAGE = Problem(
    401,
    "This page is not signed in",
    "The browser is known, the page is not: its part of the sign-in is missing.",
    remedy="Open the link that recto printed, or run recto again.",
)
TOO_MANY = Problem(
    429, "Too many wrong attempts", "Wait a minute, then open the link that recto printed."
)
TOO_SLOW = Problem(
    503, "That took too long", "The answer was not ready in time. Nothing was changed twice."
)
