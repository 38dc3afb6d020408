"""Proposals over the API: listed with a chat, taken, dismissed, opened again."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from recto.config import Home, Secret, save_keys
from tests.fakes.providers import AnthropicServer, calls, says
from tests.served import Served, point_anthropic_at, served
from tests.talk import ENDED, MODEL, Talk, talking

pytestmark = pytest.mark.anyio

TEXT = "The sea 😀 goes.\n"
NOBODY = "0" * 26


@pytest.fixture
async def upstream() -> AsyncGenerator[AnthropicServer]:
    async with AnthropicServer() as server:
        yield server


@pytest.fixture
async def recto(upstream: AnthropicServer, tmp_path: Path) -> AsyncGenerator[Served]:
    home, folder = tmp_path / "home", tmp_path / "folder"
    point_anthropic_at(home, upstream.url)
    save_keys(Home(home), {"ANTHROPIC_API_KEY": Secret("test-key")})
    async with served(home, folder) as recto:
        (folder / "a.md").write_text(TEXT, encoding="utf-8")
        yield recto


@pytest.fixture
async def talk(recto: Served) -> AsyncGenerator[Talk]:
    async with talking(recto) as talk:
        yield talk


async def offered(talk: Talk, upstream: AnthropicServer) -> Any:
    """What a thread is, in which a model offers an edit of `goes`."""
    given = {"old_string": "goes", "new_string": "leaves", "note": "Plainer."}
    upstream.answer(calls("propose_edit", given))
    upstream.answer(says("Offered."))
    passage = {"kind": "text", "path": "a.md", "start": 8, "end": 15}
    thread = await talk.post(
        f"/api/v1/projects/{talk.project_id}/threads",
        {"passage": passage, "text": "Better?", "model": MODEL},
        status=201,
    )
    inside = Talk(talk.client, talk.project_id, thread["chatId"])
    await inside.until(lambda event: event["kind"] == "turn" and event["state"] in ENDED)
    return thread


async def listed(talk: Talk, chat_id: str, status: int = 200) -> Any:
    answer = await talk.client.get("/api/v1/proposals", params={"chatId": chat_id})
    assert answer.status_code == status, answer.text
    return answer.json().get("items")


async def decide(talk: Talk, proposal_id: str, deed: str, option: int | None = None) -> Any:
    body = None if option is None else {"option": option}
    return await talk.client.post(f"/api/v1/proposals/{proposal_id}/{deed}", json=body)


async def test_an_offered_edit_is_applied_reviewed_and_undone(
    talk: Talk, upstream: AnthropicServer, recto: Served
) -> None:
    thread = await offered(talk, upstream)
    (one,) = await listed(talk, thread["chatId"])
    assert {name: one[name] for name in ("threadId", "projectId", "question", "status")} == {
        "threadId": thread["id"],
        "projectId": talk.project_id,
        "question": "Plainer.",
        "status": "open",
    }
    assert one["options"] == [
        {"title": "Edit of a.md", "detail": "", "path": "a.md", "old": "goes", "new": "leaves"}
    ]

    applied = (await decide(talk, one["id"], "apply", 0)).json()

    assert (applied["status"], applied["chosen"]) == ("applied", 0)
    assert (recto.folder / "a.md").read_text(encoding="utf-8") == TEXT.replace("goes", "leaves")
    where = f"/api/v1/projects/{talk.project_id}"
    (review,) = (await talk.client.get(f"{where}/reviews")).json()["items"]
    assert [edit["id"] for edit in review["edits"]] == [applied["editId"]]
    now = (await talk.client.get(f"{where}/threads/{thread['id']}")).json()
    assert (now["status"], now["messages"], now["hasAppliedEdit"]) == ("idle", 2, True)
    await talk.post(f"/api/v1/calls/{one['turnId']}/{one['callId']}/undo", status=200)
    assert (recto.folder / "a.md").read_text(encoding="utf-8") == TEXT
    assert await listed(talk, thread["chatId"]) == [one]


async def test_a_text_that_changed_is_a_conflict_that_says_so(
    talk: Talk, upstream: AnthropicServer, recto: Served
) -> None:
    thread = await offered(talk, upstream)
    (one,) = await listed(talk, thread["chatId"])
    (recto.folder / "a.md").write_text("Nothing.\n", encoding="utf-8")

    refused = await decide(talk, one["id"], "apply", 0)

    assert refused.status_code == 409
    assert refused.json()["detail"] == "The text has changed since."
    assert await listed(talk, thread["chatId"]) == [one]


async def test_a_dismissal_can_be_taken_back(talk: Talk, upstream: AnthropicServer) -> None:
    thread = await offered(talk, upstream)
    (one,) = await listed(talk, thread["chatId"])

    dismissed = await decide(talk, one["id"], "dismiss")
    again = await decide(talk, one["id"], "dismiss")
    reopened = await decide(talk, one["id"], "reopen")

    assert (dismissed.json()["status"], again.status_code) == ("dismissed", 409)
    assert reopened.json() == one


async def test_what_is_not_there_is_not_found(talk: Talk) -> None:
    assert await listed(talk, talk.chat_id) == []
    await listed(talk, NOBODY, status=404)
    for deed, option in (("apply", 0), ("dismiss", None), ("reopen", None)):
        assert (await decide(talk, NOBODY, deed, option)).status_code == 404
    assert (await decide(talk, NOBODY, "apply", -1)).status_code == 422
