"""What a person does on the page: only that changes, tracked or at once, and can be taken back."""

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest

from recto.processes import find_pandoc
from recto.word import EditRefused, NumberedTexts
from recto.word.changes.text_merge import merge_texts
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.shapes import block_shape
from recto.word.page.edits import (
    AddParagraph,
    AddRow,
    BringBack,
    FormatSpan,
    FormatText,
    JoinParagraphs,
    LinkText,
    PageEdit,
    RemoveParagraph,
    RemoveRow,
    SetText,
    SplitParagraph,
    StyleParagraph,
)
from tests.word.abstract import abstract
from tests.word.documents import (
    DATE,
    MAIN,
    WholeEdit,
    body_of,
    by_hand,
    by_python_docx,
    edit_page,
    lines_of,
    page_edit,
    paragraph,
    parts_of,
    run,
    settled,
    show_page,
)

ANN = "Ann"


def made(data: bytes, *edits: PageEdit, tracked: bool = True) -> tuple[bytes, WholeEdit]:
    """A document with edits of Ann's."""
    page = show_page(data, NumberedTexts())
    return edit_page(data, page_edit(page.numbered, edits, ANN, DATE, tracked))


def blocks(page: WholeEdit) -> list[dict[str, Any]]:
    """The blocks of a page."""
    return [json.loads(item) for item in page.page.blocks]


def texts(data: bytes) -> list[str]:
    """The words of each paragraph, without numbers."""
    lines = [line for line in lines_of(data) if not line.startswith("[")]
    return [line.partition(" ")[2] if line.startswith("¶") else line for line in lines]


BASE = by_hand(paragraph("one two three") + paragraph("four five") + paragraph("six"))

EDITS: list[tuple[str, list[PageEdit], list[str]]] = [
    ("letters", [SetText(1, "one two three", "one twofold three")],
     ["one twofold three", "four five", "six"]),
    ("cut", [SplitParagraph(1, "one two three", 4, -1)],
     ["one ", "two three", "four five", "six"]),
    ("cut and typed in", [SplitParagraph(1, "one two three", 4, -1), SetText(-1, "two three", "2")],
     ["one ", "2", "four five", "six"]),
    ("joined", [JoinParagraphs(1, "one two three", 2, "four five", "one two three, four five")],
     ["one two three, four five", "six"]),
    ("joined over one", [RemoveParagraph(2, "four five"),
                         JoinParagraphs(1, "one two three", 3, "six", "one six")],
     ["one six"]),
    ("added", [AddParagraph(2, "and a half", "", -1)],
     ["one two three", "four five", "and a half", "six"]),
    ("added at the end", [AddParagraph(3, "seven", "", -1)],
     ["one two three", "four five", "six", "seven"]),
    ("removed", [RemoveParagraph(2, "four five")], ["one two three", "six"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edits", "wanted"), [item[1:] for item in EDITS], ids=[i[0] for i in EDITS]
)
def test_an_edit_is_what_was_meant_and_rejected_nothing_at_all(
    edits: list[PageEdit], wanted: list[str]
) -> None:
    at_once, _ = made(BASE, *edits, tracked=False)
    tracked, _ = made(BASE, *edits)

    assert [line.rstrip() for line in texts(at_once)] == [line.rstrip() for line in wanted]
    assert f'w:author="{ANN}"' not in body_of(at_once)
    assert "made at once" not in body_of(at_once)
    accepted = settled(tracked, accept=True, author=ANN)
    assert [line.rstrip() for line in texts(accepted)] == [line.rstrip() for line in wanted]
    assert body_of(settled(tracked, accept=False, author=ANN)) == body_of(BASE)


def test_going_on_to_type_leaves_one_change_and_taking_it_back_none() -> None:
    def then(data: bytes, page: WholeEdit, edit: PageEdit) -> tuple[bytes, WholeEdit]:
        later = page_edit(page.page.numbered, (edit,), ANN, "2026-11-18T11:00:00Z", True)
        return edit_page(data, later)

    typed, page = then(
        *made(BASE, SetText(3, "six", "six sev")), SetText(3, "six sev", "six seven")
    )
    assert [item["text"] for item in json.loads(page.page.frame)["changes"]] == [" seven"]
    untyped, _ = then(typed, page, SetText(3, "six seven", "six"))
    assert body_of(untyped) == body_of(BASE)
    deleted = made(BASE, SetText(1, "one two three", "one three"))
    put_back, _ = then(*deleted, SetText(1, "one three", "one two three"))
    assert body_of(put_back) == body_of(BASE)
    cut = made(BASE, SplitParagraph(1, "one two three", 4, -1))
    joined, _ = then(*cut, JoinParagraphs(1, "one ", 4, "two three", "one two three"))
    assert body_of(joined) == body_of(BASE)


TABLE = (
    "<w:tbl><w:tblPr/>"
    + "".join(f"<w:tr><w:tc>{paragraph(one)}</w:tc><w:tc>{paragraph(two)}</w:tc></w:tr>"
              for one, two in ("ab", "cd"))
    + "</w:tbl>"
)  # fmt: skip
PICTURE = (
    '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><wp:docPr id="1" name="x" descr="A gauge"/></wp:inline></w:drawing>'
    "</w:r>"
)
RICH = by_hand(
    f"<w:p>{run('see ')}{PICTURE}{run(' here', '<w:rPr><w:b/></w:rPr>')}</w:p>{TABLE}"
    + paragraph("last", '<w:pPr><w:jc w:val="center"/></w:pPr>')
)
SEE = "see ![A gauge] here"
UNDONE: dict[str, tuple[list[PageEdit], list[PageEdit]]] = {
    "first paragraph": (
        [RemoveParagraph(1, SEE)],
        [BringBack("paragraph", 1, 0, 2, SEE, "", beside_table=True)],
    ),
    "last paragraph": (
        [RemoveParagraph(6, "last")],
        [BringBack("paragraph", 6, 5, 0, "last", "", beside_table=True)],
    ),
    "picture": ([SetText(1, SEE, "see  here")], [SetText(1, "see  here", SEE)]),
    "row": ([RemoveRow(4)], [BringBack("row", 4, 2, 0, "", "")]),
    "first row": ([RemoveRow(2)], [BringBack("row", 2, 0, 4, "", "")]),
    "table": ([RemoveRow(2), RemoveRow(4)], [BringBack("table", 2, 1, 0, "", "")]),
}


@pytest.mark.parametrize("tracked", [False, True], ids=["direct", "tracked"])
@pytest.mark.parametrize("undone", UNDONE.values(), ids=UNDONE)
def test_what_was_taken_away_comes_back_as_it_was(
    undone: tuple[list[PageEdit], list[PageEdit]], *, tracked: bool
) -> None:
    edits, back = undone
    data, page = made(RICH, *edits, tracked=tracked)
    assert body_of(data) != body_of(RICH)
    later = page_edit(page.page.numbered, tuple(back), ANN, DATE, tracked, page.kept)

    restored, after = edit_page(data, later)

    assert body_of(restored) == body_of(RICH)
    assert after.page.numbered.numbers == show_page(RICH, NumberedTexts()).numbered.numbers


def test_what_nobody_kept_comes_back_as_its_words_and_a_first_paragraph_before_all() -> None:
    data, page = made(BASE, RemoveParagraph(1, "one two three"), tracked=False)
    back = BringBack("paragraph", 1, 0, 2, "one two three", "")
    later = page_edit(page.page.numbered, (back,), ANN, DATE, False)
    restored, _ = edit_page(data, later)
    assert texts(restored) == texts(BASE)


def test_a_new_row_is_typed_in_at_once() -> None:
    data, page = made(
        RICH, AddRow(4, (-1, -2)), SetText(-1, "", "e"), SetText(-2, "", "f"), tracked=False
    )
    rows = docx.Document(io.BytesIO(data)).tables[0].rows
    assert [[cell.text for cell in row.cells] for row in rows] == [
        ["a", "b"], ["c", "d"], ["e", "f"],
    ]  # fmt: skip
    assert set(page.made) == {-1, -2}


def test_formats_styles_lists_links_and_rows() -> None:
    data = by_python_docx()
    page = show_page(data, NumberedTexts())
    by_text = {json.loads(item).get("text"): json.loads(item) for item in page.blocks}
    third = by_text["The quick bold and more words, here."]
    number, base = third["number"], third["text"]
    edits = (
        FormatText(number, base, (FormatSpan(0, 3, italic=True), FormatSpan(10, 14, bold=True))),
        LinkText(number, base, 19, 23, "https://example.org/?a=1&b=2"),
        StyleParagraph(by_text["The end of teh document."]["number"], "Heading2"),
        StyleParagraph(by_text["A commented sentence."]["number"], "", "number"),
        AddRow(7),
        RemoveRow(9),
    )
    after, edited = edit_page(data, page_edit(page.numbered, edits, ANN, DATE, False))

    read = docx.Document(io.BytesIO(after))
    changed = read.paragraphs[2]
    assert [(item.text, item.italic, item.bold) for item in changed.runs][:2] == [
        ("The", True, None), (" quick ", None, None),
    ]  # fmt: skip
    assert [(item.text, item.address) for item in changed.hyperlinks] == [
        ("more", "https://example.org/?a=1&b=2")
    ]
    assert read.paragraphs[-1].style is not None
    assert read.paragraphs[-1].style.name == "Heading 2"
    shown = {item.get("text"): item for item in blocks(edited)}
    assert shown["A commented sentence."]["marker"] == "1."
    assert [[cell.text for cell in row.cells] for row in read.tables[0].rows] == [
        ["cell 0", "cell 1"], ["", ""],
    ]  # fmt: skip
    was, now = parts_of(data), parts_of(after)
    assert {name for name in now if was.get(name) != now[name]} == {
        MAIN, "word/_rels/document.xml.rels", "word/numbering.xml",
    }  # fmt: skip
    tracked, _ = edit_page(data, page_edit(page.numbered, (edits[0], edits[2]), ANN, DATE, True))
    back = settled(tracked, accept=False, author=ANN)
    assert [block_shape(item) for item in WordDocument(back).body] == [
        block_shape(item) for item in WordDocument(data).body
    ]


def test_only_the_paragraph_that_is_typed_in_changes() -> None:
    data = abstract()
    page = show_page(data, NumberedTexts())
    paragraphs = [json.loads(item) for item in page.blocks]
    summary = next(item for item in paragraphs if item.get("text", "").startswith("A tide gauge"))
    edit = SetText(summary["number"], summary["text"], summary["text"].replace("eight", "nine"))
    after, _ = edit_page(data, page_edit(page.numbered, (edit,), ANN, DATE, False))

    was, now = parts_of(data), parts_of(after)
    assert {name for name in now if was[name] != now[name]} == {MAIN}
    assert now[MAIN] == was[MAIN].replace(b"We fit eight con", b"We fit nine con")


SAMPLE = Path(__file__).parents[2] / "sample/tide-gauges/references/field-report.docx"
MARKDOWN = (
    "# Title\n\nSome *words*, a note,[^1] $a^2$ and [a link](https://example.org).\n\n1. one\n"
    "2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n[^1]: The note.\n"
)


def by_pandoc() -> bytes:
    """A document as pandoc makes it."""
    pandoc = find_pandoc()
    assert pandoc is not None
    made = subprocess.run(
        [pandoc, "--sandbox", "--from", "markdown", "--to", "docx", "--output", "-"],
        input=MARKDOWN.encode(), capture_output=True, check=True,
    )  # fmt: skip
    return made.stdout


@pytest.mark.parametrize(
    "make", [by_python_docx, abstract, SAMPLE.read_bytes, by_pandoc],
    ids=["python-docx", "abstract", "sample", "pandoc"],
)  # fmt: skip
def test_in_every_paragraph_of_real_documents_a_typed_word_changes_that_one_alone(
    make: Callable[[], bytes],
) -> None:
    data = make()
    page = show_page(data, NumberedTexts())
    untouched, _ = edit_page(data, page_edit(page.numbered, (), ANN, DATE, True))
    assert untouched == data
    was = [json.loads(item) for item in page.blocks]
    plain = [item for item in was if item["kind"] == "paragraph" and item.get("text")]
    assert len(plain) > 3
    for item in plain:
        edit = SetText(item["number"], item["text"], item["text"] + " indeed")
        after, edited = edit_page(data, page_edit(page.numbered, (edit,), ANN, DATE, False))
        now = blocks(edited)
        others = [one == other for one, other in zip(was, now, strict=True)]
        assert others.count(False) == 1
        assert now[others.index(False)]["text"] == item["text"] + " indeed"
        old, new = parts_of(data), parts_of(after)
        assert [name for name in old if old[name] != new[name]] == [MAIN]
        docx.Document(io.BytesIO(after))


def test_two_changes_of_one_paragraph_are_merged_by_their_words_or_both_shown() -> None:
    now = by_hand(paragraph("one 2 three") + paragraph("four five"))
    page = show_page(now, NumberedTexts())

    def edit(text: str) -> tuple[bytes, WholeEdit]:
        change = SetText(1, "one two three", text)
        return edit_page(now, page_edit(page.numbered, (change,), ANN, DATE, False))

    merged, edited = edit("one two three, at last")
    assert texts(merged)[0] == "one 2 three, at last"
    assert edited.conflicts == ()
    same, edited = edit("one zwei three")
    assert same == now
    assert [(item.mine, item.theirs) for item in edited.conflicts] == [
        ("one zwei three", "one 2 three")
    ]
    assert merge_texts("a b", "a c", "a d") is None


FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
LOCKED = (
    '<w:sdt><w:sdtPr><w:lock w:val="contentLocked"/></w:sdtPr><w:sdtContent>'
    f"{run('kept')}</w:sdtContent></w:sdt>"
)
REFUSED: list[Callable[[], object]] = [
    lambda: made(by_hand(f"<w:p>{run('a ')}{LOCKED}</w:p>"), SetText(1, "a kept", "a left")),
    lambda: made(BASE, LinkText(1, "one two three", 0, 3, "javascript:alert(1)")),
    lambda: made(BASE, StyleParagraph(1, "Nowhere")),
    lambda: made(BASE, SetText(99, "", "x")),
    lambda: made(BASE, SetText(1, "one two three", "one \x00")),
    lambda: made(BASE, AddRow(1)),
    lambda: made(BASE, JoinParagraphs(1, "one two three", 3, "six", "one two three six")),
]


@pytest.mark.parametrize("ask", REFUSED)
def test_what_can_not_be_changed_is_refused_in_words(ask: Callable[[], object]) -> None:
    with pytest.raises(EditRefused) as refused:
        ask()
    assert len(refused.value.message) > 20


def test_what_is_no_text_is_shown_and_kept() -> None:
    data = by_hand(f'<w:p>{run("see ")}{FIELD}<w:r><w:br w:type="page"/></w:r>{run("end")}</w:p>')
    page = show_page(data, NumberedTexts())
    shown = json.loads(page.blocks[0])
    assert [(item.get("kind", "text"), item["text"]) for item in shown["pieces"]] == [
        ("text", "see "), ("kept", "12"), ("pageBreak", "[page break]"), ("text", "end"),
    ]  # fmt: skip
    edit = SetText(1, shown["text"], "look 12[page break]end, or not")
    after, _ = edit_page(data, page_edit(page.numbered, (edit,), ANN, DATE, False))
    assert "PAGE" in body_of(after)
    assert 'w:type="page"' in body_of(after)
    assert texts(after) == ["look 12[page break]end, or not"]


def test_a_break_of_the_page_is_one_of_words_own() -> None:
    after, _ = made(BASE, SetText(2, "four five", "four[page break] five"), tracked=False)
    assert '<w:br w:type="page"/>' in body_of(after)
    assert "page break]" not in body_of(after)


def test_notes_formulas_headers_and_pictures_are_shown() -> None:
    page = show_page(by_pandoc(), NumberedTexts())
    kinds = {piece.get("kind", "text") for item in map(json.loads, page.blocks)
             for piece in item.get("pieces", ())}  # fmt: skip
    assert {"note", "formula"} <= kinds
    (note,) = json.loads(page.frame)["notes"]
    assert "The note." in note["blocks"][0]["text"]
    head = json.loads(show_page(abstract(), NumberedTexts()).frame)["header"]
    assert [item["text"] for item in head] == ["Ocean Sciences Meeting, extended abstract"]
    picture = json.loads(show_page(RICH, NumberedTexts()).blocks[0])["pieces"][1]
    assert (picture["kind"], picture["text"]) == ("picture", "![A gauge]")
    edit = SetText(note["blocks"][0]["number"], note["blocks"][0]["text"], "Another note.")
    after, edited = edit_page(by_pandoc(), page_edit(page.numbered, (edit,), ANN, DATE, False))
    assert json.loads(edited.page.frame)["notes"][0]["blocks"][0]["text"].strip() == "Another note."
    was, now = parts_of(by_pandoc()), parts_of(after)
    assert [name for name in was if was[name] != now[name]] == ["word/footnotes.xml"]


def test_the_page_comes_with_no_library_that_writes_documents() -> None:
    told = json.loads((Path(__file__).parents[2] / "web/package.json").read_text(encoding="utf-8"))
    names = {*told.get("dependencies", ()), *told["devDependencies"]}
    assert [name for name in names if "docx" in name or "superdoc" in name] == []
