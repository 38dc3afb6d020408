"""Tracked changes of Word accepted and rejected: nested, moved, split, joined, formats, rows."""

import pytest

from recto.word.failures import EditRefused
from recto.word.ooxml.document import WordDocument
from recto.word.operations import SettleRevisions, all_revisions, settle_revisions
from tests.word.documents import body_of, by_hand, paragraph, run, settled, view_of

BY = 'w:author="Ada" w:date="2026-01-01T00:00:00Z"'
BOLD = "<w:rPr><w:b/></w:rPr>"


def ins(inner: str) -> str:
    return f'<w:ins w:id="1" {BY}>{inner}</w:ins>'


def gone(text: str, properties: str = "") -> str:
    return (
        f'<w:del w:id="2" {BY}><w:r>{properties}<w:delText xml:space="preserve">{text}'
        "</w:delText></w:r></w:del>"
    )


def ended(mark: str) -> str:
    """The properties of a paragraph whose end was inserted, deleted or moved."""
    return f'<w:pPr><w:rPr><w:{mark} w:id="3" {BY}/></w:rPr></w:pPr>'


def row(text: str, properties: str = "") -> str:
    return f"<w:tr>{properties}<w:tc>{paragraph(text)}</w:tc></w:tr>"


MOVED = (
    f'<w:moveFromRangeStart w:id="4" w:name="m" {BY}/><w:p>{ended("moveFrom")}'
    f'<w:moveFrom w:id="5" {BY}>{run("moved")}</w:moveFrom></w:p><w:moveFromRangeEnd w:id="4"/>'
    f"{paragraph('stays')}"
    f'<w:moveToRangeStart w:id="6" w:name="m" {BY}/><w:p>{ended("moveTo")}'
    f'<w:moveTo w:id="7" {BY}>{run("moved")}</w:moveTo></w:p><w:moveToRangeEnd w:id="6"/>'
    f"{paragraph('end')}"
)
STYLED = (
    f'<w:p><w:pPr><w:jc w:val="center"/><w:pPrChange w:id="8" {BY}><w:pPr><w:jc w:val="left"/>'
    f"</w:pPr></w:pPrChange></w:pPr><w:r><w:rPr><w:b/>"
    f'<w:rPrChange w:id="9" {BY}><w:rPr/></w:rPrChange></w:rPr><w:t xml:space="preserve">x</w:t>'
    "</w:r></w:p>"
)


@pytest.mark.parametrize(
    ("body", "accepted", "rejected"),
    [
        (f"<w:p>{run('a ')}{ins(run('b '))}{gone('c ')}{run('d')}</w:p>",
         paragraph("a b d"), paragraph("a c d")),
        (f"<w:p>{run('a')}{ins(run('b', BOLD))}</w:p>",
         f"<w:p>{run('a')}{run('b', BOLD)}</w:p>", paragraph("a")),
        (f"<w:p>{run('a ')}{ins(run('b ') + gone('c '))}{run('d')}</w:p>",
         paragraph("a b d"), paragraph("a d")),
        (f"<w:p>{ended('ins')}{run('one ')}</w:p>{paragraph('two')}",
         paragraph("one ") + paragraph("two"), paragraph("one two")),
        (f"<w:p>{ended('del')}{run('one ')}</w:p>{paragraph('two')}",
         paragraph("one two"), paragraph("one ") + paragraph("two")),
        (f"{paragraph('one')}<w:p>{ended('del')}{gone('two')}</w:p>{paragraph('three')}",
         paragraph("one") + paragraph("three"),
         paragraph("one") + paragraph("two") + paragraph("three")),
        (f"{paragraph('one')}<w:p>{ended('ins')}{ins(run('two'))}</w:p>",
         paragraph("one") + paragraph("two"), paragraph("one")),
        (MOVED, paragraph("stays") + paragraph("moved") + paragraph("end"),
         paragraph("moved") + paragraph("stays") + paragraph("end")),
        (STYLED,
         f'<w:p><w:pPr><w:jc w:val="center"/></w:pPr>{run("x", BOLD)}</w:p>',
         f'<w:p><w:pPr><w:jc w:val="left"/></w:pPr>{run("x")}</w:p>'),
        (f'<w:tbl>{row("a")}{row("b", f"<w:trPr><w:ins w:id=_9_ {BY}/></w:trPr>")}</w:tbl>',
         f'<w:tbl>{row("a")}{row("b")}</w:tbl>', f"<w:tbl>{row('a')}</w:tbl>"),
        (f'<w:p><w:hyperlink w:anchor="x">{gone("link")}</w:hyperlink>{run("a")}</w:p>',
         paragraph("a"),
         f'<w:p><w:hyperlink w:anchor="x">{run("link")}</w:hyperlink>{run("a")}</w:p>'),
    ],
)  # fmt: skip
def test_accepting_and_rejecting_all_gives_what_was_meant_and_what_was_there(
    body: str, accepted: str, rejected: str
) -> None:
    data = by_hand(body.replace("_9_", '"9"'))
    assert body_of(settled(data, accept=True, author=None)) == accepted
    assert body_of(settled(data, accept=False, author=None)) == rejected


def test_changes_are_listed_with_their_words_and_settled_one_by_one() -> None:
    other = 'w:author="Bob" w:date="2026-01-02T00:00:00Z"'
    body = (
        f"<w:p>{run('a ')}{gone('b')}{ins(run('c'))}{run(' d ')}"
        f'<w:ins w:id="9" {other}>{run("e")}</w:ins></w:p>'
    )
    data = by_hand(body)

    found = [item for _, item in all_revisions(WordDocument(data))]
    assert [(item.what, item.author, item.text) for item in found] == [
        ("replaced", "Ada", "b → c"),
        ("inserted", "Bob", "e"),
    ]

    first = settle_revisions(SettleRevisions(accept=False, chosen=(0,)), [data]).data
    assert body_of(first) == (
        f'<w:p>{run("a b d ")}<w:ins w:id="9" {other}>{run("e")}</w:ins></w:p>'
    )
    both = settle_revisions(SettleRevisions(accept=True, chosen=(0,)), [first]).data
    assert body_of(both) == paragraph("a b d e")
    with pytest.raises(EditRefused, match="other tracked changes by now"):
        settle_revisions(SettleRevisions(accept=True, chosen=(5,)), [data])


def test_a_paragraph_that_a_change_deletes_is_hidden_and_its_numbers_are_not_given_away() -> None:
    body = f"{paragraph('one')}<w:p>{ended('del')}{gone('two')}</w:p>{paragraph('three')}"
    assert [item.text for item in view_of(by_hand(body)).paragraphs] == ["one", "three"]
