"""Finding the one passage that an offered edit or a task is about, now and when it is applied."""

from dataclasses import dataclass

from recto.tools.builtin.edit_file import most_like
from recto.tools.document.target import ENDINGS, plain
from recto.tools.editing.passages import find_passages, line_of
from recto.tools.tool import ToolFailure
from recto.workspace import TextFile, encode

Span = tuple[int, int]
MAX_PLACES = 5


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a text whose lines end in "\\n"."""

    text: str
    span: Span

    @property
    def words(self) -> str:
        """What stands there."""
        return self.text[slice(*self.span)]

    @property
    def line(self) -> int:
        """The line it begins in, from 1."""
        return line_of(self.text, self.span[0])


def find_one(file: TextFile, wanted: str, within: Span | None = None) -> FoundPassage:
    """The passage that is meant: the only one there is, or the only one inside another passage.

    Raises ToolFailure.
    """
    if not wanted.strip():
        raise ToolFailure("The passage is empty. Copy some words exactly as they are in the file.")
    text = plain(file)
    spans = find_passages(text, wanted, all_of_them=False).spans
    if len(spans) > 1 and within is not None:
        inside = [span for span in spans if within[0] <= span[0] and span[1] <= within[1]]
        spans = inside if len(inside) == 1 else spans
    if not spans:
        raise ToolFailure(
            f'"{file.path}" has no such passage. {most_like(text, wanted)}Copy it exactly.'
        )
    if len(spans) > 1:
        raise ToolFailure(not_unique(file.path, text, [start for start, _ in spans]))
    return FoundPassage(text, spans[0])


def not_unique(path: str, text: str, starts: list[int]) -> str:
    """Where all the passages are."""
    lines = ", ".join(str(line_of(text, start)) for start in starts[:MAX_PLACES])
    more = " and more" if len(starts) > MAX_PLACES else ""
    return (
        f'"{path}" has this passage {len(starts):,} times, in lines {lines}{more}. '
        "Add the words around the one you mean."
    )


def edited(file: TextFile, old: str, new: str, within: Span | None = None) -> bytes:
    """The bytes of a file in which one passage is replaced.

    Raises ToolFailure, and NotRepresentable for characters that the file's encoding lacks.
    """
    found = find_one(file, old, within)
    start, end = found.span
    text = found.text[:start] + with_plain_lines(new) + found.text[end:]
    ending = ENDINGS.get(file.line_ending)
    written = text if ending is None else text.replace("\n", ending)
    return encode(written, file.encoding, bom=file.bom)


def with_plain_lines(text: str) -> str:
    """A text whose lines end in "\\n"."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
