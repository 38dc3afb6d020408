"""A turn with calls of MCP servers is replayed from its record, without the servers."""

from pathlib import Path

import pytest

from tests.chats.record.runs import MODELS, open_world
from tests.fakes.providers import calls, says
from tests.mcp.conftest import lay_servers, program
from tests.mcp.test_chats import is_asked
from tests.talk import ended, of_kind

pytestmark = pytest.mark.anyio


async def test_a_turn_with_servers_calls_and_questions_is_replayed_without_them(
    tmp_path: Path,
) -> None:
    notes = tmp_path / "notes"
    lay_servers(tmp_path / "home", one=program(tools=["kinds", "ask"], file=str(notes)))
    async with open_world(tmp_path) as world:
        talk, upstream = world.talk, world.servers["anthropic"]
        upstream.answer(calls("one__kinds", {}))
        upstream.answer(calls("one__ask", {}))
        upstream.answer(says("Done."))
        turn = await talk.say("Go on.", model=MODELS["anthropic"])
        for name in ("one__kinds", "one__ask"):
            await talk.answer(await talk.until(is_asked(name)), "once")
        asked = await talk.until(of_kind("elicitation"))
        address = f"/api/v1/elicitations/{asked['elicitationId']}"
        reply = {"action": "accept", "content": {"colour": "blue"}}
        await talk.post(address, reply, status=204)
        await talk.until(ended(turn))
    before = notes.read_text(encoding="utf-8")
    (tmp_path / "home" / "mcp.json").unlink()

    result = await world.replay(turn)

    assert (result.difference, result.steps) == (None, 3)
    assert notes.read_text(encoding="utf-8") == before, "no server is asked again"
