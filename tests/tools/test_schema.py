"""Every tool is declared once, in a form that every provider accepts."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import anyio
import pytest
from msgspec import Meta

from recto.access import fingerprint, load_catalogue
from recto.config import Secret
from recto.context import prepare
from recto.llm import PROVIDERS, Transport
from recto.messages import Finished, Json, Origin, Request, user
from recto.tools import Arguments, builtin_tools, parameters_of
from tests.fakes.providers import (
    AnthropicServer,
    ChatServer,
    GeminiServer,
    ResponsesServer,
    says,
)
from tests.tools.bench import FakeShell
from tests.tools.research import nowhere

pytestmark = pytest.mark.anyio

TOOLS = tuple(tool.declaration for tool in builtin_tools(FakeShell(), nowhere()))
WORDS = {
    "type", "description", "properties", "required", "additionalProperties", "items", "enum",
    "minimum", "maximum", "minItems", "maxItems",
}  # fmt: skip
SERVERS = {
    "anthropic": (AnthropicServer, "claude-sonnet-5-5"),
    "openai": (ResponsesServer, "gpt-6.1-terra"),
    "google": (GeminiServer, "gemini-3.8-flash"),
    "ollama": (partial(ChatServer, flavour="ollama"), "qwen3:8b"),
}


class Inner(Arguments, frozen=True):
    """An argument that has parts."""

    label: Annotated[str, Meta(description="Its name.", min_length=1)]


class Outer(Arguments, frozen=True):
    """A docstring that no model needs."""

    path: Annotated[str, Meta(description="Where.")]
    some: Annotated[list[Inner], Meta(description="Which.", min_length=1)]
    line: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="The line.")] = None


class Either(Arguments, frozen=True):
    """An argument of two kinds."""

    it: int | str = 0


def test_a_schema_has_no_references_and_no_null() -> None:
    assert parameters_of(Outer) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "some": {
                "type": "array",
                "description": "Which.",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "description": "An argument that has parts.",
                    "properties": {"label": {"type": "string", "description": "Its name."}},
                    "required": ["label"],
                    "additionalProperties": False,
                },
            },
            "line": {"type": "integer", "minimum": 1, "description": "The line."},
        },
        "required": ["path", "some"],
        "additionalProperties": False,
    }


def test_an_argument_of_two_kinds_is_a_bug() -> None:
    with pytest.raises(TypeError, match="one type"):
        parameters_of(Either)


def objects(schema: Json) -> Iterator[Json]:
    """A schema and all that are in it."""
    yield schema
    inner: list[Any] = [*schema.get("properties", {}).values()]
    for item in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from objects(item)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_declaration_is_complete(tool: Any) -> None:
    found = list(objects(tool.parameters))

    assert all(item["type"] for item in found)
    assert set().union(*found) <= WORDS
    assert all(item["additionalProperties"] is False for item in found if item["type"] == "object")
    assert all(item["description"] for item in tool.parameters["properties"].values())
    assert tool.main in tool.parameters["properties"]
    assert all((tool.title, tool.description, tool.doing, tool.done))


@pytest.mark.parametrize("name", SERVERS)
async def test_every_provider_accepts_all_tools(name: str) -> None:
    make, model = SERVERS[name]
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(make())
        transport = Transport()
        stack.push_async_callback(transport.close)
        provider = PROVIDERS[name]
        url = server.url + ("/v1beta" if name == "google" else "")
        provider = replace(provider, url=url)
        key = Secret("test-key")
        origin = Origin(provider.protocol, fingerprint(url, key), model)
        family = load_catalogue().family(name, model)
        tools = tuple(tool.offered() for tool in TOOLS)
        request = Request(model, (user("Hello"),), max_output=1000, tools=tools)
        server.answer(says("Hello."))
        ready = prepare(request, origin, binds_prefix=family.traits.binds_prefix)
        events = transport.stream(provider.endpoint(key), ready, family.traits, origin)
        with anyio.fail_after(60):
            *_, end = [event async for event in events]

    assert server.last.refusal is None
    assert isinstance(end, Finished)
    assert (end.failure, end.reason) == (None, "end_turn")
