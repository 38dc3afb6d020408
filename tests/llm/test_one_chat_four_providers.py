"""One chat, four providers in turn: tools, thoughts and pictures in one history, over real HTTP.

`pytest -s` shows the requests as they reach the servers, which refuse what the real ones refuse.
"""

import json
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import anyio
import pytest

from recto.access import fingerprint, load_catalogue
from recto.config import Secret
from recto.context import bind, mark_cache, prepare
from recto.llm import PROVIDERS, Transport
from recto.messages import (
    Finished,
    Image,
    Message,
    Origin,
    Request,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    user,
)
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    ResponsesServer,
    calls,
    says,
    thinks,
)
from tests.fakes.providers.shapes import is_array, is_object

pytestmark = pytest.mark.anyio

Server = AnthropicServer | ChatServer | GeminiServer | ResponsesServer
KEY = Secret("test-key")
PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = Image("image/png", PNG)
PLOT = ToolSpec(
    "plot",
    "Draws a column of a table.",
    {"type": "object", "properties": {"column": {"type": "string"}}, "required": ["column"]},
)
MODELS = {
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-6.1-terra",
    "google": "gemini-3.8-flash",
    "ollama": "qwen3:8b",
}


class Chat:
    """The chat, and the servers it goes to."""

    def __init__(self, servers: dict[str, Server], transport: Transport) -> None:
        self.servers = servers
        self._transport = transport
        self.history: list[Message] = [user("What is in this picture?", PICTURE)]

    async def ask(self, provider_id: str) -> Any:
        """Ask a model to go on, and run the tool it calls; gives the request on the wire."""
        provider, server = PROVIDERS[provider_id], self.servers[provider_id]
        version = "/v1beta" if provider_id == "google" else ""
        provider = replace(provider, url=server.url + version)
        model, family = (
            MODELS[provider_id],
            load_catalogue().family(provider_id, MODELS[provider_id]),
        )
        origin = Origin(provider.protocol, fingerprint(provider.url, KEY), model)
        request = Request(
            model,
            tuple(self.history),
            max_output=1000,
            system="You read charts.",
            tools=(PLOT,),
            effort=family.effort,
        )
        ready = prepare(request, origin, binds_prefix=family.traits.binds_prefix)
        ready = mark_cache(ready) if family.traits.cache_marks else ready
        server.answer(
            thinks("The picture ", "shows a tide."),
            says(f"{provider_id} looks."),
            calls("plot", {"column": provider_id}),
        )
        events = self._transport.stream(provider.endpoint(KEY), ready, family.traits, origin)
        with anyio.fail_after(60):
            *_, end = [event async for event in events]
        assert server.last.refusal is None, server.last.refusal
        assert isinstance(end, Finished)
        assert (end.failure, end.reason) == (None, "tool_use")
        (call,) = end.message.calls
        self.history += [
            bind(end.message, ready),
            user(ToolResult(call.id, call.name, (Text(f"Plot of {provider_id}."), PICTURE))),
        ]
        show(provider_id, server)
        return server.last.json


def show(provider: str, server: Server) -> None:
    """The request, with pictures and seals cut short."""
    incoming = server.last.incoming
    told = json.dumps(shortened(server.last.json), indent=2, ensure_ascii=False)
    print(f"\n=== {provider}: {incoming.method} {incoming.path}\n{told}")  # noqa: T201 - the proof


def shortened(value: Any) -> Any:
    """JSON whose long texts are cut."""
    if isinstance(value, str):
        return value if len(value) < 60 else f"{value[:40]}… ({len(value)} characters)"
    if is_object(value):
        return {key: shortened(item) for key, item in value.items()}
    return [shortened(item) for item in value] if is_array(value) else value


@pytest.fixture
async def chat() -> AsyncGenerator[Chat]:
    servers: dict[str, Server] = {
        "anthropic": AnthropicServer(),
        "openai": ResponsesServer(),
        "google": GeminiServer(),
        "ollama": ChatServer(flavour="ollama"),
    }
    transport = Transport()
    async with AsyncExitStack() as running:
        for server in servers.values():
            await running.enter_async_context(server)
        yield Chat(servers, transport)
        await transport.close()


def kinds(content: Any, key: str = "type") -> list[str]:
    """The kinds of some blocks."""
    return [block[key] for block in content]


async def test_a_chat_goes_through_four_providers(chat: Chat) -> None:
    anthropic = await chat.ask("anthropic")
    openai = await chat.ask("openai")
    google = await chat.ask("google")
    ollama = await chat.ask("ollama")
    again = await chat.ask("anthropic")

    check_anthropic(anthropic)
    check_openai(openai)
    check_google(google)
    check_ollama(ollama)
    check_again(again)
    thoughts = [
        part for message in chat.history for part in message.parts if isinstance(part, Thinking)
    ]
    assert [thought.text for thought in thoughts] == ["The picture shows a tide."] * 5
    # Gemini signs the call after its thoughts, not the thoughts.
    assert [
        thought.provider.origin.model if thought.provider else None for thought in thoughts
    ] == [
        "claude-sonnet-5-5",
        "gpt-6.1-terra",
        None,
        "qwen3:8b",
        "claude-sonnet-5-5",
    ]


def check_anthropic(body: Any) -> None:
    """The first question: a picture, a tool, thinking, and cache marks."""
    (turn,) = body["messages"]
    assert kinds(turn["content"]) == ["text", "image"]
    assert turn["content"][1]["cache_control"] == {"type": "ephemeral"}
    assert kinds(body["tools"], "name") == ["plot"]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert (body["thinking"]["type"], body["output_config"]) == ("adaptive", {"effort": "medium"})


def check_openai(body: Any) -> None:
    """The call of another model with its result as items; nothing of that model's thoughts."""
    said, text, call, output = body["input"]
    assert kinds(said["content"]) == ["input_text", "input_image"]
    assert (text["role"], text["content"]) == ("assistant", "anthropic looks.")
    assert (call["type"], call["name"]) == ("function_call", "plot")
    assert (output["type"], output["call_id"]) == ("function_call_output", call["call_id"])
    assert kinds(output["output"]) == ["input_text", "input_image"]
    assert (body["store"], body["instructions"]) == (False, "You read charts.")
    assert body["include"] == ["reasoning.encrypted_content"]


def check_google(body: Any) -> None:
    """Roles in turn; calls of others carry a signature that is not checked; results hold files."""
    contents = body["contents"]
    assert kinds(contents, "role") == ["user", "model", "user", "model", "user"]
    called = [part for content in contents for part in content["parts"] if "functionCall" in part]
    assert [part["functionCall"]["args"] for part in called] == [
        {"column": "anthropic"},
        {"column": "openai"},
    ]
    assert all(part["thoughtSignature"] for part in called)
    results = [
        part["functionResponse"]
        for content in contents
        for part in content["parts"]
        if "functionResponse" in part
    ]
    assert [list(result["parts"][0]) for result in results] == [["inlineData"], ["inlineData"]]
    assert body["generationConfig"]["thinkingConfig"] == {
        "includeThoughts": True,
        "thinkingLevel": "HIGH",
    }


def check_ollama(body: Any) -> None:
    """Tool messages hold only words, so their pictures follow in the user's words."""
    assert kinds(body["messages"], "role") == [
        "system",
        "user",
        *(("assistant", "tool", "user") * 3),
    ]
    calls = [
        message["tool_calls"][0]["id"] for message in body["messages"] if "tool_calls" in message
    ]
    assert calls == [
        message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"
    ]
    assert kinds(body["messages"][-1]["content"]) == ["text", "image_url"]
    assert "thought" not in json.dumps(body)


def check_again(body: Any) -> None:
    """Back at the first model: its own thought returns as it was, and only its own."""
    thinking = [
        (index, block)
        for index, turn in enumerate(body["messages"])
        for block in turn["content"]
        if block["type"] == "thinking"
    ]
    ((index, block),) = thinking
    assert (index, block["thinking"]) == (1, "The picture shows a tide.")
    assert kinds(body["messages"][2]["content"]) == ["tool_result"]
    assert kinds(body["messages"][2]["content"][0]["content"]) == ["text", "image"]
    assert len(body["messages"]) == 9
