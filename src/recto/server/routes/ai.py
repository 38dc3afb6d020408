"""`POST /api/ai/chat`: OpenAI's streaming protocol, and where the answer comes from.

Three steps: read the request, find and prepare the model, hand on the stream. Any OpenAI client can
use it; the one event more, before `[DONE]`, carries the metadata.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from recto.assist import NoModel, Sources
from recto.messages import Failure, Finished, StreamEvent
from recto.messages import Request as Question
from recto.server.access import for_session
from recto.server.metadata import answer_metadata
from recto.server.responses import NOT_SIGNED_IN
from recto.server.services import AnswerWriter, Given, Services

router = APIRouter(prefix="/api/ai", tags=["ai"])

DONE = b"data: [DONE]\n\n"
TEMPLATE = "client/1"
FEATURE = "api"
Events = AsyncGenerator[StreamEvent | Sources]


@router.post("/chat", response_class=Response, responses=NOT_SIGNED_IN)
@router.post("/chat/completions", include_in_schema=False)  # where OpenAI's own clients look
@for_session
async def chat(request: Request, services: Given) -> Response:
    """Answer a conversation in OpenAI's format, streamed or whole."""
    body = await request.body()
    try:
        question = services.dialect.serve(body)
        access = services.questions.find(question.model)
    except ValueError as error:
        return refuse(services, Failure("invalid_request", str(error)))
    except NoModel as error:
        return refuse(services, Failure("not_found", str(error), code="model_not_found"))
    events = services.questions.ask(access, question, feature=FEATURE, template=TEMPLATE)
    if not question.stream:
        return await whole(events, question, services)
    writer = services.dialect.writer(services.ids.new(), question.model, body)
    return await stream(events, writer, services)


async def stream(events: Events, writer: AnswerWriter, services: Services) -> Response:
    """The answer as it comes. What fails before the first word is still an HTTP error."""
    first = await anext(events)
    if isinstance(first, Finished) and first.failure:
        await events.aclose()
        return refuse(services, first.failure)
    return StreamingResponse(
        frames(first, events, writer),
        media_type="text/event-stream",
        headers={"cache-control": "no-store"},
    )


async def frames(
    first: StreamEvent | Sources, events: Events, writer: AnswerWriter
) -> AsyncGenerator[bytes]:
    """The frames of the answer, the metadata, the end."""
    async with aclosing(events):
        if not isinstance(first, Sources):
            yield writer.write(first).removesuffix(DONE)
        async for event in events:
            if isinstance(event, Sources):
                yield (
                    b"data: " + json.dumps({"metadata": answer_metadata(event)}).encode() + b"\n\n"
                )
            elif frame := writer.write(event).removesuffix(DONE):
                yield frame
    yield DONE


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


def refuse(services: Services, failure: Failure) -> Response:
    """An error as OpenAI's clients expect it."""
    status, body = services.dialect.write_failure(failure)
    return Response(body, status_code=status, media_type="application/json")
