"""Passes a client's own bytes to a provider of the same protocol, and the answer's bytes back.

Nothing is written anew: signatures hold only for the very bytes. A copy is read for what was used,
after the bytes went on.
"""

import re
from collections.abc import AsyncGenerator, Callable
from functools import cached_property
from typing import Literal

from recto.llm.answers import UnreadableAnswer, holds_error, kind_of
from recto.llm.endpoint import Endpoint
from recto.llm.framing import FrameTooLarge, SseDecoder
from recto.llm.http.at_once import RequestUnderWay
from recto.llm.http.http_call import HttpCall
from recto.llm.http.transport import Transport
from recto.llm.wire import OfferBytes, RelayedPiece, WireProtocol, WireReader, WireRequest
from recto.messages import Failure, Finished, Message, Origin, StreamEvent

SILENT = ("started", "usage")
UNREAD_BYTES = 8 * 1024
"""So much of an answer is passed on before its copy is read: one reading of much is cheaper."""
ENDS = {"anthropic-messages": b'\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'}
"""What a client waits for whose provider stopped right before it, all else being told."""
WORDS = re.compile(rb'"(?:content|text|delta)": ?"[^"<\\]')


async def relay(
    transport: Transport,
    endpoint: Endpoint,
    wire: WireRequest,
    origin: Origin,
    see: Callable[[StreamEvent], None],
    *,
    is_streamed: bool,
    offer: OfferBytes | None = None,
    under_way: RequestUnderWay | None = None,
) -> AsyncGenerator[RelayedPiece]:
    """The pieces of an answer as they come; a failure before the first byte is in the first one.

    What the pieces say is told to `see`, in the end one `Finished`. Once the first piece was taken
    the others are offered at the moment they come; what `offer` takes is no piece any more. One
    that is `under_way` was sent before.
    """
    waits = transport.waits(is_streamed=is_streamed)
    call = HttpCall(under_way or transport, endpoint, wire, timeouts=waits)
    copy = AnswerCopy(RelayReader(endpoint.protocol, origin), see)
    pieces = relayed_pieces(call, endpoint.protocol, copy, offer)
    try:
        async for piece in pieces:
            yield piece
        failure = early_failure(copy.end()[-1:])
        # Bytes that just stop look like a whole answer to many a client.
        if is_streamed and failure is not None:
            yield RelayedPiece(0, dict(call.headers), b"", call.sign(failure))
        elif is_streamed and copy.lacks_end and (end := ENDS.get(endpoint.protocol.id)):
            yield RelayedPiece(call.status or 0, dict(call.headers), end)
    except UnreadableAnswer as broken:
        failure = call.sign(broken.failure)
        copy.end(failure)
        yield RelayedPiece(0, dict(call.headers), b"", failure)
    finally:
        await pieces.aclose()
        call.close()
        # Whoever left must pay for all that had come.
        copy.read()


async def relayed_pieces(
    call: HttpCall, protocol: WireProtocol, copy: "AnswerCopy", offer: OfferBytes | None
) -> AsyncGenerator[RelayedPiece]:
    """The pieces up to the end. Raises UnreadableAnswer."""
    await call.open()
    status, headers = call.status or 0, dict(call.headers)
    if not 200 <= status < 300:
        body = await call.read_all()
        failure = call.sign(protocol.read_failure(status, headers, body))
        copy.end(failure)
        yield RelayedPiece(status, headers, body, failure)
        return
    while (data := await call.read()) == b"":
        pass  # a packed answer may begin with nothing
    if data and not shows_words(data):
        call.told()
        failure = early_failure(copy.add(data))
        yield RelayedPiece(status, headers, data, failure and call.sign(failure))
        data = b""
    offers = None if offer is None else OfferedPieces(call, copy, offer)
    while data is not None:
        if data:
            call.told()
            try:
                yield RelayedPiece(status, headers, data)
            finally:
                copy.add(data)
        data = await next_piece(call, offers)


async def next_piece(call: HttpCall, offers: "OfferedPieces | None") -> bytes | None:
    """The next piece that nobody took at the moment it came; None at the end."""
    return await call.read() if offers is None else await offers.next()


class OfferedPieces:
    """Hands pieces on at the moment they come; what is not taken then is next."""

    def __init__(self, call: HttpCall, copy: "AnswerCopy", offer: OfferBytes) -> None:
        self._call = call
        self._copy = copy
        self._offer = offer
        self._left = b""

    async def next(self) -> bytes | None:
        """The next piece that was not taken; None at the end. Raises UnreadableAnswer."""
        goes_on = await self._call.pass_on(self._take)
        found, self._left = self._left, b""
        return found if goes_on else None

    def _take(self, piece: bytes) -> bool:
        if not self._offer(piece):
            self._left = piece
            return False
        self._call.told()
        self._copy.keep(piece)
        return True


class AnswerCopy:
    """Reads what was passed on, and tells it; what is in a hurry is read later, with more."""

    def __init__(self, reader: "RelayReader", see: Callable[[StreamEvent], None]) -> None:
        self._reader = reader
        self._see = see
        self._kept: list[bytes] = []
        self._kept_bytes = 0

    def keep(self, piece: bytes) -> None:
        """Take note of a piece, to be read when there is enough."""
        self._kept.append(piece)
        self._kept_bytes += len(piece)
        if self._kept_bytes >= UNREAD_BYTES:
            self.read()

    def read(self) -> None:
        """Read what was only kept."""
        if self._kept:
            kept = b"".join(self._kept)
            self._kept.clear()
            self._kept_bytes = 0
            self._tell(self._reader.feed(kept))

    def add(self, piece: bytes) -> list[StreamEvent]:
        """Read a piece now: what it tells."""
        self.read()
        return self._tell(self._reader.feed(piece))

    @property
    def lacks_end(self) -> bool:
        """Whether the stream stopped before the event that ends it."""
        return self._reader.lacks_end

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The end of the bytes, or of the connection: what it tells."""
        self.read()
        return self._tell(self._reader.end(failure))

    def _tell(self, events: list[StreamEvent]) -> list[StreamEvent]:
        for event in events:
            self._see(event)
        return events


def shows_words(data: bytes) -> bool:
    """Whether an answer plainly begins with words, in any protocol: then it has not failed yet."""
    return b"rror" not in data and WORDS.search(data) is not None


def early_failure(events: list[StreamEvent]) -> Failure | None:
    """The failure of an answer that has nothing else to show."""
    shown = [event for event in events if event.type not in SILENT]
    return shown[0].failure if shown and isinstance(shown[0], Finished) else None


class RelayReader:
    """Reads the copy: a stream or a whole answer."""

    def __init__(self, protocol: WireProtocol, origin: Origin) -> None:
        self._protocol = protocol
        self._origin = origin
        self._frames = SseDecoder()
        self._body = bytearray()
        self._kind: Literal["events", "json", "page"] | None = None
        self._is_finished = False
        self.lacks_end = False
        """It is a stream that stopped before the event that ends it."""

    @cached_property
    def _reader(self) -> WireReader:
        """Made when it is needed first: the answer's first bytes do not wait for it."""
        return self._protocol.reader(self._origin)

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """What some bytes tell; nothing after the end."""
        if self._is_finished:
            return []
        if self._kind is None:
            self._kind = kind_of(piece)
        if self._kind != "events":
            self._body += piece
            return []
        try:
            frames = self._frames.feed(piece)
        except FrameTooLarge:
            return self.end(Failure("upstream", "A single event was larger than Recto takes."))
        return self._until_finished(
            [event for frame in frames if frame.data for event in self._reader.feed(frame)]
        )

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The end of the bytes, or of the connection."""
        if self._is_finished:
            return []
        self._is_finished = True
        self.lacks_end = self._kind == "events"
        body = bytes(self._body)
        if failure is None and self._kind == "json":
            if holds_error(body):
                failure = self._protocol.read_failure(500, {}, body)
                return [Finished("error", Message("assistant", ()), None, failure)]
            return self._protocol.read_whole(body, self._origin)
        last = self._frames.end() if self._kind == "events" else []
        events = [event for frame in last if frame.data for event in self._reader.feed(frame)]
        return [*events, *self._reader.end(failure)]

    def _until_finished(self, events: list[StreamEvent]) -> list[StreamEvent]:
        self._is_finished = any(isinstance(event, Finished) for event in events)
        return events
