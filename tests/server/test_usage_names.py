"""The usage report says titles and names, not ids."""

import csv
import io
from pathlib import Path

import pytest

from tests.fakes.providers import AnthropicServer
from tests.reviews.desk import Desk, at_desk

pytestmark = pytest.mark.anyio


async def names(desk: Desk, of: str) -> list[str]:
    return [row["name"] for row in (await desk.get("usage"))[of]]


async def test_a_table_has_names_beside_the_ids_and_no_formulas(tmp_path: Path) -> None:
    async with AnthropicServer() as upstream, at_desk(upstream, tmp_path) as desk:
        await desk.work()
        project, chat = desk.talk.project_id, desk.talk.chat_id
        address = f"/api/v1/projects/{project}/chats/{chat}"
        found = await desk.talk.client.get(address)
        renamed = await desk.talk.client.put(
            address,
            json={**found.json(), "title": "=1+1"},
            headers={"if-match": found.headers["etag"]},
        )
        assert renamed.is_success, renamed.text
        text = (await desk.talk.client.get("/api/v1/usage.csv")).text
        rows = list(csv.DictReader(io.StringIO(text)))

    assert rows
    for row in rows:
        assert (row["model"], row["model_name"]) == ("claude-sonnet-4-6", "Claude Sonnet 4.6")
        assert (row["project"], row["project_name"]) == (project, "folder")
        assert (row["chat"], row["chat_title"]) == (chat, "'=1+1")


async def test_chats_models_and_projects_are_called_by_their_names(tmp_path: Path) -> None:
    async with AnthropicServer() as upstream, at_desk(upstream, tmp_path) as desk:
        await desk.work()
        chat = f"projects/{desk.talk.project_id}/chats/{desk.talk.chat_id}"
        title = (await desk.get(chat))["title"]

        assert title
        assert await names(desk, "chats") == [title]
        assert await names(desk, "models") == ["Claude Sonnet 4.6"]
        assert await names(desk, "projects") == ["folder"]

        assert (await desk.talk.client.delete(f"/api/v1/{chat}")).is_success
        assert await names(desk, "chats") == [f"{title} (deleted)"]
        project = f"/api/v1/projects/{desk.talk.project_id}"
        assert (await desk.talk.client.delete(project, params={"confirm": "folder"})).is_success
        assert await names(desk, "chats") == ["A deleted chat"]
        assert await names(desk, "projects") == ["A deleted project"]
