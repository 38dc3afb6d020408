"""Quotations with a citation, and whether a source has them."""

import pytest

from recto.references import find_in_pages, find_quotations

TEXT = """As @pugh1987 writes, “the tide is old news” [p. 3]. A “short one” [@pugh1987].

It says "every effect that is not in the model" [see @munk1966, p. 9; @pugh1987], and `“no code
at all” [@x]`. “Nobody is cited for this one.” Then @munk1966 alone.

> The residual contains
> all the rest. [@horsburgh2007, p. 2]

> Nobody's words at all, in a block.
"""
PAGES = [
    "A first page.\nIt has nothing.",
    "the resid-\nual con\u00adtains the ﬁrst “effect” – not all –",
    "of them, but the rest (1966).",
]


def test_a_quotation_belongs_to_the_citation_in_or_behind_its_sentence() -> None:
    found = [(one.key, one.words, one.line) for one in find_quotations(TEXT)]
    assert found == [
        ("pugh1987", "the tide is old news", 1),
        ("munk1966", "every effect that is not in the model", 3),
        ("horsburgh2007", "The residual contains all the rest.", 6),
    ]


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("The residual contains the first 'effect'", 2),
        ("the residual … not all of them", 2),
        ("[T]he residual contains the first [...] but the rest (1966)", 2),
        ("but the rest", 3),
        ("The residual contains the second effect", None),
        ("but the rest … the residual", None),
        ("…", None),
    ],
)
def test_letters_count_and_line_ends_and_quotation_marks_don_t(
    words: str, page: int | None
) -> None:
    assert find_in_pages(words, PAGES) == page
