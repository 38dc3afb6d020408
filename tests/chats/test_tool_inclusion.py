"""Which tools a chat sends along, from the choice to the wire."""

import json
from typing import Any, cast

import pytest

from recto.chats.prompts.base import fitting
from recto.tools import DECLARATIONS
from tests.fakes.providers import AnthropicServer, OwnBlock, calls, says
from tests.talk import Json, Talk

pytestmark = pytest.mark.anyio
SEARCH = "tool_search_tool_bm25"
KIND = "tool_search_tool"
UNSEARCHED = "anthropic/claude-opus-4-1"
"""A model whose provider has no search for tools with it."""


async def choose(talk: Talk, mode: str, **more: Any) -> Json:
    answer = await talk.client.put(f"{talk.kept_at}/tools", json={"mode": mode, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def tools_of(body: Json) -> list[str]:
    return [tool["name"] for tool in body.get("tools", ())]


def blocks(body: Json, kind: str) -> list[Json]:
    found: list[Json] = []
    for message in body["messages"]:
        if isinstance(message["content"], list):
            found += cast("list[Json]", message["content"])
    return [item for item in found if item["type"] == kind]


async def read_and_answer(talk: Talk, upstream: AnthropicServer, text: str) -> None:
    upstream.answer(calls("list_files", {}))
    upstream.answer(says("Looked."))
    await talk.ask(text)


async def test_the_modes_decide_what_the_provider_gets(
    talk: Talk, upstream: AnthropicServer
) -> None:
    await read_and_answer(talk, upstream, "Look around.")
    before = (await talk.client.get(f"{talk.kept_at}/tools")).json()
    assert (before["mode"], before["tools"], before["forgetAfter"]) == ("cached", [], None)
    assert [mode["mode"] for mode in before["modes"]] == [
        "auto",
        "all_on",
        "all_off",
        "manual",
        "cached",
    ]
    effects = {mode["mode"]: mode for mode in before["modes"]}
    # What is as it was breaks nothing; without tools everything is read again, once.
    assert effects["cached"]["againTokens"] == effects["all_on"]["againTokens"] == 0
    assert effects["all_off"]["toolTokens"] == 0
    assert effects["all_off"]["againTokens"] > 0
    assert effects["all_off"]["againMicros"] > 0
    assert 0 < effects["auto"]["toolTokens"] < effects["cached"]["toolTokens"] / 2
    sizes = {tool["name"]: tool["tokens"] for tool in before["offered"]}
    assert sizes.keys() == set(tools_of(upstream.exchanges[-1].json))
    assert min(sizes.values()) > 5

    await choose(talk, "all_off")
    upstream.answer(says("Without."))
    await talk.ask("And now?")
    assert tools_of(upstream.exchanges[-1].json) == []
    assert blocks(upstream.exchanges[-1].json, "tool_use") == []
    assert blocks(upstream.exchanges[-1].json, "tool_result") == []
    assert "Looked." in json.dumps(upstream.exchanges[-1].json)

    chosen = await choose(talk, "manual", tools=["list_files", "read_file"], forgetAfter=5)
    assert (chosen["mode"], chosen["forgetAfter"]) == ("manual", 5)
    upstream.answer(says("With two."))
    await talk.ask("And so?")
    assert tools_of(upstream.exchanges[-1].json) == ["read_file", "list_files"]
    assert len(blocks(upstream.exchanges[-1].json, "tool_use")) == 1
    assert len(blocks(upstream.exchanges[-1].json, "tool_result")) == 1

    await choose(talk, "manual", tools=["list_files"], forgetAfter=0)
    upstream.answer(says("Forgotten."))
    await talk.ask("What did you see?")
    assert blocks(upstream.exchanges[-1].json, "tool_use") == []
    for wrong in ({"mode": "some"}, {"mode": "manual", "forgetAfter": 6}):
        refused = await talk.client.put(f"{talk.kept_at}/tools", json=wrong)
        assert refused.status_code == 422


async def test_auto_sends_an_index_and_reaches_every_tool_through_it(
    talk: Talk, upstream: AnthropicServer
) -> None:
    await choose(talk, "auto")
    write = {"path": "ebb.md", "content": "Ebb.\n"}
    upstream.answer(calls("call_tool", {"tool": "write_file"}))
    upstream.answer(calls("call_tool", {"tool": "write_file", "arguments": json.dumps(write)}))
    upstream.answer(calls("call_tool", {"tool": "nothing like it"}))
    upstream.answer(says("Written."))
    entries = await talk.ask("Write a note.", model=UNSEARCHED)
    asked = [exchange.json for exchange in upstream.exchanges[-4:]]
    assert [tools_of(body) for body in asked] == [["call_tool"]] * 4
    # Only the end grows: what the provider remembers stays as it is.
    for one, two in zip(asked, asked[1:], strict=False):
        assert one["tools"] == two["tools"]
        assert [m["role"] for m in two["messages"]][: len(one["messages"])] == [
            m["role"] for m in one["messages"]
        ]
    (definition, written, missing) = [
        entry["results"][0] for entry in entries if entry["kind"] == "tool_results"
    ]
    assert definition["text"].startswith("write_file: Write a whole text file")
    assert '"content"' in definition["text"]
    assert (written["state"], written["changed"]) == ("done", ["ebb.md"])
    assert missing["state"] == "error"
    # People see the tool that was meant.
    shown = [
        block for entry in entries for block in entry.get("blocks", ()) if "arguments" in block
    ]
    assert [block["name"] for block in shown] == ["call_tool", "write_file", "call_tool"]
    assert shown[1]["arguments"] == write
    reviews = await talk.client.get(f"/api/v1/projects/{talk.project_id}/reviews")
    assert [edit["tool"] for edit in reviews.json()["items"][0]["edits"]] == ["write_file"]

    # The next turn no longer has the calls of this one.
    upstream.answer(calls("call_tool", {"tool": "write_file", "arguments": "{"}))
    upstream.answer(says("So be it."))
    await talk.ask("Again?", model=UNSEARCHED)
    assert blocks(upstream.exchanges[-2].json, "tool_use") == []
    (bad,) = blocks(upstream.exchanges[-1].json, "tool_result")
    assert bad["is_error"]


async def test_auto_leaves_the_search_to_a_provider_that_has_one(
    talk: Talk, upstream: AnthropicServer
) -> None:
    await choose(talk, "auto")
    asked = {"query": "make a file"}
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": SEARCH, "input": asked}
    references = [{"type": "tool_reference", "tool_name": "write_file"}]
    content = {"type": "tool_search_tool_search_result", "tool_references": references}
    found = {"type": f"{KIND}_result", "tool_use_id": "srvtoolu_1", "content": content}
    write = {"path": "ebb.md", "content": "Ebb.\n"}
    upstream.answer(OwnBlock(search), OwnBlock(found), calls("write_file", write))
    upstream.answer(says("Written."))
    entries = await talk.ask("Write a note.")
    one, two = [exchange.json for exchange in upstream.exchanges[-2:]]
    later = {tool["name"]: tool.get("defer_loading") for tool in one["tools"]}
    assert later[SEARCH] is later["read_file"] is None
    assert later["write_file"] is later["run_command"] is True
    # Nothing but the end grows, so that what the provider remembers stays as it is.
    assert one["tools"] == two["tools"]
    assert not any("cache_control" in tool for tool in one["tools"] if "defer_loading" in tool)
    sent = [block["type"] for block in two["messages"][1]["content"]]
    assert sent == ["server_tool_use", f"{KIND}_result", "tool_use"]
    (written,) = [entry["results"][0] for entry in entries if entry["kind"] == "tool_results"]
    assert (written["state"], written["changed"]) == ("done", ["ebb.md"])

    # The next turn has neither the call nor the search; other modes tell every tool at once.
    upstream.answer(says("So it is."))
    await talk.ask("Sure?")
    assert not blocks(upstream.last.json, "tool_use") + blocks(upstream.last.json, f"{KIND}_result")
    await choose(talk, "cached")
    upstream.answer(says("Yes."))
    await talk.ask("And now?")
    assert not any("defer_loading" in tool for tool in upstream.last.json["tools"])
    assert SEARCH not in tools_of(upstream.last.json)
    assert len(blocks(upstream.last.json, "tool_use")) == 1
    assert blocks(upstream.last.json, f"{KIND}_result") == []


async def test_a_call_through_the_index_asks_like_any_other(
    talk: Talk, upstream: AnthropicServer
) -> None:
    await choose(talk, "auto")
    write = {"path": "AGENTS.md", "content": "Obey."}
    upstream.answer(calls("call_tool", {"tool": "write_file", "arguments": json.dumps(write)}))
    upstream.answer(says("As you like."))
    turn = await talk.say("Write it.", model=UNSEARCHED)
    asks = await talk.until(lambda event: event["kind"] == "approval")
    assert (asks["name"], asks["arguments"]) == ("write_file", write)
    await talk.answer(asks, "deny")
    end = await talk.until(
        lambda event: event.get("turnId") == turn and event.get("state") == "finished"
    )
    assert end["state"] == "finished"


def test_a_model_with_little_room_gets_the_basic_tools_unless_somebody_ticks_more() -> None:
    assert fitting(DECLARATIONS, 32_768) == DECLARATIONS
    kept = {tool.name for tool in fitting(DECLARATIONS, 8_192)}
    assert kept >= {"read_file", "edit_file", "run_command", "search_content"}
    assert kept.isdisjoint({"run_cell", "add_reference", "fetch_url"})
