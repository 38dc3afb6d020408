"""Real documents, part by part: what an edit or a comment changes, and that nothing else does."""

import io
import re
import socket
from collections.abc import Callable

import docx
import pytest

from recto.word import NumberedTexts
from recto.word.operations import CommentOn, ResolveComment, comment, settle_comment
from tests.word.abstract import abstract
from tests.word.documents import (
    DATE,
    MAIN,
    RECTO,
    R,
    by_hand,
    by_python_docx,
    edited,
    lines_of,
    paragraph,
    parts_of,
    run,
    settled,
    show_page,
    view_of,
)
from tests.word.test_page_edits import SAMPLE, by_pandoc

corpus = pytest.mark.parametrize(
    "make", [by_python_docx, abstract, SAMPLE.read_bytes, by_pandoc],
    ids=["python-docx", "abstract", "sample", "pandoc"],
)  # fmt: skip
PARAGRAPH = re.compile(rb"<w:p[ >].*?</w:p>|<w:p/>", re.DOTALL)
OF_COMMENTS = {
    "[Content_Types].xml",
    "word/_rels/document.xml.rels",
    "word/comments.xml",
    "word/commentsExtended.xml",
    MAIN,
}


def changed_parts(before: bytes, after: bytes) -> set[str]:
    """The parts that are others, or new; none may be gone."""
    old, new = parts_of(before), parts_of(after)
    assert set(old) <= set(new)
    return {name for name in new if old.get(name) != new[name]}


def changed_paragraphs(before: bytes, after: bytes) -> int:
    """How many paragraphs of the body are others; what lies between all of them is the same."""
    was, now = parts_of(before)[MAIN], parts_of(after)[MAIN]
    old, new = PARAGRAPH.findall(was), PARAGRAPH.findall(now)
    assert len(old) == len(new)
    assert PARAGRAPH.split(was)[1:] == PARAGRAPH.split(now)[1:]
    return sum(one != other for one, other in zip(old, new, strict=True))


@corpus
def test_one_edit_by_ai_in_any_paragraph_changes_that_one_and_can_be_taken_out(
    make: Callable[[], bytes],
) -> None:
    data = make()
    view = view_of(data)
    tried = 0
    for at, line in enumerate(view.lines):
        items = line.paragraphs
        if len(items) != 1 or len(items[0].text.split()) < 2 or items[0].in_cell:
            continue
        if items[0].story.name != view.document.main:
            continue
        after = edited(data, at, at, f"{line.text} indeed")
        assert changed_parts(data, after) == {MAIN}
        assert changed_paragraphs(data, after) == 1
        assert lines_of(settled(after, accept=False)) == lines_of(data)
        assert f"{line.text} indeed" in lines_of(settled(after, accept=True))
        tried += 1
    assert tried > 0


@corpus
def test_one_comment_changes_its_paragraph_and_the_parts_that_comments_need(
    make: Callable[[], bytes],
) -> None:
    data = make()
    page = show_page(data, NumberedTexts())
    texts = zip(page.numbered.numbers, page.numbered.texts, strict=True)
    number, text = next((number, text) for number, text in texts if len(text.split()) > 3)
    asked = CommentOn("Why?", RECTO, DATE, page.numbered, paragraph=number, place=(0, len(text)))

    after = comment(asked, [data]).data

    assert {MAIN, "word/comments.xml"} <= changed_parts(data, after) <= OF_COMMENTS
    assert changed_paragraphs(data, after) == 1
    said = [(item.author, item.text) for item in docx.Document(io.BytesIO(after)).comments]
    assert (RECTO, "Why?") in said


def test_what_is_resolved_in_word_is_resolved_here_and_the_other_way_round() -> None:
    data = by_python_docx()
    page = show_page(data, NumberedTexts())
    done = settle_comment(ResolveComment("0", done=True, known=page.numbered), [data]).data
    # As Word says it: a part of its own, by the id of the comment's last paragraph.
    extended = parts_of(done)["word/commentsExtended.xml"]
    assert b'w15:done="1"' in extended
    assert "resolved]" in "\n".join(lines_of(done))
    again = settle_comment(ResolveComment("0", done=False, known=page.numbered), [done]).data
    assert b'w15:done="1"' not in parts_of(again)["word/commentsExtended.xml"]
    assert "resolved]" not in "\n".join(lines_of(again))


def test_nothing_outside_of_a_document_is_ever_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        outside = "".join(
            f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{address}/{name}" '
            'TargetMode="External"/>'
            for name, kind in (
                ("template", "attachedTemplate"), ("picture", "image"), ("frame", "subDocument"),
                ("chunk", "aFChunk"), ("header", "header"), ("notes", "footnotes"),
            )
        )  # fmt: skip
        picture = (
            '<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/'
            '2006/main" r:link="picture"/></w:drawing></w:r></w:p>'
        )
        chunk = '<w:altChunk r:id="chunk"/>'
        rels = f'<Relationships xmlns="{R.replace("officeDocument/2006", "package/2006")}">'
        data = by_hand(
            f"{paragraph('Words that stay.')}{picture}{chunk}",
            {"word/_rels/document.xml.rels": f"{rels}{outside}</Relationships>"},
        )
        page = show_page(data, NumberedTexts())
        assert "Words that stay." in page.numbered.texts
        assert "¶1 Other words." in lines_of(edited(data, 0, 0, "¶1 Other words."))
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_page_breaks_fields_and_what_nobody_knows_keep_their_bytes_beside_an_edit() -> None:
    kept = (
        '<w:p><w:r><w:br w:type="page"/></w:r><w:r><w:lastRenderedPageBreak/></w:r>'
        '<w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple>'
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("toc")}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        '<w:unheardOf  w:odd = "1"><!-- kept --></w:unheardOf></w:p>'
    )
    data = by_hand(f"{kept}{paragraph('one word')}{kept}")
    at = next(at for at, line in enumerate(lines_of(data)) if "one word" in line)

    after = edited(data, at, at, "¶2 another word")

    assert parts_of(after)[MAIN].decode().count(kept) == 2
    assert changed_parts(data, after) == {MAIN}
