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
from recto.llm.http.http_call import HttpCall
from recto.llm.http.transport import Transport
from recto.llm.wire import RelayedPiece, WireProtocol, WireReader, WireRequest
from recto.messages import Failure, Finished, Message, Origin, StreamEvent

SILENT = ("started", "usage")
WORDS = re.compile(rb'"(?:content|text|delta)": ?"[^"<\\]')


async def relay(
    transport: Transport,
    endpoint: Endpoint,
    wire: WireRequest,
    origin: Origin,
    see: Callable[[StreamEvent], None],
    *,
    is_streamed: bool,
) -> AsyncGenerator[RelayedPiece]:
    """The pieces of an answer as they come; a failure before the first byte is in the first one.

    What the pieces say is told to `see`, in the end one `Finished`.
    """
    call = HttpCall(transport, endpoint, wire, timeouts=transport.waits(is_streamed=is_streamed))
    reader = RelayReader(endpoint.protocol, origin)
    status, headers = 0, {}
    try:
        await call.open()
        status, headers = call.status or 0, dict(call.headers)
        if not 200 <= status < 300:
            body = await call.read_all()
            failure = call.sign(endpoint.protocol.read_failure(status, headers, body))
            tell(see, reader.end(failure))
            yield RelayedPiece(status, headers, body, failure)
            return
        is_first = True
        while (data := await call.read()) is not None:
            call.told()
            if is_first and data and not shows_words(data):
                is_first = False
                events = reader.feed(data)
                tell(see, events)
                failure = early_failure(events)
                yield RelayedPiece(status, headers, data, failure and call.sign(failure))
            elif data:
                is_first = False
                try:
                    yield RelayedPiece(status, headers, data)
                finally:
                    tell(see, reader.feed(data))
        rest = reader.end()
        tell(see, rest)
        failure = early_failure(rest[-1:])
        # Bytes that just stop look like a whole answer to many a client.
        if is_streamed and failure is not None:
            yield RelayedPiece(0, headers, b"", call.sign(failure))
    except UnreadableAnswer as broken:
        failure = call.sign(broken.failure)
        tell(see, reader.end(failure))
        yield RelayedPiece(0, headers, b"", failure)
    finally:
        call.close()


def tell(see: Callable[[StreamEvent], None], events: list[StreamEvent]) -> None:
    """Tell some events."""
    for event in events:
        see(event)


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
