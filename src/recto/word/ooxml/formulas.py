"""A formula as a line of letters: x_2^3, (a+b)/c, √(x)."""

from collections.abc import Iterator

from recto.word.ooxml.names import MATH, STRICT_MATH, Element

INTEGRAL = "\N{INTEGRAL}"
UNSEEN = " \N{ZERO WIDTH SPACE}"
"""What other programs put into a part that is empty."""
BRACKETS = {"begChr": "(", "sepChr": "|", "endChr": ")"}
SCRIPTS = {
    "sSub": ("sub", ""), "sSup": ("", "sup"), "sSubSup": ("sub", "sup"),
    "limLow": ("lim", ""), "limUpp": ("", "lim"),
}  # fmt: skip


def is_formula(item: Element) -> bool:
    """Whether an element is a formula, in a line or on one of its own."""
    return name_of(item) in ("oMath", "oMathPara")


def formula_text(item: Element) -> str:
    """The letters of a formula, or of a part of one."""
    name = name_of(item)
    if name in SCRIPTS:
        below, above = SCRIPTS[name]
        return part(item, "e") + scripts(part(item, below), part(item, above))
    match name:
        case "t":
            return item.text or ""
        case "f":
            return f"{held(part(item, 'num'))}/{held(part(item, 'den'))}"
        case "rad":
            degree = part(item, "deg")
            return f"√{f'[{degree}]' if degree else ''}({part(item, 'e')})"
        case "d":
            begin, between, end = (sign(item, key, usual) for key, usual in BRACKETS.items())
            return begin + between.join(map(formula_text, children(item, "e"))) + end
        case "nary":
            about = scripts(part(item, "sub"), part(item, "sup"))
            return f"{sign(item, 'chr', INTEGRAL)}{about} {part(item, 'e')}"
        case "sPre":
            return scripts(part(item, "sub"), part(item, "sup")) + part(item, "e")
        case "acc":
            return part(item, "e") + sign(item, "chr", "\N{COMBINING CIRCUMFLEX ACCENT}")
        case "eqArr":
            return "; ".join(map(formula_text, children(item, "e")))
        case "m":
            rows = (
                ", ".join(map(formula_text, children(row, "e"))) for row in children(item, "mr")
            )
            return "; ".join(rows)
        case _:
            return "".join(map(formula_text, item.iterchildren()))


def name_of(item: Element) -> str:
    """The name of an element of formulas; empty for any other, and for comments."""
    space, _, name = str(item.tag)[1:].partition("}")
    return name if space in (MATH, STRICT_MATH) else ""


def children(item: Element, name: str) -> Iterator[Element]:
    """The children of this name."""
    return (inside for inside in item.iterchildren() if name_of(inside) == name)


def part(item: Element, name: str) -> str:
    """The letters of one part."""
    return "".join(map(formula_text, children(item, name)))


def scripts(below: str, above: str) -> str:
    """What is lowered and raised."""
    return "".join(
        f"{mark}{text if len(text) == 1 else f'{{{text}}}'}"
        for mark, text in (("_", below), ("^", above))
        if text.strip(UNSEEN)
    )


def held(text: str) -> str:
    """A part in brackets, if it is more than one word or number."""
    return text if text.isalnum() else f"({text})"


def sign(item: Element, name: str, usual: str) -> str:
    """A sign that a formula's properties name; the usual one where they don't."""
    for properties in children(item, f"{name_of(item)}Pr"):
        for found in children(properties, name):
            told = (str(text) for key, text in found.attrib.items() if str(key).endswith("}val"))
            return next(told, "")
    return usual
