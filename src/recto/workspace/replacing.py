"""Finding what is to be replaced in the folder's files, and by what, with ripgrep.

Its regular expressions take time in proportion to the text, whatever they are; the words that come
in a match's place, groups included, are ripgrep's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recto.workspace.names import is_protected
from recto.workspace.ripgrep import RgMatch
from recto.workspace.search_scope import SearchScope


@dataclass(frozen=True, slots=True)
class ReplacementQuery:
    """What to find and what comes in its place; `$1` and `${name}` are groups of an expression."""

    query: str
    replacement: str
    regex: bool = False
    case_sensitive: bool = False
    whole_word: bool = False
    scope: SearchScope = field(default_factory=SearchScope)


@dataclass(frozen=True, slots=True)
class ReplacementSpan:
    """A match in its line, in characters, and what comes in its place."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class ReplacementLine:
    """A line with something to replace, without its end."""

    path: str
    line: int
    text: str
    spans: tuple[ReplacementSpan, ...]


@dataclass(frozen=True, slots=True)
class ReplacementLines:
    """All lines, in the order of paths and lines; `truncated` when there may be more."""

    lines: tuple[ReplacementLine, ...]
    truncated: bool


def replacing_arguments(replacement: str, *, regex: bool) -> list[str]:
    """How ripgrep is told what comes in the place of a match."""
    # `$` names a group even where the text to find is plain.
    words = replacement if regex else replacement.replace("$", "$$")
    return [f"--replace={words}", "--crlf"]


def read_line(found: RgMatch) -> ReplacementLine | None:
    """A line as it is to be changed; None for one that is not UTF-8, or may not be changed."""
    if found.path.text is None or found.lines.text is None:
        return None
    path = found.path.text.removeprefix("./")
    if any(is_protected(name) for name in path.split("/")):
        return None
    whole = found.lines.text.encode("utf-8")
    raw = whole.rstrip(b"\r\n")
    spans: list[ReplacementSpan] = []
    for span in found.submatches:
        if span.replacement is None or span.start > len(raw):
            return None
        start, end = text_of(raw[: span.start]), text_of(raw[: min(span.end, len(raw))])
        spans.append(ReplacementSpan(len(start), len(end), text_of(span.replacement.raw)))
    return ReplacementLine(path, found.line_number, text_of(raw), tuple(spans))


def text_of(raw: bytes) -> str:
    """Bytes that are known to be UTF-8."""
    return raw.decode("utf-8", "replace")


def in_order(lines: Sequence[ReplacementLine]) -> tuple[ReplacementLine, ...]:
    """Lines by path and number: always the same for the same files."""
    return tuple(sorted(lines, key=lambda line: (line.path, line.line)))
