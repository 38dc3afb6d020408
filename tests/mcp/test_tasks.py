"""A call that comes back as a task: followed, answered, stopped, and like any other in the chat."""

import json
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer, calls
from tests.mcp.conftest import lay_servers, program, talk_with
from tests.mcp.talking import call_tool
from tests.mcp.test_chats import is_asked
from tests.talk import ended, of_kind

pytestmark = pytest.mark.anyio


async def test_a_task_is_followed_to_its_end_and_ends_with_stop(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    tools = ["task", "wrecked", "unending", "echo"]
    lay_servers(tmp_path / "home", one=program(modern=True, tools=tools, file=str(notes)))
    async with talk_with(upstream, tmp_path) as (talk, _):
        reply = {"action": "accept", "content": {"colour": "blue"}}
        done = await call_tool(talk, upstream, "one__task", reply=reply)
        assert [question["message"] for question in done["elicited"]] == ["Which colour?"]
        assert (done["state"], json.loads(done["text"])) == ("done", reply)

        failed = await call_tool(talk, upstream, "one__wrecked")
        assert (failed["state"], "It broke." in failed["text"]) == ("error", True)

        upstream.answer(calls("one__unending", {}))
        turn = await talk.say("Go on.")
        await talk.answer(await talk.until(is_asked("one__unending")), "once")
        assert (await talk.until(of_kind("call_output")))["text"] == "at it\n"
        await talk.post(f"/api/v1/turns/{turn}/cancel", status=204)
        await talk.until(ended(turn))
        # A later call is answered after the server has read everything before it.
        assert (await call_tool(talk, upstream, "one__echo", {"text": "Hi."}))["text"] == "Hi."
        assert "cancelled task unending" in notes.read_text(encoding="utf-8")
