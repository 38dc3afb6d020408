"""Citations in Markdown, as pandoc reads them: `[@key, p. 3; -@other]` and `@key`."""

import re
from dataclasses import dataclass

KEY = re.compile(
    r"(?<![\w@./\\])@(?:\{(?P<braced>[^{}\s]+)\}|(?P<plain>[^\W](?:[\w]|[:.#$%&\-+?<>~/](?=\w))*))"
)
CROSS_REFERENCE = re.compile(r"(?:fig|tbl|eq|sec|lst):")
CLAIM = "[citation?]"
"""What stands where a source is missing."""
FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
FENCE = re.compile(
    r"^(?P<mark> {0,3}(?P<sign>`{3,}|~{3,}))[^\n]*\n.*?(?:^ {0,3}(?P=sign)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]|\n(?!\s*\n))*?(?<!`)(?P=ticks)(?!`)")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
MOST_AROUND = 90


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """One mention of a key in a text."""

    key: str
    start: int
    """Where the key itself begins and ends."""
    end: int
    line: int
    text: str
    """The words around it."""


def find_citations(text: str) -> tuple[CitedPlace, ...]:
    """Every mention of a key, code and front matter aside."""
    prose = without_code(text)
    found: list[CitedPlace] = []
    line, counted = 1, 0
    for match in KEY.finditer(prose):
        group = "braced" if match["braced"] else "plain"
        key = match[group]
        if CROSS_REFERENCE.match(key):
            continue
        line += text.count("\n", counted, match.start())
        counted = match.start()
        start, end = match.span(group)
        found.append(CitedPlace(key, start, end, line, words_around(text, start, end)))
    return tuple(found)


def claim_lines(text: str) -> tuple[int, ...]:
    """The lines with a claim whose source is missing."""
    prose = without_code(text)
    return tuple(
        prose.count("\n", 0, match.start()) + 1 for match in re.finditer(re.escape(CLAIM), prose)
    )


def without_code(text: str) -> str:
    """The text with spaces where code, comments and front matter are; every place stays."""
    for pattern in (FRONT_MATTER, FENCE, COMMENT, CODE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return text


def words_around(text: str, start: int, end: int) -> str:
    """What stands around a place in its paragraph."""
    before = text.rfind("\n\n", 0, start)
    first = max(0 if before < 0 else before + 2, start - MOST_AROUND)
    after = text.find("\n\n", end)
    last = min(len(text) if after < 0 else after, end + MOST_AROUND)
    if first > 0 and text[first - 1] != "\n":
        space = text.find(" ", first, start)
        first = first if space < 0 else space + 1
    if last < len(text) and text[last] != "\n":
        space = text.rfind(" ", end, last)
        last = last if space < 0 else space
    return " ".join(text[first:last].split())
