"""The calls of an answer: noted before they run, and each with a result of its own."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recto.chats.history import journal
from recto.chats.turns.environment import LiveToolExecutor
from recto.messages import ToolCall
from recto.tools import ToolOutcome
from tests.chats.record.runs import MODELS, open_world
from tests.fakes.providers import AnthropicServer, Provider, calls, says
from tests.talk import Talk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("provider", MODELS)
async def test_two_calls_with_one_id_get_each_their_own_result(
    tmp_path: Path, provider: str
) -> None:
    """I11: whatever ids a model gives, every call of an answer has its result."""
    async with open_world(tmp_path) as world:
        (world.folder / "b.md").write_text("Spring tide.\n", encoding="utf-8")
        server = world.servers[provider]
        assert isinstance(server, Provider)
        server.answer(
            calls("read_file", {"path": "a.md"}, id="call_twin0001"),
            calls("read_file", {"path": "b.md"}, id="call_twin0001"),
        )
        server.answer(says("Both read."))
        entries = await world.talk.ask("Read both.", model=MODELS[provider])

    (results,) = (entry["results"] for entry in entries if entry["kind"] == "tool_results")
    assert [result["text"] for result in results] == ["1\tEbb and flow.", "1\tSpring tide."]
    assert len({result["callId"] for result in results}) == 2
    sent = json.dumps(server.last.json, ensure_ascii=False)
    assert sent.count("Ebb and flow.") == sent.count("Spring tide.") == 1


async def test_a_tool_is_noted_as_started_in_the_store_before_it_runs(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No commit comes by itself: what is there when the tool runs was committed for it.
    monkeypatch.setattr(journal, "FLUSH_S", 3600)
    run = LiveToolExecutor.call
    seen: list[str] = []

    async def look_and_run(self: LiveToolExecutor, call: ToolCall) -> ToolOutcome:
        with closing(sqlite3.connect(tmp_path / "home" / "recto.db")) as records:
            found = records.execute("SELECT body FROM chat_events WHERE kind = 'call_started'")
            seen.extend(json.loads(body)["name"] for (body,) in found)
        return await run(self, call)

    monkeypatch.setattr(LiveToolExecutor, "call", look_and_run)
    upstream.answer(calls("list_files", {}))
    upstream.answer(says("Done."))
    await talk.ask("What is there?")

    assert seen == ["list_files"]
