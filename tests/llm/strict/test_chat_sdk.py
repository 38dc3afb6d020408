"""The strict Chat Completions server through the official client."""

from collections.abc import AsyncGenerator
from typing import Any

import openai
import pytest

from tests.fakes.providers import ChatServer, Decline, Fault, Script, Tokens, calls, says
from tests.llm.strict.asking import PNG, WEATHER

pytestmark = pytest.mark.anyio
MODEL = "gpt-4.1"
ASKED: Any = [{"role": "user", "content": "Will it rain?"}]
TOOLS: Any = [
    {"type": "function", "function": {"name": "weather", "parameters": WEATHER, "strict": True}}
]


@pytest.fixture
async def server() -> AsyncGenerator[ChatServer]:
    async with ChatServer() as server:
        yield server


@pytest.fixture
async def client(server: ChatServer) -> AsyncGenerator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(
        api_key="test-key", base_url=f"{server.url}/v1", max_retries=0
    ) as client:
        yield client


async def test_an_answer_is_read_whole(server: ChatServer, client: openai.AsyncOpenAI) -> None:
    server.script(Script((says("Yes", "."),), usage=Tokens(100, 60, 0, 0, 7)))
    answer = await client.chat.completions.create(model=MODEL, messages=ASKED)
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("Yes.", "stop")
    assert answer.usage is not None
    details = answer.usage.prompt_tokens_details
    assert details is not None
    assert (answer.usage.total_tokens, details.cached_tokens) == (107, 60)


async def test_a_stream_ends_in_the_same_completion(
    server: ChatServer, client: openai.AsyncOpenAI
) -> None:
    server.answer(says("Let ", "me see."), calls("weather", {"city": "Ulm"}), calls("weather"))
    async with client.chat.completions.stream(
        model=MODEL, messages=ASKED, tools=TOOLS, stream_options={"include_usage": True}
    ) as stream:
        answer = await stream.get_final_completion()
    choice = answer.choices[0]
    assert (choice.message.content, choice.finish_reason) == ("Let me see.", "tool_calls")
    assert [call.function.arguments for call in choice.message.tool_calls or ()] == [
        '{"city": "Ulm"}',
        "{}",
    ]
    assert answer.usage is not None


async def test_a_tool_loop_goes_on(server: ChatServer, client: openai.AsyncOpenAI) -> None:
    server.answer(calls("weather", {"city": "Ulm"}), calls("weather"))
    first = await client.chat.completions.create(model=MODEL, messages=ASKED, tools=TOOLS)
    message: Any = first.choices[0].message.to_dict()
    results: Any = [
        {"role": "tool", "tool_call_id": call["id"], "content": "rain"}
        for call in message["tool_calls"]
    ]
    second = await client.chat.completions.create(
        model=MODEL, messages=[*ASKED, message, *results], tools=TOOLS
    )
    assert second.choices[0].message.content == "Echo: rain"


async def test_images_structured_output_and_a_refusal(
    server: ChatServer, client: openai.AsyncOpenAI
) -> None:
    content: Any = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    seen = await client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": content}]
    )
    assert (seen.choices[0].message.content or "").startswith("Echo: What is it?")
    told = await client.chat.completions.create(
        model=MODEL,
        messages=ASKED,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "w", "schema": WEATHER, "strict": True},
        },
    )
    assert told.choices[0].message.content == '{"city":"x"}'
    server.answer(Decline(("I ", "won't.")))
    async with client.chat.completions.stream(model=MODEL, messages=ASKED) as stream:
        refused = await stream.get_final_completion()
    assert refused.choices[0].message.refusal == "I won't."


async def test_a_function_forced_by_name_ends_with_stop(client: openai.AsyncOpenAI) -> None:
    answer = await client.chat.completions.create(
        model=MODEL,
        messages=ASKED,
        tools=TOOLS,
        tool_choice={"type": "function", "function": {"name": "weather"}},
    )
    assert answer.choices[0].finish_reason == "stop"
    assert len(answer.choices[0].message.tool_calls or ()) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
async def test_errors_are_the_clients_own(
    server: ChatServer, client: openai.AsyncOpenAI, status: int, error: type[openai.APIStatusError]
) -> None:
    server.script(Fault(status=status))
    with pytest.raises(error):
        await client.chat.completions.create(model=MODEL, messages=ASKED)


async def test_an_error_inside_a_stream_is_raised(
    server: ChatServer, client: openai.AsyncOpenAI
) -> None:
    server.script(Fault(error_event="server_error"))
    with pytest.raises(openai.APIError, match="A scripted error"):
        async with client.chat.completions.stream(model=MODEL, messages=ASKED) as stream:
            await stream.get_final_completion()


async def test_models_are_listed(client: openai.AsyncOpenAI) -> None:
    assert MODEL in [model.id async for model in client.models.list()]
