"""Who wrote which letters of a document: kept through edits, reviews, undo and other programs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.word import LetterChange, LetterWriter, TextWriters, carried, found_again, joined
from recto.word.writers import expanded

AI, TYPED = LetterWriter("ai", "call"), LetterWriter("typed")
PASTED, GHOST = LetterWriter("pasted"), LetterWriter("ghost", "s1")
BY_AI, BY_HAND = LetterChange(AI), LetterChange(TYPED)
SETTLED = LetterChange(LetterWriter("before"), returns=True)
FIRST = ["Title", "The quick fox jumps.", "end"]
EDITED = ["Title", "The slow brown fox jumps.", "end"]


def words(writers: TextWriters, texts: list[str], kind: str) -> list[str]:
    """The passages of one kind of writer."""
    text, at, found = joined(texts), 0, list[str]()
    for size, number in writers.spans:
        if writers.known[number].kind == kind:
            found.append(text[at : at + size])
        at += size
    assert at == len(text)
    return found


def test_what_stays_keeps_its_writer_and_what_comes_is_of_whoever_made_the_change() -> None:
    by_ai = carried(TextWriters(), "1", FIRST, EDITED, BY_AI)
    assert words(by_ai, EDITED, "ai") == ["slow brown"]
    # Cut in two, and a paragraph before it: the words keep their writer.
    cut = ["Title", "New here.", "The slow", "brown old fox jumps.", "end"]
    typed = carried(by_ai, "2", EDITED, cut, BY_HAND)
    assert words(typed, cut, "ai") == ["slow", "brown"]
    assert "old " in words(typed, cut, "typed")
    assert typed.edited_since == 0  # the blank between the two says nothing
    gone = carried(typed, "3", cut, ["Title", "end"], BY_HAND)
    assert words(gone, ["Title", "end"], "ai") == []
    assert gone.edited_since == len("slowbrown")
    # Typed anew by undo: somebody else's words again.
    back = carried(gone, "4", ["Title", "end"], cut, BY_HAND)
    assert words(back, cut, "ai") == ["slow", "brown"]
    assert back.edited_since == 0


def test_only_what_reads_otherwise_is_gone_through_letter_by_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    was = [f"Paragraph {number} of many." for number in range(2000)]
    now = [*was[:1000], "Paragraph 1000 of very many.", *was[1001:]]
    seen: list[int] = []

    def noted(writers: TextWriters) -> list[int]:
        found = expanded(writers)
        seen.append(len(found))
        return found

    monkeypatch.setattr("recto.word.writers.expanded", noted)
    by_ai = carried(TextWriters(), "1", was, now, BY_AI)
    back = carried(by_ai, "2", now, was, SETTLED)

    assert words(by_ai, now, "ai") == ["very "]
    assert words(back, was, "before") == [joined(was)]
    assert seen == [len(was[1000]) + 1, len(now[1000]) + 1]


def test_what_is_rejected_or_put_back_counts_on_neither_side() -> None:
    by_ai = carried(TextWriters(), "1", FIRST, EDITED, BY_AI)
    rejected = carried(by_ai, "2", EDITED, FIRST, SETTLED)
    assert words(rejected, FIRST, "before") == [joined(FIRST)]
    assert rejected.edited_since == 0
    undone = found_again(by_ai, "2", EDITED, "1", FIRST)
    assert words(found_again(undone, "1", FIRST, "2", EDITED), EDITED, "outside") == ["slow brown"]
    assert undone.edited_since == 0
    elsewhere = found_again(by_ai, "2", EDITED, "3", FIRST)
    assert words(elsewhere, FIRST, "outside") == ["quick"]
    assert elsewhere.edited_since == len("slow brown")


def test_many_empty_cells_are_not_compared_with_each_other() -> None:
    was = [text for number in range(10_000) for text in ("", f"Value {number}")]
    now = ["New", *was[1:-1], "Another"]
    began = time.process_time()
    made = carried(TextWriters(), "1", was, now, BY_HAND)
    # Each with each takes half a minute.
    assert time.process_time() - began < 5
    assert words(made, now, "typed") == ["New", "Another"]
    swapped = [*was[:4000], "A line.", *was[4000:15_000], *was[15_001:]]
    assert words(carried(TextWriters(), "1", was, swapped, BY_HAND), swapped, "typed") == [
        "A line.\n"
    ]


def test_what_was_pasted_or_suggested_is_not_typed() -> None:
    now = ["Title", "The quick fox jumps. It ran for nine days and more.", "A pasted line.", "end"]
    taken = ((GHOST, " It ran for nine days"), (PASTED, "A pasted line."))
    found = carried(TextWriters(), "1", FIRST, now, LetterChange(TYPED, taken))
    assert words(found, now, "ghost") == [" It ran for nine days"]
    assert words(found, now, "pasted") == ["A pasted line."]
    assert "and more" in "".join(words(found, now, "typed"))
    # Words that stood there before are nobody's paste.
    again = carried(found, "2", now, [*now, "more"], LetterChange(TYPED, ((PASTED, "Title"),)))
    assert words(again, [*now, "more"], "pasted") == ["A pasted line."]


TEXTS = st.lists(st.text("ab \n", max_size=12), max_size=5)
CHANGES = st.sampled_from([BY_AI, BY_HAND, SETTLED, LetterChange(TYPED, ((PASTED, "ab"),))])


@given(st.lists(st.tuples(TEXTS, CHANGES), min_size=1, max_size=6))
def test_whatever_changes_every_letter_has_one_writer(
    steps: list[tuple[list[str], LetterChange]],
) -> None:
    was, writers = ["ab ab"], TextWriters()
    for at, (now, change) in enumerate(steps):
        writers = carried(writers, str(at), was, now, change)
        assert sum(size for size, _ in writers.spans) == len(joined(now))
        assert writers.edited_since >= 0
        was = now
