"""Formulas as the letters that stand for them, whichever program wrote them."""

import pytest
from lxml import etree

from recto.word.ooxml.formulas import formula_text
from tests.word.documents import M, W


def letters(text: str) -> str:
    """A run of a formula."""
    return f"<m:r><w:rPr/><m:t>{text}</m:t></m:r>"


def inside(name: str, *parts: tuple[str, str]) -> str:
    """Something with parts."""
    found = "".join(f"<m:{part}>{content}</m:{part}>" for part, content in parts)
    return f"<m:{name}>{found}</m:{name}>"


X, TWO, N = letters("x"), letters("2"), letters("10")
SUM = '<m:chr m:val="∑"/>'
CASES = {
    "x_2": inside("sSub", ("e", X), ("sub", TWO)),
    "x^{10}": inside("sSup", ("e", X), ("sup", N)),
    "x_2^{10}": inside("sSubSup", ("e", X), ("sub", TWO), ("sup", N)),
    "x/2": inside("f", ("num", X), ("den", TWO)),
    "(x+2)/10": inside("f", ("num", X + letters("+") + TWO), ("den", N)),
    "√(x)": inside("rad", ("radPr", '<m:degHide m:val="1"/>'), ("deg", ""), ("e", X)),
    "√[10](x)": inside("rad", ("deg", N), ("e", X)),
    "(x)": inside("d", ("e", X)),
    "[x,2]": inside(
        "d", ("dPr", '<m:begChr m:val="["/><m:sepChr m:val=","/><m:endChr m:val="]"/>'),
        ("e", X), ("e", TWO),
    ),
    "∑_2^{10} x": inside("nary", ("naryPr", SUM), ("sub", TWO), ("sup", N), ("e", X)),
    # Both as pandoc and as LibreOffice leave out what is above.
    "∑_2 x": inside("nary", ("naryPr", SUM), ("sub", TWO), ("sup", letters("\u200b")), ("e", X)),
    "∫ x": inside("nary", ("sub", ""), ("sup", ""), ("e", X)),
    "x; 2": inside("eqArr", ("e", X), ("e", TWO)),
    "x, 2; 10": inside("m", ("mr", f"<m:e>{X}</m:e><m:e>{TWO}</m:e>"), ("mr", f"<m:e>{N}</m:e>")),
    "sin x": inside("func", ("fName", letters("sin ")), ("e", X)),
}  # fmt: skip


@pytest.mark.parametrize(("wanted", "made"), CASES.items(), ids=CASES)
def test_a_formula_reads_as_one_writes_it_in_a_line(wanted: str, made: str) -> None:
    root = etree.fromstring(f'<m:oMath xmlns:m="{M}" xmlns:w="{W}">{made}</m:oMath>')
    assert formula_text(root) == wanted
