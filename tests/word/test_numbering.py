"""Numbers of paragraphs stay with them, and two changed forms of a document are merged."""

import random

import pytest

from recto.word.changes.merging import merge_documents
from recto.word.numbering import NumberedTexts, renumbered
from tests.word.documents import (
    by_hand,
    edited,
    lines_of,
    paragraph,
    parts_of,
    run,
)

FIRST = renumbered(NumberedTexts(), ["Title", "one two three", "four five six", "", "seven eight"])


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["Title", "one two three", "four five six", "", "seven eight"], (1, 2, 3, 4, 5)),
        (["Title", "one 2 three", "four five six", "", "seven eight"], (1, 2, 3, 4, 5)),
        (["new", "Title", "one two three", "seven eight"], (6, 1, 2, 5)),
        (["Title", "one two three!", "brand new words", "four five 6", ""], (1, 2, 6, 3, 4)),
        ([], ()),
    ],
)
def test_a_paragraph_is_found_again_by_its_words_and_place(
    texts: list[str], numbers: tuple[int, ...]
) -> None:
    found = renumbered(FIRST, texts)
    assert found.numbers == numbers
    assert found.next == max((*numbers, 5)) + 1


def test_a_number_is_never_given_twice() -> None:
    drawn = random.Random(7)
    known, given = NumberedTexts(), set[int]()
    texts: list[str] = []
    for _ in range(60):
        texts = [text for text in texts if drawn.random() > 0.2]
        texts.insert(drawn.randint(0, len(texts)), f"paragraph {drawn.random()}")
        known = renumbered(known, texts)
        new = set(known.numbers)
        assert len(new) == len(known.numbers)
        assert known.next > max(new)
        given |= new


WORDS_BEFORE = run("The quick ") + run("brown", "<w:rPr><w:b/></w:rPr>") + run(" fox jumps high.")
BEFORE = by_hand(f"{paragraph('top')}<w:p>{WORDS_BEFORE}</w:p>{paragraph('end')}")
AFTER = edited(BEFORE, 1, 1, "¶2 The slow brown fox jumps high.")


def saved_by_word(data: bytes, *changes: tuple[str, str]) -> bytes:
    """A document as another program saves it: other ids, other places of cuts, other words."""
    text = parts_of(data)["word/document.xml"].decode()
    body = text[text.index("<w:body>") + 8 : text.index("<w:sectPr/></w:body>")]
    for old, new in changes:
        assert old in body
        body = body.replace(old, new)
    return by_hand(body.replace("<w:p>", '<w:p w:rsidR="00AB"><w:proofErr w:type="spellStart"/>'))


def test_taking_an_edit_back_leaves_what_was_changed_elsewhere_in_the_document() -> None:
    now = saved_by_word(AFTER, (">end<", ">other end<"), (">top<", ">new top<"))

    merged = merge_documents(AFTER, now, BEFORE)

    assert merged is not None
    assert [line.partition(" ")[2] for line in lines_of(merged)] == [
        "new top", "The quick brown fox jumps high.", "other end",
    ]  # fmt: skip


def test_taking_an_edit_back_leaves_what_was_changed_in_its_paragraph() -> None:
    now = saved_by_word(AFTER, ("jumps high.", "jumps very high!"))

    merged = merge_documents(AFTER, now, BEFORE)

    assert merged is not None
    assert lines_of(merged)[1] == "¶2 The quick brown fox jumps very high!"
    assert "w:del" not in parts_of(merged)["word/document.xml"].decode()


def test_words_that_both_sides_changed_are_nobodys_to_overrule() -> None:
    now = saved_by_word(AFTER, (">slow<", ">sleepy<"))
    assert merge_documents(AFTER, now, BEFORE) is None
    assert merge_documents(AFTER, AFTER, BEFORE) == BEFORE
    assert merge_documents(AFTER, now, AFTER) == now
