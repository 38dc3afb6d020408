"""What is kept of drafts that were sent, and formulas that another program did not keep."""

import os
import random
import re
import zipfile
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from recto.publishing.returns.record import SentDraft, SentDrafts
from recto.word import ContentParagraph
from tests.publishing.returned import CoAuthor, bring, brought, draft_of, prepare, send
from tests.word.documents import parts_of

pytestmark = pytest.mark.anyio

MATH = re.compile(rb"<m:oMathPara>.*?</m:oMathPara>|<m:oMath>.*?</m:oMath>", re.DOTALL)


def saved_without_formulas(data: bytes) -> bytes:
    """A document as LibreOffice leaves it where its part for formulas is not installed."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts_of(data).items():
            if name == "word/document.xml":
                content, count = MATH.subn(b"", content)
                assert count > 3
            if name == "docProps/app.xml":
                content = re.sub(rb"Microsoft Word[^<]*", b"LibreOffice/7.4", content)
                assert b"LibreOffice" in content
            archive.writestr(name, content)
    return out.getvalue()


async def test_formulas_that_libreoffice_dropped_are_no_edits_and_stay(tmp_path: Path) -> None:
    text = draft_of(20)
    prepare(tmp_path, text)
    data, sent = await send(tmp_path)

    returned = await bring(tmp_path, sent, saved_without_formulas(data))
    assert (returned.plan.changes, returned.comments) == ((), ())


async def test_words_beside_a_dropped_formula_are_edited_and_commented_on(tmp_path: Path) -> None:
    text = draft_of(20)
    prepare(tmp_path, text)
    data, sent = await send(tmp_path)
    author = CoAuthor(data, text, random.Random(1))
    # They stand before and behind a formula, in a table with one, and below one.
    author.replace("w13x", "new")
    author.insert_after("w14x", "and more")
    author.comment("w15x", "Which?")
    author.replace("w39x", "other")
    author.replace("w49x", "that", tracked=True)
    author.comment("w50x", "Why?")

    returned = await bring(tmp_path, sent, saved_without_formulas(author.saved()))

    assert [change for change in returned.plan.changes if change.why] == []
    assert brought(sent, returned) == author.text
    said = [(text[item.start : item.end], item.body) for item in returned.comments]
    assert sorted(said) == sorted(author.comments)


async def test_somebody_who_deletes_a_formula_in_word_is_told_of_as_before(tmp_path: Path) -> None:
    prepare(tmp_path, draft_of(20))
    data, sent = await send(tmp_path)
    in_word = saved_without_formulas(data)
    with zipfile.ZipFile(BytesIO(in_word)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["docProps/app.xml"] = parts_of(data)["docProps/app.xml"]
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)

    returned = await bring(tmp_path, sent, out.getvalue())
    assert returned.plan.changes


def record(number: int, path: str = "a.md", root: str = "/r") -> SentDraft:
    """A record with one paragraph of its own."""
    told = ContentParagraph(f"words {number}")
    made = SentDraft(f"{number:040x}", root, path, (), False, False, "", "", b"")
    return msgspec.structs.replace(made, paragraphs=(told,))


def test_the_oldest_records_of_a_draft_go_and_only_its_own_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SentDrafts(tmp_path / "sent", most=3)
    kept.keep(record(100, "other.md"))
    for number in range(5):
        kept.keep(record(number))
        for file in (tmp_path / "sent").glob(f"{number:040x}.*"):
            os.utime(file, ns=(1, (number + 1) * 10**9))
    assert [kept.get(f"{number:040x}") is not None for number in range(5)] == [False] * 2 + [
        True
    ] * 3
    assert kept.get(f"{100:040x}") == record(100, "other.md")
    assert kept.get("../../etc") is None

    read: list[Path] = []
    plain = SentDrafts._read  # pyright: ignore[reportPrivateUsage]  # how often it reads is the point

    def noted(self: SentDrafts, file: Path) -> SentDraft | None:
        read.append(file)
        return plain(self, file)

    monkeypatch.setattr(SentDrafts, "_read", noted)
    assert kept.of_draft("/r", "a.md", [ContentParagraph("words 3")]) == record(3)
    assert len(read) == 3
    assert kept.of_draft("/r", "none.md", [ContentParagraph("words 3")]) is None
    assert len(read) == 3


def test_records_of_all_drafts_together_stay_below_a_size(tmp_path: Path) -> None:
    kept = SentDrafts(tmp_path, most_bytes=1)
    kept.keep(record(1, "a.md"))
    kept.keep(record(2, "b.md"))
    assert [kept.get(f"{number:040x}") is not None for number in (1, 2)] == [False, True]
