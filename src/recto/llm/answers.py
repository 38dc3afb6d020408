"""Turns the bytes of an answer into events: a stream, a whole answer, or an error in disguise.

Where the bytes come from is somebody else's business; whatever happens to them, the events end in
exactly one `Finished`, and nothing follows it.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Protocol

import msgspec

from recto.llm.framing import Frame, FrameTooLarge, SseDecoder
from recto.llm.wire import OfferEvents, WireProtocol
from recto.messages import (
    Failure,
    Finished,
    Origin,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)

MAX_WHOLE_BYTES = 64 * 1024 * 1024
MAX_FAILURE_BYTES = 1024 * 1024
PassOn = Callable[[Callable[[bytes], bool]], Awaitable[bool]]
"""Hands bytes over as they come, until whoever takes them answers no; False at the end."""

log = logging.getLogger(__name__)
WORDS = frozenset({TextDelta, ThinkingDelta, ToolCallDelta})
"""What most of an answer is, and all that is offered: nobody has to wait for it."""


class UnreadableAnswer(Exception):
    """The answer can't be read on."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ByteSource(Protocol):
    """Where the bytes of one answer come from."""

    @property
    def host(self) -> str:
        """Who answers, in words for people."""
        ...

    @property
    def status(self) -> int | None:
        """The HTTP status, once there is one."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers, with names in lower case."""
        ...

    async def open(self) -> None:
        """Wait until the answer begins. Raises UnreadableAnswer."""
        ...

    async def read(self) -> bytes | None:
        """Some more bytes, possibly none yet; None at the end. Raises UnreadableAnswer."""
        ...

    def left_over(self) -> bytes:
        """What had come before a break and was not read yet."""
        ...

    def told(self) -> None:
        """Something of the answer could be shown."""
        ...

    def sign(self, failure: Failure) -> Failure:
        """The failure with who failed, and without secrets."""
        ...


class AnswerDecoder:
    """One answer in the reading."""

    def __init__(
        self,
        source: ByteSource,
        protocol: WireProtocol,
        origin: Origin,
        *,
        pass_on: PassOn | None = None,
        offer: OfferEvents | None = None,
    ) -> None:
        """Words are offered at the moment they come, if there is somebody to offer them to."""
        self._pass_on = None if offer is None else pass_on
        self._offer = offer
        self._source = source
        self._protocol = protocol
        self._origin = origin
        self._reader = protocol.reader(origin)
        self._frames = SseDecoder()
        self._unread: list[Frame] = []
        """What came with the first words, and is read once these are told."""
        self._has_shown = False
        self._body = bytearray()
        self._kind: Literal["events", "json", "page"] | None = None
        self._is_open = False
        self._is_finished = False

    async def next(self) -> list[StreamEvent]:
        """The events that come next, at least one; none after `Finished`."""
        while not self._is_finished:
            try:
                events = await self._advance()
            except UnreadableAnswer as broken:
                events = [*self._before_break(), *self._end(broken.failure)]
            if events:
                self._source.told()
                return self._until_finished(events)
        return []

    async def _advance(self) -> list[StreamEvent]:
        if not self._is_open:
            await self._source.open()
            self._is_open = True
        if not 200 <= (self._source.status or 0) < 300:
            return self._end(await self._read_failure())
        if self._unread:
            unread, self._unread = self._unread, []
            return self._read_frames(unread)
        if self._kind == "events" and self._pass_on is not None:
            return await self._hand_over(self._pass_on)
        piece = await self._source.read()
        return self._at_end() if piece is None else self._take(piece)

    async def _hand_over(self, pass_on: PassOn) -> list[StreamEvent]:
        """Offer words at the moment they come; the first events that were not taken."""
        left: list[StreamEvent] = []

        def take(piece: bytes) -> bool:
            events = self._read_events(piece)
            # What came with the first words must be told before anything that comes later.
            if self._unread or (events and not self._is_taken(events)):
                left.extend(events)
            return not left

        goes_on = await pass_on(take)
        return left if goes_on else self._at_end()

    def _is_taken(self, events: list[StreamEvent]) -> bool:
        assert self._offer is not None
        # A loop: for the one event of a word, a generator costs more than what it asks.
        for event in events:
            if type(event) not in WORDS:
                return False
        if not self._offer(events):
            return False
        self._source.told()
        return True

    def _take(self, piece: bytes) -> list[StreamEvent]:
        if self._kind == "events":
            return self._read_events(piece)
        self._body += piece
        if len(self._body) > MAX_WHOLE_BYTES:
            raise self._broken("answered with more data than Recto takes.")
        if self._kind is None:
            self._kind = kind_of(self._body)
            if self._kind == "events":
                return self._read_events(bytes(self._body))
            if self._kind is None:
                # Spaces that keep the connection alive are looked at only once.
                self._body.clear()
        return []

    def _read_events(self, piece: bytes) -> list[StreamEvent]:
        try:
            return self._read_frames(self._frames.feed(piece))
        except FrameTooLarge as error:
            raise self._broken("sent a single event larger than Recto takes.") from error

    def _read_frames(self, frames: list[Frame]) -> list[StreamEvent]:
        if not self._has_shown:
            return self._read_until_shown(frames)
        if len(frames) == 1 and frames[0].data:
            return self._reader.feed(frames[0])
        # Empty events are legal and tell nothing.
        return [event for frame in frames if frame.data for event in self._reader.feed(frame)]

    def _read_until_shown(self, frames: list[Frame]) -> list[StreamEvent]:
        """Read as far as the first words: they need not wait for what came with them."""
        events: list[StreamEvent] = []
        for place, frame in enumerate(frames):
            events += self._reader.feed(frame) if frame.data else []
            if any(type(event) in WORDS for event in events):
                self._has_shown = True
                self._unread = frames[place + 1 :]
                break
        return events

    def _at_end(self) -> list[StreamEvent]:
        body = bytes(self._body)
        match self._kind:
            case "events":
                self._has_shown = True  # nothing follows that could wait
                return [*self._read_frames(self._frames.end()), *self._end(None)]
            case "json" if holds_error(body):
                # With status 200 only the body tells what went wrong.
                failure = self._protocol.read_failure(500, self._source.headers, body)
                return self._end(replace(failure, status=None))
            case "json":
                self._is_finished = True
                return self._protocol.read_whole(body, self._origin)
            case "page":
                log.warning("%s answered with a page of %d bytes", self._source.host, len(body))
                raise self._broken("answered with a web page. Check the provider's address.")
            case None:
                return self._end(None)

    async def _read_failure(self) -> Failure:
        body = bytearray()
        try:
            while (piece := await self._source.read()) is not None:
                body += piece[: MAX_FAILURE_BYTES - len(body)]
        except UnreadableAnswer:
            # The status alone says that the call failed; the words are as complete as they came.
            body += self._source.left_over()
        return self._protocol.read_failure(
            self._source.status or 0, self._source.headers, bytes(body)
        )

    def _end(self, failure: Failure | None) -> list[StreamEvent]:
        self._is_finished = True
        return self._reader.end(failure)

    def _before_break(self) -> list[StreamEvent]:
        """What had come before the connection broke is told, too."""
        try:
            return self._take(self._source.left_over())
        except UnreadableAnswer:
            return []

    def _until_finished(self, events: list[StreamEvent]) -> list[StreamEvent]:
        for place, event in enumerate(events):
            if isinstance(event, Finished):
                self._is_finished = True
                if event.failure is not None:
                    event = replace(event, failure=self._source.sign(event.failure))
                return [*events[:place], event]
        return events

    def _broken(self, what: str) -> UnreadableAnswer:
        return UnreadableAnswer(Failure("upstream", f"{self._source.host} {what}"))


def first_events(protocol: WireProtocol, origin: Origin, data: bytes) -> list[StreamEvent]:
    """What a stream's first bytes tell up to the first words; nothing if there are none in them.

    These are the first events that `AnswerDecoder` tells of the same answer.
    """
    if kind_of(data) != "events":
        return []
    reader, events = protocol.reader(origin), list[StreamEvent]()
    for frame in SseDecoder().feed(data):
        events += reader.feed(frame) if frame.data else []
        if any(type(event) in WORDS for event in events):
            return events
    return []


def kind_of(beginning: bytes | bytearray) -> Literal["events", "json", "page"] | None:
    """What an answer is, by its first byte: servers name it wrongly. None if it is too early."""
    match bytes(beginning.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]):
        case b"":
            return None
        case b"{" | b"[":
            return "json"
        case b"<":
            return "page"
        case _:
            return "events"


class _Body(msgspec.Struct):
    """The few fields that tell an error from an answer."""

    error: Any = None
    content: Any = None
    output: Any = None
    choices: Any = None
    candidates: Any = None


_BODY = msgspec.json.Decoder(_Body)
_BODIES = msgspec.json.Decoder(list[_Body])


def holds_error(body: bytes) -> bool:
    """Whether JSON that came with status 200 is an error all the same."""
    try:
        found = _BODIES.decode(body) if body.lstrip()[:1] == b"[" else [_BODY.decode(body)]
    except msgspec.DecodeError:
        return False
    first = found[0] if found else _Body()
    answered = (first.content, first.output, first.choices, first.candidates)
    return first.error is not None and all(item is None for item in answered)
