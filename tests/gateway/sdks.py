"""The official clients, each asked for the same things: what a table can be made of."""

import base64
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

import anthropic
import openai
from google import genai
from google.genai import errors as google_errors
from google.genai import types as google_types

from tests.fakes.callers import KEY
from tests.served import NO_CERTIFICATES

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DATA_URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
RESULTS = ("one is short", "two is long")
SYSTEM = "You read files."
QUESTION = "Read both files."


@dataclass
class Told:
    """What a client made of an answer."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    stop: str | None = None
    prompt: int = 0
    """Everything sent, cached or not."""
    cached: int = 0
    output: int = 0


class SdkClient(Protocol):
    """One official client of one API."""

    async def text(self, model: str, *, stream: bool) -> Told: ...

    async def tools(self, model: str, *, stream: bool) -> tuple[Told, Told]:
        """Ask with a tool, answer every call, ask again."""
        ...

    async def image(self, model: str) -> Told: ...

    async def count(self, model: str) -> int: ...

    async def error(self, model: str) -> tuple[int, str]: ...

    async def leave(self, model: str) -> None:
        """Begin a stream and leave after its first words."""
        ...


class AnthropicClient:
    """`anthropic`: Messages."""

    def __init__(self, url: str, running: AsyncExitStack) -> None:
        http = anthropic.DefaultAsyncHttpxClient(verify=NO_CERTIFICATES)
        # Untyped: what a test asks for is written as the API has it, not as the client's types.
        self._sdk: Any = anthropic.AsyncAnthropic(
            base_url=url, api_key=KEY, max_retries=0, http_client=http
        )
        running.push_async_callback(self._sdk.close)

    async def _ask(self, model: str, messages: list[Any], *, stream: bool, **more: Any) -> Any:
        asked: dict[str, Any] = {"model": model, "max_tokens": 4000, "messages": messages, **more}
        if not stream:
            return await self._sdk.messages.create(**asked)
        async with self._sdk.messages.stream(**asked) as events:
            return await events.get_final_message()

    def _told(self, message: Any) -> Told:
        blocks = message.content
        usage = message.usage
        cached = usage.cache_read_input_tokens or 0
        written = usage.cache_creation_input_tokens or 0
        return Told(
            "".join(block.text for block in blocks if block.type == "text"),
            "".join(block.thinking for block in blocks if block.type == "thinking"),
            [(block.name, block.input) for block in blocks if block.type == "tool_use"],
            message.stop_reason,
            usage.input_tokens + cached + written,
            cached,
            usage.output_tokens,
        )

    async def text(self, model: str, *, stream: bool) -> Told:
        messages = [{"role": "user", "content": "Hi"}]
        return self._told(await self._ask(model, messages, stream=stream, system=SYSTEM))

    async def tools(self, model: str, *, stream: bool) -> tuple[Told, Told]:
        tools = [{"name": "read", "description": "Reads.", "input_schema": SCHEMA}]
        more: dict[str, Any] = {"tools": tools, "stream": stream}
        more["thinking"] = {"type": "adaptive"}
        more["output_config"] = {"effort": "high"}
        messages: list[Any] = [{"role": "user", "content": QUESTION}]
        first = await self._ask(model, messages, **more)
        used = [block for block in first.content if block.type == "tool_use"]
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": text}
            for block, text in zip(used, RESULTS, strict=True)
        ]
        content = [block.model_dump(exclude_none=True) for block in first.content]
        messages += [
            {"role": "assistant", "content": content},
            {"role": "user", "content": results},
        ]
        return self._told(first), self._told(await self._ask(model, messages, **more))

    async def image(self, model: str) -> Told:
        source = {"type": "base64", "media_type": "image/png"}
        source["data"] = base64.b64encode(PNG).decode()
        content = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]
        return self._told(
            await self._ask(model, [{"role": "user", "content": content}], stream=False)
        )

    async def count(self, model: str) -> int:
        messages: Any = [{"role": "user", "content": "How many are these?"}]
        return (await self._sdk.messages.count_tokens(model=model, messages=messages)).input_tokens

    async def error(self, model: str) -> tuple[int, str]:
        try:
            await self.text(model, stream=True)
        except anthropic.APIStatusError as error:
            return error.status_code, str(error.body)
        raise AssertionError("no error")

    async def leave(self, model: str) -> None:
        messages: Any = [{"role": "user", "content": "Hi"}]
        asked: Any = {"model": model, "max_tokens": 4000, "messages": messages}
        async with self._sdk.messages.stream(**asked) as events:
            async for event in events:
                if event.type == "text":
                    return


class ResponsesClient:
    """`openai`: Responses."""

    def __init__(self, url: str, running: AsyncExitStack) -> None:
        self._sdk: Any = openai_client(url)
        running.push_async_callback(self._sdk.close)

    async def _ask(self, model: str, items: Any, *, stream: bool, **more: Any) -> Any:
        asked: dict[str, Any] = {"model": model, "input": items, "store": False, **more}
        if not stream:
            return await self._sdk.responses.create(**asked)
        found: Any = None
        async for event in await self._sdk.responses.create(**asked, stream=True):
            if event.type in ("response.completed", "response.incomplete"):
                found = event.response
        return found

    def _told(self, answer: Any) -> Told:
        items = answer.output
        usage = answer.usage
        return Told(
            answer.output_text,
            "".join(
                part.text for item in items if item.type == "reasoning" for part in item.summary
            ),
            [(i.name, json.loads(i.arguments)) for i in items if i.type == "function_call"],
            answer.status,
            usage.input_tokens,
            usage.input_tokens_details.cached_tokens,
            usage.output_tokens,
        )

    async def text(self, model: str, *, stream: bool) -> Told:
        return self._told(await self._ask(model, "Hi", stream=stream, instructions=SYSTEM))

    async def tools(self, model: str, *, stream: bool) -> tuple[Told, Told]:
        tool = {"type": "function", "name": "read", "description": "Reads.", "parameters": SCHEMA}
        more: dict[str, Any] = {"tools": [{**tool, "strict": False}], "stream": stream}
        more["reasoning"] = {"effort": "high", "summary": "auto"}
        more["include"] = ["reasoning.encrypted_content"]
        items: list[Any] = [{"role": "user", "content": QUESTION}]
        first = await self._ask(model, items, **more)
        items += [item.model_dump(exclude_none=True) for item in first.output]
        used = [item for item in first.output if item.type == "function_call"]
        items += [
            {"type": "function_call_output", "call_id": item.call_id, "output": text}
            for item, text in zip(used, RESULTS, strict=True)
        ]
        return self._told(first), self._told(await self._ask(model, items, **more))

    async def image(self, model: str) -> Told:
        content = [
            {"type": "input_image", "image_url": DATA_URL, "detail": "auto"},
            {"type": "input_text", "text": "What is it?"},
        ]
        return self._told(
            await self._ask(model, [{"role": "user", "content": content}], stream=False)
        )

    async def count(self, model: str) -> int:
        found = await self._sdk.responses.input_tokens.count(model=model, input="How many?")
        return found.input_tokens

    async def error(self, model: str) -> tuple[int, str]:
        return await openai_error(lambda: self.text(model, stream=True))

    async def leave(self, model: str) -> None:
        events = await self._sdk.responses.create(model=model, input="Hi", stream=True)
        async for event in events:
            if event.type == "response.output_text.delta":
                await events.close()
                return


class ChatClient:
    """`openai`: Chat Completions."""

    def __init__(self, url: str, running: AsyncExitStack) -> None:
        self._sdk: Any = openai_client(url)
        running.push_async_callback(self._sdk.close)

    async def _ask(self, model: str, messages: list[Any], *, stream: bool, **more: Any) -> Any:
        asked: dict[str, Any] = {"model": model, "messages": messages, **more}
        if not stream:
            return await self._sdk.chat.completions.create(**asked)
        options = {"stream_options": {"include_usage": True}}
        async with self._sdk.chat.completions.stream(**asked, **options) as events:
            return await events.get_final_completion()

    def _told(self, answer: Any) -> Told:
        (choice,) = answer.choices
        message, usage = choice.message, answer.usage
        details = usage.prompt_tokens_details
        return Told(
            message.content or "",
            getattr(message, "reasoning_content", None) or "",
            [(c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or ()],
            choice.finish_reason,
            usage.prompt_tokens,
            (details and details.cached_tokens) or 0,
            usage.completion_tokens,
        )

    async def text(self, model: str, *, stream: bool) -> Told:
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "Hi"}]
        return self._told(await self._ask(model, messages, stream=stream))

    async def tools(self, model: str, *, stream: bool) -> tuple[Told, Told]:
        function = {"name": "read", "description": "Reads.", "parameters": SCHEMA}
        more: dict[str, Any] = {"tools": [{"type": "function", "function": function}]}
        more |= {"reasoning_effort": "high", "stream": stream}
        messages: list[Any] = [{"role": "user", "content": QUESTION}]
        first = await self._ask(model, messages, **more)
        said = first.choices[0].message
        # As most clients do: only what the API itself defines goes back, and DeepSeek's own field.
        used = [call.model_dump(include={"id", "type", "function"}) for call in said.tool_calls]
        for call in used:
            call["function"].pop("parsed_arguments", None)
        back = {"role": "assistant", "content": said.content, "tool_calls": used}
        if model == "chat":
            back["reasoning_content"] = getattr(said, "reasoning_content", "")
        messages.append(back)
        messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": text}
            for call, text in zip(used, RESULTS, strict=True)
        ]
        return self._told(first), self._told(await self._ask(model, messages, **more))

    async def image(self, model: str) -> Told:
        content = [
            {"type": "image_url", "image_url": {"url": DATA_URL}},
            {"type": "text", "text": "What is it?"},
        ]
        return self._told(
            await self._ask(model, [{"role": "user", "content": content}], stream=False)
        )

    async def count(self, model: str) -> int:
        """This API counts only with an answer."""
        return (await self.text(model, stream=False)).prompt

    async def error(self, model: str) -> tuple[int, str]:
        return await openai_error(lambda: self.text(model, stream=True))

    async def leave(self, model: str) -> None:
        messages: Any = [{"role": "user", "content": "Hi"}]
        events = await self._sdk.chat.completions.create(
            model=model, messages=messages, stream=True
        )
        async for chunk in events:
            if chunk.choices and chunk.choices[0].delta.content:
                await events.close()
                return


class GoogleClient:
    """`google-genai`: generateContent."""

    def __init__(self, url: str, running: AsyncExitStack) -> None:
        options = google_types.HttpOptions(
            base_url=url, async_client_args={"ssl": False}, client_args={"verify": NO_CERTIFICATES}
        )
        self._open: Callable[[], Any] = lambda: genai.Client(api_key=KEY, http_options=options)
        self._sdk = self._open()
        running.push_async_callback(self._sdk.aio.aclose)

    async def _ask(self, model: str, contents: Any, *, stream: bool, config: Any) -> list[Any]:
        models = self._sdk.aio.models
        asked: Any = {"model": model, "contents": contents, "config": config}
        if not stream:
            return [await models.generate_content(**asked)]
        return [chunk async for chunk in await models.generate_content_stream(**asked)]

    def _parts(self, answers: list[Any]) -> list[Any]:
        contents = [c.content for a in answers for c in a.candidates or () if c.content]
        return [part for content in contents for part in content.parts or ()]

    def _told(self, answers: list[Any]) -> Told:
        parts = self._parts(answers)
        usage = [answer.usage_metadata for answer in answers if answer.usage_metadata][-1]
        ends = [c.finish_reason for a in answers for c in a.candidates or () if c.finish_reason]
        return Told(
            "".join(part.text or "" for part in parts if not part.thought),
            "".join(part.text or "" for part in parts if part.thought),
            [(p.function_call.name, p.function_call.args) for p in parts if p.function_call],
            ends[-1].value,
            usage.prompt_token_count,
            usage.cached_content_token_count or 0,
            (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        )

    async def text(self, model: str, *, stream: bool) -> Told:
        config = google_types.GenerateContentConfig(system_instruction=SYSTEM)
        return self._told(await self._ask(model, "Hi", stream=stream, config=config))

    async def tools(self, model: str, *, stream: bool) -> tuple[Told, Told]:
        declared = google_types.FunctionDeclaration(
            name="read", description="Reads.", parameters_json_schema=SCHEMA
        )
        thinking = google_types.ThinkingConfig(
            include_thoughts=True, thinking_level=google_types.ThinkingLevel.HIGH
        )
        config = google_types.GenerateContentConfig(
            tools=[google_types.Tool(function_declarations=[declared])], thinking_config=thinking
        )
        contents: list[Any] = [google_types.UserContent(QUESTION)]
        first = await self._ask(model, contents, stream=stream, config=config)
        parts = self._parts(first)
        contents.append(google_types.ModelContent(parts))
        used = [part.function_call for part in parts if part.function_call]
        results = [
            google_types.Part(
                function_response=google_types.FunctionResponse(
                    id=call.id, name=call.name, response={"output": text}
                )
            )
            for call, text in zip(used, RESULTS, strict=True)
        ]
        contents.append(google_types.Content(role="user", parts=results))
        second = await self._ask(model, contents, stream=stream, config=config)
        return self._told(first), self._told(second)

    async def image(self, model: str) -> Told:
        picture = google_types.Part.from_bytes(data=PNG, mime_type="image/png")
        contents = [picture, "What is it?"]
        return self._told(await self._ask(model, contents, stream=False, config=None))

    async def count(self, model: str) -> int:
        found = await self._sdk.aio.models.count_tokens(model=model, contents="How many?")
        return found.total_tokens or 0

    async def error(self, model: str) -> tuple[int, str]:
        try:
            await self.text(model, stream=True)
        except google_errors.APIError as error:
            return error.code, str(error)
        raise AssertionError("no error")

    async def leave(self, model: str) -> None:
        # A stream of this client keeps its connection until the whole client is closed.
        sdk = self._open()
        events: Any = await sdk.aio.models.generate_content_stream(model=model, contents="Hi")
        async for chunk in events:
            if chunk.text:
                break
        await sdk.aio.aclose()


def openai_client(url: str) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(verify=NO_CERTIFICATES)
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0, http_client=http)


async def openai_error(ask: Callable[[], Any]) -> tuple[int, str]:
    try:
        await ask()
    except openai.APIStatusError as error:
        return error.status_code, str(error.body)
    raise AssertionError("no error")


SDKS: dict[str, Callable[[str, AsyncExitStack], SdkClient]] = {
    "anthropic": AnthropicClient,
    "openai responses": ResponsesClient,
    "openai chat": ChatClient,
    "google-genai": GoogleClient,
}
