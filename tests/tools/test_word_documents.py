"""Word documents through the tools: read, searched and edited where people see what was done."""

import io
from pathlib import Path

import docx
import pytest

from recto.processes import run
from recto.tools import Effect
from recto.word.foreign_formats import pandoc
from tests.tools.bench import Bench
from tests.word.documents import (
    MAIN,
    by_hand,
    by_python_docx,
    lines_of,
    paragraph,
    parts_of,
    settled,
)

pytestmark = pytest.mark.anyio


async def test_a_word_document_is_read_searched_and_edited_with_numbers_that_stay(
    bench: Bench,
) -> None:
    bench.write("report.docx", by_python_docx())

    told = await bench.say("read_file", path="report.docx")
    assert "\t¶3 The quick bold and more words, here.\n" in told
    assert '    [comment 0 by Cleo on "A commented sentence."] Please check' in told
    found = await bench.say("search_content", query="commented SENTENCE")
    assert found.startswith("report.docx\n")
    assert "¶12 A commented sentence." in found

    said = await bench.say(
        "edit_file",
        path="report.docx",
        old_string="The quick bold and more words",
        new_string="A quick bold and few words",
    )

    assert "as tracked changes" in said
    assert "¶3 A quick bold and few words, here." in said
    (change,) = bench.notes[-1]
    assert isinstance(change, Effect)
    assert change.before is not None
    assert change.before.data == by_python_docx_saved(bench)
    made = bench.read("report.docx")
    assert parts_of(settled(made, accept=False))[MAIN] == parts_of(change.before.data)[MAIN]
    run_texts = docx.Document(io.BytesIO(settled(made, accept=True))).paragraphs[2].text
    assert run_texts == "A quick bold and few words, here."

    # Paragraphs before it come and go: each keeps its number.
    again = await bench.say(
        "edit_file",
        path="report.docx",
        old_string="¶2 # Method",
        new_string="¶2 # Method\nA new paragraph.",
    )
    assert "A new paragraph." in again
    later = await bench.say("read_file", path="report.docx")
    assert "\t¶3 A quick bold and few words, here.\n" in later
    assert "¶14 A new paragraph." in later


def by_python_docx_saved(bench: Bench) -> bytes:
    """What the first change found."""
    (change,) = bench.notes[0]
    assert isinstance(change, Effect)
    assert change.before is not None
    return change.before.data


async def test_a_passage_that_is_not_there_or_not_alone_is_an_error_with_what_is(
    bench: Bench,
) -> None:
    bench.write("a.docx", by_hand(paragraph("Tea is green.") + paragraph("Tea is black.")))

    missing = await bench.fail(
        "edit_file", path="a.docx", old_string="Tea is grean.", new_string="x"
    )
    twice = await bench.fail("edit_file", path="a.docx", old_string="Tea is", new_string="x")
    numbered = await bench.fail("edit_file", path="a.docx", old_string="¶9 Tea", new_string="x")

    assert "has no such passage" in missing
    assert "¶1 Tea is green." in missing
    assert "has this passage 2 times" in twice
    assert "has no such passage" in numbered
    assert bench.notes == []


async def test_a_passage_over_several_paragraphs_needs_no_numbers(bench: Bench) -> None:
    bench.write("a.docx", by_hand(paragraph("one") + paragraph("two") + paragraph("three")))

    await bench.say(
        "edit_file", path="a.docx", old_string="one\ntwo", new_string="one\nin between\ntwo!"
    )

    made = settled(bench.read("a.docx"), accept=True)
    assert [line.partition(" ")[2] for line in lines_of(made)] == [
        "one", "in between", "two!", "three",
    ]  # fmt: skip


async def test_a_comment_is_answered_and_resolved_and_a_new_one_made(bench: Bench) -> None:
    bench.write("a.docx", by_python_docx())

    await bench.say("add_comment", path="a.docx", text="Done.", answer_to="0", resolve=True)
    await bench.say("add_comment", path="a.docx", text="Which?", paragraph="¶3", words="bold")

    told = await bench.say("read_file", path="a.docx")
    assert '[comment 0 by Cleo on "A commented sentence.", resolved] Please check' in told
    assert "[answer 1 by Recto (Test)] Done." in told
    assert '[comment 2 by Recto (Test) on "bold"] Which?' in told
    assert "which paragraph" in await bench.fail("add_comment", path="a.docx", text="x")


async def test_a_document_that_word_has_open_says_so(bench: Bench) -> None:
    bench.write("a.docx", by_hand(paragraph("one")))
    bench.write("~$a.docx", b"\x03Ada" + b"\0" * 158)

    assert (await bench.say("read_file", path="a.docx")).endswith(
        "[Word (Ada) has this document open.]"
    )
    said = await bench.say("edit_file", path="a.docx", old_string="one", new_string="two")
    assert "Word (Ada) has the document open: close it there without saving" in said


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 broken", by_hand("<w:p>")])
async def test_a_broken_word_file_is_a_clear_error(bench: Bench, data: bytes) -> None:
    bench.write("a.docx", data)
    told = await bench.fail("read_file", path="a.docx")
    assert told.startswith('"a.docx" is not a Word document that can be read: ')


@pytest.mark.parametrize("tool", ["write_file", "create_file"])
async def test_text_is_not_written_into_a_word_document(bench: Bench, tool: str) -> None:
    told = await bench.fail(tool, path="new.docx", content="# Hi")
    assert "Write Markdown (.md) instead" in told
    assert bench.notes == []


@pytest.mark.parametrize("kind", ["odt", "rtf"])
async def test_documents_of_other_word_processors_come_as_markdown(
    bench: Bench, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "made.md").write_text("# Title\n\nSome *words*.")
    argv = [pandoc(), "-s", "made.md", "-o", f"made.{kind}"]
    ended = await run(argv, cwd=str(tmp_path), timeout_s=60, max_bytes=10_000)
    assert ended.code == 0
    bench.write(f"a.{kind}", (tmp_path / f"made.{kind}").read_bytes())

    told = await bench.say("read_file", path=f"a.{kind}")

    assert "Some *words*." in told


async def test_what_no_reader_reads_says_what_to_do(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # without LibreOffice
    bench.write("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    bench.write("bad.odt", b"nothing")

    assert "save it as .docx" in await bench.fail("read_file", path="old.doc")
    assert "can't be read as text" in await bench.fail("read_file", path="bad.odt")
