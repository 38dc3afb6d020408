from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.served import Served

pytestmark = pytest.mark.anyio


async def current(client: httpx.AsyncClient) -> dict[str, Any]:
    return (await client.get("/api/v1/projects/current")).json()


async def test_the_folder_recto_was_started_on_is_a_project(recto: Served) -> None:
    async with recto.script() as script:
        first = await current(script)
        again = await current(script)
    assert first == again
    assert first == {
        "id": first["id"],
        "name": "folder",
        "path": str(recto.folder),
        "createdAt": first["createdAt"],
        "lastAccessedAt": first["createdAt"],
        "version": 1,
        "available": True,
        "settings": {
            "defaultContextIds": [],
            "defaultSkillIds": [],
            "writePolicy": None,
            "stripOutputs": False,
            "kernelRights": "own",
        },
    }


async def test_many_tabs_asking_at_once_get_one_project(recto: Served) -> None:
    found: list[dict[str, Any]] = []
    async with recto.script() as script:

        async def ask() -> None:
            found.append(await current(script))

        async with anyio.create_task_group() as tabs:
            for _ in range(20):
                tabs.start_soon(ask)
        listed = (await script.get("/api/v1/projects")).json()
    assert found == [found[0]] * 20
    assert listed == {"items": [found[0]], "nextCursor": None}


async def test_a_project_is_made_for_a_folder_once(recto: Served, tmp_path: Path) -> None:
    other = tmp_path / "Ünïcode & spaces"
    other.mkdir()
    (tmp_path / "link").symlink_to(other)
    async with recto.script() as script:
        made = await script.post("/api/v1/projects", json={"path": str(other), "name": "Mine"})
        again = await script.post("/api/v1/projects", json={"path": str(tmp_path / "link")})
    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json()["name"] == "Mine"
    assert made.json() == again.json()


@pytest.mark.parametrize(
    "path",
    ["/does/not/exist", "relative", "~nobody-by-this-name/x", "/etc/hostname", "", "/a\x00b"],
)
async def test_a_folder_that_is_not_there_is_refused_with_words(
    emptied_recto: Served, path: str
) -> None:
    async with emptied_recto.script() as script:
        answer = await script.post("/api/v1/projects", json={"path": path})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"]


async def test_a_change_names_the_version_it_is_based_on(recto: Served) -> None:
    async with recto.script() as script:
        project = await current(script)
        address = f"/api/v1/projects/{project['id']}"
        body = {"name": " Tide ", "settings": {**project["settings"], "writePolicy": "direct"}}
        none = await script.put(address, json=body)
        done = await script.put(address, json=body, headers={"if-match": '"1"'})
        stale = await script.put(address, json=body, headers={"if-match": '"1"'})
        now = await script.get(address)
    assert [none.status_code, done.status_code, stale.status_code] == [428, 200, 412]
    assert (done.json()["name"], done.json()["version"]) == ("Tide", 2)
    assert (now.json(), now.headers["etag"]) == (done.json(), '"2"')


async def test_deleting_asks_for_the_name_and_keeps_the_files(recto: Served) -> None:
    kept = recto.folder / "kept.md"
    kept.write_text("mine", encoding="utf-8")
    async with recto.script() as script:
        project = await current(script)
        address = f"/api/v1/projects/{project['id']}"
        unsure = await script.delete(address)
        wrong = await script.delete(address, params={"confirm": "other"})
        sure = await script.delete(address, params={"confirm": project["name"]})
        gone = await script.get(address)
    statuses = [unsure.status_code, wrong.status_code, sure.status_code, gone.status_code]
    assert statuses == [409, 409, 204, 404]
    assert kept.read_text(encoding="utf-8") == "mine"


async def test_the_list_is_paged_with_the_latest_used_first(recto: Served, tmp_path: Path) -> None:
    async with recto.script() as script:
        made: list[str] = []
        for number in range(5):
            (tmp_path / str(number)).mkdir()
            answer = await script.post(
                "/api/v1/projects", json={"path": str(tmp_path / str(number))}
            )
            made.append(answer.json()["id"])
        await script.post(f"/api/v1/projects/{made[0]}/open")
        seen: list[str] = []
        cursor: str | None = None
        while True:
            params: dict[str, str | int] = {"limit": 2} | ({"cursor": cursor} if cursor else {})
            page = (await script.get("/api/v1/projects", params=params)).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["nextCursor"]
            if cursor is None:
                break
    assert sorted(seen) == sorted(made)
    assert seen[0] == made[0]


async def test_a_project_whose_folder_is_gone_says_so(recto: Served, tmp_path: Path) -> None:
    lost = tmp_path / "lost"
    lost.mkdir()
    async with recto.script() as script:
        project = (await script.post("/api/v1/projects", json={"path": str(lost)})).json()
        lost.rmdir()
        now = (await script.get(f"/api/v1/projects/{project['id']}")).json()
        listing = await script.get(f"/api/v1/projects/{project['id']}/folder")
    assert (project["available"], now["available"]) == (True, False)
    assert listing.status_code == 404


@pytest.mark.parametrize("project_id", ["x", "0" * 25, "01m7fvsdd5gjqxtykk4dqtvzk5", "..%2f.."])
async def test_an_id_that_nobody_has_is_not_found(emptied_recto: Served, project_id: str) -> None:
    async with emptied_recto.script() as script:
        answer = await script.get(f"/api/v1/projects/{project_id}")
    assert answer.status_code in (404, 422)
