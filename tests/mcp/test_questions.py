"""What servers ask people in the middle of a call, in a chat."""

import json
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer, calls, says
from tests.mcp.conftest import lay_servers, program, talk_with
from tests.mcp.talking import call_tool
from tests.mcp.test_chats import is_asked
from tests.talk import Json, Talk, ended, of_kind

pytestmark = pytest.mark.anyio


async def test_a_server_asks_the_person_whose_call_it_is(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    tools = ["ask", "visit"]
    new = program(tools=tools, modern=True)
    lay_servers(tmp_path / "home", old=program(tools=tools), new=new)
    async with talk_with(upstream, tmp_path) as (talk, _):
        for server in ("old", "new"):
            reply = {"action": "accept", "content": {"colour": "blue"}}
            asked = await call_tool(talk, upstream, f"{server}__ask", reply=reply)
            (question,) = asked["elicited"]
            assert (question["server"], question["message"]) == (server, "Which colour?")
            assert question["form"]["properties"] == {"colour": {"type": "string"}}
            assert json.loads(asked["text"]) == reply
        declined = await call_tool(talk, upstream, "old__visit", reply={"action": "decline"})
        assert declined["elicited"][0]["url"] == "https://sign.example/now"
        assert json.loads(declined["text"])["action"] == "decline"


async def test_an_answer_goes_out_as_it_was_filled_in_once_it_fits(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    lay_servers(tmp_path / "home", one=program(tools=["paint"]))
    async with talk_with(upstream, tmp_path) as (talk, _):
        replies = [{"coats": 0}, {"coats": 2}]
        found = await call_tool(talk, upstream, "one__paint", replies=replies)
        first, second = found["elicited"]
        assert first["form"]["properties"]["shade"]["default"] == "light"
        # Asked again with what was filled in, and why it does not fit.
        assert "coats: 0 is less than the minimum of 1" in second["message"]
        assert second["form"]["properties"]["coats"]["default"] == 0
        # Somebody emptied the other field: it stays empty.
        assert json.loads(found["text"]) == {"action": "accept", "content": {"coats": 2}}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "http://a.b/"])
async def test_only_the_web_is_opened_for_a_server(
    upstream: AnthropicServer, tmp_path: Path, address: str
) -> None:
    lay_servers(tmp_path / "home", one=program(tools=["visit"], address=address))
    async with talk_with(upstream, tmp_path) as (talk, _):
        found = await call_tool(talk, upstream, "one__visit")
        assert (found["elicited"], found["state"]) == ([], "error")
        assert "Only addresses of the web" in found["text"]


async def test_a_question_that_belongs_to_no_call_is_shown_in_no_chat(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    lay_servers(tmp_path / "home", one=program(tools=["work_on"], modern=True))
    async with talk_with(upstream, tmp_path) as (talk, servers):
        await servers.ready("one")
        upstream.answer(calls("one__work_on", {}))
        turn = await talk.say("Work on it.")
        await talk.answer(await talk.until(is_asked("one__work_on")), "once")
        # The only call that the server has open is of this chat; what asks is somebody's reading.
        await talk.until(of_kind("call_output"))
        read = await servers.post("one", "/resources/read", {"uri": "memo://asking"})
        assert json.loads(read["text"]) == {"colour": {"action": "cancel"}}
        await talk.post(f"/api/v1/turns/{turn}/cancel", status=204)
        await talk.until(ended(turn))


@pytest.mark.parametrize("is_told", [True, False])
async def test_what_must_be_opened_before_a_call_is_and_the_call_goes_on(
    upstream: AnthropicServer, tmp_path: Path, is_told: bool
) -> None:
    lay_servers(tmp_path / "home", one=program(tools=["first"]))
    async with talk_with(upstream, tmp_path) as (talk, servers):
        upstream.answer(calls("one__first", {}))
        upstream.answer(says("Done."))
        turn = await talk.say("Go on.")
        await talk.answer(await talk.until(is_asked("one__first")), "once")
        opened = await talk.until(of_kind("elicitation"))
        assert (opened["message"], opened["url"]) == (
            "Sign here first.",
            "https://sign.example/first",
        )
        await reply(talk, opened)
        done = await talk.until(lambda event: of_kind("elicitation")(event) and event != opened)
        assert (done["url"], done["form"]["properties"]) == (None, {})
        # The server says that a person has done what it wanted there; or they do.
        address = "memo://opened/and-told" if is_told else "memo://opened"
        await servers.post("one", "/resources/read", {"uri": address})
        if not is_told:
            await reply(talk, done)
        called = await talk.until(of_kind("call_ended"))
        assert called["result"]["text"] == "It is open."
        await talk.until(ended(turn))


async def test_who_does_not_open_what_must_be_ends_the_call(
    upstream: AnthropicServer, tmp_path: Path
) -> None:
    bad = program(tools=["first"], address="javascript:alert(1)")
    lay_servers(tmp_path / "home", one=program(tools=["first"]), bad=bad)
    async with talk_with(upstream, tmp_path) as (talk, _):
        declined = await call_tool(talk, upstream, "one__first", reply={"action": "decline"})
        assert (declined["state"], len(declined["elicited"])) == ("error", 1)
        assert "did not do what one wants" in declined["text"]
        never = await call_tool(talk, upstream, "bad__first")
        assert (never["state"], never["elicited"]) == ("error", [])


async def reply(talk: Talk, asked: Json) -> None:
    """Say yes to a question."""
    said: Json = {"action": "accept", "content": {} if asked["url"] is None else None}
    await talk.post(f"/api/v1/elicitations/{asked['elicitationId']}", said, status=204)
