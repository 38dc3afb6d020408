"""A call to a provider of another protocol: read, asked, and answered in the client's own."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recto.access import Access, Deployment, ProtocolId, SentAhead
from recto.context import bind, mark_cache, prepare
from recto.gateway.doors.call import GatewayCall, Wanted
from recto.gateway.doors.client_stream import EVENT_STREAM
from recto.gateway.doors.failures import FailedAttempt, for_client
from recto.gateway.doors.http import JSON, ClientRequest
from recto.gateway.doors.routes import Route
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.untranslated import check_wishes, refuse_untranslatable
from recto.llm import (
    RequestUnderWay,
    WireWriter,
    client_writer,
    first_events,
    load_protocol,
    write_answer,
)
from recto.messages import (
    CacheMarks,
    Failure,
    Finished,
    Message,
    Request,
    Started,
    StreamEvent,
    TextDelta,
    Thinking,
    ThinkingEnded,
    UsageReported,
)

PLAIN = frozenset({Started, UsageReported, TextDelta})
"""What an answer plainly begins with."""


def read_request(body: bytes, route: Route, wanted: Wanted, model: str) -> Request:
    """A client's request in nobody's dialect, for a model. Raises ValueError with words."""
    check_wishes(route.protocol, body)
    path = route.path.replace("{model}", "model")
    request = load_protocol(route.protocol).serve(body, path=path)
    if not request.messages:
        raise ValueError("There is nothing to answer: send at least one message.")
    if request.model == model and request.stream is wanted.is_streamed:
        return request
    return replace(request, model=model, stream=wanted.is_streamed)


def prepared(request: Request, access: Access) -> Request:
    """A request as its provider takes it."""
    ready = prepare(request, access.origin, binds_prefix=access.traits.binds_prefix)
    if access.traits.cache_marks and ready.cache == CacheMarks():
        # Elsewhere prompts are remembered without being asked; here only with marks.
        return mark_cache(ready)
    return ready


@dataclass(slots=True)
class TranslatedStart:
    """A call that was translated and sent ahead of its task."""

    way: Deployment
    ready: Request
    begun: SentAhead
    protocol: ProtocolId
    """The client's."""
    writer: WireWriter | None
    """Writes the answer, if that is streamed and begins with words."""
    written: int = 0
    """How many events were written ahead, and are no news when they are told."""

    @property
    def at(self) -> float:
        """When it was sent."""
        return self.begun.call.at

    @property
    def under_way(self) -> RequestUnderWay:
        """The answer in the coming."""
        return self.begun.sent.under_way

    @property
    def headers(self) -> Mapping[str, str]:
        """The head of its answer, for the client."""
        return EVENT_STREAM

    def first(self, data: bytes) -> bytes:
        """What the client gets of an answer's first bytes; nothing if they have no words."""
        access, writer = self.way.access, self.writer
        if writer is None:
            return b""
        events = first_events(load_protocol(access.provider.protocol), access.origin, data)
        # Calls may have other names on the wire, and ends are told once they are booked.
        if not events or any(type(event) not in PLAIN for event in events):
            return b""
        self.written = len(events)
        return b"".join(map(writer.write, events))

    def answer(self, services: DoorServices, *, is_streamed: bool) -> AsyncGenerator[StreamEvent]:
        """What comes back, for nobody: it is only booked."""
        purpose, access = self.begun.call.hold.purpose, self.way.access
        return services.gate.stream_for(purpose, access, self.ready, begun=self.begun)


def translated_start(call: GatewayCall, way: Deployment) -> TranslatedStart | None:
    """The start that a call has at a deployment."""
    start = call.start
    return start if isinstance(start, TranslatedStart) and start.way is way else None


async def translate_call(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Ask a deployment, and answer as the client's own API would; the failure if nothing was."""
    access, start = way.access, translated_start(call, way)
    if start is None:
        try:
            request = read_request(call.body, call.route, call.wanted, access.model)
            refuse_untranslatable(request, access)
        except ValueError as error:
            return FailedAttempt(Failure("invalid_request", str(error)))
        request = await services.thoughts.restore(call.caller.account_id, access, request)
        ready, purpose = prepared(request, access), purpose_of(call.caller, way)
    else:
        ready, purpose, call.writer = start.ready, start.begun.call.hold.purpose, start.writer
    offer = partial(write_now, call) if call.wanted.is_streamed else None
    begun = start and start.begun
    events = services.gate.stream_for(
        purpose, access, ready, record=call.record, offer=offer, begun=begun
    )
    events = told_for(events, ready)
    if call.wanted.is_streamed:
        return await stream_back(services, call, way, events, start)
    return await answer_whole(services, call, way, events)


async def told_for(
    events: AsyncGenerator[StreamEvent], request: Request
) -> AsyncGenerator[StreamEvent]:
    """The events, with thoughts that carry a note of what they answered, to be sent back by it."""
    async with aclosing(events):
        async for event in events:
            match event:
                case ThinkingEnded(provider=data) if data is not None:
                    (part,) = bind(Message("assistant", (Thinking("", data),)), request).parts
                    assert isinstance(part, Thinking)
                    yield replace(event, provider=part.provider)
                case Finished():
                    yield replace(event, message=bind(event.message, request))
                case _:
                    yield event


async def stream_back(
    services: DoorServices,
    call: GatewayCall,
    way: Deployment,
    events: AsyncGenerator[StreamEvent],
    start: TranslatedStart | None = None,
) -> FailedAttempt | None:
    """Write the events as they come, but for those that were written ahead."""
    if call.writer is None:
        call.writer = client_writer(
            call.protocol,
            call.body,
            answer_id=call.new_id(),
            model=call.wanted.model,
            created=call.created,
        )
    writer = call.writer
    framed = JsonArray() if is_array(call.protocol, call.request) else None
    call.stream.keep_alive = None if framed is not None else writer.keep_alive
    async with aclosing(events):
        async for event in events:
            if start is not None and start.written:
                start.written -= 1
                call.show()
                continue
            if isinstance(event, Finished):
                if event.failure is not None and not call.is_shown:
                    return FailedAttempt(event.failure)
                if event.failure is not None:
                    call.broken = event.failure
                    event = replace(event, failure=for_client(event.failure))
                await services.thoughts.keep(
                    call.caller.account_id, call.protocol, way.access, event
                )
            data = writer.write(event)
            if data:
                is_first = not call.is_shown
                call.show()
                if framed is not None:
                    await call.stream.begin(200, JSON)
                    data = framed.write(data)
                await (call.stream.write_first(data) if is_first else call.stream.write(data))
    call.stream.keep_alive = None
    if framed is not None:
        await call.stream.write(framed.end())
    await call.stream.end()
    return None


def write_now(call: GatewayCall, words: list[StreamEvent]) -> bool:
    """Write words at the moment they come, if the client takes them without a wait."""
    writer = call.writer
    if (
        writer is None
        or not call.is_shown
        or not call.stream.takes_now()
        or is_array(call.protocol, call.request)
    ):
        return False
    if len(words) == 1:
        data = writer.write(words[0])
    else:
        data = b"".join([writer.write(event) for event in words])
    if data:
        call.stream.write_now(data)
    return True


def is_array(protocol: ProtocolId, request: ClientRequest) -> bool:
    """Whether a client of Gemini's API takes its stream as one array of JSON."""
    return protocol == "gemini" and request.query.get("alt") != "sse"


async def answer_whole(
    services: DoorServices,
    call: GatewayCall,
    way: Deployment,
    events: AsyncGenerator[StreamEvent],
) -> FailedAttempt | None:
    """Wait for the whole answer and write it."""
    async with aclosing(events):
        told = [event async for event in events]
    end = told[-1]
    assert isinstance(end, Finished)
    if end.failure is not None:
        return FailedAttempt(end.failure)
    await services.thoughts.keep(call.caller.account_id, call.protocol, way.access, end)
    body = write_answer(
        call.protocol,
        call.body,
        told,
        answer_id=call.new_id(),
        model=call.wanted.model,
        created=call.created,
    )
    call.show()
    await call.stream.begin(200, {**JSON, "content-length": str(len(body))})
    await call.stream.write(body)
    await call.stream.end()
    return None


class JsonArray:
    """Gemini's stream for clients that did not ask for events: one array, piece by piece."""

    def __init__(self) -> None:
        self._is_begun = False

    def write(self, frames: bytes) -> bytes:
        """The pieces in some frames."""
        found = [frame for frame in frames.split(b"\r\n\r\n") if frame]
        pieces = [frame.removeprefix(b"data: ") for frame in found]
        lead = b"," if self._is_begun else b"["
        self._is_begun = True
        return lead + b",".join(pieces)

    def end(self) -> bytes:
        """The end of the array."""
        return b"]" if self._is_begun else b"[]"


def count_body(call: GatewayCall) -> GatewayCall:
    """A call that only counts, as one that could be answered. Raises ValueError with words."""
    asked: Any = json.loads(call.body)
    if call.protocol == "anthropic-messages":
        asked = {**asked, "max_tokens": 1}
    elif call.protocol == "gemini":
        asked = asked.get("generateContentRequest") or asked
        asked = {name: value for name, value in asked.items() if name != "model"}
    body = json.dumps(asked).encode()
    path = call.route.path.replace(":countTokens", ":generateContent")
    return replace(call, body=body, route=replace(call.route, path=path))
