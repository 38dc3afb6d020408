"""A call to a provider of the client's own protocol: its bytes go on as they are.

Only what must be another is spliced in: the model's name, a limit that money makes lower, and the
wish for a count. Only what was used is read in the answer.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from recto.access import Access, BegunCall, Deployment, ProtocolId, TokenBounds
from recto.gateway.doors.call import GatewayCall, Wanted
from recto.gateway.doors.failures import FailedAttempt, for_client
from recto.gateway.doors.http import ClientRequest
from recto.gateway.doors.routes import Route
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.splice import insert, splice
from recto.gateway.doors.usage_cutter import UsageCutter
from recto.llm import RelayedPiece, RequestUnderWay, WireRequest, error_frame, shows_words
from recto.messages import Failure, StreamEvent

HOP_BY_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)
NOT_PASSED = HOP_BY_HOP | {
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "proxy-authorization",
    "cookie",
    "host",
    "content-length",
    "accept-encoding",
    "expect",
    "forwarded",
    "via",
    "origin",
    "referer",
}
NOT_PASSED_PREFIXES = ("x-forwarded-", "x-real-", "sec-", "cf-")
PASSED_BACK = (
    "content-type",
    "request-id",
    "x-request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "openai-version",
    "openai-processing-ms",
)
OUTPUT_PLACES: Mapping[str, tuple[str, ...]] = {
    "anthropic-messages": ("max_tokens",),
    "openai-responses": ("max_output_tokens",),
    "openai-chat": ("max_completion_tokens",),
    "gemini": ("generationConfig", "maxOutputTokens"),
}
REQUEST_TOKENS = 1_000
ATTACHMENT_TOKENS = 10_000
ATTACHED = (b'"base64"', b'"image_url"', b'"file_', b'"url"', b'nlineData"', b'nline_data"')
GATEWAY_DATA = (b"gw1.", b"Z3cxL", b'"_googleThoughtSignature"')
"""What only the gateway can take out: data of other providers that it once sent along."""
USAGE_WISH = b'"stream_options":{"include_usage":true},'


See = Callable[[StreamEvent], None]
Pieces = AsyncGenerator[RelayedPiece]


@dataclass(frozen=True, slots=True)
class RelayStart:
    """A call that was passed on ahead of its task."""

    way: Deployment
    bounds: TokenBounds
    begun: BegunCall
    under_way: RequestUnderWay
    back: "WayBack"

    @property
    def at(self) -> float:
        """When it was sent."""
        return self.begun.at

    @property
    def headers(self) -> Mapping[str, str]:
        """The head of its answer, for the client."""
        return passed_back(self.under_way.headers)

    def first(self, data: bytes) -> bytes:
        """What the client gets of an answer's first bytes; nothing if they have no words."""
        return self.back.first(data) if shows_words(data) else b""

    def answer(self, services: DoorServices, *, is_streamed: bool) -> Pieces:
        """What comes back, for nobody: it is only booked."""
        begun = self.begun
        wire = WireRequest("", b"", {})

        def send(_: int, see: See) -> Pieces:
            return services.relay(
                self.way.access, wire, see, is_streamed=is_streamed, under_way=self.under_way
            )

        purpose, access = begun.hold.purpose, self.way.access
        return services.gate.relay(purpose, access, self.bounds, send, begun=begun)


def relay_start(call: GatewayCall, way: Deployment) -> RelayStart | None:
    """The start that a call has at a deployment."""
    start = call.start
    return start if isinstance(start, RelayStart) and start.way is way else None


def can_relay(call: GatewayCall, way: Deployment) -> bool:
    """Whether the very bytes can go to a deployment."""
    if relay_start(call, way) is not None:
        return True
    if call.protocol != way.access.provider.protocol or call.stream.is_begun:
        return False
    return is_untouched(call.body)


def is_untouched(body: bytes) -> bool:
    """Whether a body holds nothing that only the gateway can take out."""
    first, second, third = GATEWAY_DATA
    return not (first in body or second in body or third in body)


async def relay_call(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Pass a call on, and the answer back; the failure if nothing was answered."""
    access, wanted = way.access, call.wanted
    start = relay_start(call, way)
    if start is None:
        bounds = relay_bounds(call.body, wanted, access)
        back = WayBack(cutter_of(call.protocol, wanted, access))
    else:
        bounds, back = start.bounds, start.back

    def send(output: int, see: See) -> Pieces:
        body = changed_body(
            call.body, call.route, wanted, access, output, wants_usage=back.cutter is not None
        )
        if body is None:
            return refused(see)
        path = upstream_path(call.route, call.request, access)
        wire = WireRequest(path, body, passed_headers(call.request.headers))
        return services.relay(
            access,
            wire,
            see,
            is_streamed=wanted.is_streamed,
            offer=back.take_now,
            under_way=start and start.under_way,
        )

    purpose = purpose_of(call.caller, way)
    begun = start and start.begun
    return await back.take(call, services.gate.relay(purpose, access, bounds, send, begun=begun))


class WayBack:
    """Writes an answer's pieces to the client as they come."""

    def __init__(self, cutter: UsageCutter | None) -> None:
        self._is_even = True
        """What was written ends with an event's end."""
        self._call: GatewayCall | None = None
        self._written = 0
        """How many bytes were written ahead, and are no news when they come in pieces."""
        self.cutter = cutter

    def first(self, data: bytes) -> bytes:
        """What a client gets of an answer's first bytes, ahead of everything else."""
        self._written = len(data)
        return self._cut(data)

    async def take(self, call: GatewayCall, pieces: Pieces) -> FailedAttempt | None:
        """Write the pieces; the failure if there was no answer."""
        self._call = call
        failed: FailedAttempt | None = None
        is_heard = False
        async with aclosing(pieces):
            async for piece in pieces:
                if not is_heard:
                    is_heard = True
                    call.hear(piece.headers)
                if call.stream.is_begun:
                    call.show()
                if piece.failure is not None and not call.is_shown:
                    failed = FailedAttempt(
                        piece.failure, piece.status, piece.data or None, passed_back(piece.headers)
                    )
                elif piece.failure is not None:
                    await self._break(call, piece.failure)
                elif failed is None:
                    await self._write(call, piece)
        if failed is None:
            if rest := self._rest():
                await call.stream.write(rest)
            await call.stream.end()
        return failed

    def take_now(self, data: bytes) -> bool:
        """Write some bytes at the moment they come, if the client takes them without a wait."""
        if self._call is None or not self._call.stream.takes_now():
            return False
        if data := self._cut(data):
            self._call.stream.write_now(data)
        return True

    async def _write(self, call: GatewayCall, piece: RelayedPiece) -> None:
        data, written = piece.data, self._written
        if written:
            self._written -= min(written, len(data))
            data = data[written:]
        if not data or not (data := self._cut(data)):
            return
        if call.stream.is_begun:
            await call.stream.write(data)
            return
        call.show()
        await call.stream.begin(piece.status, passed_back(piece.headers))
        await call.stream.write_first(data)

    async def _break(self, call: GatewayCall, failure: Failure) -> None:
        """Tell in the client's own words that the answer ends before its end."""
        call.broken = failure
        rest = self._rest()
        # An event that was cut in two ends here, or the error would become part of it.
        gap = b"\n\n" if rest or not self._is_even else b""
        frame = error_frame(call.protocol, for_client(failure))
        await call.stream.write(rest + gap + frame)

    def _cut(self, data: bytes) -> bytes:
        if self.cutter is not None:
            data = self.cutter.cut(data)
        if data:
            self._is_even = data.endswith((b"\n\n", b"\r\n\r\n"))
        return data

    def _rest(self) -> bytes:
        return b"" if self.cutter is None else self.cutter.end()


def relay_bounds(body: bytes, wanted: Wanted, access: Access) -> TokenBounds:
    """How many tokens a call and its answer can have at most."""
    return TokenBounds(
        prompt=most_prompt_tokens(body),
        output=wanted.output or access.max_output,
        likely=REQUEST_TOKENS // 10 + len(body) // 4,
    )


def cutter_of(protocol: ProtocolId, wanted: Wanted, access: Access) -> UsageCutter | None:
    """What takes out the count that only the gateway asks for; None: it asks for none."""
    counted = wanted.is_streamed and protocol == "openai-chat" and not wanted.wants_usage
    return UsageCutter() if counted and access.traits.usage_option else None


def changed_body(
    asked: bytes, route: Route, wanted: Wanted, access: Access, output: int, *, wants_usage: bool
) -> bytes | None:
    """The client's bytes with what must be another; None: the limit has no place in them."""
    body: bytes | None = asked
    if route.model is None and access.model != wanted.model:
        body = splice(asked, ("model",), access.model)
    if body is not None and output < (wanted.output or access.max_output):
        place = wanted.output_path or OUTPUT_PLACES[route.protocol]
        body = splice(body, place, output) or insert(body, place, output)
    if body is not None and wants_usage and not wanted.has_options:
        # The commonest case, without reading what may be a long conversation.
        start = body.index(b"{") + 1
        body = body[:start] + USAGE_WISH + body[start:]
    elif body is not None and wants_usage:
        body = splice(body, ("stream_options", "include_usage"), True) or insert(
            body, ("stream_options", "include_usage"), True
        )
    return body


async def refused(see: See) -> Pieces:
    """The answer to a request that can't be made short enough."""
    words = (
        "What is left of the limit does not pay for an answer of any length: name a shorter one."
    )
    yield RelayedPiece(0, {}, b"", Failure("budget", words, code="limit_reached"))


def upstream_path(route: Route, request: ClientRequest, access: Access) -> str:
    """The address at the provider, with what the client said in its query but for keys."""
    path = route.path
    if route.model is not None:
        path = path.replace("{model}", quote(access.model, safe=""))
    query = {name: value for name, value in request.query.items() if name != "key"}
    return f"{path}?{urlencode(query)}" if query else path


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """A client's headers for the provider: never credentials, nothing of the connection."""
    kept = {
        name: value
        for name, value in headers.items()
        if name not in NOT_PASSED and not name.startswith(NOT_PASSED_PREFIXES)
    }
    # What the connection header names belongs to this connection, too.
    for name in headers.get("connection", "").split(","):
        kept.pop(name.strip().lower(), None)
    return kept


def passed_back(headers: Mapping[str, str]) -> dict[str, str]:
    """A provider's headers that are for the client; what tells of the operator's account is not."""
    found = {name: headers[name] for name in PASSED_BACK if name in headers}
    if "event-stream" in found.get("content-type", ""):
        found |= {"cache-control": "no-store", "x-accel-buffering": "no"}
    return found


def most_prompt_tokens(body: bytes) -> int:
    """More tokens than a body can be: one a byte, and for whatever is not text a fixed amount."""
    attached = sum(map(body.count, ATTACHED))
    return REQUEST_TOKENS + len(body) + attached * ATTACHMENT_TOKENS
