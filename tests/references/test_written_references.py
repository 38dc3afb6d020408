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
        # One name with a year is an author, unless the text speaks of it besides.
        ("It rose (Smith, 2020).", ["(Smith, 2020)"]),
        (
            "(van der Berg, 2019) (d'Alembert, 1967b)",
            ["(van der Berg, 2019)", "(d'Alembert, 1967b)"],
        ),
        ("As Smith (2019) said: (Smith, 2020), (Smith, 2021).", ["(Smith, 2020)", "(Smith, 2021)"]),
        ("So (Munk et al., n.d.).", ["(Munk et al., n.d.)"]),
        ("So (Munk, n.d.) and (Munk, et al., 1966).", ["(Munk, n.d.)", "(Munk, et al., 1966)"]),
        ("As Munk and Pugh (n.d.) and Pugh (n.d.) say", ["Munk and Pugh (n.d.)", "Pugh (n.d.)"]),
        ("However Munk et al. 2020 say", ["Munk et al. 2020"]),
        ("It rose [Munk et al., 2020b].", ["[Munk et al., 2020b]"]),
        ("It rose [Munk et al. 2020](a.md).", ["Munk et al. 2020"]),
        ("## References\n\n- Pugh, D. (n.d.). Tides.\n", ["Pugh, D. (n.d.). Tides."]),
        ("See PMID: 12345678 [PMID: 12].", ["PMID: 12345678", "[PMID: 12]"]),
        (
            "See [PMID 12](https://pubmed.ncbi.nlm.nih.gov/12/) and (PMID:12).",
            ["[PMID 12](https://pubmed.ncbi.nlm.nih.gov/12/)", "PMID:12"],
        ),
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
        "Brest has a gauge. It rose most there (Brest, 2014) and at Xynthia (2010).",
        "It rose most (Brest 2014), told (Ocean Sciences Meeting, 2014), (Brest, 2014, in m).",
        "(March and April, 2020), between March and April (2020)",
        "(Figure 3, 2014), in 2014 (see below), version 10.20/3",
        "https://journal.example/doi/10.1234/abc",
        "https://www.nature.com/articles and https://www.nature.com/nature/volumes/612",
        "https://www.sciencedirect.com/science/article/pii/S0304380019300012",
        "Rossi and Bianchi 2020, in Brest 2014, the PMID and PMID numbers, n.d.",
        "`(Munk et al., 1966)`",
        "[^1]: In 1966 the gauge was moved.",
        "## References\n\n- [@munk1966], 1966\n",
    ],
)
def test_places_dates_and_citations_by_keys_are_no_such_works(text: str) -> None:
    assert named_in(text) == []


@pytest.mark.parametrize(
    ("address", "doi"),
    [
        (
            "https://link.springer.com/article/10.1007/s00382-019-04690-8",
            "10.1007/s00382-019-04690-8",
        ),
        (
            "https://link.springer.com/content/pdf/10.1007/978-3-030-1_2.pdf?pdf=1",
            "10.1007/978-3-030-1_2",
        ),
        ("https://www.nature.com/articles/s41586-020-2649-2", "10.1038/s41586-020-2649-2"),
        ("https://www.nature.com/articles/nature14539#Sec2", "10.1038/nature14539"),
        ("https://dl.acm.org/doi/10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        ("https://dl.acm.org/doi/pdf/10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        (
            "https://agupubs.onlinelibrary.wiley.com/doi/full/10.1029/2009JC005997",
            "10.1029/2009JC005997",
        ),
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.02.123456v1.full",
            "10.1101/2020.01.02.123456",
        ),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000308",
            "10.1371/journal.pone.0000308",
        ),
        (
            "https://www.frontiersin.org/articles/10.3389/fmars.2019.00437/full",
            "10.3389/fmars.2019.00437",
        ),
    ],
)
def test_the_address_of_a_publisher_is_its_doi(address: str, doi: str) -> None:
    for text in (f"See {address}.", f"(see <{address}>)", f"[Munk]({address}), too"):
        [found] = find_written_references(text)
        assert found.doi == doi
        assert text[found.start : found.end].strip("<>") in (address, f"[Munk]({address})")
        assert brought_references(text, f"{text} More.") == ()


def test_what_a_text_had_before_is_not_new() -> None:
    before = "So (Munk et al., 1966), arXiv:1706.03762 and doi:10.1234/abc.\n"
    after = f"{before}Now https://arxiv.org/abs/1706.03762 and (Pugh et al., 1987).\n"
    assert [found.family for found in brought_references(before, after)] == ["Pugh"]
