"""What no page sends, and some script will."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from tests.served import served

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[httpx.AsyncClient]:
    place = tmp_path_factory.mktemp("odd")
    (place / "folder").mkdir()
    (place / "folder" / "own.md").write_text("ours", encoding="utf-8")
    async with served(place / "home", place / "folder") as recto, recto.script() as script:
        yield script


async def test_T26_no_header_says_which_folder_is_meant(
    client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """X-Project-Root is ignored, so that nobody reads a folder by naming it."""
    (tmp_path / "own.md").write_text("somebody else's", encoding="utf-8")
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    project = (await client.get("/api/v1/projects/current")).json()
    root = f"/api/v1/projects/{project['id']}"
    for header in ("X-Project-Root", "X-Project-Path", "X-Workspace-Root"):
        named = {header: str(tmp_path)}
        assert (await client.get("/api/v1/projects/current", headers=named)).json() == project
        file = await client.get(f"{root}/file", params={"path": "own.md"}, headers=named)
        assert file.json()["text"] == "ours"
        other = await client.get(f"{root}/file", params={"path": "secret.md"}, headers=named)
        assert other.status_code == 404
        chat = await client.post(f"{root}/chats", json={"title": "Here"}, headers=named)
        assert chat.json()["projectId"] == project["id"]
    everywhere = (await client.get("/api/v1/projects")).json()["items"]
    assert [item["path"] for item in everywhere] == [project["path"]]


async def test_a_body_that_is_no_json_is_called_that(client: httpx.AsyncClient) -> None:
    project = (await client.get("/api/v1/projects/current")).json()["id"]
    kind = {"content-type": "application/json"}
    answer = await client.post(f"/api/v1/projects/{project}/chats", content=b"{", headers=kind)
    assert answer.json()["detail"] == "The body is not valid JSON."


@pytest.mark.parametrize("month", ["0000-01", "0001-01", "9999-12", "2026-13", "2026-1"])
@pytest.mark.parametrize("route", ["usage", "usage.csv"])
async def test_a_month_that_no_calendar_has_is_not_understood(
    client: httpx.AsyncClient, route: str, month: str
) -> None:
    answer = await client.get(f"/api/v1/{route}", params={"month": month})
    assert answer.status_code == 422


@pytest.mark.parametrize("data", ["not base64!", "pictüre", "AAA", "🖼🖼🖼🖼"])
async def test_a_picture_that_is_none_is_refused_and_nothing_is_said(
    client: httpx.AsyncClient, data: str
) -> None:
    project = (await client.get("/api/v1/projects/current")).json()
    chat = (await client.post(f"/api/v1/projects/{project['id']}/chats", json={})).json()
    picture = {"mediaType": "image/png", "data": data}
    answer = await client.post(
        f"/api/v1/chats/{chat['id']}/turns", json={"text": "Look.", "images": [picture]}
    )
    assert answer.status_code == 422
    assert (await client.get(f"/api/v1/chats/{chat['id']}")).json()["entries"] == []
