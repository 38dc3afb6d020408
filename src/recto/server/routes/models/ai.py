"""`POST /api/ai/chat`: OpenAI's streaming protocol, and where the answer comes from.

Three steps: read the request, find and prepare the model, hand on the stream. Any OpenAI client can
use it; the one event more, before `[DONE]`, carries the metadata. `POST /api/ai/count_tokens` takes
the same request and says how long it is.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Coroutine
from contextlib import aclosing
from typing import Any

from anyio import to_thread
from fastapi import Request
from starlette.responses import Response

from recto.access import Access
from recto.assist import NoModelAvailable, Sources
from recto.messages import Failure, Finished, StreamEvent
from recto.messages import Request as Question
from recto.server.access import for_session, takes_megabytes
from recto.server.keep_alive import KEEP_ALIVE_S, LiveStream
from recto.server.metadata import answer_metadata
from recto.server.responses import NOT_SIGNED_IN, Responses
from recto.server.routes.router import Router
from recto.server.services import AnswerWriter, Services, ServicesDependency

router = Router(prefix="/api/ai", tags=["ai"])

DONE = b"data: [DONE]\n\n"
TEMPLATE = "client/1"
FEATURE = "api"
LARGEST_BODY = 32
"""Megabytes: a conversation with pictures and documents."""
CLIENT_LEFT = 499
Events = AsyncGenerator[StreamEvent | Sources]
OPENAI = {"application/json": {"schema": {"type": "object"}}}
# The gate speaks as everywhere, what is behind it as OpenAI does: with the provider's own status.
ANSWERS: Responses = {
    status: {**answer, "content": {**answer["content"], **OPENAI}}
    for status, answer in NOT_SIGNED_IN.items()
} | {
    "4XX": {"description": "Refused, in OpenAI's format", "content": OPENAI},
    "5XX": {"description": "The model failed, in OpenAI's format", "content": OPENAI},
}


@router.post("/chat", response_class=Response, responses=ANSWERS)
@router.post("/chat/completions", include_in_schema=False)  # where OpenAI's own clients look
@for_session
@takes_megabytes(LARGEST_BODY)
async def chat(request: Request, services: ServicesDependency) -> Response:
    """Answer a conversation in OpenAI's format, streamed or whole."""
    body = await request.body()
    found = find(services, body)
    if isinstance(found, Failure):
        return refuse(services, found)
    question, access = found
    events = services.questions.ask(access, question, feature=FEATURE, template=TEMPLATE)
    if not question.stream:
        return await unless_left(request, whole(events, question, services))
    writer = services.dialect.writer(services.ids.new(), question.model, body)
    return await stream(events, writer, services)


@router.post("/count_tokens", response_class=Response, responses=ANSWERS)
@for_session
@takes_megabytes(LARGEST_BODY)
async def count_tokens(request: Request, services: ServicesDependency) -> Response:
    """How many tokens a conversation takes, by our own count: any model, nothing is asked."""
    found = find(services, await request.body())
    if isinstance(found, Failure):
        return refuse(services, found)
    question, access = found
    count = await to_thread.run_sync(services.questions.count, access, question)
    return Response(json.dumps({"input_tokens": count}), media_type="application/json")


def find(services: Services, body: bytes) -> tuple[Question, Access] | Failure:
    """What is asked, and of whom."""
    try:
        question = services.dialect.serve(body)
        return question, services.questions.find(question.model)
    except ValueError as error:
        return Failure("invalid_request", str(error))
    except NoModelAvailable as error:
        return Failure("not_found", str(error), code="model_not_found")


async def stream(events: Events, writer: AnswerWriter, services: Services) -> Response:
    """The answer as it comes. What fails before the first word is still an HTTP error.

    A model that takes long for its first word gets an answer begun for it: then its failure, too,
    is told in the stream.
    """
    first = asyncio.ensure_future(anext(events))
    try:
        await asyncio.wait({first}, timeout=KEEP_ALIVE_S)
    except asyncio.CancelledError:
        first.cancel()
        raise
    if first.done():
        event = first.result()
        if isinstance(event, Finished) and event.failure:
            await events.aclose()
            return refuse(services, event.failure)
    return LiveStream(frames(first, events, writer), every_s=KEEP_ALIVE_S)


async def frames(
    first: Awaitable[StreamEvent | Sources], events: Events, writer: AnswerWriter
) -> AsyncGenerator[bytes]:
    """The frames of the answer, the metadata, the end."""
    async with aclosing(events):
        if begun := frame_of(await first, writer):
            yield begun
        async for event in events:
            if frame := frame_of(event, writer):
                yield frame
    yield DONE


def frame_of(event: StreamEvent | Sources, writer: AnswerWriter) -> bytes:
    """What an event becomes; its end is told after the metadata."""
    if isinstance(event, Sources):
        return writer.write_metadata(answer_metadata(event))
    return writer.write(event).removesuffix(DONE)


async def whole(events: Events, question: Question, services: Services) -> Response:
    """The answer in one piece."""
    told: list[StreamEvent] = []
    sources: Sources | None = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Sources):
                sources = event
            else:
                told.append(event)
    end = told[-1]
    assert isinstance(end, Finished)
    assert sources is not None
    if end.failure:
        return refuse(services, end.failure)
    body = services.dialect.write_whole(told, services.ids.new(), question.model)
    answer = {**json.loads(body), "metadata": answer_metadata(sources)}
    return Response(json.dumps(answer), media_type="application/json")


async def unless_left(request: Request, answer: Coroutine[Any, Any, Response]) -> Response:
    """The answer; a client that leaves before it is whole ends the question to the model."""
    answering = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(left(request))
    try:
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            return Response(status_code=CLIENT_LEFT)
        return answering.result()
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def left(request: Request) -> None:
    """Ends when the client has hung up. The body was read: nothing else comes any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def refuse(services: Services, failure: Failure) -> Response:
    """An error as OpenAI's clients expect it."""
    status, body = services.dialect.write_failure(failure)
    return Response(body, status_code=status, media_type="application/json")
