"""Words of a document written as Markdown: signs kept from meaning something, looks as signs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from recto.word import OBJECT, ContentParagraph

Escaping = Literal["few", "typed", "all", "none"]
SIGNS = {"c": "`", "b": "**", "i": "*", "s": "~~", "^": "^", ",": "~"}
FEW = re.compile(
    r"""[\\`*\[\]$^~{}] | (?<![^\W_])_ | _(?![^\W_]) | (?<!\w)@ | <(?=[\w/!?]) | &(?=[\#\w]+;)""",
    re.VERBOSE,
)
TYPED = re.compile(f"{FEW.pattern} | [\"'] | (?<=-)- | [.](?=[.])", re.VERBOSE)
"""Also what would be set as other letters: quotation marks, dashes, an ellipsis."""
ALL = re.compile(r"[!-/:-@\[-`{-~]")
BLOCK_START = re.compile(r"^(?:[#>+|:%-]|\d+(?=[.)])|[A-Za-z](?=[.)] )|\(?@)")


class WordLook(NamedTuple):
    """How words look anyway, where others go in."""

    marks: frozenset[str] = frozenset()
    link: str = ""


class NoPlace(Exception):
    """Something has no place in the Markdown; its words say what."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class MarkdownWriter:
    """Writes parts of paragraphs that came back."""

    known: Mapping[str, str]
    """What is made of something in the draft, such as citations and formulas, and of what."""
    escaping: Escaping = "few"

    def write(
        self,
        item: ContentParagraph,
        start: int,
        end: int,
        around: WordLook,
        *,
        opens: bool,
    ) -> str:
        """Letters of a paragraph as Markdown; `around` is how the words there look anyway.

        Raises NoPlace.
        """
        made = "".join(
            self._run(item, at, to, frozenset(marks), link, around)
            for at, to, marks, link in runs_in(item, start, end)
        )
        if opens and self.escaping != "none":
            made = BLOCK_START.sub(lambda found: escaped_start(found[0]), made)
        return made

    def _run(
        self,
        item: ContentParagraph,
        start: int,
        end: int,
        all_marks: frozenset[str],
        link: str,
        around: WordLook,
    ) -> str:
        text = item.text[start:end]
        before = item.text[:start].count(OBJECT)
        objects = iter(item.objects[before:])
        marks = all_marks - around.marks
        if "c" in all_marks:
            sign = "`" * ("c" in marks)
            return f"{sign}{text}{sign}"
        plain = "".join(self._piece(piece, objects) for piece in self._pieces(text))
        if (
            link
            and link != around.link
            and not link.startswith("#")
            and "](" not in plain
            and plain.strip()
        ):
            plain = f"[{plain}]({link})"
        inner = plain.strip(" ")
        if not inner or self.escaping == "none":
            return plain
        lead = plain[: len(plain) - len(plain.lstrip(" "))]
        for sign in (SIGNS[mark] for mark in SIGNS if mark in marks):
            inside = inner.replace(" ", "\\ ") if sign in "^~" else inner
            inner = f"{sign}{inside}{sign}"
        return lead + inner + plain[len(plain.rstrip(" ")) :]

    def _pieces(self, text: str) -> Iterator[str]:
        """The text cut at what is known to be made of something."""
        words = sorted((word for word in self.known if word in text), key=len, reverse=True)
        alternatives = "|".join(map(re.escape, [*words, OBJECT]))
        yield from (piece for piece in re.split(f"({alternatives})", text) if piece)

    def _piece(self, piece: str, objects: Iterator[str]) -> str:
        if piece == OBJECT:
            name = next(objects)
            if name not in self.known:
                raise NoPlace(WHAT.get(name.partition(":")[0], "something that is no text"))
            return self.known[name]
        return self.known.get(piece) or self._escaped(piece)

    def _escaped(self, text: str) -> str:
        if self.escaping == "none":
            return text.replace("\n", "\\\n")
        signs = {"few": FEW, "typed": TYPED, "all": ALL}[self.escaping]
        made = signs.sub(lambda found: f"\\{found[0]}", text)
        return made.replace("\n", "\\\n")


WHAT = {
    "formula": "a formula",
    "picture": "a picture",
    "note": "a footnote",
    "pageBreak": "a page break",
}


def escaped_start(sign: str) -> str:
    """What would begin a list or a heading, kept from it."""
    return f"{sign}\\" if sign[-1].isalnum() else f"\\{sign}"


def runs_in(item: ContentParagraph, start: int, end: int) -> Iterator[tuple[int, int, str, str]]:
    """The runs of one look between two places."""
    at = 0
    for look in item.looks:
        to = at + look.length
        if max(at, start) < min(to, end):
            yield max(at, start), min(to, end), look.marks, look.link
        at = to


def look_at(item: ContentParagraph, place: int) -> frozenset[str]:
    """How a letter looks."""
    return word_look(item, place).marks


def word_look(item: ContentParagraph, place: int) -> WordLook:
    """How a letter looks, and where it leads."""
    found = next(runs_in(item, place, place + 1), None)
    return WordLook() if found is None else WordLook(frozenset(found[2]), found[3])
