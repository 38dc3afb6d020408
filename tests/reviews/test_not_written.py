"""Between the row of an edit and its effect anything may happen; the row never says too much."""

from pathlib import Path

import pytest

from recto.documents import EditOrigin, NotStored
from recto.tools import Change, Effect, FileState, Moved
from recto.workspace import content_hash
from tests.reviews.bench import bench_at

pytestmark = pytest.mark.anyio

OLD, NEW = b"one\ntwo\n", b"one\n2\n"
EDITED = Effect("a.md", FileState("file", OLD), FileState("file", NEW))


@pytest.mark.parametrize("asks", [True, False], ids=["ask", "direct"])
async def test_t4_an_edit_that_could_not_be_written_is_never_shown_as_accepted(
    tmp_path: Path, asks: bool
) -> None:
    async with bench_at(tmp_path, asks=asks) as bench:
        bench.home.put("a.md", OLD)
        call, files = await bench.begin()
        bench.home.journal.failure = "the disk is full"
        with pytest.raises(NotStored):
            await files.write("a.md", NEW, expected_hash=content_hash(OLD))
        assert await bench.statuses() == {"a.md": "writing"}
        await call.finish()

        assert await bench.statuses() == {"a.md": "not_written"}
        assert bench.home.disk("a.md") == OLD


@pytest.mark.parametrize("asks", [True, False], ids=["ask", "direct"])
async def test_t4_an_edit_that_a_crash_prevented_is_not_written(tmp_path: Path, asks: bool) -> None:
    changes: tuple[Change, ...] = (
        EDITED,
        Effect("new.md", None, FileState("file", NEW)),
        Effect("gone.md", FileState("file", OLD), None),
        Moved("from.md", "to.md"),
    )
    async with bench_at(tmp_path, asks=asks) as bench:
        for name in ("a.md", "gone.md", "from.md"):
            bench.home.put(name, OLD)
        call, _ = await bench.begin()
        await bench.note(call, *changes)

        await bench.edits.recover()

        names = ["a.md", "new.md", "gone.md", "to.md"]
        assert await bench.statuses() == dict.fromkeys(names, "not_written")


@pytest.mark.parametrize(("asks", "status"), [(True, "pending"), (False, "accepted")])
async def test_a_text_that_was_written_before_the_crash_is_found(
    tmp_path: Path, asks: bool, status: str
) -> None:
    async with bench_at(tmp_path, asks=asks) as bench:
        bench.home.put("a.md", OLD)
        call, _ = await bench.begin()
        await bench.note(call, EDITED)
        (row,) = await bench.storage.edits.of_run("r1")
        await bench.home.documents.rewrite(
            "a.md",
            NEW,
            expected_hash=content_hash(OLD),
            origin=EditOrigin("run", row.id, pending=asks),
        )

        await bench.edits.recover()

        assert await bench.statuses() == {"a.md": status}
        (row,) = await bench.storage.edits.of_run("r1")
        assert (row.characters, row.hunks) == (1, 1 if asks else 0)


async def test_what_was_done_to_whole_files_before_the_crash_waits(tmp_path: Path) -> None:
    async with bench_at(tmp_path, asks=False) as bench:
        bench.home.put("from.md", OLD)
        call, _ = await bench.begin()
        await bench.note(
            call,
            Effect("gone.md", FileState("file", OLD), None),
            Moved("from.md", "to.md"),
            Effect("a.bin", None, FileState("file", b"\0")),
        )
        await bench.home.workspace.move("from.md", "to.md")
        bench.home.put("a.bin", b"\0")

        await bench.edits.recover()

        names = ["gone.md", "to.md", "a.bin"]
        assert await bench.statuses() == dict.fromkeys(names, "pending")


async def test_a_call_writes_its_rows_before_the_first_effect_and_tells_what_became_of_each(
    tmp_path: Path,
) -> None:
    async with bench_at(tmp_path) as bench:
        bench.home.put("a.md", OLD)
        bench.home.put("gone.md", OLD)
        call, files = await bench.begin()
        await files.write("a.md", NEW, expected_hash=content_hash(OLD))
        await files.remove("gone.md")
        assert bench.written == [("p1", "gone.md")]
        await files.write("a.bin", b"\0", expected_hash=None)
        assert bench.written == [("p1", "gone.md"), ("p1", "a.bin")]
        assert await bench.statuses() == {
            "a.md": "pending",
            "gone.md": "writing",
            "a.bin": "writing",
        }
        await call.finish()

        rows = await bench.storage.edits.of_run("r1")
        assert [(row.path, row.kind, row.status) for row in rows] == [
            ("a.md", "edited", "pending"),
            ("gone.md", "deleted", "pending"),
            ("a.bin", "replaced", "pending"),
        ]
