"""The strict Responses server through the official client: proof that it speaks the format."""

from collections.abc import AsyncGenerator
from typing import Any

import openai
import pytest

from tests.fakes.providers import (
    Decline,
    Fault,
    ResponsesServer,
    Script,
    Tokens,
    calls,
    says,
    thinks,
)
from tests.llm.strict.asking import PNG, WEATHER

pytestmark = pytest.mark.anyio
MODEL = "gpt-5.6-sol"
TOOLS: Any = [{"type": "function", "name": "weather", "parameters": WEATHER, "strict": True}]


@pytest.fixture
async def server() -> AsyncGenerator[ResponsesServer]:
    async with ResponsesServer() as server:
        yield server


@pytest.fixture
async def client(server: ResponsesServer) -> AsyncGenerator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(
        api_key="test-key", base_url=f"{server.url}/v1", max_retries=0
    ) as client:
        yield client


async def test_an_answer_is_read_whole(server: ResponsesServer, client: openai.AsyncOpenAI) -> None:
    server.script(Script((says("Yes", "."),), usage=Tokens(100, 60, 30, 0, 7, 5)))
    answer = await client.responses.create(model=MODEL, input="Will it rain?")
    assert (answer.status, answer.output_text) == ("completed", "Yes.")
    assert answer.usage is not None
    assert answer.usage.to_dict() == {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 107,
    }


async def test_a_stream_ends_in_the_same_response(
    server: ResponsesServer, client: openai.AsyncOpenAI
) -> None:
    call = calls("weather", {"city": "Ulm"})
    server.answer(thinks("Hm, ", "well."), says("Let ", "me see."), call)
    async with client.responses.stream(
        model=MODEL, input="Will it rain?", tools=TOOLS, reasoning={"summary": "auto"}
    ) as stream:
        events = [event.type async for event in stream]
        answer = await stream.get_final_response()
    assert events[0] == "response.created"
    assert events[-1] == "response.completed"
    assert "response.reasoning_summary_text.delta" in events
    thought, message, called = answer.output
    assert thought.type == "reasoning"
    assert [part.text for part in thought.summary] == ["Hm, well."]
    assert message.type == "message"
    assert message.phase == "commentary"
    assert answer.output_text == "Let me see."
    assert called.type == "function_call"
    assert called.arguments == '{"city": "Ulm"}'


async def test_a_tool_loop_with_reasoning_goes_on(
    server: ResponsesServer, client: openai.AsyncOpenAI
) -> None:
    server.answer(thinks("Hm."), calls("weather"), calls("weather"))
    asked: Any = [{"role": "user", "content": "Will it rain?"}]
    settings: Any = {"store": False, "include": ["reasoning.encrypted_content"], "tools": TOOLS}
    responses: Any = client.responses
    first = await responses.create(model=MODEL, input=asked, **settings)
    items: list[Any] = [item.to_dict() for item in first.output]
    results = [
        {"type": "function_call_output", "call_id": item["call_id"], "output": "rain"}
        for item in items
        if item["type"] == "function_call"
    ]
    second = await responses.create(model=MODEL, input=[*asked, *items, *results], **settings)
    assert [item["type"] for item in items] == ["reasoning", "function_call", "function_call"]
    assert second.output_text == "Echo: that"
    assert server.last.notes == []


async def test_images_structured_output_and_a_refusal(
    server: ResponsesServer, client: openai.AsyncOpenAI
) -> None:
    content: Any = [
        {"type": "input_text", "text": "What is it?"},
        {
            "type": "input_image",
            "image_url": f"data:image/png;base64,{PNG}",
            "detail": "auto",
        },
    ]
    asked: Any = [{"role": "user", "content": content}]
    seen = await client.responses.create(model=MODEL, input=asked)
    assert seen.output_text == "Echo: What is it?"
    told = await client.responses.create(
        model=MODEL,
        input="JSON",
        text={"format": {"type": "json_schema", "name": "w", "schema": WEATHER, "strict": True}},
    )
    assert told.output_text == '{"city":"x"}'
    server.answer(Decline(("I ", "won't.")))
    async with client.responses.stream(model=MODEL, input="Do it.") as stream:
        refused = await stream.get_final_response()
    message = refused.output[-1]
    assert message.type == "message"
    assert message.content[0].to_dict() == {"type": "refusal", "refusal": "I won't."}


async def test_an_answer_can_be_cut_short(
    server: ResponsesServer, client: openai.AsyncOpenAI
) -> None:
    server.answer(says("Ye"), stop="length")
    answer = await client.responses.create(model=MODEL, input="Will it rain?")
    assert answer.status == "incomplete"
    assert answer.incomplete_details is not None
    assert answer.incomplete_details.reason == "max_output_tokens"


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "context_length_exceeded", openai.BadRequestError),
        (401, "invalid_api_key", openai.AuthenticationError),
        (403, None, openai.PermissionDeniedError),
        (404, "model_not_found", openai.NotFoundError),
        (409, None, openai.ConflictError),
        (422, None, openai.UnprocessableEntityError),
        (429, "insufficient_quota", openai.RateLimitError),
        (503, "server_is_overloaded", openai.InternalServerError),
    ],
)
async def test_errors_are_the_clients_own(
    server: ResponsesServer,
    client: openai.AsyncOpenAI,
    status: int,
    code: str | None,
    error: type[openai.APIStatusError],
) -> None:
    server.script(Fault(status=status, code=code))
    with pytest.raises(error) as raised:
        await client.responses.create(model=MODEL, input="Will it rain?")
    assert (raised.value.status_code, raised.value.code) == (status, code)
    assert raised.value.request_id


async def test_an_error_inside_a_stream_is_raised(
    server: ResponsesServer, client: openai.AsyncOpenAI
) -> None:
    server.script(Fault(error_event="rate_limit_exceeded", error_shape="nested"))
    with pytest.raises(openai.APIError, match="A scripted error"):
        async with client.responses.stream(model=MODEL, input="Will it rain?") as stream:
            await stream.get_final_response()


async def test_models_are_listed(client: openai.AsyncOpenAI) -> None:
    assert MODEL in [model.id async for model in client.models.list()]
