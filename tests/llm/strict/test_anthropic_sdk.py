"""The strict Anthropic server through the official client: proof that it speaks the format."""

from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import pytest

from tests.fakes.providers import (
    AnthropicServer,
    Decline,
    Fault,
    Script,
    Tokens,
    calls,
    says,
    thinks,
)
from tests.llm.strict.asking import PNG, WEATHER

pytestmark = pytest.mark.anyio
MODEL = "claude-opus-5-5"
ASKED: Any = [{"role": "user", "content": "Will it rain?"}]
TOOLS: Any = [{"name": "weather", "description": "The weather.", "input_schema": WEATHER}]


@pytest.fixture
async def server() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def client(server: AnthropicServer) -> AsyncGenerator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(
        api_key="test-key", base_url=server.url, max_retries=0
    ) as client:
        yield client


async def test_an_answer_is_read_whole(
    server: AnthropicServer, client: anthropic.AsyncAnthropic
) -> None:
    server.script(Script((says("Yes", "."),), usage=Tokens(100, 60, 30, 10, 7)))
    message = await client.messages.create(model=MODEL, max_tokens=500, messages=ASKED)
    assert [block.to_dict() for block in message.content] == [{"type": "text", "text": "Yes."}]
    assert message.stop_reason == "end_turn"
    usage = message.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (10, 60, 7)
    assert usage.cache_creation is not None
    assert usage.cache_creation.to_dict() == {
        "ephemeral_5m_input_tokens": 20,
        "ephemeral_1h_input_tokens": 10,
    }


async def test_a_stream_ends_in_the_same_message(
    server: AnthropicServer, client: anthropic.AsyncAnthropic
) -> None:
    call = calls("weather", {"city": "Ulm"})
    server.answer(thinks("Hm, ", "well."), says("Let ", "me see."), call)
    async with client.messages.stream(
        model=MODEL,
        max_tokens=500,
        messages=ASKED,
        tools=TOOLS,
        thinking={"type": "adaptive", "display": "summarized"},
    ) as stream:
        events = [event.type async for event in stream]
        message = await stream.get_final_message()
    assert events[0] == "message_start"
    assert events[-1] == "message_stop"
    thought, text, called = message.content
    assert isinstance(thought, anthropic.types.ThinkingBlock)
    assert thought.thinking == "Hm, well."
    assert text.type == "text"
    assert text.text == "Let me see."
    assert called.type == "tool_use"
    assert called.input == {"city": "Ulm"}
    assert message.stop_reason == "tool_use"


async def test_a_tool_loop_with_thinking_goes_on(
    server: AnthropicServer, client: anthropic.AsyncAnthropic
) -> None:
    server.answer(thinks("Hm."), thinks(redacted=True), calls("weather"), calls("weather"))
    first = await client.messages.create(model=MODEL, max_tokens=500, messages=ASKED, tools=TOOLS)
    results: Any = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "rain", "is_error": False}
        for block in first.content
        if block.type == "tool_use"
    ]
    history: Any = [
        *ASKED,
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": results},
    ]
    second = await client.messages.create(
        model=MODEL, max_tokens=500, messages=history, tools=TOOLS
    )
    assert [block.type for block in first.content] == [
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_use",
    ]
    assert second.content[-1].to_dict() == {"type": "text", "text": "Echo: the result"}
    assert server.last.notes == []


async def test_images_and_a_refusal(
    server: AnthropicServer, client: anthropic.AsyncAnthropic
) -> None:
    server.answer(Decline(("I ", "won't.")))
    content: Any = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PNG},
        }
    ]
    async with client.messages.stream(
        model=MODEL, max_tokens=500, messages=[{"role": "user", "content": content}]
    ) as stream:
        message = await stream.get_final_message()
    assert message.stop_reason == "refusal"
    assert message.stop_details is not None


async def test_structured_output_is_json_of_the_schema(client: anthropic.AsyncAnthropic) -> None:
    message = await client.messages.create(
        model=MODEL,
        max_tokens=500,
        messages=ASKED,
        output_config={"format": {"type": "json_schema", "schema": WEATHER}},
    )
    assert message.content[-1].to_dict() == {"type": "text", "text": '{"city":"x"}'}


async def test_a_forced_tool_is_called(client: anthropic.AsyncAnthropic) -> None:
    message = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=500,
        messages=ASKED,
        tools=TOOLS,
        tool_choice={"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
    )
    assert [block.type for block in message.content] == ["tool_use"]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, anthropic.BadRequestError),
        (401, anthropic.AuthenticationError),
        (403, anthropic.PermissionDeniedError),
        (404, anthropic.NotFoundError),
        (409, anthropic.ConflictError),
        (413, anthropic.APIStatusError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
async def test_errors_are_the_clients_own(
    server: AnthropicServer,
    client: anthropic.AsyncAnthropic,
    status: int,
    error: type[anthropic.APIStatusError],
) -> None:
    server.script(Fault(status=status, headers={"retry-after": "7"}))
    with pytest.raises(error) as raised:
        await client.messages.create(model=MODEL, max_tokens=500, messages=ASKED)
    assert raised.value.status_code == status
    assert raised.value.response.headers["retry-after"] == "7"
    assert raised.value.request_id


async def test_an_error_inside_a_stream_is_raised(
    server: AnthropicServer, client: anthropic.AsyncAnthropic
) -> None:
    server.script(Fault(error_event="overloaded_error", error_at=3))
    with pytest.raises(anthropic.APIStatusError, match="overloaded_error"):
        async with client.messages.stream(model=MODEL, max_tokens=500, messages=ASKED) as stream:
            await stream.get_final_message()


async def test_tokens_are_counted_and_models_listed(client: anthropic.AsyncAnthropic) -> None:
    counted = await client.messages.count_tokens(model=MODEL, messages=ASKED)
    assert counted.input_tokens > 0
    assert MODEL in [model.id async for model in client.models.list()]
    card = await client.models.retrieve("claude-sonnet-5-5")
    assert card.capabilities is not None
    assert card.capabilities.thinking.types.between_tools.supported
