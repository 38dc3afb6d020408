"""Quotations with a citation, and whether the source says so."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from recto.references.citations import CROSS_REFERENCE, KEY, without_code

QUOTED = re.compile(
    r"“(?P<curly>[^“”]{3,2000})”|«(?P<angle>[^«»]{3,2000})»|„(?P<low>[^„“”]{3,2000})[“”]"
    r"|(?<!\w)\"(?P<plain>[^\"\n]{3,2000})\"(?!\w)"
)
BLOCK = re.compile(r"(?:^[ ]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
BEFORE_CITATION = re.compile(r"[\s.,;:!?)*_]*(?:\[(?P<group>[^\][]*@[^\][]*)\]|(?P<bare>-?@))")
SENTENCE = re.compile(r"[.!?]\s|\n\s*\n")
GAP = re.compile(r"\[?(?:…|\.\s?\.\s?\.)\]?|\[[^\][]{0,60}\]")
LEAST_WORDS = 3
LEAST_SIGNS = 4


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a text gives as those of a source."""

    key: str
    words: str
    start: int
    end: int
    line: int


def find_quotations(text: str) -> tuple[Quotation, ...]:
    """The quotations of a text that have a citation: right behind them, or in their sentence."""
    prose = without_code(text)
    found: list[Quotation] = []
    blocks = [block.span() for block in BLOCK.finditer(prose)]
    for start, end in blocks:
        citation = KEY.search(prose, start, end)
        if citation is None or CROSS_REFERENCE.match(key_of(citation)):
            continue
        bracket = prose.rfind("[", start, citation.start())
        last = bracket if bracket >= 0 else citation.start()
        words = re.sub(r"(?m)^[ ]{0,3}>[ ]?", "", prose[start:last]).strip(' \n—–-“”"')
        add(found, prose, key_of(citation), words, (start, last))
    for quoted in QUOTED.finditer(prose):
        if any(start <= quoted.start() < end for start, end in blocks):
            continue
        key = cited_behind(prose, quoted.end()) or cited_before(prose, quoted.start())
        if key:
            words = next(words for words in quoted.groups() if words)
            add(found, prose, key, words, quoted.span())
    return tuple(sorted(found, key=lambda one: one.start))


def add(found: list[Quotation], prose: str, key: str, words: str, span: tuple[int, int]) -> None:
    """Note a quotation; a word or two in quotation marks are none."""
    if len(words.split()) >= LEAST_WORDS:
        line = prose.count("\n", 0, span[0]) + 1
        found.append(Quotation(key, " ".join(words.split()), *span, line))


def cited_behind(prose: str, end: int) -> str:
    """The key that is cited right behind a place."""
    behind = BEFORE_CITATION.match(prose, end)
    citation = KEY.search(prose, end, behind.end() + 200) if behind else None
    if behind is None or citation is None or citation.start() > behind.end():
        return ""
    return "" if CROSS_REFERENCE.match(key_of(citation)) else key_of(citation)


def cited_before(prose: str, start: int) -> str:
    """The key that the sentence names before a place: `@pugh1987 writes: “…”`."""
    first = max(0, start - 300)
    ends = [*SENTENCE.finditer(prose, first, start)]
    citations = [*KEY.finditer(prose, ends[-1].end() if ends else first, start)]
    if not citations or "[" in prose[citations[-1].start() - 2 : citations[-1].start()]:
        return ""
    return "" if CROSS_REFERENCE.match(key_of(citations[-1])) else key_of(citations[-1])


def key_of(citation: re.Match[str]) -> str:
    """The key of a citation."""
    return citation["braced"] or citation["plain"]


def find_in_pages(words: str, pages: Sequence[str]) -> int | None:
    """The page of a text on which a quotation begins; None: it is not there.

    Letters and digits count, in their order: line ends, hyphens and quotation marks don't. What a
    quotation leaves out or adds, in its brackets and dots, may be anything.
    """
    bare_pages = [bare(page) for page in pages]
    whole = "".join(bare_pages)
    parts = [part for part in map(bare, GAP.split(words)) if len(part) >= LEAST_SIGNS]
    if not parts:
        return None
    at, first = 0, -1
    for part in parts:
        at = whole.find(part, at)
        if at < 0:
            return None
        first = at if first < 0 else first
        at += len(part)
    for number, page in enumerate(bare_pages, 1):
        if first < len(page):
            return number
        first -= len(page)
    return None


def bare(text: str) -> str:
    """The letters and digits of a text, case and ligatures overlooked."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in plain if sign.isalnum())
