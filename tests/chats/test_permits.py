"""What a person allows holds as long as they said, and no longer."""

import json
from pathlib import Path

import pytest

from recto.config import ChatSettings, Settings
from recto.tools.permission import WARY
from tests.fakes.providers import AnthropicServer, calls, says
from tests.talk import Json, Talk, ended, talk_to

pytestmark = pytest.mark.anyio


async def run_it(
    talk: Talk, upstream: AnthropicServer, answer: str | None, command: str = "git status"
) -> list[Json]:
    """Have the model run a command; answers what was asked meanwhile."""
    begun = (await talk.view())["lastEvent"]
    upstream.answer(calls("run_command", {"command": command}))
    upstream.answer(says("Ran."))
    turn = await talk.say("Run it.")
    asked: list[Json] = []
    async for event in talk.follow(begun):
        if event["kind"] == "approval":
            asked.append(event)
            assert answer is not None, "nobody should have been asked"
            await talk.answer(event, answer)
        if ended(turn)(event):
            return asked
    raise AssertionError("the stream ended")


async def is_sandboxed(talk: Talk) -> bool:
    return (await talk.client.get("/api/v1/tools")).json()["sandbox"] == "sandboxed"


async def test_once_is_once(talk: Talk, upstream: AnthropicServer) -> None:
    assert len(await run_it(talk, upstream, "once")) == 1
    assert len(await run_it(talk, upstream, "once")) == 1


async def test_for_this_chat_holds_in_this_chat_only(talk: Talk, upstream: AnthropicServer) -> None:
    if not await is_sandboxed(talk):
        pytest.skip("commands run unsandboxed here, so each one asks")
    assert len(await run_it(talk, upstream, "chat")) == 1
    assert await run_it(talk, upstream, None) == []
    other = await talk.another()
    assert len(await run_it(other, upstream, "once")) == 1


async def test_always_is_a_rule_in_the_home_that_can_be_taken_back(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    if not await is_sandboxed(talk):
        pytest.skip("commands run unsandboxed here, so each one asks")
    assert [item["rule"] for item in await run_it(talk, upstream, "always")] == [
        "run_command: git status"
    ]
    other = await talk.another()
    assert await run_it(other, upstream, None) == []
    rules = json.loads((tmp_path / "home" / "tools.json").read_text(encoding="utf-8"))
    assert rules["allow"] == ["run_command: git status"]
    (tmp_path / "home" / "tools.json").unlink()
    assert len(await run_it(other, upstream, "once")) == 1


async def test_what_holds_for_one_chat_is_not_saved_with_what_holds_for_good(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    if not await is_sandboxed(talk):
        pytest.skip("commands run unsandboxed here, so each one asks")
    await run_it(talk, upstream, "chat")
    await run_it(talk, upstream, "always", "git log")
    rules = json.loads((tmp_path / "home" / "tools.json").read_text(encoding="utf-8"))
    assert rules["allow"] == ["run_command: git log"]


@pytest.mark.parametrize("asks", [True, False])
async def test_a_rule_for_every_command_counts_until_text_of_others_was_read(
    upstream: AnthropicServer, tmp_path: Path, asks: bool
) -> None:
    (tmp_path / "folder").mkdir()
    settings = Settings(chats=ChatSettings(ask_after_reading=asks))
    async with talk_to(upstream, tmp_path, settings) as talk:
        if not await is_sandboxed(talk):
            pytest.skip("commands run unsandboxed here, so each one asks")
        rules = {"version": 1, "allow": ["run_command", "run_command: git log"]}
        (tmp_path / "home" / "tools.json").write_text(json.dumps(rules), encoding="utf-8")

        assert await run_it(talk, upstream, None) == []
        assert await run_it(talk, upstream, None, "git log") == []
        asked = await run_it(talk, upstream, "once" if asks else None)

        assert [item["why"] for item in asked] == ([WARY] if asks else [])
        assert await run_it(await talk.another(), upstream, None) == []


async def test_a_tool_that_is_off_is_neither_offered_nor_run(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    answer = await talk.client.put("/api/v1/tools/write_file", json={"permission": "deny"})
    assert answer.status_code == 200
    upstream.answer(calls("write_file", {"path": "a.md", "content": "No."}))
    upstream.answer(says("Then not."))
    entries = await talk.ask("Write.")
    assert "write_file" not in {tool["name"] for tool in upstream.last.json["tools"]}
    assert entries[2]["results"][0]["state"] in ("denied", "error")
    assert not (tmp_path / "folder" / "a.md").exists()


async def test_a_folder_can_be_stricter_but_grants_nothing(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    own = tmp_path / "folder" / ".recto"
    own.mkdir()
    file = {"version": 1, "allow": ["run_command"], "disabled": ["create_file"]}
    (own / "tools.json").write_text(json.dumps(file), encoding="utf-8")
    assert len(await run_it(talk, upstream, "once")) == 1
    assert "create_file" not in {tool["name"] for tool in upstream.last.json["tools"]}


async def test_rules_that_cannot_be_read_stop_the_turn_with_words(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    (tmp_path / "home" / "tools.json").write_text("{", encoding="utf-8")
    entries = await talk.ask("Hello?")
    assert [entry["kind"] for entry in entries] == ["user", "error"]
    assert "tools.json" in entries[1]["message"]
