"""A call to a provider of the client's own protocol: its bytes go on as they are.

Only what must be another is spliced in: the model's name, a limit that money makes lower, and the
wish for a count. Only what was used is read in the answer.
"""

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from urllib.parse import quote, urlencode

import msgspec

from recto.access import Access, Deployment, TokenBounds
from recto.gateway.doors.call import GatewayCall
from recto.gateway.doors.failures import FailedAttempt, for_client
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.splice import insert, splice
from recto.llm import RelayedPiece, WireRequest, error_frame
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
ATTACHED = re.compile(rb'"(?:base64"|image_url"|file_|url")|nline(?:Data|_data)"')
GATEWAY_DATA = re.compile(rb'gw1\.|Z3cxL|"_googleThoughtSignature"')
"""What only the gateway can take out: data of other providers that it once sent along."""
USAGE_WISH = b'"stream_options":{"include_usage":true},'


See = Callable[[StreamEvent], None]
Pieces = AsyncGenerator[RelayedPiece]


def can_relay(call: GatewayCall, way: Deployment) -> bool:
    """Whether the very bytes can go to a deployment."""
    if call.protocol != way.access.provider.protocol or call.stream.is_begun:
        return False
    return GATEWAY_DATA.search(call.body) is None


async def relay_call(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Pass a call on, and the answer back; the failure if nothing was answered."""
    access, wanted = way.access, call.wanted
    bounds = TokenBounds(
        prompt=most_prompt_tokens(call.body),
        output=wanted.output or access.max_output,
        likely=REQUEST_TOKENS // 10 + len(call.body) // 4,
    )
    counted = wanted.is_streamed and call.protocol == "openai-chat" and not wanted.wants_usage
    back = WayBack(call, UsageCutter() if counted and access.traits.usage_option else None)

    def send(output: int, see: See) -> Pieces:
        body = changed_body(call, access, output, wants_usage=back.cutter is not None)
        if body is None:
            return refused(see)
        wire = WireRequest(upstream_path(call, access), body, passed_headers(call.request.headers))
        return services.relay(
            access, wire, see, is_streamed=wanted.is_streamed, offer=back.take_now
        )

    return await back.take(services.gate.relay(purpose_of(call.caller, way), access, bounds, send))


class WayBack:
    """Writes an answer's pieces to the client as they come."""

    def __init__(self, call: GatewayCall, cutter: "UsageCutter | None") -> None:
        self._call = call
        self._is_even = True
        """What was written ends with an event's end."""
        self.cutter = cutter

    async def take(self, pieces: Pieces) -> FailedAttempt | None:
        """Write the pieces; the failure if there was no answer."""
        failed: FailedAttempt | None = None
        async with aclosing(pieces):
            async for piece in pieces:
                if not self._call.is_shown:
                    self._call.hear(piece.headers)
                if piece.failure is not None and not self._call.is_shown:
                    failed = FailedAttempt(
                        piece.failure, piece.status, piece.data or None, passed_back(piece.headers)
                    )
                elif piece.failure is not None:
                    await self._break(piece.failure)
                elif failed is None:
                    await self._write(piece)
        if failed is None:
            if rest := self._rest():
                await self._call.stream.write(rest)
            await self._call.stream.end()
        return failed

    def take_now(self, data: bytes) -> bool:
        """Write some bytes at the moment they come, if the client takes them without a wait."""
        stream = self._call.stream
        if not stream.takes_now():
            return False
        if data := self._cut(data):
            stream.write_now(data)
        return True

    async def _write(self, piece: RelayedPiece) -> None:
        call = self._call
        if data := self._cut(piece.data):
            if call.stream.is_begun:
                await call.stream.write(data)
                return
            call.show()
            await call.stream.begin(piece.status, passed_back(piece.headers))
            await call.stream.write_first(data)

    async def _break(self, failure: Failure) -> None:
        """Tell in the client's own words that the answer ends before its end."""
        self._call.broken = failure
        rest = self._rest()
        # An event that was cut in two ends here, or the error would become part of it.
        gap = b"\n\n" if rest or not self._is_even else b""
        frame = error_frame(self._call.protocol, for_client(failure))
        await self._call.stream.write(rest + gap + frame)

    def _cut(self, data: bytes) -> bytes:
        if self.cutter is not None:
            data = self.cutter.cut(data)
        if data:
            self._is_even = data.endswith((b"\n\n", b"\r\n\r\n"))
        return data

    def _rest(self) -> bytes:
        return b"" if self.cutter is None else self.cutter.end()


def changed_body(
    call: GatewayCall, access: Access, output: int, *, wants_usage: bool
) -> bytes | None:
    """The client's bytes with what must be another; None: the limit has no place in them."""
    body: bytes | None = call.body
    wanted = call.wanted
    if call.route.model is None and access.model != wanted.model:
        body = splice(call.body, ("model",), access.model)
    if body is not None and output < (wanted.output or access.max_output):
        place = wanted.output_path or OUTPUT_PLACES[call.protocol]
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


def upstream_path(call: GatewayCall, access: Access) -> str:
    """The address at the provider, with what the client said in its query but for keys."""
    path = call.route.path
    if call.route.model is not None:
        path = path.replace("{model}", quote(access.model, safe=""))
    query = {name: value for name, value in call.request.query.items() if name != "key"}
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
    attached = len(ATTACHED.findall(body))
    return REQUEST_TOKENS + len(body) + attached * ATTACHMENT_TOKENS


class _Chunk(msgspec.Struct):
    choices: list[object] | None = None
    usage: object = None


class UsageCutter:
    """Takes out the count that the gateway asked for and the client did not."""

    def __init__(self) -> None:
        self._rest = b""

    def cut(self, data: bytes) -> bytes:
        """The whole frames so far, without the one that only counts."""
        if not self._rest and b"\r" not in data and data.endswith(b"\n\n"):
            return self._cut_whole(data)
        *frames, self._rest = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        return b"".join(frame + b"\n\n" for frame in frames if not self._is_count(frame))

    def _cut_whole(self, data: bytes) -> bytes:
        """Frames that are whole; only those that may be the count are looked at."""
        place = data.find(b'"usage"')
        while place >= 0:
            before = data.rfind(b"\n\n", 0, place)
            start = 0 if before < 0 else before + 2
            end = data.find(b"\n\n", place) + 2
            if self._is_count(data[start : end - 2]):
                data, end = data[:start] + data[end:], start
            place = data.find(b'"usage"', end)
        return data

    def end(self) -> bytes:
        """What is left at the end."""
        rest, self._rest = self._rest, b""
        return rest

    def _is_count(self, frame: bytes) -> bool:
        if b'"usage"' not in frame:
            return False
        data = b"".join(
            line.removeprefix(b"data:") for line in frame.split(b"\n") if line.startswith(b"data:")
        )
        try:
            chunk = msgspec.json.decode(data, type=_Chunk)
        except msgspec.DecodeError:
            return False
        return chunk.choices == [] and chunk.usage is not None
