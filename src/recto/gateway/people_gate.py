"""What every request for the people's API passes: right origin, marked route, known visitor."""

import asyncio
from collections.abc import Callable, Iterable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.gateway.credentials import hash_of
from recto.gateway.problems import ApiProblem, ApiRefused
from recto.gateway.route_access import Audience, audience_of
from recto.gateway.services import GatewayServices, Visitor

SAFE_METHODS = frozenset({"GET", "HEAD"})
MOST_BODY_BYTES = 64 * 1024
BODY_DEADLINE_S = 20.0
SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none';"
        b" frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": with that, browsers would not say where a form of ours comes from.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class PeopleGate:
    """ASGI middleware around the people's routes."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        routes: Callable[[], Iterable[BaseRoute]],
        services: GatewayServices,
        on_known: Callable[[Scope], None],
    ) -> None:
        """`on_known` is told of each request of somebody known."""
        self._on_known = on_known
        self._app = app
        self._routes = routes
        self._services = services
        self._hosts = {origin.partition("://")[2] for origin in services.address.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", []))
                named = {name.lower() for name, _ in own}
                own += [header for header in SECURITY_HEADERS if header[0] not in named]
                message["headers"] = own
            await send(message)

        body = BoundedBody(receive)
        try:
            await self._admit(scope)
            await self._app(scope, body.receive, guarded)
        except ApiRefused as refused:
            await refused.problem.response()(scope, receive, guarded)

    async def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        audience = self._audience(scope)
        if audience is Audience.ANYONE and scope["path"] in ("/healthz", "/readyz"):
            return  # asked by machines, under whatever name they know
        self._check_where_from(scope, headers)
        visitor = await self._visitor(scope, headers)
        scope.setdefault("state", {})["visitor"] = visitor
        if audience is Audience.ANYONE:
            return
        if audience is None:
            raise ApiRefused(ApiProblem(403, "This address is closed", "It has no access marker."))
        if visitor is None:
            raise ApiRefused(NOT_SIGNED_IN)
        self._on_known(scope)
        if audience is Audience.ADMIN and not visitor.is_admin:
            raise ApiRefused(FOR_ADMINS)

    def _audience(self, scope: Scope) -> Audience | None:
        for route in self._routes():
            match, found = route.matches(scope)
            if match is Match.FULL:
                return audience_of(found.get("endpoint"))
        # No such address: only somebody we know is told so.
        return Audience.MEMBER

    def _check_where_from(self, scope: Scope, headers: Headers) -> None:
        if headers.get("host", "").lower() not in self._hosts:
            raise ApiRefused(
                ApiProblem(421, "Wrong host", "The gateway does not answer to this host name.")
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._services.address.origins:
            raise ApiRefused(FOREIGN)
        site = headers.get("sec-fetch-site")
        # A link may lead here from anywhere; a service that signs people in sends them back so.
        is_visit = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in SAFE_METHODS
        typed_in = site == "none" and scope["method"] in SAFE_METHODS
        if site not in (None, "same-origin") and not typed_in and not is_visit:
            raise ApiRefused(FOREIGN)

    async def _visitor(self, scope: Scope, headers: Headers) -> Visitor | None:
        token = bearer_token(headers)
        if token is not None:
            if hash_of(token) == hash_of(self._services.operator.reveal()):
                return Visitor(None, None)
            found = await self._services.sign_ins.find(token)
            if found is None:
                raise ApiRefused(NOT_SIGNED_IN)
            return Visitor(found.account, found.sign_in.id)
        cookie = read_cookie(headers, self._services.address.cookie)
        found = None if cookie is None else await self._services.sign_ins.find(cookie)
        if found is None:
            return None
        # A browser says where a changing request comes from; one that does not is not trusted.
        says = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if scope["method"] not in SAFE_METHODS and not says:
            raise ApiRefused(FOREIGN)
        return Visitor(found.account, found.sign_in.id)


class BoundedBody:
    """The request's body, within a size and a time."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
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
            raise ApiRefused(
                ApiProblem(408, "The request came too slowly", "Its body did not arrive in time.")
            ) from None
        self._size += len(message.get("body", b""))
        if self._size > MOST_BODY_BYTES:
            raise ApiRefused(
                ApiProblem(413, "The request is too large", "At most 64 KB can be sent here.")
            )
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message


def bearer_token(headers: Headers) -> str | None:
    """The token of `Authorization: Bearer`; None if there is none, "" if it can't be one."""
    header = headers.get("authorization")
    if header is None:
        return None
    kind, _, token = header.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def read_cookie(headers: Headers, name: str) -> str | None:
    """The value of one cookie; a malformed header has none."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return morsel.value if morsel else None


FOREIGN = ApiProblem(403, "Refused", "The request comes from another website.")
NOT_SIGNED_IN = ApiProblem(
    401, "Not signed in", "The gateway does not know who asks.", remedy="Sign in again."
)
FOR_ADMINS = ApiProblem(403, "For admins", "Only an admin may do this.")
