"""LaTeX as people read it: accents and signs as letters, braces and commands gone."""

import re
import unicodedata

ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "t": "\u0361",
    "h": "\u0309",
    "G": "\u030f",
    "U": "\u030e",
}
LETTERS = {
    "ss": "ß",
    "SS": "ẞ",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "DH": "Ð",
    "th": "þ",
    "TH": "Þ",
    "dj": "đ",
    "DJ": "Đ",
    "ng": "ŋ",
    "NG": "Ŋ",
    "textendash": "–",
    "textemdash": "—",
    "textquoteright": "’",
    "textquoteleft": "‘",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'",
    "guillemotleft": "«",
    "guillemotright": "»",
    "textellipsis": "…",
    "ldots": "…",
    "dots": "…",
    "textdegree": "°",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textbackslash": "\\",
    "textunderscore": "_",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textregistered": "®",
    "texttrademark": "™",
    "copyright": "©",
    "textcopyright": "©",
    "pounds": "£",
    "euro": "€",
    "texteuro": "€",
    "S": "§",
    "P": "¶",
    "textonehalf": "½",
    "textmu": "µ",
    "times": "×",
    "texttimes": "×",
    "pm": "±",
    "cdot": "·",
    "textperiodcentered": "·",
    "infty": "∞",
    "approx": "≈",
    "leq": "≤",
    "geq": "≥",
    "rightarrow": "→",
    "to": "→",
    "sim": "∼",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "newline": " ",
    "quad": " ",
    "qquad": " ",
    "space": " ",
}
# An accent: a sign, or a letter that is followed by a brace, a space or another command.
ACCENT = re.compile(
    r"""\\(?:([`'^~=."])\s*+|([uvHcdbkrthGU])(?:\s++|(?=[{\\])))"""
    r"""(?:\{\s*+(?:\\([ij])(?![A-Za-z])|([^\W\d_])?+)\s*+\}|\\([ij])(?![A-Za-z])\s?+|([^\W\d_]))"""
)
COMMAND = re.compile(r"\\([A-Za-z]++)\*?+[ \t\n\r]*+")
SIGN = re.compile(r"\\([&%$#_{} ,;:!/\\@-])")
SPACING = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "/": "", "\\": " ", "@": "", "-": ""}
KEPT_OPEN, KEPT_CLOSE, KEPT_DOLLAR = "\ue000", "\ue001", "\ue002"
SIGNS = (
    ("{", ""),
    ("}", ""),
    ("~", " "),
    ("$", ""),
    ("---", "—"),
    ("--", "–"),
    ("``", "“"),
    ("''", "”"),
    (KEPT_OPEN, "{"),
    (KEPT_CLOSE, "}"),
    (KEPT_DOLLAR, "$"),
)
KEPT = {"{": KEPT_OPEN, "}": KEPT_CLOSE, "$": KEPT_DOLLAR}
SPACES = re.compile(r"\s{2,}+|[^\S ]")
MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a"
    "\u064b-\u065f\u0670\u3099\u309a\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
LATEX = re.compile(r"[\\{}$]")
SPECIAL = re.compile(r"[&%#_]")


def to_unicode(latex: str) -> str:
    """What a value of BibTeX says, for people to read and for searches."""
    text = latex
    if "\\" in text:
        text = ACCENT.sub(accented, text)
        text = SIGN.sub(lambda found: KEPT.get(found[1], SPACING.get(found[1], found[1])), text)
        text = COMMAND.sub(lambda found: LETTERS.get(found[1], ""), text)
    for sign, shown in SIGNS:
        if sign in text:
            text = text.replace(sign, shown)
    # Looking for a few signs costs much less than an expression that may find any of them.
    if "  " in text or "\n" in text or "\t" in text or "\r" in text:
        text = SPACES.sub(" ", text)
    return text.strip()


def to_latex(text: str) -> str:
    """A text for a field of BibTeX: what LaTeX would take for a command is escaped.

    One that is LaTeX already is left as it is.
    """
    return text if LATEX.search(text) else SPECIAL.sub(r"\\\g<0>", text)


def verbatim(latex: str) -> str:
    """An address or a number: its signs count, only escapes and braces go."""
    if LATEX.search(latex) is None:
        return latex.strip()
    return re.sub(r"\\([&%$#_~{}])|[{}]", r"\1", latex).strip()


def accented(found: re.Match[str]) -> str:
    """A letter with its accent; the dotless ones are what an accent needs, not what it shows."""
    letter = found[3] or found[4] or found[5] or found[6] or ""
    sign = ACCENTS[found[1] or found[2]]
    return unicodedata.normalize("NFC", letter + sign) if letter else ""


def fold(text: str) -> str:
    """A text without the differences that a search overlooks: case, accents, kinds of a letter."""
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFKD", text.casefold())
    return OTHER_LETTER.sub(lambda found: SAME_LETTERS.get(found[0], ""), spread)


SAME_LETTERS = {
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "æ": "ae",
    "œ": "oe",
    "ı": "i",
    "ŋ": "n",
}
"""Letters that have no accent by their code, though people see one."""
OTHER_LETTER = re.compile(f"{MARKS.pattern}|[{''.join(SAME_LETTERS)}]")
