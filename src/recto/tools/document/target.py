"""The one document that a turn is about, and its text as people see it now, selection included."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from recto.notebooks import Notebook, joined_cells
from recto.tools.editing.word import WordEdit
from recto.tools.known_documents import KnownDocument
from recto.tools.notebook.text_edits import notebook_there
from recto.tools.reading.lines import split_lines
from recto.tools.tool import ToolContext
from recto.word import is_word
from recto.workspace import LineEnding, TextFile, encode

TRIES = 5
ENDINGS: dict[LineEnding, str] = {"crlf": "\r\n", "cr": "\r"}
FENCES = {"---": ("---", "..."), "+++": ("+++",)}


@dataclass(frozen=True, slots=True)
class DocumentSelection:
    """What is selected: characters of the text, and the words there. Without words, a cursor."""

    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class DocumentTarget:
    """What the document tools are bound to."""

    path: str
    settle: Callable[[], Awaitable[None]]
    """Brings what people typed to the disk."""
    selected: Callable[[], Awaitable[DocumentSelection | None]]
    """Where the selection is now, after all edits; None when nothing is selected any more."""


@dataclass(frozen=True, slots=True)
class WordFile:
    """A Word document: its bytes, and how they read."""

    data: bytes
    document: KnownDocument


@dataclass(frozen=True, slots=True)
class CellsFile:
    """A notebook: its bytes, and its cells. Its text has them all, as the live document does."""

    data: bytes
    notebook: Notebook


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """A document as it is now. As in the live text, lines end in "\\n" unless they are mixed."""

    file: TextFile | WordFile | CellsFile
    text: str
    selected: DocumentSelection | None

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return split_lines(self.text)

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self.text.split())


def data_of(file: TextFile, text: str) -> bytes:
    """The file's bytes for another text. Raises NotRepresentable."""
    ending = ENDINGS.get(file.line_ending)
    written = text if ending is None else text.replace("\n", ending)
    return encode(written, file.encoding, bom=file.bom)


async def look(aim: DocumentTarget, context: ToolContext) -> DocumentSnapshot:
    """The document with all that was typed until now, and a selection that fits it."""
    for _ in range(TRIES - 1):
        seen = await glance(aim, context)
        selected = seen.selected
        # Somebody may have typed between the two: then the place is one of another text.
        if selected is None or seen.text[selected.start : selected.end] == selected.words:
            return seen
    return replace(await glance(aim, context), selected=None)


async def glance(aim: DocumentTarget, context: ToolContext) -> DocumentSnapshot:
    """The document, and then its selection."""
    await aim.settle()
    if is_word(aim.path):
        data, document = await WordEdit(aim.path, context).read()
        selected = await aim.selected()
        return DocumentSnapshot(WordFile(data, document), document.text, selected)
    found = await notebook_there(aim.path, context)
    if found is not None:
        notebook, data = found
        text = joined_cells(notebook.cells)
        return DocumentSnapshot(CellsFile(data, notebook), text, await aim.selected())
    file = await context.workspace.read_text(aim.path)
    return DocumentSnapshot(file, plain(file), await aim.selected())


def plain(file: TextFile) -> str:
    """The text of a file with line ends as the live document has them."""
    ending = ENDINGS.get(file.line_ending)
    return file.text if ending is None else file.text.replace(ending, "\n")


def front_matter(lines: list[str]) -> int:
    """How many lines the front matter takes, its fences included; 0 without one."""
    ends = FENCES.get(lines[0].rstrip()) if lines else None
    if ends is None:
        return 0
    closing = (number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ends)
    return next(closing, 0)


def counted(number: int, thing: str) -> str:
    """So many of a thing, in English."""
    return f"1 {thing}" if number == 1 else f"{number:,} {thing}s"
