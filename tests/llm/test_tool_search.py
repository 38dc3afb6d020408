"""A provider's own search for tools: what is held back, and what goes back of a search."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

import anyio
import pytest

from recto.llm import Transport
from recto.messages import Finished, Message, Request, Text, ToolResult, ToolSpec, assistant, user
from tests.fakes.providers import OwnBlock, calls, says
from tests.llm.any_history.places import SERVERS, Place, Server, places

pytestmark = pytest.mark.anyio
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
READ = ToolSpec("read_file", "Reads.", SCHEMA)
LATER = tuple(
    ToolSpec(name, f"Does {name}.", SCHEMA, deferred=True)
    for name in ("tides__predict", "tides__fit", "publish")
)
BM25 = "tool_search_tool_bm25"
ANTHROPIC = (
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": BM25, "input": {"query": "tide"}},
    {
        "type": "tool_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "tides__predict"}],
        },
    },
)
OPENAI = (
    {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": None,
        "execution": "server",
        "arguments": {"paths": ["tides"]},
        "status": "completed",
    },
    {
        "type": "tool_search_output",
        "id": "tso_1",
        "call_id": None,
        "execution": "server",
        "tools": [{"type": "function", "name": "tides__predict"}],
        "status": "completed",
    },
)


def place_of(server: str, model: str) -> Place:
    return next(item for item in places() if (item.server, item.model) == (server, model))


@dataclass
class Asker:
    """Asks a strict server over HTTP, which must refuse nothing."""

    server: Server
    transport: Transport
    place: Place

    async def ask(self, history: Sequence[Message], tools: Sequence[ToolSpec]) -> Message:
        place = replace(self.place, provider=replace(self.place.provider, url=self.server.url))
        request = Request(place.model, tuple(history), 1000, system="Be.", tools=tuple(tools))
        events = self.transport.stream(place.endpoint, request, place.traits, place.origin)
        with anyio.fail_after(60):
            *_, end = [event async for event in events]
        assert self.server.last.refusal is None, self.server.last.refusal
        assert isinstance(end, Finished)
        assert end.failure is None
        return end.message


@pytest.mark.parametrize(
    ("server", "model", "blocks"),
    [("anthropic", "claude-sonnet-5-5", ANTHROPIC), ("openai", "gpt-6.1-terra", OPENAI)],
)
async def test_a_search_goes_back_as_long_as_what_it_found_is_there(
    server: str, model: str, blocks: Sequence[dict[str, Any]]
) -> None:
    kinds = {block["type"] for block in blocks}
    async with AsyncExitStack() as closing:
        upstream = await closing.enter_async_context(SERVERS[server]())
        transport = Transport()
        closing.push_async_callback(transport.close)
        asker = Asker(upstream, transport, place_of(server, model))
        history = [user("When is the tide?")]
        upstream.answer(*map(OwnBlock, blocks), calls("tides__predict", {}))
        history.append(await asker.ask(history, (READ, *LATER)))
        (call,) = history[-1].calls
        assert call.name == "tides__predict"
        history.append(user(ToolResult(call.id, call.name, (Text("At noon."),))))

        upstream.answer(says("At noon."))
        await asker.ask(history, (READ, *LATER))
        body = upstream.last.json
        assert (held_back(body), sent(body, kinds)) == ({tool.name for tool in LATER}, kinds)
        if server == "openai":
            in_namespaces(body)

        # A tool that is gone takes what was found of it along, at a provider that would refuse it.
        upstream.answer(says("So it was."))
        await asker.ask(history, (READ, *LATER[1:]))
        assert server == "openai" or sent(upstream.last.json, kinds) == set()

        # One that was called before anything was searched is told at once.
        upstream.answer(says("Twice."))
        before = assistant(*(part for part in history[1].parts if part == call))
        await asker.ask([history[0], before, history[2]], (READ, *LATER))
        if server == "anthropic":
            assert held_back(upstream.last.json) == {"tides__fit", "publish"}

        # Without a search, nothing of one is sent.
        upstream.answer(says("All."))
        await asker.ask(history, [replace(tool, deferred=False) for tool in (READ, *LATER)])
        body = upstream.last.json
        assert (held_back(body), sent(body, kinds), len(body["tools"])) == (set(), set(), 4)


def in_namespaces(body: dict[str, Any]) -> None:
    """OpenAI searches namespaces, and wants to know of each call in which one it was found."""
    spaces = {tool["name"] for tool in body["tools"] if tool["type"] == "namespace"}
    assert spaces == {"tides", "recto"}
    called = [item for item in body["input"] if item.get("type") == "function_call"]
    assert [item["namespace"] for item in called] == ["tides"]


def held_back(body: dict[str, Any]) -> set[str]:
    """The tools that are told only when they are found."""
    groups = [tool.get("tools", [tool]) for tool in body["tools"]]
    return {tool["name"] for group in groups for tool in group if tool.get("defer_loading")}


def sent(body: dict[str, Any], kinds: set[str]) -> set[str]:
    """Which of some kinds of blocks or items a request has."""
    items = body.get("input") or [
        block for message in body["messages"] for block in message["content"]
    ]
    return {item["type"] for item in items if item.get("type") in kinds}


def test_only_those_who_have_a_search_are_asked_for_one() -> None:
    searched = {place.model for place in places() if place.traits.tool_search}
    assert {"claude-sonnet-5-5", "gpt-6.1-terra"} <= searched
    assert not any(place.traits.tool_search for place in places() if place.server == "ollama")
    assert "claude-opus-4-1" not in searched
