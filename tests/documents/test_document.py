"""A live document: stored before it is told, saved with care, merged with the disk."""

from pathlib import Path
from typing import Literal

import anyio
import pytest

from recto.documents import (
    BadUpdate,
    DocumentConflict,
    DocumentState,
    EditedEvent,
    InvalidPosition,
    NotStored,
    ReadOnly,
    Splice,
    UnresolvedConflict,
)
from recto.documents.file_format import FileFormat
from recto.documents.journal_replay import BaseContent
from recto.documents.shared_text import SharedText
from recto.workspace import PathChanged, PathExists, PathNotFound, content_hash
from tests.documents.folder import ANN, RUN, crash, document, folder

pytestmark = pytest.mark.anyio


async def test_an_edit_by_a_peer_reaches_the_others_and_the_file(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        async with document(home, "a.md") as live:
            peer = SharedText(live.updates_since(b"\0"))
            update = peer.splice([Splice(4, 4, " Two 😀.")])
            with live.follow() as other, live.follow() as author:
                live.take_update(update, ANN, by=author)
                await live.store()
                assert await other.news() == (
                    EditedEvent(update, ANN),
                    DocumentState(is_saved=False),
                )
                assert await author.news() == (DocumentState(is_saved=False),)
            assert live.text == peer.text == "One. Two 😀.\n"
            assert await live.save() == DocumentState()
            assert home.disk("a.md").decode() == "One. Two 😀.\n"


async def test_nothing_is_told_before_it_is_stored(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        async with document(home, "a.md") as live:
            with live.follow() as follower:
                home.journal.failure = "the disk is full"
                with pytest.raises(NotStored):
                    await live.edit([Splice(0, 0, "Zero. ")], ANN)
                state = DocumentState(is_saved=False, problem=str(NotStored("the disk is full")))
                assert await follower.news() == (state,)
                home.journal.failure = None
                await live.store()
                news = await follower.news()
                assert [type(new) for new in news] == [EditedEvent]
            assert await live.save() == DocumentState()


async def test_what_was_stored_survives_a_crash(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 0, "Zero. ")], ANN)
            left = crash(home)
    (tmp_path / "a.md").write_bytes(b"One.\n")
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, live.state) == ("Zero. One.\n", DocumentState())
        assert again.disk("a.md") == b"Zero. One.\n"


async def test_a_crash_right_after_the_file_was_written_is_no_conflict(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 0, "Zero. ")], ANN)
            await live.save()
            await live.edit([Splice(0, 0, "Typed later. ")], ANN)
            left = crash(home)
    (tmp_path / "a.md").write_bytes(b"Zero. One.\n")
    entries = left.entries["a.md"]
    left.entries["a.md"] = [
        entry for entry in entries if entry.origin["kind"] != "saved" or entry.seq == 1
    ]
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, live.state.conflict) == ("Typed later. Zero. One.\n", None)


async def test_a_file_put_back_while_recto_was_away_stays_put_back(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "One.\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "Two")], ANN)
            await live.save()
            left = crash(home)
    (tmp_path / "a.md").write_bytes(b"One.\n")
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, again.disk("a.md")) == ("One.\n", b"One.\n")


async def test_a_page_that_was_away_over_a_restart_still_fits(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("One.\n", encoding="utf-8")
    async with folder(tmp_path) as home, document(home, "a.md") as live:
        page, epoch = SharedText(live.updates_since(b"\0")), live.epoch
    update = page.splice([Splice(4, 4, " Offline.")])
    async with folder(tmp_path) as home, document(home, "a.md") as live:
        await live.apply_update(update, ANN)
        assert (live.text, live.epoch) == ("One. Offline.\n", epoch)


async def test_a_change_on_disk_moves_only_what_changed(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\ntwo\nthree\n")
        async with document(home, "a.md") as live:
            anchors = live.anchor((4, "right"), (8, "left"), (9, "right"))
            home.put("a.md", "zero\none\ntwo\nTHREE\n")
            assert await live.check_disk() == DocumentState()
            assert live.text == "zero\none\ntwo\nTHREE\n"
            assert live.find(*anchors)[:2] == (9, 13)


async def test_unsaved_edits_and_a_change_on_disk_go_together(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\ntwo\nthree\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "ONE")], ANN)
            home.put("a.md", "one\ntwo\nTHREE\n")
            assert await live.save() == DocumentState()
            assert home.disk("a.md").decode() == live.text == "ONE\ntwo\nTHREE\n"


async def test_a_true_conflict_keeps_both_versions_until_somebody_chooses(tmp_path: Path) -> None:
    choices: tuple[tuple[Literal["mine", "theirs"], str], ...]
    choices = (("mine", "mine\n"), ("theirs", "theirs\n"))
    for choice, expected in choices:
        async with folder(tmp_path) as home:
            home.put("a.md", "one\n")
            async with document(home, "a.md") as live:
                await live.edit([Splice(0, 3, "mine")], ANN)
                home.put("a.md", "theirs\n")
                state = await live.save(asked=True)
                theirs = BaseContent("theirs\n", content_hash(b"theirs\n"), FileFormat())
                assert state == DocumentState(
                    is_saved=False, conflict=DocumentConflict("mine\n", theirs)
                )
                assert (live.text, home.disk("a.md")) == ("mine\n", b"theirs\n")
                assert await live.resolve(choice, ANN) == DocumentState()
                assert (live.text, home.disk("a.md").decode()) == (expected, expected)


async def test_a_conflict_is_there_again_after_a_crash(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "mine")], ANN)
            home.put("a.md", "theirs\n")
            await live.save()
            left = crash(home)
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert live.state.conflict is not None
        assert (live.text, live.state.conflict.theirs.text) == ("mine\n", "theirs\n")


async def test_a_conflict_ends_when_the_file_is_put_back(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "mine")], ANN)
            home.put("a.md", "theirs\n")
            await live.save()
            home.put("a.md", "one\n")
            assert await live.check_disk() == DocumentState()
            assert home.disk("a.md") == b"mine\n"


async def test_a_deleted_file_is_made_again_only_when_asked(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            (tmp_path / "a.md").unlink()
            assert await live.check_disk() == DocumentState(is_saved=False, is_gone=True)
            await live.edit([Splice(0, 0, "still ")], ANN)
            assert await live.save() == DocumentState(is_saved=False, is_gone=True)
            assert not (tmp_path / "a.md").exists()
            assert await live.save(asked=True) == DocumentState()
            assert home.disk("a.md") == b"still one\n"


async def test_a_file_that_became_a_folder_is_named_as_the_problem(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            (tmp_path / "a.md").unlink()
            (tmp_path / "a.md").mkdir()
            await live.edit([Splice(0, 0, "x")], ANN)
            state = await live.save()
            assert state.problem is not None
            assert "is not an ordinary file" in state.problem
            (tmp_path / "a.md").rmdir()
            home.put("a.md", "one\n")
            assert await live.check_disk() == DocumentState()


async def test_a_letter_the_encoding_lacks_is_kept_and_saved_as_utf8_when_asked(
    tmp_path: Path,
) -> None:
    async with folder(tmp_path) as home:
        home.put("a.txt", "Stra\xdfe\n".encode("cp1252"))
        async with document(home, "a.txt") as live:
            await live.edit([Splice(0, 0, "→ ")], ANN)
            state = await live.save()
            assert state.problem is not None
            assert "cp1252 has no '→'" in state.problem
            assert state.needs_utf8
            assert home.disk("a.txt") == b"Stra\xdfe\n"
            assert await live.save(asked=True, as_utf8=True) == DocumentState()
            assert home.disk("a.txt").decode() == "→ Straße\n"


async def test_a_program_edits_the_live_text_and_people_keep_theirs(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\r\ntwo\r\nthree\r\n")
        seen = content_hash(home.disk("a.md"))
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "ONE")], ANN)
            with live.follow() as follower:
                await follower.news()
                wanted = b"one\r\ntwo\r\nTHREE\r\n"
                new = await home.documents.write("a.md", wanted, expected_hash=seen, origin=RUN)
                told = [item for item in await follower.news() if isinstance(item, EditedEvent)]
            assert [item.origin for item in told] == [RUN]
            assert live.text == "ONE\ntwo\nTHREE\n"
            assert home.disk("a.md") == b"ONE\r\ntwo\r\nTHREE\r\n"
            assert new == content_hash(home.disk("a.md"))


async def test_a_program_that_saw_something_else_is_refused(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\ntwo\n")
        seen = content_hash(b"one\ntwo\n")
        async with document(home, "a.md") as live:
            with pytest.raises(PathChanged):
                await home.documents.write("a.md", b"x", expected_hash="0" * 64, origin=RUN)
            await live.edit([Splice(0, 3, "mine")], ANN)
            with pytest.raises(PathChanged):
                await home.documents.write("a.md", b"ai\ntwo\n", expected_hash=seen, origin=RUN)
            with pytest.raises(PathExists):
                await home.documents.write("a.md", b"x", expected_hash=None, origin=RUN)
            home.put("a.md", "theirs\ntwo\n")
            await live.save()
            with pytest.raises(UnresolvedConflict):
                await home.documents.write("a.md", b"x", expected_hash=seen, origin=RUN)


async def test_a_program_writes_to_the_disk_what_nobody_has_open(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        new = await home.documents.write("new.md", b"text", expected_hash=None, origin=RUN)
        assert (new, home.disk("new.md")) == (content_hash(b"text"), b"text")
        assert home.documents.find("new.md") is None


async def test_a_program_may_change_the_encoding_of_an_open_file(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        old = "caf\xe9 \n".encode("latin-1")
        home.put("a.txt", old)
        async with document(home, "a.txt") as live:
            new = "café →\n".encode()
            await home.documents.write("a.txt", new, expected_hash=content_hash(old), origin=RUN)
            assert (live.text, live.shape.encoding) == ("café →\n", "utf-8")
            assert home.disk("a.txt") == new


async def test_garbage_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            for garbage in (b"", b"\xff" * 40, b"\x01", b"garbage"):
                with pytest.raises(BadUpdate):
                    live.take_update(garbage, ANN)
            with pytest.raises(BadUpdate):
                live.updates_since(b"\xff\xff")
            for splice in (Splice(0, 9, ""), Splice(-1, 0, ""), Splice(3, 2, "")):
                with pytest.raises(InvalidPosition):
                    await live.edit([splice], ANN)
            assert (live.text, live.state, home.journal.entries) == ("one\n", DocumentState(), {})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\0binary", "is not a text file"),
        (b"x" * 10_000_001, "over the limit of 10 MB"),
        (b"\n" * 200_001, "over the limit of 200,000 lines"),
    ],
    ids=["binary", "large", "long"],
)
async def test_what_is_no_text_or_too_large_is_read_only_with_a_reason(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    async with folder(tmp_path) as home:
        home.put("a.bin", content)
        async with home.documents.using("a.bin") as opened:
            assert isinstance(opened, ReadOnly)
            assert reason in opened.reason


async def test_a_file_that_is_not_there_is_not_opened(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        with pytest.raises(PathNotFound):
            async with home.documents.using("none.md"):
                pass


async def test_a_link_and_its_file_are_one_document(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        (tmp_path / "link.md").symlink_to("a.md")
        async with document(home, "a.md") as one, document(home, "link.md") as other:
            assert one is other


async def test_it_saves_a_second_after_the_last_edit(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            with anyio.fail_after(60), live.follow() as follower:
                await follower.news()
                await live.edit([Splice(0, 0, "a")], ANN)
                await home.wait.let_pass(0.9)
                await live.edit([Splice(0, 0, "b")], ANN)
                await home.wait.let_pass(0.9)
                assert home.disk("a.md") == b"one\n"
                await home.wait.let_pass(0.1)
                while live.state != DocumentState():
                    await follower.news()
            assert home.disk("a.md") == b"baone\n"


async def test_what_could_not_be_saved_is_tried_again(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            with anyio.fail_after(60), live.follow() as follower:
                home.journal.failure = "the disk is full"
                with pytest.raises(NotStored):
                    await live.edit([Splice(0, 0, "a")], ANN)
                await home.wait.let_pass(1)
                await home.wait.asked.wait()
                assert live.state.problem == str(NotStored("the disk is full"))
                home.journal.failure = None
                await home.wait.let_pass(5)
                while live.state != DocumentState():
                    await follower.news()
            assert home.disk("a.md") == b"aone\n"


async def test_taking_the_disk_s_version_takes_its_line_endings(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            await live.edit([Splice(0, 3, "mine")], ANN)
            home.put("a.md", b"theirs\r\nlast\n")
            await live.save()
            assert await live.resolve("theirs", ANN) == DocumentState()
            assert (live.text, home.disk("a.md")) == ("theirs\r\nlast\n", b"theirs\r\nlast\n")


async def test_the_last_to_leave_saves_and_the_journal_becomes_one_entry(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            async with document(home, "a.md"):
                await live.edit([Splice(0, 0, "a")], ANN)
            assert home.disk("a.md") == b"one\n"
        assert home.disk("a.md") == b"aone\n"
        assert [item.origin["kind"] for item in home.journal.entries["a.md"]] == ["saved"]
        async with document(home, "a.md") as live:
            assert (live.text, live.state) == ("aone\n", DocumentState())


async def test_looking_at_a_file_writes_nothing(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md"):
            pass
        assert home.journal.entries == {}


async def test_a_long_journal_is_replaced_by_a_snapshot_while_typing(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            for number in range(250):
                await live.edit([Splice(0, 0, str(number % 10))], ANN)
            await live.save()
            assert len(home.journal.entries["a.md"]) < 5
            await live.edit([Splice(0, 0, "z")], ANN)
            left, text = crash(home), live.text
    (tmp_path / "a.md").write_text(text[1:], encoding="utf-8")
    async with folder(tmp_path, left) as again, document(again, "a.md") as live:
        assert (live.text, again.disk("a.md").decode()) == (text, text)


async def test_changes_of_other_folders_are_not_looked_at(tmp_path: Path) -> None:
    async with folder(tmp_path) as home:
        home.put("a.md", "one\n")
        async with document(home, "a.md") as live:
            home.put("a.md", "two\n")
            await home.documents.on_changes(frozenset({"other"}), overflow=False)
            assert live.text == "one\n"
            await home.documents.on_changes(frozenset({""}), overflow=False)
            assert live.text == "two\n"
            home.put("a.md", "three\n")
            await home.documents.on_changes(frozenset(), overflow=True)
            assert live.text == "three\n"
