"""What a translation must get right, each on the wire as a client of the other protocol sees it."""

import base64
import json
from typing import Any

import pytest

from tests.fakes.providers import Fault, Script, Tokens, calls, says, thinks
from tests.gateway.test_doors import asked
from tests.gateway.world import UPSTREAMS, GatewayWorld

pytestmark = pytest.mark.anyio

TOOL: dict[str, Any] = {"name": "read", "input_schema": {"type": "object", "properties": {}}}
PDF = base64.b64encode(b"%PDF-1.7 a paper").decode()
PNG = base64.b64encode(b"a picture").decode()


async def events_of(world: GatewayWorld, upstream: str, **more: Any) -> list[dict[str, Any]]:
    """The events that a Messages client sees."""
    body = asked("anthropic-messages", upstream, stream=True, **more)
    async with world.client() as client:
        answer = await client.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    frames = [frame for frame in answer.text.split("\n\n") if frame]
    found = [json.loads(frame.partition("\ndata: ")[2]) for frame in frames]
    names = [frame.partition("\n")[0] for frame in frames]
    assert names == [f"event: {event['type']}" for event in found]
    return [event for event in found if event["type"] != "ping"]


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


@pytest.mark.parametrize("upstream", ["gpt", "chat", "gemini"])
async def test_parallel_calls_are_blocks_one_after_the_other(
    world: GatewayWorld, upstream: str
) -> None:
    traps = frozenset({"interleaved"}) if upstream == "chat" else frozenset[str]()
    steps = (calls("read", {"path": "one"}), calls("read", {"path": "two"}), calls("read"))
    world.upstreams[upstream].script(Script(steps, fault=Fault(traps=traps)))
    events = await events_of(world, upstream, tools=[TOOL])
    order = [e["type"] for e in events if e["type"].startswith("content_block_st")]
    # A signature that Gemini gave with a call follows in a block of its own.
    assert order == ["content_block_start", "content_block_stop"] * (len(order) // 2)
    starts = of_type(events, "content_block_start")
    assert [event["index"] for event in starts] == list(range(len(starts)))
    assert [event["content_block"]["type"] for event in starts[:3]] == ["tool_use"] * 3
    pieces = {0: "", 1: "", 2: ""}
    for event in of_type(events, "content_block_delta"):
        assert event["delta"]["type"] == "input_json_delta"
        pieces[event["index"]] += event["delta"]["partial_json"]
    found = [json.loads(text) for text in pieces.values()]
    assert found == [{"path": "one"}, {"path": "two"}, {}]
    (end,) = of_type(events, "message_delta")
    # Gemini says STOP.
    assert end["delta"]["stop_reason"] == "tool_use"


async def test_geminis_whole_arguments_are_one_delta(world: GatewayWorld) -> None:
    world.upstreams["gemini"].answer(calls("read", {"path": "a long path"}))
    events = await events_of(world, "gemini", tools=[TOOL])
    (delta,) = of_type(events, "content_block_delta")
    assert json.loads(delta["delta"]["partial_json"]) == {"path": "a long path"}


@pytest.mark.parametrize("upstream", ["gpt", "chat", "gemini"])
async def test_thoughts_end_with_a_signature_before_the_next_block(
    world: GatewayWorld, upstream: str
) -> None:
    world.upstreams[upstream].answer(thinks("Hm."), says("Yes."), calls("read"))
    events = await events_of(world, upstream, tools=[TOOL], thinking={"type": "adaptive"})
    blocks = [e["content_block"]["type"] for e in of_type(events, "content_block_start")]
    assert blocks[:3] == ["thinking", "text", "tool_use"]
    first = [e["delta"]["type"] for e in of_type(events, "content_block_delta") if e["index"] == 0]
    assert first[0] == "thinking_delta"
    if upstream == "gpt":
        assert first[-1] == "signature_delta"


STOPS = {
    None: ("end_turn", "completed", "stop", "STOP"),
    "length": ("max_tokens", "incomplete", "length", "MAX_TOKENS"),
    "filtered": ("refusal", "incomplete", "content_filter", "SAFETY"),
    # In its own words, it is a whole answer of OpenAI's that holds a refusal.
    "refusal": ("refusal", "completed", "content_filter", "SAFETY"),
}


@pytest.mark.parametrize("stop", [None, "length", "filtered"])
@pytest.mark.parametrize("upstream", UPSTREAMS)
async def test_the_reason_to_stop_in_all_directions(
    world: GatewayWorld, upstream: str, stop: str | None
) -> None:
    if (upstream, stop) == ("claude", "filtered"):
        stop = "refusal"
    words = STOPS[stop]
    server = world.upstreams[upstream]
    found: list[Any] = []
    paths = ("/v1/messages", "/v1/responses", "/v1/chat/completions")
    doors = ("anthropic-messages", "openai-responses", "openai-chat")
    own = {"claude": 0, "gpt": 1, "chat": 2, "gemini": 3}[upstream]
    async with world.client() as client:
        for path, door in zip(paths, doors, strict=True):
            server.script(Script((says("Some."),), stop=stop))
            found.append((await client.post(path, json=asked(door, upstream))).json())
        server.script(Script((says("Some."),), stop=stop))
        path = f"/v1beta/models/{upstream}:generateContent"
        found.append((await client.post(path, json=asked("gemini", upstream))).json())
    told = (
        found[0]["stop_reason"],
        found[1]["status"],
        found[2]["choices"][0]["finish_reason"],
        found[3]["candidates"][0]["finishReason"],
    )
    assert [word for at, word in enumerate(told) if at != own] == [
        word for at, word in enumerate(words) if at != own
    ]


async def test_usage_with_cache_reads_and_writes_is_told_at_the_end(world: GatewayWorld) -> None:
    used = Tokens(prompt=700, cache_read=200, cache_write=100, output=44, reasoning=11)
    for upstream, written in (("gpt", 100), ("chat", 100), ("gemini", 0)):
        world.upstreams[upstream].script(Script((says("Hi"),), usage=used))
        events = await events_of(world, upstream)
        usage = of_type(events, "message_delta")[0]["usage"]
        assert usage["input_tokens"] == 500 - written
        assert usage["cache_read_input_tokens"] == 200
        assert usage["cache_creation_input_tokens"] == written
        assert usage["output_tokens"] == 44


@pytest.mark.parametrize("upstream", ["gpt", "chat", "gemini"])
async def test_pictures_and_documents_in_results_and_a_system_of_blocks(
    world: GatewayWorld, upstream: str
) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    paper = {"type": "base64", "media_type": "application/pdf", "data": PDF}
    content = [
        {"type": "text", "text": "Here:"},
        {"type": "image", "source": source},
        {"type": "document", "source": paper, "title": "paper.pdf"},
    ]
    messages: list[Any] = [
        {"role": "user", "content": "Show me."},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": content}],
        },
    ]
    system = [
        {"type": "text", "text": "You are terse.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "You are kind."},
    ]
    body = asked("anthropic-messages", upstream, messages=messages, system=system, tools=[TOOL])
    async with world.client() as client:
        answer = await client.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    sent = world.upstreams[upstream].last.incoming.body
    assert PNG.encode() in sent
    assert PDF.encode() in sent or b"paper.pdf left out" in sent
    assert b"You are terse.\\n\\nYou are kind." in sent


async def test_an_upstream_that_breaks_off_is_an_error_and_no_end(world: GatewayWorld) -> None:
    fault = Fault(error_event="server_error", error_at=8)
    world.upstreams["gpt"].answer(says(*["word "] * 9), fault=fault)
    events = await events_of(world, "gpt")
    assert events[-1]["type"] == "error"
    assert of_type(events, "message_stop") == []


async def test_words_after_a_call_are_a_block_of_their_own(world: GatewayWorld) -> None:
    world.upstreams["gpt"].answer(says("Before."), calls("read"), says("After."))
    events = await events_of(world, "gpt", tools=[TOOL])
    blocks = [e["content_block"]["type"] for e in of_type(events, "content_block_start")]
    assert blocks == ["text", "tool_use", "text"]


async def test_embeddings_are_passed_on_and_paid(world: GatewayWorld) -> None:
    async with world.client() as client:
        asked_for = {"model": "chat", "input": ["one", "three"]}
        answer = await client.post("/v1/embeddings", json=asked_for)
        other = await client.post("/v1/embeddings", json={"model": "claude", "input": "one"})
    assert [row["embedding"][1] for row in answer.json()["data"]] == [3.0, 5.0]
    assert world.upstreams["chat"].last.json["model"] == "qwen3:8b"
    spend = (await world.spent())[-1].spend
    assert (spend.input_tokens, spend.output_tokens, spend.cost_micros) == (6, 0, 12)
    assert spend.body["source"] == "final", "the upstream has told it"
    assert other.status_code == 400


async def test_a_conversation_is_compacted_where_the_upstream_can(world: GatewayWorld) -> None:
    async with world.client() as client:
        body = {"model": "gpt", "input": [{"role": "user", "content": "Hi"}]}
        answer = await client.post("/v1/responses/compact", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["output"][0]["type"] == "compaction"
    spend = (await world.spent())[-1].spend
    assert (spend.input_tokens, spend.output_tokens) == (40, 9)
