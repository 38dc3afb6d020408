"""Edits of AI that wait for review: accepted, rejected, undone, and there after a restart."""

from pathlib import Path

import anyio
import pytest

from recto.documents import (
    Author,
    BadJournal,
    DocumentState,
    EditedEvent,
    EditOrigin,
    JournalEntry,
    LiveDocument,
    NoSuchHunk,
    ReviewedEvent,
    Splice,
    UnresolvedConflict,
    WrittenSpan,
)
from recto.workspace import PathExists, PathNotFound, content_hash
from tests.documents.folder import Folder, MemoryJournal, crash, document, folder
from tests.documents.page import Page

pytestmark = pytest.mark.anyio

ANN = EditOrigin("person", way="typed")
FIRST = EditOrigin("run", "e1", pending=True)
SECOND = EditOrigin("run", "e2", pending=True)
BEFORE = Author("before")
TYPED = Author("person", "typed")


async def write(home: Folder, name: str, text: str, origin: EditOrigin) -> str:
    """Rewrite a file as a program does that has just read it."""
    seen = content_hash(home.disk(name))
    new = await home.documents.rewrite(name, text.encode(), expected_hash=seen, origin=origin)
    assert new is not None
    return new


def shown(live: LiveDocument) -> list[tuple[str, str]]:
    return [(hunk.old, hunk.new) for hunk in live.hunks()]


async def test_an_edit_is_in_the_file_at_once_and_waits_for_review(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "The colour is red.\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "The color is red.\n", FIRST)
            assert home.disk("a.md") == b"The color is red.\n"
            assert (live.text, live.reviewed_text()) == (
                "The color is red.\n",
                "The colour is red.\n",
            )
            assert shown(live) == [("colour", "color")]
            assert live.pending() == {"e1"}
            assert live.written() == (WrittenSpan(0, 18, BEFORE),)


async def test_a_file_nobody_has_open_is_edited_the_same_way(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One two.\n")
        await write(home, "a.md", "One 2.\n", FIRST)
        assert home.documents.find("a.md") is None
        assert home.disk("a.md") == b"One 2.\n"
        async with document(home, "a.md") as live:
            assert shown(live) == [("two", "2")]
            assert live.written() == (
                WrittenSpan(0, 4, BEFORE),
                WrittenSpan(4, 5, Author("run", name="e1")),
                WrittenSpan(5, 7, BEFORE),
            )


async def test_an_edit_that_is_not_pending_is_only_written_down_as_the_run_s(
    tmp_path: Path,
) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        await write(home, "a.md", "One. Two.\n", EditOrigin("run", "e1"))
        async with document(home, "a.md") as live:
            assert (live.hunks(), live.pending()) == ((), frozenset())
            author = Author("run", name="e1")
            assert live.written() == (
                WrittenSpan(0, 4, BEFORE),
                WrittenSpan(4, 9, author),
                WrittenSpan(9, 10, BEFORE),
            )


async def test_accepting_leaves_the_text_and_rejecting_gives_the_old_one_back(
    tmp_path: Path,
) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n\ntwo\n\nthree\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "ONE\n\ntwo\n\nTHREE\n", FIRST)
            first, second = live.hunks()
            await live.accept(hunks=[first.id])
            assert shown(live) == [("three", "THREE")]
            await live.reject(hunks=[second.id], origin=ANN)
            assert (live.text, live.hunks(), live.state) == (
                "ONE\n\ntwo\n\nthree\n",
                (),
                DocumentState(),
            )
            assert home.disk("a.md") == b"ONE\n\ntwo\n\nthree\n"
            for gone in (first, second):
                with pytest.raises(NoSuchHunk):
                    await live.accept(hunks=[gone.id])
                with pytest.raises(NoSuchHunk):
                    await live.reject(hunks=[gone.id], origin=ANN)


async def test_t3_a_reject_takes_back_what_the_ai_wrote_and_not_the_first_match(
    tmp_path: Path,
) -> None:
    """A word that the AI wrote may stand elsewhere, too; what it replaced there is not known."""
    async with folder(tmp_path) as home:
        home.put("a.md", "very good\n\nvery bad\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "very good\n\nvery good\n", FIRST)
            await live.edit([Splice(0, 0, "very good indeed\n\n")], ANN)
            await live.reject(origin=ANN)
            assert live.text == "very good indeed\n\nvery good\n\nvery bad\n"


async def test_a_reject_keeps_what_was_typed_inside_and_around(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "Start. End.\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "Start. A new sentence. End.\n", FIRST)
            at = live.text.index("new")
            await live.edit([Splice(at, at, "truly "), Splice(0, 0, "> ")], ANN)
            await live.reject(edits=["e1"], origin=ANN)
            assert live.text == "> Start. truly End.\n"
            assert live.written() == (
                WrittenSpan(0, 2, TYPED),
                WrittenSpan(2, 9, BEFORE),
                WrittenSpan(9, 15, TYPED),
                WrittenSpan(15, 20, BEFORE),
            )


async def test_edits_stack_and_each_can_be_rejected_alone(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two three\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "one 2 three\n", FIRST)
            await write(home, "a.md", "one three\n", SECOND)
            assert shown(live) == [("two ", "")]
            assert live.pending() == {"e1", "e2"}
            await live.reject(edits=["e2"], origin=ANN)
            assert (live.text, live.pending()) == ("one 2 three\n", {"e1"})
            await live.reject(edits=["e1"], origin=ANN)
            assert (live.text, live.pending()) == ("one two three\n", frozenset())


async def test_an_undo_of_a_reject_brings_the_review_back(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two three\n")
        async with document(home, "a.md") as live:
            page = Page(live)
            await write(home, "a.md", "one 2 three\n", FIRST)
            page.hear()
            before, authors = live.hunks(), live.written()
            await live.reject(origin=ANN)
            page.hear()
            assert (live.text, live.hunks()) == ("one two three\n", ())
            await page.undo()
            assert (live.text, live.pending()) == ("one 2 three\n", {"e1"})
            assert live.written() == authors
            assert shown(live) == [(item.old, item.new) for item in before]
            await live.reject(origin=ANN)
            assert live.text == "one two three\n"


async def test_a_person_undoes_the_ai_s_edit_and_does_it_again(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two three\n")
        async with document(home, "a.md") as live:
            page = Page(live)
            await write(home, "a.md", "one 2 three\n", FIRST)
            page.hear()
            await page.undo()
            assert (live.text, live.pending()) == ("one two three\n", frozenset())
            assert live.written() == (WrittenSpan(0, 14, BEFORE),)
            await page.redo()
            assert (live.text, live.pending()) == ("one 2 three\n", {"e1"})
            assert shown(live) == [("two", "2")]


async def test_deleting_everything_and_undoing_it_loses_no_author(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "Before. \n" * 20_000)
        async with document(home, "a.md") as live:
            await write(home, "a.md", "By AI.\n" + live.text, FIRST)
            authors, hunks = live.written(), shown(live)
            page = Page(live)
            await page.edit(Splice(0, len(live.text), ""))
            assert live.text == ""
            await page.undo()
            assert (live.written(), shown(live)) == (authors, hunks)


async def test_followers_hear_of_a_review_behind_its_edit(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two\n")
        async with document(home, "a.md") as live:
            with live.follow() as follower, anyio.fail_after(60):
                assert await follower.news() == (DocumentState(),)
                await write(home, "a.md", "one 2\n", FIRST)
                edited, reviewed, state = await follower.news()
                assert isinstance(edited, EditedEvent)
                assert (edited.origin, edited.is_undoable) == (FIRST, True)
                assert (reviewed, state) == (ReviewedEvent(live.hunks()), DocumentState())
                await live.edit([Splice(0, 0, "zero ")], ANN)
                assert [type(new) for new in await follower.news()] == [EditedEvent, DocumentState]
                with live.follow() as late:
                    assert ReviewedEvent(live.hunks()) in await late.news()
                await live.reject(origin=ANN)
                rejected, reviewed, _ = await follower.news()
                assert isinstance(rejected, EditedEvent)
                assert (rejected.origin, rejected.is_undoable) == (ANN, True)
                assert reviewed == ReviewedEvent(())


async def test_accepting_tells_followers_and_changes_no_text(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two\n")
        await write(home, "a.md", "one 2\n", FIRST)
        async with document(home, "a.md") as live:
            with live.follow() as follower, anyio.fail_after(60):
                assert await follower.news() == (ReviewedEvent(live.hunks()), DocumentState())
                await live.accept()
                assert await follower.news() == (ReviewedEvent(()),)
            assert (live.text, live.state) == ("one 2\n", DocumentState())


async def test_a_restart_changes_no_review_and_no_author(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n\ntwo\n\nthree\n\nfour\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "ONE\n\n2\n\nTHREE\n\nfour!\n", FIRST)
            await live.edit([Splice(0, 0, "zero\n\n")], ANN)
            await live.accept(hunks=[live.hunks()[0].id])
            await live.reject(hunks=[live.hunks()[0].id], origin=ANN)
            await live.edit([Splice(1, 2, "")], ANN)
            state = (live.text, live.hunks(), live.written(), live.pending())
            left = crash(home)
    async with folder(tmp_path, left) as again:
        async with document(again, "a.md") as live:
            assert (live.text, live.hunks(), live.written(), live.pending()) == state
        assert [item.origin["kind"] for item in left.entries["a.md"]] == ["saved"]
        async with document(again, "a.md") as live:
            assert (live.text, live.hunks(), live.written(), live.pending()) == state


async def test_what_is_written_to_the_disk_by_others_is_theirs(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two\n")
        await write(home, "a.md", "one 2\n", FIRST)
        home.put("a.md", "zero one 2\n")
        async with document(home, "a.md") as live:
            assert live.written()[:1] == (WrittenSpan(0, 5, Author("disk")),)
            assert shown(live) == [("two", "2")]


async def test_a_reject_says_why_it_can_t_be(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "one 2\n", FIRST)
            (tmp_path / "a.md").unlink()
            with pytest.raises(PathNotFound):
                await live.reject(origin=ANN)
            home.put("a.md", "one 2\n")
            await live.check_disk()
            await live.edit([Splice(0, 3, "mine")], ANN)
            home.put("a.md", "theirs 2\n")
            with pytest.raises(UnresolvedConflict):
                await live.reject(origin=ANN)
            assert live.pending() == {"e1"}


async def test_a_created_file_is_all_the_run_s(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        data = "\ufeffone\r\ntwo\r\n".encode()
        assert await home.documents.create("a.md", data, origin=FIRST) == content_hash(data)
        assert home.disk("a.md") == data
        async with document(home, "a.md") as live:
            assert (live.text, live.reviewed_text()) == ("one\ntwo\n", "")
            assert shown(live) == [("", "one\ntwo\n")]
            assert live.written() == (WrittenSpan(0, 8, Author("run", name="e1")),)
            await live.reject(origin=ANN)
            assert (live.text, home.disk("a.md")) == ("", b"\xef\xbb\xbf")
        with pytest.raises(PathExists):
            await home.documents.create("a.md", b"x", origin=FIRST)


async def test_what_is_no_text_is_only_written(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        await home.documents.create("a.bin", b"\0\1", origin=FIRST)
        seen = content_hash(b"\0\1")
        assert home.disk("a.bin") == b"\0\1"
        assert home.journal.entries == {}
        rewritten = await home.documents.rewrite("a.bin", b"\0", expected_hash=seen, origin=FIRST)
        assert rewritten is None


async def test_a_file_that_was_deleted_and_is_made_anew_begins_anew(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "old\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 0, "very ")], ANN)
        (tmp_path / "a.md").unlink()
        await home.documents.create("a.md", b"new\n", origin=FIRST)
        async with document(home, "a.md") as live:
            assert (live.text, live.pending()) == ("new\n", {"e1"})
            (tmp_path / "a.md").unlink()
            await live.check_disk()
            await home.documents.create("a.md", b"again\n", origin=SECOND)
            assert (live.text, live.state, home.disk("a.md")) == (
                "again\n",
                DocumentState(),
                b"again\n",
            )


async def test_a_crash_before_a_new_file_is_written_leaves_nothing_of_it(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        await home.documents.create("a.md", b"by the run\n", origin=FIRST)
        left = MemoryJournal({"a.md": list(home.journal.entries["a.md"][:1])})
    (tmp_path / "a.md").write_bytes(b"by a person\n")
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, live.state, live.pending()) == (
            "by a person\n",
            DocumentState(),
            frozenset(),
        )
        assert live.written() == (WrittenSpan(0, 12, BEFORE),)


async def test_a_crash_right_after_a_new_file_is_written_keeps_its_review(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        await home.documents.create("a.md", b"by the run\n", origin=FIRST)
        left = MemoryJournal({"a.md": list(home.journal.entries["a.md"][:1])})
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.state, live.pending()) == (DocumentState(), {"e1"})


async def test_a_reject_that_changes_no_text_is_stored_too(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(4, 4, "new ")], FIRST)
            await live.edit([Splice(4, 8, "fresh ")], SECOND)
            await live.save()
            assert (shown(live), live.pending()) == ([("", "fresh ")], {"e1", "e2"})
            await live.reject(edits=["e1"], origin=ANN)
            assert (live.text, live.pending()) == ("one fresh two\n", {"e2"})
            left = crash(home)
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, live.pending()) == ("one fresh two\n", {"e2"})


async def test_a_version_is_put_back_as_an_edit_that_can_be_undone(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one two three\n")
        async with document(home, "a.md") as live:
            page = Page(live)
            with live.follow() as follower:
                await follower.news()
                await live.become("one three\n", origin=ANN)
                told = [new for new in await follower.news() if isinstance(new, EditedEvent)]
                assert [item.is_undoable for item in told] == [True]
            assert home.disk("a.md") == b"one three\n"
            page.hear()
            await page.undo()
            assert live.text == "one two three\n"
            assert live.written() == (WrittenSpan(0, 14, BEFORE),)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (JournalEntry(1, b"", {"kind": "saved", "through": 1}), "field required"),
        (JournalEntry(1, b"", {"kind": "new"}), "does not match any of the expected tags"),
        (
            JournalEntry(1, b"", {"kind": "review", "pieces": "[]"}),
            "its pieces are not those of a text",
        ),
    ],
)
async def test_an_entry_that_can_t_be_understood_says_so(
    tmp_path: Path, entry: JournalEntry, reason: str
) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 0, "x")], ANN)
        home.journal.entries["a.md"].append(JournalEntry(99, entry.data, entry.origin))
        with pytest.raises(BadJournal, match=reason):
            async with home.documents.using("a.md"):
                pass


async def test_positions_of_hunks_are_as_yjs_writes_them(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "😀 one two\n")
        async with document(home, "a.md") as live:
            await write(home, "a.md", "😀 2 two\n", FIRST)
            (hunk,) = live.hunks()
            ((start, end),) = live.hunk_places([hunk])
            assert (hunk.old, hunk.new) == ("one", "2")
            assert start == {"item": {"client": written_by(live), "clock": 0}, "assoc": 0}
            assert end == {"item": {"client": written_by(live), "clock": 0}, "assoc": -1}
            await live.reject(origin=ANN)
            await write(home, "a.md", "", FIRST)
            assert live.hunk_places(live.hunks()) == (
                ({"tname": "text", "assoc": 0}, {"tname": "text", "assoc": -1}),
            )


def written_by(live: LiveDocument) -> int:
    """The number under which the server writes."""
    (anchor,) = live.anchor((live.text.index("2"), "right"))
    assert anchor.character is not None
    return anchor.character.client
