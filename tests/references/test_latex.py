"""LaTeX in BibTeX as people read and search it, and the names of people."""

import random

import pytest

from recto.references.latex import fold, to_unicode
from recto.references.names import PersonName, read_names, written_names
from tests.growth import is_linear


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"M{\"u}ller", "Müller"),
        (r"M\"uller and M\"{u}ller", "Müller and Müller"),
        (r"G{\"{o}}del", "Gödel"),
        (r"Erd{\H o}s, Erd\H{o}s", "Erdős, Erdős"),
        (r"\v{S}koda, \c{C}elik, Fran{\c c}ois", "Škoda, Çelik, François"),
        (r"na\"{\i}ve, {\'\i}, \'\i{}x", "naïve, í, íx"),
        (r"\L{}\'od\'z, {\aa}ngstr{\"o}m, \o re, Stra{\ss}e", "Łódź, ångström, øre, Straße"),
        (r"$\alpha$-decay \& 50\% of \$3 \{x\}", "α-decay & 50% of $3 {x}"),
        ("``Quoted'' pages 3--5---so", "“Quoted” pages 3–5—so"),
        (r"\emph{In vivo}, {DNA}~and \textbf{bold}", "In vivo, DNA and bold"),
        ("two\n    lines", "two lines"),
        ("潮汐 plain", "潮汐 plain"),
        ("", ""),
    ],
)
def test_latex_becomes_letters(latex: str, text: str) -> None:
    assert to_unicode(latex) == text


def test_a_search_overlooks_case_and_accents() -> None:
    words = ["MÜLLER", "Łódź", "Straße", "Øre", "ﬁnd", "ångström"]
    assert [fold(word) for word in words] == [
        "muller",
        "lodz",
        "strasse",
        "ore",
        "find",
        "angstrom",
    ]


def test_names_are_read_by_bibtex_rules() -> None:
    value = (
        r"Pugh, David T. and van der Waals, J. D. and Ludwig van Beethoven and"
        r" {Barnes and Noble, Inc.} and d'Alembert, Jean and King, Jr, Martin and {\'E}mile Zola"
        " and Plato and others"
    )
    names = read_names(value)
    assert names == (
        PersonName("Pugh", "David T."),
        PersonName("Waals", "J. D.", "van der"),
        PersonName("Beethoven", "Ludwig", "van"),
        PersonName("Barnes and Noble, Inc."),
        PersonName("d'Alembert", "Jean"),
        PersonName("King", "Martin", suffix="Jr"),
        PersonName("Zola", "Émile"),
        PersonName("Plato"),
    )
    assert read_names(written_names(names)) == names


def test_no_text_is_too_odd_or_too_long() -> None:
    chance = random.Random(3)
    for _ in range(3000):
        text = "".join(chance.choices("\\{}\"'`^~$,. andHcviuo王é\n", k=chance.randrange(40)))
        to_unicode(text)
        read_names(text)
    odd = ("\\" * 9, "{\\'", "\\'{", "a and ", "{", "~ ", "\\c ", "$", "--", "\\i")
    for piece in odd:
        assert is_linear(lambda size, piece=piece: to_unicode(piece * size), 3000), piece
        assert is_linear(lambda size, piece=piece: read_names(piece * size), 1000), piece
