"""Settings changed over the API: they hold at once, and every page hears of it."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.config import ChatSettings, load_settings
from tests.fakes.providers import AnthropicServer
from tests.reviews.desk import at_desk, create
from tests.served import Served
from tests.server.test_events import following

pytestmark = pytest.mark.anyio

ADDRESS = "/api/v1/preferences"
DEFAULTS: dict[str, Any] = {
    "editor": {
        "suggest": "asked",
        "suggestPauseMs": 600,
        "suggestHideSeconds": 3,
        "suggestModel": None,
        "transforms": [],
        "attachmentsFolder": "attachments",
        "templatesFolder": "templates",
        "dailyFolder": "daily",
        "dailyTemplate": "",
    },
    "chats": {
        "review": "ask",
        "commitAccepted": False,
        "summarise": "offer",
        "summariseResults": False,
        "askAfterReading": True,
        "steps": 50,
        "minutes": 60,
    },
}
RHYME = {"title": "Rhyme", "prompt": "Make it rhyme."}


def other(editor: dict[str, Any] | None = None, **chats: Any) -> dict[str, Any]:
    return {
        "editor": {**DEFAULTS["editor"], **(editor or {})},
        "chats": {**DEFAULTS["chats"], **chats},
    }


async def save(script: httpx.AsyncClient, body: dict[str, Any]) -> httpx.Response:
    tag = (await script.get(ADDRESS)).headers["etag"]
    return await script.put(ADDRESS, json=body, headers={"if-match": tag})


async def test_the_settings_are_read_and_changed(recto: Served) -> None:
    wanted = other({"suggestModel": "a/b", "transforms": [RHYME]}, steps=7, minutes=0.5)
    async with recto.script() as script:
        before = await script.get(ADDRESS)
        saved = await save(script, wanted)
        after = await script.get(ADDRESS)
    assert before.json() == DEFAULTS
    assert (saved.status_code, saved.json(), after.json()) == (200, wanted, wanted)
    assert saved.headers["etag"] == after.headers["etag"] != before.headers["etag"]
    assert load_settings(recto.home.settings_file).chats == ChatSettings(steps=7, minutes=0.5)


async def test_own_transforms_are_offered_at_once(recto: Served) -> None:
    async with recto.script() as script:
        await save(script, other({"transforms": [RHYME]}))
        offered = (await script.get("/api/v1/transforms")).json()["items"]
    assert offered[-1] == {"id": "own-1", "title": "Rhyme", "argument": None}


async def test_a_change_needs_the_version_it_is_based_on(recto: Served) -> None:
    async with recto.script() as script:
        tag = (await script.get(ADDRESS)).headers["etag"]
        blind = await script.put(ADDRESS, json=other(steps=7))
        first = await script.put(ADDRESS, json=other(steps=8), headers={"if-match": tag})
        late = await script.put(ADDRESS, json=other(steps=9), headers={"if-match": tag})
        now = (await script.get(ADDRESS)).json()
    assert [item.status_code for item in (blind, first, late)] == [428, 200, 412]
    assert now == other(steps=8)


@pytest.mark.parametrize(
    "body",
    [
        other(steps=0),
        other(minutes=-1),
        other(review="never"),
        other({"suggestPauseMs": 1}),
        other({"suggestModel": ""}),
        other({"transforms": [{"title": " ", "prompt": "x"}]}),
        other({"transforms": [RHYME] * 21}),
        {**DEFAULTS, "server": {"port": 1}},
        {"chats": DEFAULTS["chats"]},
    ],
)
async def test_what_can_not_be_a_setting_is_refused(
    emptied_recto: Served, body: dict[str, Any]
) -> None:
    async with emptied_recto.script() as script:
        refused = await save(script, body)
        now = (await script.get(ADDRESS)).json()
    assert (refused.status_code, now) == (422, DEFAULTS)
    assert not emptied_recto.home.settings_file.exists()


async def test_a_broken_file_is_named_and_left_as_it_is(recto: Served) -> None:
    async with recto.script() as script:
        tag = (await script.get(ADDRESS)).headers["etag"]
        recto.home.settings_file.write_text("[chats\n", encoding="utf-8")
        read = await script.get(ADDRESS)
        saved = await script.put(ADDRESS, json=other(steps=7), headers={"if-match": tag})
    assert [read.status_code, saved.status_code] == [422, 422]
    assert "settings.toml" in saved.json()["detail"]
    assert recto.home.settings_file.read_text(encoding="utf-8") == "[chats\n"


async def test_every_page_hears_of_a_change(recto: Served) -> None:
    async with recto.script() as script, following(script) as events:
        await save(script, other(steps=7))
        name, _, heard = await events.must_next()
    assert (name, heard["kind"]) == ("change", "preferences")


async def test_a_change_by_hand_is_told_once_it_is_seen(recto: Served) -> None:
    async with recto.script() as script, following(script) as events:
        recto.home.settings_file.write_text("[chats]\nsteps = 9\n", encoding="utf-8")
        found = (await script.get(ADDRESS)).json()
        _, _, heard = await events.must_next()
    assert (found, heard["kind"]) == (other(steps=9), "preferences")


async def test_the_next_turn_goes_by_what_was_changed(tmp_path: Path) -> None:
    async with AnthropicServer() as upstream, at_desk(upstream, tmp_path) as desk:
        await desk.work((create("a.md", "One.\n"),))
        waiting = await desk.reviews()
        await save(desk.talk.client, other(review="direct", steps=1))
        await desk.work((create("b.md", "Two.\n"),))
        assert list(waiting) == list(await desk.reviews()) == ["a.md"]
        notice = (await desk.talk.entries())[-1]
        assert (notice["kind"], notice["reason"]) == ("notice", "steps")
