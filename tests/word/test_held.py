"""A document that stays read is, after every change, what it is when it is read as a whole."""

import random
from collections.abc import Sequence

import pytest

from recto.word import NotWord, NumberedTexts
from recto.word.ooxml import document as document_module
from recto.word.ooxml.document import WordDocument
from recto.word.ooxml.names import Element
from recto.word.ooxml.package import Package
from recto.word.page.drawing import DrawnBlock, PageDrawer
from recto.word.page.held import HeldDocument, PageDifference, ShownPage, applied, numbers_since
from recto.word.page.operations import ShowPage, show_page
from tests.word.documents import (
    MAIN,
    W,
    by_hand,
    by_python_docx,
    edited,
    line_at,
    lines_of,
    paragraph,
    run,
)
from tests.word.documents import show_page as shown_whole

FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
NUMBERING = (
    f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0">'
    '<w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num></w:numbering>'
)
COMMENTS = (
    f'<w:comments xmlns:w="{W}"><w:comment w:id="3" w:author="Cleo">'
    f"{paragraph('Is that so?')}</w:comment></w:comments>"
)
ITEM = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr></w:pPr>'
CHANGED = (
    '<w:p><w:ins w:id="{}" w:author="Ann" w:date="2026-01-01T00:00:00Z">'
    "<w:r><w:t>came</w:t></w:r></w:ins></w:p>"
)
BLOCKS = [
    paragraph("one"),
    paragraph("an item", ITEM),
    paragraph("one more item", ITEM),
    CHANGED.format(9),
    CHANGED.format(9),
    '<w:commentRangeStart w:id="3"/>',
    paragraph("what is spoken of"),
    '<w:p><w:commentRangeEnd w:id="3"/><w:r><w:commentReference w:id="3"/></w:r></w:p>',
    f"<w:p>{FIELD.format('begin')}<w:r><w:instrText>TOC</w:instrText></w:r>"
    f"{FIELD.format('separate')}{run('made')}</w:p>",
    f"<w:p>{run('by a field')}{FIELD.format('end')}</w:p>",
    f"<w:tbl><w:tr><w:tc>{paragraph('cell', ITEM)}</w:tc><w:tc>{CHANGED.format(4)}</w:tc>"
    "</w:tr></w:tbl>",
    f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>",
    '<w:bookmarkStart w:id="1" w:name="here"/>',
    "<!-- nothing -->\n",
]


def with_body(blocks: Sequence[str]) -> bytes:
    """A document of these blocks, with a list and a comment."""
    parts = {"word/numbering.xml": NUMBERING, "word/comments.xml": COMMENTS}
    return by_hand(
        "".join(blocks), parts, {"numbering": "numbering.xml", "comments": "comments.xml"}
    )


class Follower:
    """Somebody who shows a document, and is told what is other on it."""

    def __init__(self, data: bytes) -> None:
        self.held = HeldDocument()
        shown = show_page(self.held, data, ShowPage(known=NumberedTexts()))
        assert isinstance(shown, ShownPage)
        self.page = shown

    def follow(self, data: bytes) -> None:
        """Be told of the document as it is now, and check that it is so."""
        whole = shown_whole(data, self.page.numbered)
        since = numbers_since(self.page.numbered, self.page.numbered)
        change = show_page(self.held, data, ShowPage(since=since))
        assert isinstance(change, PageDifference)
        self.page = applied(self.page, change)
        assert self.page == whole


@pytest.fixture
def renewals(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the body was read by its blocks, each time."""
    found: list[bool] = []
    renewed = document_module.renewed

    def noted(*asked: object) -> bool:
        found.append(renewed(*asked))  # pyright: ignore[reportArgumentType]  # passed on
        return found[-1]

    monkeypatch.setattr(document_module, "renewed", noted)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_any_blocks_that_come_go_and_change_are_told(seed: int, renewals: list[bool]) -> None:
    draw = random.Random(seed)
    blocks = [draw.choice(BLOCKS) for _ in range(14)]
    one = Follower(with_body(blocks))
    for _ in range(25):
        at = draw.randrange(len(blocks) + 1)
        what = draw.choice(("add", "remove", "replace", "letter"))
        if what == "add" or len(blocks) < 4:
            blocks.insert(at, draw.choice(BLOCKS))
        elif at < len(blocks):
            new = {"remove": [], "replace": [draw.choice(BLOCKS)]}.get(what)
            blocks[at : at + 1] = new if new is not None else [blocks[at].replace("one", "né")]
        one.follow(with_body(blocks))
    assert renewals.count(True) > len(renewals) / 2


def test_what_ai_changes_is_told_without_reading_the_rest(renewals: list[bool]) -> None:
    data = by_python_docx()
    one = Follower(data)
    for old, new in (("step one", "step two"), ("cell 1", "cell 7"), ("Method", "Methods")):
        at = line_at(data, old)
        data = edited(data, at, at, lines_of(data)[at].replace(old, new))
        one.follow(data)
    assert renewals == [True] * 3


def test_only_what_changed_of_a_long_document_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = [CHANGED.replace('"{}"', f'"{number}"') for number in range(20, 220)]
    items = [paragraph(f"item {number}", ITEM) for number in range(200)]
    blocks = [block for pair in zip(changed, items, strict=True) for block in pair]
    one = Follower(with_body([*blocks, paragraph("end")]))
    looked: list[object] = []
    drawn = PageDrawer._drawn  # pyright: ignore[reportPrivateUsage]  # what it looks at

    def noted(self: PageDrawer, block: Element, known: DrawnBlock | None) -> DrawnBlock:
        looked.append(block)
        return drawn(self, block, known)

    monkeypatch.setattr(PageDrawer, "_drawn", noted)
    blocks[201] = paragraph("another item", ITEM)
    blocks[202] = CHANGED.replace('"{}"', '"500"')
    looked_by_whole = len([*blocks, "the last paragraph", "the section"])
    one.follow(with_body([*blocks, paragraph("end")]))
    # The page that is drawn as a whole, to compare, looks at every block.
    assert len(looked) - looked_by_whole == 2


def test_another_part_that_changed_has_all_of_it_read(renewals: list[bool]) -> None:
    data = with_body([paragraph("what is spoken of", ITEM), paragraph("x")])
    one = Follower(data)
    other = NUMBERING.replace("decimal", "upperRoman").encode()
    one.follow(Package(data).saved({"word/numbering.xml": other}))
    assert b'"marker":"I."' in one.page.blocks[0]
    assert renewals == []


@pytest.mark.parametrize(
    "middle",
    [
        "</w:body></w:document><w:document><w:body>",
        "<w:p>",
        "</w:p>",
        "<!--",
        "</between><between>",
    ],
)
def test_what_is_broken_is_refused_as_it_is_as_a_whole(middle: str) -> None:
    blocks = [paragraph(str(number)) for number in range(6)]
    one = Follower(with_body(blocks))
    broken = with_body([*blocks[:3], middle, *blocks[3:]])
    with pytest.raises(NotWord) as whole:
        WordDocument(broken).story(MAIN)
    since = numbers_since(one.page.numbered, one.page.numbered)
    with pytest.raises(NotWord) as held:
        show_page(one.held, broken, ShowPage(since=since))
    assert str(held.value) == str(whole.value)
    one.follow(with_body([*blocks, paragraph("and it is sound again")]))


def test_a_second_body_is_read_as_it_is_as_a_whole(renewals: list[bool]) -> None:
    blocks = [paragraph(str(number)) for number in range(6)]
    one = Follower(with_body(blocks))
    one.follow(with_body([*blocks[:3], "</w:body><w:body>", *blocks[3:]]))
    assert renewals == [False]


def test_an_entity_between_the_blocks_is_refused() -> None:
    blocks = [paragraph(str(number)) for number in range(4)]
    one = Follower(with_body(blocks))
    since = numbers_since(one.page.numbered, one.page.numbered)
    with pytest.raises(NotWord):
        show_page(
            one.held, with_body([*blocks[:2], "<!DOCTYPE x>", *blocks[2:]]), ShowPage(since=since)
        )


def test_a_damaged_package_leaves_what_was_read() -> None:
    data = with_body([paragraph("one"), paragraph("two")])
    one = Follower(data)
    since = numbers_since(one.page.numbered, one.page.numbered)
    place = data.index(b"word/document.xml") + 40  # in what is packed of it
    damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    with pytest.raises(NotWord):
        show_page(one.held, damaged, ShowPage(since=since))
    one.follow(data)
