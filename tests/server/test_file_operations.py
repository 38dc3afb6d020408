"""Files made, moved, duplicated, deleted and brought back over the API."""

import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.documents import Splice
from tests.served import Served
from tests.server.test_documents import page
from tests.server.test_events import following
from tests.server.test_files import project_address

pytestmark = pytest.mark.anyio


async def post(script: httpx.AsyncClient, what: str, **body: Any) -> httpx.Response:
    return await script.post(f"{await project_address(script)}/{what}", json=body)


async def test_a_file_and_a_folder_are_made_once(recto: Served) -> None:
    async with recto.script() as script:
        assert (await post(script, "files", path="notes", kind="folder")).status_code == 201
        made = await post(script, "files", path="notes/a.md", text="# A\n")
        again = await post(script, "files", path="notes/a.md", text="other")
        lost = await post(script, "files", path="nowhere/a.md")

    assert (made.status_code, made.json()) == (201, {"path": "notes/a.md"})
    assert (again.status_code, again.json()["detail"]) == (409, '"notes/a.md" exists already.')
    assert lost.status_code == 404
    assert (recto.folder / "notes" / "a.md").read_text() == "# A\n"


@pytest.mark.parametrize(
    ("name", "status"),
    [
        (".git", 403),
        (".GIT/hooks", 403),
        (".recto/tools.json", 403),
        ("..", 422),
        ("a/../b", 422),
        ("/etc/x", 422),
        ("a\nb", 422),
        ("a\u2028b", 422),
        (".recto-tmp-x", 422),
        ("a" * 256, 422),
        ("", 422),
        ("a\x00", 422),
    ],
)
async def test_a_name_that_is_not_allowed_is_refused(
    emptied_recto: Served, name: str, status: int
) -> None:
    (emptied_recto.folder / "a").mkdir()
    (emptied_recto.folder / "b.md").write_text("b")
    async with emptied_recto.script() as script:
        for answer in (
            await post(script, "files", path=name),
            await post(script, "files", path=name, kind="folder"),
            await post(script, "files/move", path="b.md", newPath=name),
            await post(script, "files/duplicate", path="b.md", newPath=name),
            await post(script, "trash", path=name),
        ):
            assert answer.status_code in (status, 404), answer.text
            assert answer.json()["detail"]
    assert sorted(os.listdir(emptied_recto.folder)) == ["a", "b.md"]


async def test_a_move_keeps_links_and_permissions_and_replaces_nothing(recto: Served) -> None:
    folder = recto.folder
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("run.sh")
    (folder / "taken").write_text("kept")
    async with recto.script() as script:
        assert (await post(script, "files/move", path="run.sh", newPath="taken")).status_code == 409
        assert (await post(script, "files/move", path="none", newPath="x")).status_code == 404
        assert (await post(script, "files/move", path="run.sh", newPath="go.sh")).is_success
        assert (await post(script, "files/move", path="link", newPath="other")).is_success
    assert (folder / "taken").read_text() == "kept"
    assert (folder / "go.sh").stat().st_mode & 0o777 == 0o755
    assert os.readlink(folder / "other") == "run.sh"


async def test_a_copy_takes_the_first_free_name(recto: Served) -> None:
    (recto.folder / "a.md").write_text("a")
    (recto.folder / ".env").write_text("x")
    (recto.folder / "sub").mkdir()
    (recto.folder / "sub" / "b.md").write_text("b")
    async with recto.script() as script:
        made = [
            (await post(script, "files/duplicate", path=path)).json()["path"]
            for path in ("a.md", "a.md", ".env", "sub")
        ]
    assert made == ["a copy.md", "a copy 2.md", ".env copy", "sub copy"]
    assert (recto.folder / "sub copy" / "b.md").read_text() == "b"


async def test_what_is_deleted_is_listed_brought_back_or_erased(recto: Served) -> None:
    (recto.folder / "sub").mkdir()
    (recto.folder / "sub" / "a.md").write_text("a")
    (recto.folder / "b.md").write_text("b")
    async with recto.script() as script:
        address = f"{await project_address(script)}/trash"
        deleted = (await post(script, "trash", path="sub")).json()
        await post(script, "trash", path="b.md")
        listed = (await script.get(address)).json()["items"]

        assert [(item["path"], item["kind"], item["size"]) for item in listed] == [
            ("b.md", "file", 1),
            ("sub", "folder", 1),
        ]
        assert os.listdir(recto.folder) == []
        back = await script.post(f"{address}/{deleted['id']}/restore")
        assert (back.status_code, back.json()) == (200, {"path": "sub"})
        assert (recto.folder / "sub" / "a.md").read_text() == "a"
        assert (await script.post(f"{address}/{deleted['id']}/restore")).status_code == 404

        (recto.folder / "b.md").write_text("new")
        taken = await script.post(f"{address}/{listed[0]['id']}/restore")
        assert taken.status_code == 409
        assert (recto.folder / "b.md").read_text() == "new"
        assert (await script.delete(f"{address}/{listed[0]['id']}")).status_code == 204
        await post(script, "trash", path="b.md")
        assert (await script.delete(address)).status_code == 204
        assert (await script.get(address)).json() == {"items": [], "nextCursor": None}
    assert os.listdir(recto.home.trash_folder) == []


async def test_another_project_does_not_see_the_trash_of_this(
    recto: Served, tmp_path: Path
) -> None:
    (recto.folder / "a.md").write_text("a")
    (tmp_path / "other").mkdir()
    async with recto.script() as script:
        deleted = (await post(script, "trash", path="a.md")).json()
        other = (
            await script.post("/api/v1/projects", json={"path": str(tmp_path / "other")})
        ).json()
        address = f"/api/v1/projects/{other['id']}/trash"
        assert (await script.get(address)).json()["items"] == []
        assert (await script.post(f"{address}/{deleted['id']}/restore")).status_code == 404
        assert (await script.delete(f"{address}/{deleted['id']}")).status_code == 404


async def test_an_open_text_goes_along_and_typing_goes_on_at_its_new_name(recto: Served) -> None:
    (recto.folder / "sub").mkdir()
    (recto.folder / "sub" / "a.md").write_text("one\n")
    async with recto.script() as script, page(recto) as one, page(recto) as other:
        await one.open(1, "sub/a.md")
        await other.open(7, "sub/a.md")
        await one.type(1, Splice(0, 0, "typed before "))
        await one.until_said(type="ack", edits=1)
        assert (await post(script, "files/move", path="sub", newPath="new")).is_success
        await one.type(1, Splice(0, 0, "and after "))
        await one.until_said(type="ack", edits=2)
        await other.until(lambda: other.texts[7].text == "and after typed before one\n")
        one.said.clear()
        await one.tell(type="save", channel=1)
        await one.until_said(type="state", saved=True)
        assert (recto.folder / "new" / "a.md").read_text() == "and after typed before one\n"
        assert not any(said.get("gone") for said in other.said)
        await other.open(8, "new/a.md")
        await other.until(lambda: other.texts[8].text == "and after typed before one\n")
    assert os.listdir(recto.folder) == ["new"]
    async with page(recto) as later:
        await later.open(1, "new/a.md")
        assert later.texts[1].text == "and after typed before one\n"


async def test_what_was_typed_last_is_deleted_with_the_file_and_comes_back_with_it(
    recto: Served,
) -> None:
    (recto.folder / "a.md").write_text("one\n")
    async with recto.script() as script, page(recto) as one:
        await one.open(1, "a.md")
        await one.type(1, Splice(0, 0, "typed "))
        await one.until_said(type="ack", edits=1)
        item = (await post(script, "trash", path="a.md")).json()
        await one.until_said(type="state", gone=True)
        address = f"{await project_address(script)}/trash/{item['id']}/restore"
        one.said.clear()
        assert (await script.post(address)).is_success
        await one.until_said(type="state", gone=False)
    assert (recto.folder / "a.md").read_text() == "typed one\n"


async def test_a_name_of_a_text_that_is_still_open_is_not_taken(recto: Served) -> None:
    (recto.folder / "a.md").write_text("a\n")
    (recto.folder / "b.md").write_text("b\n")
    async with recto.script() as script, page(recto) as one:
        await one.open(1, "b.md")
        await post(script, "trash", path="b.md")
        await one.until_said(type="state", gone=True)
        answer = await post(script, "files/move", path="a.md", newPath="b.md")
    assert (answer.status_code, answer.json()["title"]) == (409, "Still open")
    assert os.listdir(recto.folder) == ["a.md"]


async def test_every_page_is_told_what_moved_and_what_was_deleted(recto: Served) -> None:
    (recto.folder / "a.md").write_text("a")
    async with recto.script() as script, following(script) as stream:
        await post(script, "files/move", path="a.md", newPath="b.md")
        await post(script, "trash", path="b.md")
        told: list[dict[str, Any]] = []
        while not any(item["removed"] for item in told):
            name, _, data = await stream.must_next()
            told += [data] if name == "files" else []
    assert [item["moved"] for item in told if item["moved"]] == [
        [{"path": "a.md", "newPath": "b.md"}]
    ]
    assert [item["removed"] for item in told if item["removed"]] == [["b.md"]]


async def test_contexts_follow_a_folder_that_moves(recto: Served) -> None:
    (recto.folder / "sub").mkdir()
    (recto.folder / "sub" / "a.md").write_text("a")
    async with recto.script() as script:
        made = await post(script, "contexts", name="C", files=["sub/a.md", "subway.md"])
        await post(script, "files/move", path="sub", newPath="new")
        address = f"{await project_address(script)}/contexts/{made.json()['id']}"
        assert (await script.get(address)).json()["files"] == ["new/a.md", "subway.md"]
