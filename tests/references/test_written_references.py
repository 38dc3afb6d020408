"""Works that a text names in words: what counts as one, and which words stand for it."""

import pytest

from recto.references import brought_references
from recto.references.written_references import find_written_references


def named_in(text: str) -> list[str]:
    """The words that name works."""
    return [text[found.start : found.end] for found in find_written_references(text)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("So (Munk et al., 1966).", ["(Munk et al., 1966)"]),
        ("So (Munk *et al.*, 1966, p. 3).", ["(Munk *et al.*, 1966, p. 3)"]),
        ("So (Munk & Cartwright, 1966a).", ["(Munk & Cartwright, 1966a)"]),
        ("So (Munk, Pugh, and O'Brien, 1966).", ["(Munk, Pugh, and O'Brien, 1966)"]),
        (
            "(see van der Berg et al., 2019, for more)",
            ["(see van der Berg et al., 2019, for more)"],
        ),
        ("(Munk et al., 1966; Pugh, 1987)", ["Munk et al., 1966", "Pugh, 1987"]),
        ("(Pugh, 1987, p. 3) and (see Pugh, 1987)", ["(Pugh, 1987, p. 3)", "(see Pugh, 1987)"]),
        ("However Munk et al. (1966) say", ["Munk et al. (1966)"]),
        ("In Munk and Cartwright (1966, p. 3)", ["Munk and Cartwright (1966, p. 3)"]),
        ("Le Bras and Kervella (2019)", ["Le Bras and Kervella (2019)"]),
        ("As Pugh (1987, p. 117) says", ["Pugh (1987, p. 117)"]),
        ("See doi:10.1234/abc and 10.1234/b(2).", ["doi:10.1234/abc", "10.1234/b(2)"]),
        ("See arXiv:1706.03762v2.", ["arXiv:1706.03762v2"]),
        ("<https://arxiv.org/abs/hep-th/9901001>", ["<https://arxiv.org/abs/hep-th/9901001>"]),
        ("**References**\n\n1. Pugh: Tides, 1987\n", ["Pugh: Tides, 1987"]),
        ("## Literaturverzeichnis\n\n- Pugh: Tides, 1987\n", ["Pugh: Tides, 1987"]),
        ("[^1]: Pugh, D. (1987). Tides. Wiley.\n", ["Pugh, D. (1987). Tides. Wiley."]),
    ],
)
def test_a_work_is_known_by_its_names_and_year_its_number_or_its_line(
    text: str, named: list[str]
) -> None:
    assert named_in(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "at (Brest, 2014) and Xynthia (2010)",
        "(March and April, 2020), between March and April (2020)",
        "(Figure 3, 2014), in 2014 (see below), version 10.20/3",
        "https://journal.example/doi/10.1234/abc",
        "`(Munk et al., 1966)`",
        "[^1]: In 1966 the gauge was moved.",
        "## References\n\n- [@munk1966], 1966\n",
    ],
)
def test_places_dates_and_citations_by_keys_are_no_such_works(text: str) -> None:
    assert named_in(text) == []


def test_what_a_text_had_before_is_not_new() -> None:
    before = "So (Munk et al., 1966), arXiv:1706.03762 and doi:10.1234/abc.\n"
    after = f"{before}Now https://arxiv.org/abs/1706.03762 and (Pugh et al., 1987).\n"
    assert [found.family for found in brought_references(before, after)] == ["Pugh"]
