"""A note stays with its passage, whoever changes the text and wherever the file goes."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from recto.documents import EditOrigin
from recto.margin import (
    AnswerPlace,
    NoPassage,
    PassageChanged,
    PassageNotText,
    PassageTooLong,
    TextPlace,
)
from recto.storage import RecordNotFound
from recto.workspace import PathNotFound as FileGone
from tests.margin.bench import ANN, Margin, margin_at

pytestmark = pytest.mark.anyio

POEM = "The tide is high.\nThe gauge — at Brest — is old.\nNobody reads it now.\n"


@pytest.fixture
async def margin(tmp_path: Path) -> AsyncGenerator[Margin]:
    async with margin_at(tmp_path) as margin:
        margin.put("a.md", POEM)
        yield margin


async def test_a_note_knows_its_passage_and_what_stands_around(margin: Margin) -> None:
    note = await margin.note("a.md", "at Brest", body="Which one?")

    start = POEM.index("at Brest")
    assert (note.path, note.text, note.body) == ("a.md", "at Brest", "Which one?")
    assert (note.before, note.after) == (POEM[:start], POEM[start + 8 :])
    assert (note.author, note.version, note.resolved_ms) == ("person", 1, None)
    assert await margin.shown() == [("a.md", 2, "at Brest")]


async def test_of_a_long_text_only_the_surroundings_are_kept(margin: Margin) -> None:
    margin.put("long.md", "b" * 9000 + "passage" + "a" * 9000)
    note = await margin.note("long.md", "passage")

    assert (note.before, note.after) == ("b" * 5000, "a" * 1000)


async def test_a_page_counts_in_its_own_units(margin: Margin) -> None:
    margin.put("b.md", "😀😀 word")
    note = await margin.notes.add("p1", TextPlace("b.md", 5, 9, is_utf16=True))

    assert note.text == "word"
    with pytest.raises(NoPassage):
        await margin.notes.add("p1", TextPlace("b.md", 1, 9, is_utf16=True))


@pytest.mark.parametrize(("start", "end"), [(3, 3), (5, 2), (-1, 4), (0, 1000), (2000, 2001)])
async def test_a_note_needs_a_passage_of_the_text(margin: Margin, start: int, end: int) -> None:
    with pytest.raises(NoPassage, match="Select some text"):
        await margin.notes.add("p1", TextPlace("a.md", start, end))


@pytest.mark.parametrize(
    ("words", "start", "found"),
    [
        ("word", 3, "😀 |word| and a word"),
        ("word", 2, "😀 |word| and a word"),  # in the middle of a character of the page
        ("word", 8, "😀 |word| and a word"),
        ("word", 11, "😀 word and a |word|"),
        ("word", 9999, "😀 word and a |word|"),
        ("😀", 5, "|😀| word and a word"),
    ],
)
async def test_a_passage_with_its_words_is_found_where_the_text_has_moved_on(
    margin: Margin, words: str, start: int, found: str
) -> None:
    margin.put("b.md", found.replace("|", ""))
    place = TextPlace("b.md", start, start + 1, is_utf16=True, words=words)
    note = await margin.notes.add("p1", place)

    assert f"{note.before}|{note.text}|{note.after}" == found


async def test_words_that_are_gone_are_no_passage(margin: Margin) -> None:
    with pytest.raises(PassageChanged, match="Select it again"):
        await margin.notes.add("p1", TextPlace("a.md", 0, 3, words="never there"))


async def test_nobody_talks_about_a_whole_book_or_a_picture(margin: Margin) -> None:
    margin.put("book.md", "x" * 60_000)
    (margin.folder / "a.png").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(PassageTooLong, match="50,000"):
        await margin.notes.add("p1", TextPlace("book.md", 0, 60_000))
    with pytest.raises(PassageNotText, match=r"a\.png"):
        await margin.notes.add("p1", TextPlace("a.png", 0, 1))
    with pytest.raises(FileGone):
        await margin.notes.add("p1", TextPlace("nothing.md", 0, 1))


async def test_a_passage_moves_with_what_is_written_before_it(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    await margin.replace("a.md", "The tide", "Ü😀\nThe tide")

    assert await margin.shown() == [("a.md", 3, "at Brest")]


async def test_a_passage_keeps_what_is_left_of_it(margin: Margin) -> None:
    await margin.note("a.md", "The gauge — at Brest")
    await margin.replace("a.md", "The gauge — ", "")
    await margin.replace("a.md", "at", "near")

    assert await margin.shown() == [("a.md", 2, "near Brest")]


async def test_what_is_written_at_its_ends_is_not_part_of_it(margin: Margin) -> None:
    await margin.note("a.md", "Brest")
    await margin.replace("a.md", "at ", "at (old) ")
    await margin.replace("a.md", " — is", "! — is")

    assert await margin.shown() == [("a.md", 2, "Brest")]


async def test_a_note_whose_passage_is_deleted_keeps_its_text_and_comes_back(
    margin: Margin,
) -> None:
    note = await margin.note("a.md", "The gauge — at Brest — is old.\n")
    await margin.replace("a.md", "The gauge — at Brest — is old.\n", "")

    (placed,) = await margin.notes.list("p1")
    assert (placed.is_detached, placed.line, placed.positions) == (True, None, None)
    assert placed.note == note

    await margin.replace("a.md", "Nobody", "The gauge — at Brest — is old.\nNobody")
    assert await margin.shown() == [("a.md", 2, "The gauge — at Brest — is old.\n")]
    await margin.replace("a.md", "The tide", "Well. The tide")
    (placed,) = await margin.notes.list("p1")
    assert placed.note.anchor != note.anchor
    assert placed.note.updated_ms == note.updated_ms


async def test_a_passage_that_an_ai_rewrites_is_what_it_wrote(margin: Margin) -> None:
    run = EditOrigin("run", "e1", pending=True)
    await margin.note("a.md", "The gauge — at Brest — is old.")
    await margin.replace("a.md", "The gauge — at Brest — is old.", "Nothing remains here!", run)
    assert await margin.shown() == [("a.md", 2, "Nothing remains here!")]

    async with margin.open("a.md") as live:
        await live.reject(origin=ANN)
    assert await margin.shown() == [("a.md", 2, "The gauge — at Brest — is old.")]


async def test_what_a_person_writes_instead_is_another_passage(margin: Margin) -> None:
    await margin.note("a.md", "The gauge — at Brest — is old.")
    await margin.replace("a.md", "The gauge — at Brest — is old.", "Nothing remains here!")

    assert await margin.shown() == [("a.md", None, None)]


async def test_the_same_word_somewhere_else_is_not_the_passage(margin: Margin) -> None:
    margin.put("b.md", "One tide.\n\nAnother tide.\n")
    await margin.note("b.md", "tide")
    await margin.replace("b.md", "One tide.", "One.")

    assert await margin.shown() == [("b.md", None, None)]


async def test_a_paragraph_that_is_cut_and_pasted_takes_its_note_along(margin: Margin) -> None:
    await margin.note("a.md", "Brest")
    await margin.replace("a.md", "The gauge — at Brest — is old.\n", "")
    await margin.replace("a.md", "now.\n", "now.\nThe gauge — at Brest — is old.\n")

    assert await margin.shown() == [("a.md", 3, "Brest")]


async def test_a_change_on_disk_moves_the_note_of_a_closed_file(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    margin.put("a.md", "# Tides\n\n" + POEM.replace("The gauge", "Every gauge"))

    assert await margin.shown() == [("a.md", 4, "at Brest")]


async def test_a_change_on_disk_moves_the_note_of_an_open_file(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    async with margin.open("a.md") as live:
        margin.put("a.md", "# Tides\n\n" + POEM)
        await margin.documents.on_changes(frozenset({""}), overflow=False)
        assert live.text.startswith("# Tides")
        assert await margin.shown() == [("a.md", 4, "at Brest")]


async def test_notes_survive_a_restart_and_what_was_changed_meanwhile(tmp_path: Path) -> None:
    async with margin_at(tmp_path) as margin:
        margin.put("a.md", POEM)
        await margin.note("a.md", "at Brest")
        await margin.replace("a.md", "The tide", "One\nThe tide")
    (tmp_path / "folder" / "a.md").write_text("Two\nOne\n" + POEM, encoding="utf-8")
    async with margin_at(tmp_path) as margin:
        assert await margin.shown() == [("a.md", 4, "at Brest")]


async def test_a_file_that_is_made_anew_gets_its_notes_back_by_their_words(
    margin: Margin,
) -> None:
    await margin.note("a.md", "Brest")
    (margin.folder / "a.md").unlink()
    assert await margin.shown() == [("a.md", None, None)]

    run = EditOrigin("run", "e1", pending=True)
    await margin.documents.create("a.md", ("Anew.\n" + POEM).encode(), origin=run)
    assert await margin.shown() == [("a.md", 3, "Brest")]


async def test_characters_that_a_crash_took_are_found_by_their_words(margin: Margin) -> None:
    kept = await margin.note("a.md", "The tide is high.")
    lost = await margin.note("a.md", "The gauge — at Brest — is old.")
    gone = await margin.note("a.md", "Nobody")
    for note in (lost, gone):
        assert note.anchor is not None
        start = {**note.anchor["start"], "clock": 9_000}
        async with margin.storage.write() as write:
            await margin.storage.notes.change(
                write, note.id, anchor={**note.anchor, "start": start}
            )
    margin.put("a.md", POEM.replace("Nobody reads it now.", "Nobody."))

    shown = await margin.shown()
    assert shown[:2] == [
        ("a.md", 1, "The tide is high."),
        ("a.md", 2, "The gauge — at Brest — is old."),
    ]
    assert kept.text == "The tide is high."
    assert shown[2] == ("a.md", 3, "Nobody")


async def test_a_move_by_a_tool_takes_notes_journal_and_edits_along(margin: Margin) -> None:
    margin.put("notes/b.md", POEM)
    await margin.note("notes/b.md", "at Brest")
    await margin.replace("notes/b.md", "The tide", "One\nThe tide")
    (margin.folder / "notes").rename(margin.folder / "moved")
    await margin.notes.follow_move("p1", "notes", "moved")

    assert await margin.shown() == [("moved/b.md", 3, "at Brest")]
    async with margin.open("moved/b.md") as live:
        assert {item.author.who for item in live.written()} == {"before", "person"}


@pytest.mark.parametrize("new", ["b.md", "deep/down/a.md"])
async def test_a_file_that_another_program_moves_is_followed(margin: Margin, new: str) -> None:
    margin.put("other.md", "Something else of another length")
    await margin.note("a.md", "at Brest")
    await margin.replace("a.md", "The tide", "One\nThe tide")
    (margin.folder / new).parent.mkdir(parents=True, exist_ok=True)
    (margin.folder / "a.md").rename(margin.folder / new)

    assert await margin.shown() == [(new, 3, "at Brest")]
    async with margin.open(new) as live:
        assert {item.author.who for item in live.written()} == {"before", "person"}


async def test_a_file_that_was_moved_while_nothing_ran_is_followed(tmp_path: Path) -> None:
    async with margin_at(tmp_path) as margin:
        margin.put("a.md", POEM)
        await margin.note("a.md", "at Brest")
    (tmp_path / "folder" / "a.md").rename(tmp_path / "folder" / "b.md")
    async with margin_at(tmp_path) as margin:
        assert await margin.shown() == [("b.md", 2, "at Brest")]


async def test_a_moved_file_that_somebody_has_open_already_is_followed(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    await margin.replace("a.md", "The tide", "One\nThe tide")
    (margin.folder / "a.md").rename(margin.folder / "b.md")

    async with margin.open("b.md"):
        assert await margin.shown() == [("b.md", 3, "at Brest")]


async def test_of_two_files_with_the_same_text_that_with_the_name_is_the_one(
    margin: Margin,
) -> None:
    await margin.note("a.md", "at Brest")
    (margin.folder / "a.md").unlink()
    margin.put("x/a.md", POEM)
    margin.put("x/b.md", POEM)

    assert await margin.shown() == [("x/a.md", 2, "at Brest")]


async def test_a_file_with_notes_of_its_own_is_no_new_one(margin: Margin) -> None:
    margin.put("copy.md", POEM)
    await margin.note("a.md", "at Brest")
    await margin.note("copy.md", "Nobody")
    (margin.folder / "a.md").unlink()

    assert await margin.shown() == [("a.md", None, None), ("copy.md", 3, "Nobody")]


async def test_a_deleted_file_is_looked_for_again_only_among_other_names(
    margin: Margin,
) -> None:
    await margin.note("a.md", "at Brest")
    (margin.folder / "a.md").rename(margin.folder / ".." / "elsewhere.md")
    assert await margin.shown() == [("a.md", None, None)]
    assert await margin.shown() == [("a.md", None, None)]
    os.rename(margin.folder / ".." / "elsewhere.md", margin.folder / "back.md")

    assert await margin.shown() == [("back.md", 2, "at Brest")]


async def test_what_is_no_text_any_more_has_no_passages(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    (margin.folder / "a.md").write_bytes(b"\0\1\2")

    assert await margin.shown() == [("a.md", None, None)]


async def test_pages_hear_of_a_passage_that_goes_and_comes_back(margin: Margin) -> None:
    note = await margin.note("a.md", "The gauge — at Brest — is old.")
    other = await margin.note("a.md", "Nobody")
    here = frozenset({""})
    heard = [f"{note.id} created", f"{other.id} created"]
    await margin.notes.on_changes("p1", here)
    assert await margin.told() == heard

    margin.put("a.md", POEM.replace("The gauge — at Brest — is old.\n", ""))
    await margin.notes.on_changes("p1", frozenset({"elsewhere"}))
    assert await margin.told() == heard
    await margin.notes.on_changes("p1", here)
    await margin.notes.on_changes("p1", here)
    heard.append(f"{note.id} updated")
    assert await margin.told() == heard

    margin.put("a.md", POEM)
    await margin.notes.on_changes("p1", frozenset(), overflow=True)
    heard.append(f"{note.id} updated")
    assert await margin.told() == heard


async def test_a_position_for_a_page_names_the_first_and_the_last_character(
    margin: Margin,
) -> None:
    await margin.note("a.md", "at Brest")
    (placed,) = await margin.notes.list("p1", path="a.md")
    assert placed.positions is not None
    epoch, first, last = placed.positions

    async with margin.open("a.md") as live:
        assert epoch == live.epoch
        start = POEM.index("at Brest")
        assert [first["item"], last["item"]] == [
            {"client": client_of(first), "clock": start},
            {"client": client_of(first), "clock": start + 7},
        ]
    assert (first["assoc"], last["assoc"]) == (0, -1)


def client_of(position: dict[str, dict[str, int] | str | int]) -> int:
    item = position["item"]
    assert isinstance(item, dict)
    return item["client"]


async def test_a_note_on_an_answer_has_no_file(margin: Margin) -> None:
    async with AsyncExitStack() as stack:
        write = await stack.enter_async_context(margin.storage.write())
        await margin.storage.chats.add(write, id="c1", project_id="p1", title="", meta={})
        await margin.storage.chats.append(write, "c1", id="e1", kind="assistant", body={})
    note = await margin.notes.add("p1", AnswerPlace("c1", "e1", "the answer", 1), body="Sure?")

    assert note.answer == {"chatId": "c1", "entryId": "e1", "occurrence": 1}
    (placed,) = await margin.notes.list("p1")
    assert (placed.note, placed.is_detached, placed.positions) == (note, False, None)
    with pytest.raises(RecordNotFound, match="entry e2"):
        await margin.notes.add("p1", AnswerPlace("c1", "e2", "the answer", 1))
    with pytest.raises(RecordNotFound, match="chat c1"):
        await margin.notes.add("p2", AnswerPlace("c1", "e1", "the answer", 1))
    with pytest.raises(NoPassage):
        await margin.notes.add("p1", AnswerPlace("c1", "e1", " ", 1))


async def test_a_note_is_changed_resolved_and_deleted(margin: Margin) -> None:
    note = await margin.note("a.md", "at Brest", body="Old")
    changed = await margin.notes.change(note.id, version=1, body="New")
    assert (changed.body, changed.resolved_ms, changed.version) == ("New", None, 2)
    resolved = await margin.notes.change(note.id, resolved=True)
    assert resolved.resolved_ms is not None
    assert (await margin.notes.change(note.id, resolved=False)).resolved_ms is None
    await margin.notes.delete(note.id)
    with pytest.raises(RecordNotFound):
        await margin.notes.get(note.id)


async def test_a_conversation_begins_once(margin: Margin) -> None:
    note = await margin.note("a.md", "at Brest")
    first = await margin.notes.begin_conversation(note.id, "c1")
    second = await margin.notes.begin_conversation(note.id, "c2")

    assert (first.chat_id, second.chat_id) == ("c1", "c1")
    assert await margin.notes.by_chat("c1") == second


async def test_comments_that_are_sent_together_are_numbered(margin: Margin) -> None:
    one, two = await margin.note("a.md", "at Brest"), await margin.note("a.md", "Nobody")
    await margin.notes.mark_sent([two.id, one.id], "c1", "t1")

    assert [(await margin.notes.get(note.id)).sent for note in (one, two)] == [
        {"chatId": "c1", "turnId": "t1", "number": 2},
        {"chatId": "c1", "turnId": "t1", "number": 1},
    ]


async def test_an_edit_of_ann_and_one_of_a_run_move_the_same_note(margin: Margin) -> None:
    await margin.note("a.md", "at Brest")
    async with margin.open("a.md"):
        await margin.replace("a.md", "The tide", "One.\nThe tide", ANN)
        await margin.replace("a.md", "The tide", "Two.\nThe tide", EditOrigin("run", "e1"))
        assert await margin.shown() == [("a.md", 4, "at Brest")]
