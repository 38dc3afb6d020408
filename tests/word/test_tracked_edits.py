"""Edits as tracked changes: rejected, all is as it was; accepted, it is what was meant."""

import io

import docx
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from recto.word import EditRefused, NumberedTexts
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.shapes import block_shape
from recto.word.operations import CommentOn, SettleRevisions, comment, settle_revisions
from tests.examples import examples
from tests.word.documents import (
    DATE,
    MAIN,
    RECTO,
    W,
    body_of,
    by_hand,
    by_python_docx,
    edited,
    line_at,
    lines_of,
    paragraph,
    parts_of,
    run,
    settled,
    view_of,
)

BOLD = "<w:rPr><w:b/></w:rPr>"
INS = f'<w:ins w:id="7" w:author="Bob" w:date="{DATE}">'
FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF x </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Table 3</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
LINK = f'<w:hyperlink w:anchor="top">{run("the link")}</w:hyperlink>'


def shape_of(data: bytes) -> list[object]:
    """All blocks, however their text is cut into runs."""
    return [block_shape(item) for item in WordDocument(data).body]


def bare(data: bytes) -> list[str]:
    """The lines without what is said about the document, and without numbers."""
    lines = [line for line in lines_of(data) if not line.startswith("[")]
    return [line.partition(" ")[2] if line.startswith("¶") else line for line in lines]


def test_only_the_middle_that_differs_is_replaced_by_whole_words_in_its_format() -> None:
    data = by_hand(f"<w:p>{run('The quick ')}{run('brown fox', BOLD)}{run(' jumps.')}</w:p>")

    after = edited(data, 0, 0, "¶1 The quick brawny fox jumps.")

    mark = f'w:author="{RECTO}" w:date="{DATE}"'
    assert body_of(after) == (
        f"<w:p>{run('The quick ')}"
        f'<w:del w:id="1" {mark}><w:r>{BOLD}<w:delText xml:space="preserve">brown</w:delText></w:r>'
        f'</w:del><w:ins w:id="2" {mark}><w:r>{BOLD}<w:t>brawny</w:t></w:r></w:ins>'
        f"{run(' fox', BOLD)}{run(' jumps.')}</w:p>"
    )
    assert body_of(settled(after, accept=False)) == body_of(data)
    assert bare(settled(after, accept=True)) == ["The quick brawny fox jumps."]


def test_only_the_edited_paragraph_changes_in_odd_xml() -> None:
    odd = (
        "<w:p  w:rsidR='00A1'\n><w:r><w:t>a &#38; b</w:t></w:r></w:p ><!-- <w:p> -->"
        '<w:p/><w:p><w:r><w:t>x</w:t></w:r></w:p><?pi <w:p>?><w:p foo=">"/>'
    )
    data = by_hand(odd)

    after = edited(data, 2, 2, "¶3 y")

    changed = body_of(after)
    start, end = odd.index("<w:p><w:r><w:t>x"), odd.index("<?pi")
    assert changed.startswith(odd[:start])
    assert changed.endswith(odd[end:])
    assert body_of(settled(after, accept=False)) == odd


def test_another_prefix_and_namespaces_declared_inside_stay() -> None:
    body = f'<v:p xmlns:v="{W}"><v:r><v:t>old</v:t></v:r></v:p>{paragraph("next")}'

    after = edited(by_hand(body), 0, 0, "¶1 new")

    assert body_of(after).startswith(f'<v:p xmlns:v="{W}">')
    assert body_of(after).endswith(paragraph("next"))
    assert bare(settled(after, accept=True)) == ["new", "next"]


def test_paragraphs_are_added_and_removed_with_their_marks() -> None:
    data = by_hand(paragraph("one") + paragraph("two") + paragraph("three"))

    after = edited(data, 0, 2, "¶1 one", "new", "¶3 three", "last")

    assert bare(after) == ["one", "new", "three", "last"]
    assert bare(settled(after, accept=True)) == ["one", "new", "three", "last"]
    rejected = settled(after, accept=False)
    assert bare(rejected) == ["one", "two", "three"]
    assert shape_of(rejected) == shape_of(data)


def test_a_heading_and_a_list_item_get_the_documents_own_styles() -> None:
    data = by_python_docx()
    at = line_at(data, "The quick")
    number = view_of(data).lines[at].paragraphs[0].number
    line = lines_of(data)[at]

    after = settled(edited(data, at, at, line, "## Results", "- a point"), accept=True)

    made = docx.Document(io.BytesIO(after))
    found = [(item.text, item.style.name) for item in made.paragraphs if item.style is not None]
    assert number == 3
    assert found[3:5] == [("Results", "Heading 2"), ("a point", "List Bullet")]


def test_cells_of_a_table_are_edited_and_its_rows_stay() -> None:
    data = by_python_docx()
    at = line_at(data, "cell 0")
    line = lines_of(data)[at]

    after = edited(data, at, at, line.replace("cell 0", "first").replace("cell 1", "cell one"))

    made = docx.Document(io.BytesIO(settled(after, accept=True)))
    assert [cell.text for row in made.tables[0].rows for cell in row.cells] == [
        "first", "cell one", "cell 2", "cell 3",
    ]  # fmt: skip
    assert parts_of(settled(after, accept=False))[MAIN] == parts_of(data)[MAIN]
    with pytest.raises(EditRefused, match="keep their numbers"):
        edited(data, at, at, "| other | row |")


def test_a_footnote_a_field_and_a_link_stay_where_they_are_when_words_around_them_change() -> None:
    body = f"<w:p>{run('See ')}{FIELD}{run(' and ')}{LINK}{run(' now.')}</w:p>"
    data = by_hand(body)
    assert bare(data) == ["See Table 3 and [the link](#top) now."]

    after = edited(data, 0, 0, "¶1 Look at Table 3 or [our link](#top) later.")

    meant = settled(after, accept=True)
    assert bare(meant) == ["Look at Table 3 or [our link](#top) later."]
    assert "<w:instrText> REF x </w:instrText>" in body_of(meant)
    assert body_of(settled(after, accept=False)) == body


def test_a_field_is_deleted_whole_and_comes_back_whole() -> None:
    body = f"<w:p>{run('See ')}{FIELD}{run(' now.')}</w:p>"

    after = edited(by_hand(body), 0, 0, "¶1 See now.")

    assert "delInstrText" in body_of(after)
    assert "instrText" not in body_of(settled(after, accept=True))
    assert body_of(settled(after, accept=False)) == body


def test_edits_inside_somebodys_insertion_leave_it_theirs() -> None:
    body = f"<w:p>{run('Now ')}{INS}{run('some inserted words')}</w:ins></w:p>"
    data = by_hand(body)

    after = edited(data, 1, 1, "¶1 Now some other words here")

    assert bare(after) == ["Now some other words here"]
    assert body_of(settled(after, accept=False)) == body
    assert bare(settled(after, accept=True)) == ["Now some other words here"]
    assert bare(settled(after, accept=False, author=None)) == ["Now"]
    assert bare(settled(after, accept=True, author=None)) == ["Now some other words here"]


@pytest.mark.parametrize(
    ("body", "lines", "why"),
    [
        (paragraph("one"), ["¶9 one"], "¶9 is not in the passage"),
        (paragraph("one") + paragraph("two"), ["¶2 two", "¶1 one"], "keep their order"),
        (paragraph("one"), ["new", "¶1 one"], "can't be put before"),
        (f"<w:p>{LINK}</w:p>", ["¶1 [the link"], "marks a link"),
        (paragraph("one"), ["¶1 bell\a"], "can't hold"),
        (
            "<w:p><w:sdt><w:sdtPr><w:lock w:val='contentLocked'/></w:sdtPr>"
            f"<w:sdtContent>{run('kept')}</w:sdtContent></w:sdt></w:p>",
            ["¶1 lost"],
            "content control",
        ),
    ],
)
def test_what_can_not_be_done_is_said_and_nothing_is_changed(
    body: str, lines: list[str], why: str
) -> None:
    data = by_hand(body)
    with pytest.raises(EditRefused, match=why):
        edited(data, 0, len(lines_of(data)) - 1, *lines)


SIGNED = {"_xmlsignatures/origin.sigs": ""}


@pytest.mark.parametrize(
    ("settings", "parts", "why"),
    [
        ("", SIGNED, "is signed"),
        ('<w:documentProtection w:edit="readOnly" w:enforcement="1"/>', {}, "may only be read"),
        ('<w:documentProtection w:edit="forms" w:enforcement="true"/>', {}, "form fields"),
        ('<w:writeProtection w:hash="x"/>', {}, "may only be read"),
    ],
)
def test_a_signed_or_protected_document_is_refused_and_said(
    settings: str, parts: dict[str, str], why: str
) -> None:
    part = f'<w:settings xmlns:w="{W}">{settings}</w:settings>'
    data = by_hand(
        paragraph("one"), {"word/settings.xml": part, **parts}, {"settings": "settings.xml"}
    )
    assert lines_of(data)[0].startswith("[This document is ")
    with pytest.raises(EditRefused, match=why):
        edited(data, 1, 1, "¶1 two")
    with pytest.raises(EditRefused, match=why):
        settle_revisions(SettleRevisions(accept=True), [data])
    known = NumberedTexts((1,), ("one",), 2)
    with pytest.raises(EditRefused, match=why):
        comment(CommentOn("Which?", RECTO, DATE, known, 1, "one"), [data])


def test_a_document_in_which_all_changes_are_tracked_takes_tracked_changes() -> None:
    settings = '<w:documentProtection w:edit="trackedChanges" w:enforcement="1"/>'
    part = f'<w:settings xmlns:w="{W}">{settings}</w:settings>'
    data = by_hand(paragraph("one"), {"word/settings.xml": part}, {"settings": "settings.xml"})
    assert bare(edited(data, 1, 1, "¶1 two")) == ["two"]


WORDS = st.lists(
    st.sampled_from(["tea", "green", "a", "the", "grün", "x1", "and,", "(so)", "—", "日本"]),
    min_size=1,
    max_size=8,
).map(" ".join)
RUNS = st.lists(
    st.tuples(WORDS, st.sampled_from(["", BOLD]), st.sampled_from(["", "ins", "link", "field"])),
    min_size=1,
    max_size=4,
)


def one_paragraph(pieces: list[tuple[str, str, str]]) -> str:
    """A paragraph of runs, some of them in something."""
    made: list[str] = []
    for at, (text, properties, around) in enumerate(pieces):
        inner = run(f"{text} ", properties)
        made.append(
            {
                "": inner,
                "ins": f"{INS.replace('7', str(70 + at))}{inner}</w:ins>",
                "link": f'<w:hyperlink w:anchor="a">{inner}</w:hyperlink>',
                "field": FIELD,
            }[around]
        )
    return f"<w:p>{''.join(made)}</w:p>"


@settings(max_examples=examples(25), deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(RUNS, min_size=1, max_size=4), st.data())
def test_random_edits_reject_to_the_original_and_accept_to_what_was_meant(
    paragraphs: list[list[tuple[str, str, str]]], data: st.DataObject
) -> None:
    original = by_hand("".join(map(one_paragraph, paragraphs)))
    first = lines_of(original)[0].startswith("[")
    wanted: list[str] = []
    for number, line in enumerate(bare(original), 1):
        change = data.draw(st.sampled_from(["same", "words", "add", "remove"]))
        if change == "remove" and wanted:
            continue
        words = line.split(" ")
        if change == "words" and not any(mark in line for mark in "[]"):
            at = data.draw(st.integers(0, len(words)))
            line = " ".join([*words[:at], data.draw(WORDS), *words[at + 1 :]])
        wanted.append(f"¶{number} {line}".rstrip(" "))
        if change == "add":
            wanted.append(data.draw(WORDS))
    count = len(lines_of(original))

    after = edited(original, int(first), count - 1, *wanted)

    meant = [line.partition(" ")[2] if line.startswith("¶") else line for line in wanted]
    assert bare(after) == meant
    accepted, rejected = settled(after, accept=True), settled(after, accept=False)
    assert bare(accepted) == meant
    assert shape_of(rejected) == shape_of(original)
    docx.Document(io.BytesIO(accepted))


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=6), st.integers(0, 5), WORDS)
def test_a_random_edit_touches_no_other_paragraph(texts: list[str], at: int, new: str) -> None:
    at %= len(texts)
    blocks = [paragraph(text) for text in texts]

    after = body_of(edited(by_hand("".join(blocks)), at, at, f"¶{at + 1} {new}"))

    assert after.startswith("".join(blocks[:at]))
    assert after.endswith("".join(blocks[at + 1 :]))
