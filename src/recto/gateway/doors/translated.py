"""A call to a provider of another protocol: read, asked, and answered in the client's own."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any

from recto.access import Deployment
from recto.context import bind, mark_cache, prepare
from recto.gateway.doors.call import GatewayCall
from recto.gateway.doors.failures import FailedAttempt, for_client
from recto.gateway.doors.http import JSON
from recto.gateway.doors.services import DoorServices, purpose_of
from recto.gateway.doors.untranslated import check_wishes, refuse_untranslatable
from recto.llm import client_writer, load_protocol, write_answer
from recto.messages import (
    CacheMarks,
    Failure,
    Finished,
    Message,
    Request,
    StreamEvent,
    Thinking,
    ThinkingEnded,
)


def read_request(call: GatewayCall, model: str) -> Request:
    """The client's request in nobody's dialect, for a model. Raises ValueError with words."""
    check_wishes(call.protocol, call.body)
    path = call.route.path.replace("{model}", "model")
    request = load_protocol(call.protocol).serve(call.body, path=path)
    if not request.messages:
        raise ValueError("There is nothing to answer: send at least one message.")
    return replace(request, model=model, stream=call.wanted.is_streamed)


async def translate_call(
    services: DoorServices, call: GatewayCall, way: Deployment
) -> FailedAttempt | None:
    """Ask a deployment, and answer as the client's own API would; the failure if nothing was."""
    access = way.access
    try:
        request = read_request(call, access.model)
        refuse_untranslatable(request, access)
    except ValueError as error:
        return FailedAttempt(Failure("invalid_request", str(error)))
    request = await services.thoughts.restore(call.caller.account_id, access, request)
    ready = prepare(request, access.origin, binds_prefix=access.traits.binds_prefix)
    if access.traits.cache_marks and ready.cache == CacheMarks():
        # Elsewhere prompts are remembered without being asked; here only with marks.
        ready = mark_cache(ready)
    purpose = purpose_of(call.caller, way)
    offer = partial(write_now, call) if call.wanted.is_streamed else None
    events = services.gate.stream_for(purpose, access, ready, record=call.record, offer=offer)
    events = told_for(events, ready)
    if call.wanted.is_streamed:
        return await stream_back(services, call, way, events)
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
) -> FailedAttempt | None:
    """Write the events as they come."""
    if call.writer is None:
        call.writer = client_writer(
            call.protocol,
            call.body,
            answer_id=call.new_id(),
            model=call.wanted.model,
            created=call.created,
        )
    writer = call.writer
    framed = JsonArray() if is_array(call) else None
    call.stream.keep_alive = None if framed is not None else writer.keep_alive
    async with aclosing(events):
        async for event in events:
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
    if writer is None or not call.is_shown or not call.stream.takes_now() or is_array(call):
        return False
    if len(words) == 1:
        data = writer.write(words[0])
    else:
        data = b"".join([writer.write(event) for event in words])
    if data:
        call.stream.write_now(data)
    return True


def is_array(call: GatewayCall) -> bool:
    """Whether a client of Gemini's API takes its stream as one array of JSON."""
    return call.protocol == "gemini" and call.request.query.get("alt") != "sse"


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
