"""Local history: what people save themselves can be looked at, and gone back to."""

import itertools
from pathlib import Path
from typing import Any

import anyio
import pytest

from recto.documents import Splice
from recto.reviews import OwnSaves
from recto.reviews.own_saves import MAX_CHARACTERS, MOST_SAVES, STRETCH_MS
from recto.storage import DatabaseFull, Storage
from recto.workspace import Workspace
from tests.fakes import CountingIds, FakeClock
from tests.reviews.desk import Desk
from tests.reviews.test_people_move_files import operate
from tests.server.test_documents import page

pytestmark = pytest.mark.anyio

NOBODY = "0" * 26


async def type_at_end(desk: Desk, name: str, *words: str) -> None:
    """Write words into a file as a page does, each saved before the next."""
    async with page(desk.recto) as one:
        await one.open(1, name)
        for number, word in enumerate(words, 1):
            end = len(one.texts[1].text)
            await one.type(1, Splice(end, end, word))
            await one.until_said(type="ack", edits=number)
            await one.tell(type="save", channel=1)
            # What is kept of a save is kept before the file has it.
            await one.until(lambda: shown(desk.read(name)) == one.texts[1].text)


def shown(content: str) -> str:
    """A file's text as a page has it."""
    return content.removeprefix("\ufeff").replace("\r\n", "\n")


async def saves(desk: Desk, name: str) -> list[dict[str, Any]]:
    return (await desk.of_project("versions", path=name))["saves"]


async def test_saves_in_a_row_are_one_version_with_what_was_before_and_after(desk: Desk) -> None:
    desk.put("a.md", "One.\n")
    await type_at_end(desk, "a.md", "Two.\n", "Three.\n")

    (save,) = await saves(desk, "a.md")

    texts = await desk.get(f"saves/{save['id']}")
    assert texts == {"before": "One.\n", "after": "One.\nTwo.\nThree.\n"}
    assert save["begunAt"] <= save["at"]


async def test_an_edit_of_ai_between_ends_a_stretch(desk: Desk) -> None:
    desk.put("a.md", "One.\n")
    await type_at_end(desk, "a.md", "Two.\n")
    await desk.edit("a.md", "Two", "2")
    await type_at_end(desk, "a.md", "Three.\n")

    newest, oldest = await saves(desk, "a.md")

    assert await desk.get(f"saves/{oldest['id']}") == {"before": "One.\n", "after": "One.\nTwo.\n"}
    assert (await desk.get(f"saves/{newest['id']}"))["before"] == "One.\n2.\n"


async def test_a_save_is_restored_whatever_came_later_and_in_the_form_of_the_file(
    desk: Desk,
) -> None:
    desk.put("a.md", "\ufeffOne.\r\n")
    await type_at_end(desk, "a.md", "Two.\n")
    (save,) = await saves(desk, "a.md")
    desk.put("a.md", "\ufeffSomething else.\r\n")

    await desk.post(f"saves/{save['id']}/restore", {"side": "after"}, status=204)
    assert desk.read("a.md") == "\ufeffOne.\r\nTwo.\r\n"
    await desk.post(f"saves/{save['id']}/restore", {"side": "before"}, status=204)
    assert desk.read("a.md") == "\ufeffOne.\r\n"
    # Going back is a version of its own: what one came from is still there.
    assert save["id"] in [kept["id"] for kept in await saves(desk, "a.md")]
    (desk.folder / "a.md").unlink()
    await desk.post(f"saves/{save['id']}/restore", {"side": "after"}, status=204)
    assert desk.read("a.md").splitlines() == ["One.", "Two."]
    for where in ("saves/" + NOBODY, "saves/" + NOBODY + "/restore"):
        if where.endswith("restore"):
            await desk.post(where, {"side": "after"}, status=404)
        else:
            await desk.get(where, 404)


async def test_secrets_and_ignored_files_have_no_history(desk: Desk) -> None:
    for name, text in ((".gitignore", "build/\n"), (".env", "KEY=1\n"), ("build/a.md", "One.\n")):
        desk.put(name, text)
    (desk.folder / ".git").mkdir()
    for name in (".env", "build/a.md"):
        await type_at_end(desk, name, "Two.\n")
        assert await saves(desk, name) == []


async def test_saves_go_along_with_a_folder_and_are_erased_with_it(desk: Desk) -> None:
    desk.put("sub/a.md", "One.\n")
    await type_at_end(desk, "sub/a.md", "Two.\n")
    await operate(desk, "files/move", path="sub", newPath="new")
    (save,) = await saves(desk, "new/a.md")

    item = await operate(desk, "trash", 201, path="new")
    assert [kept["id"] for kept in await saves(desk, "new/a.md")] == [save["id"]]
    where = f"/api/v1/projects/{desk.talk.project_id}/trash/{item['id']}"
    assert (await desk.talk.client.delete(where)).status_code == 204

    assert await saves(desk, "new/a.md") == []
    await desk.get(f"saves/{save['id']}", 404)


async def test_what_a_person_wrote_is_saved_whatever_becomes_of_its_history(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def open_workspace(_: str) -> Workspace:
        raise DatabaseFull

    storage = await Storage.open(tmp_path / "recto.db", clock=FakeClock())
    witness = OwnSaves(storage, CountingIds(), FakeClock(), open_workspace).witness("p")
    await witness("a.md", "One.", "Two.")
    assert "not in the history" in caplog.text
    assert "Two." not in caplog.text
    await storage.close()


async def test_the_rules_bound_what_is_kept(tmp_path: Path) -> None:
    """A stretch ends with its time; a file has so many, each so long, and the bytes go along."""
    clock = FakeClock()
    (tmp_path / "folder").mkdir()
    storage = await Storage.open(tmp_path / "recto.db", clock=clock)
    async with await Workspace.open(tmp_path / "folder") as workspace:

        async def open_workspace(_: str) -> Workspace:
            return workspace

        async with storage.write() as write:
            await storage.projects.add(write, id="p", name="P", path="/p", settings={})
        kept = OwnSaves(storage, CountingIds(), clock, open_workspace)
        texts = [f"{number}\n" for number in range(MOST_SAVES + 3)]
        for before, after in itertools.pairwise(texts):
            await kept.keep("p", "a.md", before, after)
            clock.pass_time(STRETCH_MS / 1000)
        await kept.keep("p", "b.md", "", "x" * (MAX_CHARACTERS + 1))
        assert (len(await kept.list("p", "a.md")), await kept.list("p", "b.md")) == (MOST_SAVES, ())
        newest, *_, oldest = await kept.list("p", "a.md")
        assert await kept.texts(newest.id) == (texts[-2], texts[-1])
        assert await kept.texts(oldest.id) == (texts[2], texts[3])

        is_done = False
        while not is_done:
            async with storage.write() as write:
                is_done = await storage.keeping.drop_own_saves(write, clock.now_ms() + 1)
        assert await kept.list("p", "a.md") == ()
        assert not await storage.blobs.has(newest.after)
    with anyio.CancelScope(shield=True):
        await storage.close()
