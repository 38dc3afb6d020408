"""Where a chat ends by itself, what is left out of a long one, and what that costs."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from recto.config import ChatSettings, Home, Secret, Settings, save_keys
from tests.fakes.providers import AnthropicServer, Script, Tokens, calls, says
from tests.served import point_anthropic_at, served
from tests.talk import Talk, ended, of_kind, talking

pytestmark = pytest.mark.anyio


@pytest.fixture
def chat_settings() -> ChatSettings:
    return ChatSettings()


@pytest.fixture
async def talk(
    upstream: AnthropicServer, tmp_path: Path, chat_settings: ChatSettings
) -> AsyncGenerator[Talk]:
    home = tmp_path / "home"
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    settings = Settings(chats=chat_settings)
    async with served(home, tmp_path / "folder", settings) as recto, talking(recto) as talk:
        yield talk


async def test_T6_the_budget_holds_for_every_step_not_only_the_first(
    talk: Talk, upstream: AnthropicServer
) -> None:
    limit = {"monthlyLimitUsd": "0.20", "warnAt": 0.8}
    assert (await talk.client.put("/api/v1/budget", json=limit)).status_code == 200
    for _ in range(40):
        upstream.answer(says("Again."), calls("list_files", {"depth": 1 + len(upstream.queue)}))
    entries = await talk.ask("List for ever.")
    assert entries[-1]["kind"] == "error"
    assert entries[-1]["failure"] == "budget"
    # What to do is said once.
    remedy = entries[-1]["remedy"]
    assert remedy == "Raise the limit in the settings, or choose a cheaper model."
    assert entries[-1]["message"].endswith(" are left.")
    assert (await talk.view())["totals"]["costMicros"] <= 200_000
    assert len([entry for entry in entries if entry["kind"] == "assistant"]) > 1


class TestThreeSteps:
    @pytest.fixture
    def chat_settings(self) -> ChatSettings:
        return ChatSettings(steps=3)

    async def test_T14_a_limit_says_what_was_done_and_the_turn_can_go_on(
        self, talk: Talk, upstream: AnthropicServer
    ) -> None:
        for depth in range(1, 4):
            upstream.answer(calls("list_files", {"depth": depth}))
        entries = await talk.ask("List.")
        notice = entries[-1]
        assert (notice["kind"], notice["reason"], notice["canContinue"]) == (
            "notice",
            "steps",
            True,
        )
        assert "list_files" in notice["words"] or "3" in notice["words"]
        upstream.answer(says("Done now."))
        turn = await talk.post(f"/api/v1/turns/{notice['turnId']}/continue")
        await talk.until(ended(turn["turnId"]))
        assert (await talk.entries())[-1]["blocks"] == [{"type": "text", "text": "Done now."}]


async def test_the_third_identical_call_ends_the_turn(
    talk: Talk, upstream: AnthropicServer
) -> None:
    for _ in range(3):
        upstream.answer(calls("list_files", {}))
    entries = await talk.ask("List.")
    assert (entries[-1]["kind"], entries[-1]["reason"]) == ("notice", "repeat")


async def test_an_answer_that_was_cut_can_be_continued(
    talk: Talk, upstream: AnthropicServer
) -> None:
    upstream.answer(says("The tide com"), stop="length")
    entries = await talk.ask("Write at length.")
    assert (entries[-1]["kind"], entries[-1]["reason"]) == ("notice", "max_tokens")
    upstream.answer(says("es and goes."))
    turn = await talk.post(f"/api/v1/turns/{entries[-1]['turnId']}/continue")
    await talk.until(ended(turn["turnId"]))
    assert upstream.last.refusal is None


async def test_a_long_file_is_cut_and_says_so(
    talk: Talk, upstream: AnthropicServer, tmp_path: Path
) -> None:
    (tmp_path / "folder" / "long.md").write_text("ebb " * 20_000, encoding="utf-8")
    upstream.answer(says("Long."))
    entries = await talk.ask("Read.", files=["long.md"])
    assert entries[0]["attached"][0]["cut"] == "only the first 50,000 of 80,000 characters"
    assert "only the first 50,000 of 80,000" in json.dumps(upstream.last.json)


class TestAutomatic:
    @pytest.fixture
    def chat_settings(self) -> ChatSettings:
        return ChatSettings(summarise="automatic")

    async def test_a_nearly_full_chat_is_summarised_by_itself(
        self, talk: Talk, upstream: AnthropicServer
    ) -> None:
        full = Tokens(prompt=990_000, output=10)
        upstream.script(Script((says("Full."),), usage=full))
        upstream.answer(says("In short: full."))
        await talk.ask("Fill it.")
        summary = await talk.until(
            lambda event: event["kind"] == "entry" and event["entry"]["kind"] == "summary"
        )
        assert summary["entry"]["text"] == "In short: full."


async def test_a_pinned_message_is_told_to_whoever_opens_the_chat(
    talk: Talk, upstream: AnthropicServer
) -> None:
    upstream.answer(says("Noted."))
    first = (await talk.ask("The datum is Brest 1846."))[0]
    address = talk.path(f"entries/{first['id']}/pin")
    assert (await talk.client.put(address, json={"pinned": True})).status_code == 204
    told = await talk.until(of_kind("pin"))
    assert (told["entryIds"], told["pinned"]) == ([first["id"]], True)
    assert (await talk.entries("user"))[0]["pinned"] is True
    upstream.answer(says("In short."))
    turn = await talk.post(talk.path("summary"))
    await talk.until(ended(turn["turnId"]))
    for _ in range(2):
        upstream.answer(says("Still known."))
        await talk.ask("Which datum?")
    assert "The datum is Brest 1846." in json.dumps(upstream.last.json["system"])
    await talk.until(of_kind("turn"))
