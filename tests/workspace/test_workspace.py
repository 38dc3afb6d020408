"""The folder as other rooms meet it."""

import os
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

from recto.workspace import (
    FolderEntry,
    GitState,
    PathChanged,
    PathExists,
    PathNotFound,
    RootGone,
    Workspace,
    content_hash,
    encode,
)

pytestmark = pytest.mark.anyio


async def test_a_text_is_read_changed_and_written_back_as_it_was_kept(root: Path) -> None:
    (root / "notes.md").write_bytes("Grüße\r\n".encode("utf-16"))
    async with await Workspace.open(root) as workspace:
        file = await workspace.read_text("notes.md")
        data = encode(file.text + "Ende", file.encoding, bom=file.bom)

        new_hash = await workspace.write("notes.md", data, expected_hash=file.hash)

        assert (root / "notes.md").read_bytes() == "Grüße\r\nEnde".encode("utf-16")
        assert new_hash == content_hash(data)
        with pytest.raises(PathChanged):
            await workspace.write("notes.md", b"stale", expected_hash=file.hash)


async def test_of_many_writers_with_the_same_base_one_wins(root: Path) -> None:
    (root / "notes.md").write_bytes(b"base")
    outcomes: list[str] = []
    async with await Workspace.open(root) as workspace:

        async def contend(number: int) -> None:
            try:
                data = str(number).encode()
                await workspace.write("notes.md", data, expected_hash=content_hash(b"base"))
            except PathChanged:
                outcomes.append("lost")
            else:
                outcomes.append("won")

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(contend, number)

    assert sorted(outcomes) == ["lost"] * 19 + ["won"]


async def test_files_are_made_moved_and_listed(root: Path) -> None:
    async with await Workspace.open(str(root)) as workspace:
        await workspace.create_folder("drafts")
        await workspace.write("plan.md", b"plan", expected_hash=None)
        await workspace.move("plan.md", "drafts/plan 2.md")
        os.utime(root / "drafts" / "plan 2.md", ns=(0, 5_000_000))
        with pytest.raises(PathExists):
            await workspace.create_folder("drafts")

        assert await workspace.list_folder("drafts") == (
            FolderEntry("plan 2.md", "drafts/plan 2.md", "file", 4, 5, False),
        )
        assert await workspace.read_bytes("drafts/plan 2.md") == b"plan"
        assert await workspace.git_state() == GitState(repository=False)


async def test_names_are_kept_until_something_changes(root: Path) -> None:
    (root / "one.md").write_bytes(b"")
    async with await Workspace.open(root) as workspace:
        assert (await workspace.file_names()).paths == ("one.md",)
        (root / "two.md").write_bytes(b"")

        assert (await workspace.file_names()).paths == ("one.md",)
        assert (await workspace.file_names(refresh=True)).paths == ("one.md", "two.md")

        with anyio.fail_after(60):
            async with aclosing(workspace.watch()) as batches:
                await anext(batches)
                (root / "three.md").write_bytes(b"")
                await anext(batches)
        found = await workspace.match_names("thr")
        assert [(match.path, match.positions) for match in found] == [("three.md", (0, 1, 2))]


async def test_what_recto_writes_itself_is_in_the_names_at_once(root: Path) -> None:
    async with await Workspace.open(root) as workspace:
        assert (await workspace.file_names()).paths == ()

        await workspace.write("new.md", b"", expected_hash=None)
        assert (await workspace.file_names()).paths == ("new.md",)

        await workspace.move("new.md", "newer.md")
        assert (await workspace.file_names()).paths == ("newer.md",)


async def test_searching_finds_text(root: Path) -> None:
    (root / "a.md").write_text("The needle", encoding="utf-8")
    async with await Workspace.open(root) as workspace:
        found = await workspace.search("needle")

        assert [(match.path, match.line) for match in found.matches] == [("a.md", 1)]


async def test_a_folder_that_went_away_is_said_to_be_gone(root: Path) -> None:
    async with await Workspace.open(root) as workspace:
        assert await workspace.is_available()

        os.rmdir(root)

        assert not await workspace.is_available()
        for work in (
            workspace.list_folder,
            workspace.git_state,
            workspace.file_names,
            lambda: anext(workspace.watch()),
        ):
            with pytest.raises(RootGone):
                await work()


async def test_a_folder_that_does_not_exist_can_not_be_opened(root: Path) -> None:
    with pytest.raises(PathNotFound, match="missing"):
        await Workspace.open(root / "missing")
