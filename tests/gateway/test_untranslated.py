"""What one protocol has and another lacks: translated, refused with words, or on the list."""

from typing import Any, get_args

import msgspec
import pytest

from recto.access import ProtocolId
from recto.gateway import DROPPED, REFUSED
from recto.llm.protocols.anthropic_messages.asked import AskedMessages
from recto.llm.protocols.gemini.body import Body as GeminiBody
from recto.llm.protocols.openai_chat.body import Body as ChatBody
from recto.llm.protocols.openai_responses.body import Body as ResponsesBody
from tests.gateway.test_doors import DOORS, asked
from tests.gateway.world import GatewayWorld

pytestmark = pytest.mark.anyio

OTHER = {
    "anthropic-messages": "gpt",
    "openai-responses": "claude",
    "openai-chat": "claude",
    "gemini": "claude",
}
VALUES: dict[str, Any] = {
    "top_p": 0.5,
    "top_k": 5,
    "modalities": ["audio"],
    "mcp_servers": [{"url": "https://example.org"}],
    "context_management": [{"type": "compaction"}],
    "max_tool_calls": 3,
    "container": "c1",
}
READ: dict[ProtocolId, type[msgspec.Struct]] = {
    "anthropic-messages": AskedMessages,
    "openai-chat": ChatBody,
}


async def answer_to(world: GatewayWorld, door: str, **more: Any) -> Any:
    async with world.client() as client:
        path = DOORS[door].format(model=OTHER[door])
        return await client.post(path, json=asked(door, OTHER[door], **more))


@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door, names in REFUSED.items() for name in names]
)
async def test_a_field_whose_effect_matters_is_refused_with_words(
    world: GatewayWorld, door: str, name: str
) -> None:
    before = len(world.upstreams[OTHER[door]].exchanges)
    answer = await answer_to(world, door, **{name: VALUES.get(name, {"a": "b"})})
    assert answer.status_code == 400
    assert f"`{name}`" in answer.text
    assert len(world.upstreams[OTHER[door]].exchanges) == before


@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door, names in DROPPED.items() for name in names]
)
async def test_a_field_without_effect_is_dropped(world: GatewayWorld, door: str, name: str) -> None:
    values: dict[str, Any] = {
        "metadata": {"user_id": "u"},
        "store": False,
        "labels": {"a": "b"},
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
        "prompt_cache_options": {"mode": "implicit"},
        "prompt_cache_retention": "24h",
        "stream_options": {"include_obfuscation": False},
        "truncation": "auto",
        "diagnostics": {"previous_message_id": "msg_1"},
        "prediction": {"type": "content", "content": "Hi"},
    }
    answer = await answer_to(world, door, **{name: values.get(name, "auto")})
    assert answer.status_code == 200, answer.text
    sent = world.upstreams[OTHER[door]].last.json
    assert name not in sent.keys() - {"store"}


def test_each_field_is_read_refused_or_on_the_list() -> None:
    """Of the protocols whose fields we know whole, none is passed over silently."""
    known = {field.encode_name for field in msgspec.structs.fields(ResponsesBody)}
    dropped = set(DROPPED["openai-responses"])
    assert dropped <= known
    assert set(REFUSED["openai-responses"]) <= known
    camel = {field.encode_name for field in msgspec.structs.fields(GeminiBody)}
    assert set(DROPPED["gemini"]) <= camel
    for protocol in get_args(ProtocolId):
        assert not DROPPED[protocol].keys() & REFUSED[protocol].keys()
    for protocol, body in READ.items():
        read = {field.encode_name for field in msgspec.structs.fields(body)}
        assert not read & DROPPED[protocol].keys()


async def test_stop_sequences_are_refused_where_there_are_none(world: GatewayWorld) -> None:
    async with world.client() as client:
        body = asked("openai-chat", "gpt", stop=["END"])
        answer = await client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 400
    assert "Stop sequences" in answer.text


async def test_probabilities_are_refused_where_nobody_tells_them(world: GatewayWorld) -> None:
    answer = await answer_to(world, "openai-chat", logprobs=True)
    assert answer.status_code == 400
    assert "probabilities" in answer.text


@pytest.mark.parametrize(
    ("door", "tool"),
    [
        ("anthropic-messages", {"type": "web_search_20250305", "name": "web_search"}),
        ("gemini", {"googleSearch": {}}),
    ],
)
async def test_tools_that_run_at_a_provider_are_refused(
    world: GatewayWorld, door: str, tool: dict[str, Any]
) -> None:
    answer = await answer_to(world, door, tools=[tool])
    assert answer.status_code == 400
    assert "offered here" in answer.text or "alone" in answer.text


LATER = {"name": "later", "input_schema": {"type": "object"}, "defer_loading": True}
OTHERS = {"name": "never", "input_schema": {"type": "object"}, "defer_loading": True}
SEARCH = {"name": "find_tool", "input_schema": {"type": "object"}}
LOADED: list[Any] = [
    {"role": "user", "content": "Do it later."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "find_tool", "input": {}}],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "tool_reference", "tool_name": "later"}],
            }
        ],
    },
]


async def test_a_deferred_tool_is_loaded_once_it_is_referred_to(world: GatewayWorld) -> None:
    tools = [SEARCH, LATER, OTHERS]
    await answer_to(world, "anthropic-messages", tools=tools)
    first = [tool["name"] for tool in world.upstreams["gpt"].last.json["tools"]]
    answer = await answer_to(world, "anthropic-messages", tools=tools, messages=LOADED)
    assert answer.status_code == 200, answer.text
    sent = world.upstreams["gpt"].last.json
    assert first == ["find_tool"]
    assert [tool["name"] for tool in sent["tools"]] == ["find_tool", "later"]
    assert "later" in str(sent["input"][-1])


async def test_deferred_tools_are_all_loaded_where_the_provider_would_search(
    world: GatewayWorld,
) -> None:
    search = {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"}
    answer = await answer_to(world, "anthropic-messages", tools=[search, LATER, OTHERS])
    assert answer.status_code == 200, answer.text
    sent = world.upstreams["gpt"].last.json
    assert [tool["name"] for tool in sent["tools"]] == ["later", "never"]


def rounds(count: int) -> list[Any]:
    """A conversation with so many calls and their results."""
    said: list[Any] = [{"role": "user", "content": "Go."}]
    for number in range(count):
        call: dict[str, Any] = {"type": "tool_use", "id": f"c{number}", "name": "find_tool"}
        call["input"] = {}
        said.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"c{number}"}
        said.append({"role": "user", "content": [{**result, "content": f"result {number} "}]})
    return said


async def test_old_tool_results_are_cleared_as_the_client_asks(world: GatewayWorld) -> None:
    edit: dict[str, Any] = {
        "type": "clear_tool_uses_20250919",
        "keep": {"type": "tool_uses", "value": 2},
    }
    edit["trigger"] = {"type": "tool_uses", "value": 4}
    edits = {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}, edit]}
    for count, left in ((4, [0, 1, 2, 3]), (6, [4, 5])):
        answer = await answer_to(
            world,
            "anthropic-messages",
            messages=rounds(count),
            tools=[SEARCH],
            context_management=edits,
        )
        assert answer.status_code == 200, answer.text
        sent = world.upstreams["gpt"].last.incoming.body.decode()
        assert [n for n in range(count) if f"result {n} " in sent] == left


async def test_an_edit_of_the_context_that_nobody_here_knows_is_refused(
    world: GatewayWorld,
) -> None:
    edits = {"edits": [{"type": "compact_20260112"}]}
    answer = await answer_to(world, "anthropic-messages", context_management=edits)
    assert answer.status_code == 400
    assert "compact_20260112" in answer.text
