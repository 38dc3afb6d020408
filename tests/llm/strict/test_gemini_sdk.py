"""The strict Gemini server through the official client: proof that it speaks the format."""

import base64
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.fakes.providers import Fault, GeminiServer, Script, Tokens, calls, says, thinks
from tests.llm.strict.asking import PNG, WEATHER
from tests.llm.strict.google_sdk import errors, genai, types

pytestmark = [
    pytest.mark.anyio,
    # Google's client inherits from a class that aiohttp wants nobody to inherit from.
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
]
MODEL = "gemini-3.6-flash"
TOOLS: Any = [{"function_declarations": [{"name": "weather", "parameters_json_schema": WEATHER}]}]


@pytest.fixture
async def server() -> AsyncGenerator[GeminiServer]:
    async with GeminiServer() as server:
        yield server


@pytest.fixture
async def models(server: GeminiServer) -> AsyncGenerator[Any]:
    options = types.HttpOptions(base_url=server.url, api_version="v1beta")
    client = genai.Client(api_key="test-key", http_options=options)
    yield client.aio.models
    await client.aio.aclose()
    client.close()


async def test_an_answer_is_read_whole(server: GeminiServer, models: Any) -> None:
    server.script(Script((says("Yes", "."),), usage=Tokens(100, 60, 0, 0, 12, 5)))
    answer = await models.generate_content(model=MODEL, contents="Will it rain?")
    assert answer.text == "Yes."
    usage = answer.usage_metadata
    assert usage is not None
    assert (
        usage.prompt_token_count,
        usage.cached_content_token_count,
        usage.candidates_token_count,
        usage.thoughts_token_count,
        usage.total_token_count,
    ) == (100, 60, 7, 5, 112)


async def test_a_stream_brings_thoughts_words_and_whole_calls(
    server: GeminiServer, models: Any
) -> None:
    server.answer(thinks("Hm."), says("Let ", "me see."), calls("weather", {"city": "Ulm"}))
    stream = await models.generate_content_stream(
        model=MODEL,
        contents="Will it rain?",
        config={"tools": TOOLS, "thinking_config": {"include_thoughts": True}},
    )
    parts = [part async for chunk in stream for part in chunk.parts or ()]
    assert [(part.thought, part.text) for part in parts] == [
        (True, "Hm."),
        (None, "Let "),
        (None, "me see."),
        (None, None),
        (None, ""),
    ]
    call = parts[3]
    assert call.function_call is not None
    assert (call.function_call.name, call.function_call.args) == ("weather", {"city": "Ulm"})
    assert call.thought_signature


async def test_a_tool_loop_with_signatures_goes_on(server: GeminiServer, models: Any) -> None:
    server.answer(calls("weather", {"city": "Ulm"}), calls("weather"))
    config: Any = {"tools": TOOLS, "automatic_function_calling": {"disable": True}}
    first = await models.generate_content(model=MODEL, contents="Will it rain?", config=config)
    assert first.candidates
    assert first.candidates[0].content
    results = [
        types.Part(
            function_response=types.FunctionResponse(
                id=call.id, name=call.name, response={"output": "rain"}
            )
        )
        for call in first.function_calls or ()
    ]
    history: Any = [
        types.Content(role="user", parts=[types.Part(text="Will it rain?")]),
        first.candidates[0].content,
        types.Content(role="user", parts=results),
    ]
    second = await models.generate_content(model=MODEL, contents=history, config=config)
    assert len(results) == 2
    assert second.text == "Echo: the result"
    assert server.last.notes == []


async def test_images_and_structured_output(models: Any) -> None:
    image = types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")
    seen = await models.generate_content(model=MODEL, contents=["What is it?", image])
    assert seen.text == "Echo: What is it?"
    told = await models.generate_content(
        model=MODEL,
        contents="JSON",
        config={"response_mime_type": "application/json", "response_json_schema": WEATHER},
    )
    assert told.text == '{"city":"x"}'


async def test_a_forced_function_is_called(models: Any) -> None:
    choice: Any = {"mode": "ANY", "allowed_function_names": ["weather"]}
    answer = await models.generate_content(
        model=MODEL,
        contents="Will it rain?",
        config={
            "tools": TOOLS,
            "tool_config": {"function_calling_config": choice},
            "automatic_function_calling": {"disable": True},
        },
    )
    assert [call.args for call in answer.function_calls or ()] == [{"city": "x"}]


async def test_a_blocked_prompt_has_no_candidates(server: GeminiServer, models: Any) -> None:
    server.answer(says("never told"), stop="prompt:SAFETY")
    answer = await models.generate_content(model=MODEL, contents="Do it.")
    assert answer.candidates is None
    assert answer.prompt_feedback is not None
    assert answer.prompt_feedback.block_reason == types.BlockedReason.SAFETY


@pytest.mark.parametrize(
    ("status", "name", "error"),
    [
        (400, "INVALID_ARGUMENT", errors.ClientError),
        (403, "PERMISSION_DENIED", errors.ClientError),
        (429, "RESOURCE_EXHAUSTED", errors.ClientError),
        (500, "INTERNAL", errors.ServerError),
        (503, "UNAVAILABLE", errors.ServerError),
    ],
)
async def test_errors_are_the_clients_own(
    server: GeminiServer,
    models: Any,
    status: int,
    name: str,
    error: type[errors.APIError],
) -> None:
    server.script(Fault(status=status, retry_delay="34s"))
    with pytest.raises(error) as raised:
        await models.generate_content(model=MODEL, contents="Will it rain?")
    assert (raised.value.code, raised.value.status) == (status, name)
    assert "34s" in str(raised.value)


async def test_an_error_inside_a_stream_is_raised(server: GeminiServer, models: Any) -> None:
    server.script(Fault(error_event="UNAVAILABLE", error_at=1))
    stream = await models.generate_content_stream(model=MODEL, contents="Hi.")
    with pytest.raises(errors.ServerError):
        _ = [chunk async for chunk in stream]


async def test_tokens_are_counted_and_models_listed(models: Any) -> None:
    counted = await models.count_tokens(model=MODEL, contents="Will it rain?")
    assert (counted.total_tokens or 0) > 0
    names = [model.name async for model in await models.list()]
    assert f"models/{MODEL}" in names
