"""Git over the API: what was typed is on the disk first, and refusals say what to do."""

from pathlib import Path

import pytest

from tests.served import Served
from tests.server.test_files import project_address
from tests.workspace.test_git import make_repository, run_git

pytestmark = pytest.mark.anyio


def prepare(folder: Path) -> None:
    make_repository(folder)
    run_git(folder, "config", "user.name", "Ada")
    run_git(folder, "config", "user.email", "ada@example.org")


async def test_a_change_is_looked_at_staged_and_committed(recto: Served) -> None:
    prepare(recto.folder)
    (recto.folder / "changed.md").write_text("other\n")
    async with recto.script() as script:
        git = await project_address(script) + "/git"
        found = (await script.get(f"{git}/changes")).json()
        assert (found["branch"], found["underWay"]) == ("main", None)
        assert [(file["path"], file["unstaged"]) for file in found["files"]] == [
            ("changed.md", "modified")
        ]
        params = {"path": "changed.md"}
        (hunk,) = (await script.get(f"{git}/diff", params=params)).json()["hunks"]
        assert hunk["lines"][-1] == {"kind": "added", "text": "other"}
        body = {"paths": ["changed.md"], "hunks": [hunk["id"]]}
        assert (await script.post(f"{git}/stage", json=body)).status_code == 204
        again = await script.post(f"{git}/stage", json=body)
        assert (again.status_code, again.json()["title"]) == (409, "Git did not do it")
        two = {**body, "paths": ["changed.md", "same.md"]}
        assert (await script.post(f"{git}/stage", json=two)).status_code == 422
        made = await script.post(f"{git}/commits", json={"message": "Change it"})
        assert made.status_code == 201
        empty = await script.post(f"{git}/commits", json={"message": "Again"})
        assert empty.json()["detail"] == "Nothing is staged."
        blamed = await script.get(f"{git}/blame", params={**params, "line": 1})
        origin = blamed.json()["origin"]
        assert (origin["commit"], origin["subject"]) == (made.json()["id"], "Change it")
        items = (await script.get(f"{git}/history", params=params)).json()["items"]
        assert [item["subject"] for item in items] == ["Change it", "first"]
        old = await script.get(f"{git}/history/{items[1]['commit']}", params=params)
        assert old.json()["text"] == "changed.md\n" * 20
        (recto.folder / "changed.md").write_bytes(b"mine\r\n")
        restore = {"path": "changed.md", "oldPath": "changed.md"}
        place = f"{git}/history/{items[1]['commit']}/restore"
        assert (await script.post(place, json=restore)).status_code == 204
        assert (recto.folder / "changed.md").read_bytes() == b"changed.md\r\n" * 20
        (recto.folder / "changed.md").write_text("other\n")
        unstage = await script.post(f"{git}/unstage", json={"paths": ["same.md"]})
        assert unstage.status_code == 204
    assert run_git(recto.folder, "status", "--porcelain") == ""


async def test_a_folder_without_a_repository_says_so(recto: Served) -> None:
    async with recto.script() as script:
        git = await project_address(script) + "/git"
        assert not (await script.get(f"{git}/changes")).json()["repository"]
        refused = await script.post(f"{git}/stage", json={"paths": ["a.md"]})
        assert (refused.status_code, refused.json()["remedy"]) == (
            409,
            "Make one with `git init` in a terminal.",
        )
        assert (await script.get(f"{git}/history/x", params={"path": "a"})).status_code == 422
