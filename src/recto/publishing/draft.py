"""What is published: one document, or the chapters of a book."""

import posixpath
import re
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from recto.publishing.failures import PublishFailed
from recto.workspace import Workspace, WorkspaceFailure

BOOK_FILE = "_book.md"
SETTINGS_FILE = "recto.toml"
CHAPTER = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[^\]]*\]\((?P<linked>[^)]+)\)|(?P<plain>\S.*?))\s*$"
)
ReadText = Callable[[str], Awaitable[str]]
MOST_CHAPTERS = 500
MOST_CHARACTERS = 20_000_000


@dataclass(frozen=True, slots=True)
class DraftPart:
    """One file of a draft."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """The files in their order; the first says the title and what else the front matter has."""

    path: str
    """What was asked for."""
    parts: tuple[DraftPart, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Pictures that lie in no file, by the paths that the parts show them by."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n\n".join(part.text for part in self.parts)


async def read_draft(workspace: Workspace, path: str, read: ReadText | None = None) -> Draft:
    """A document with its chapters, if it is a book. Raises PublishFailed, WorkspaceFailure.

    `read` says what a file holds, where that is not what lies on the disk.
    """

    async def on_disk(file: str) -> str:
        return (await workspace.read_text(file)).text

    read = read or on_disk
    name = posixpath.basename(path)
    if name == BOOK_FILE:
        book = await read(path)
        chapters = chapters_in(book)
        head = (DraftPart(path, front_of(book)),)
    elif name == SETTINGS_FILE:
        chapters = chapters_of_settings(await read(path))
        head = ()
    else:
        return Draft(path, (DraftPart(path, await read(path)),))
    if not chapters or len(chapters) > MOST_CHAPTERS:
        words = (
            "It names no chapters." if not chapters else f"It has over {MOST_CHAPTERS} chapters."
        )
        raise PublishFailed(
            f"{path} is no book. {words}", "List its files, one in each line: - intro.md"
        )
    parts = [*head]
    for chapter in chapters:
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), chapter))
        try:
            parts.append(DraftPart(inside, await read(inside)))
        except WorkspaceFailure as failure:
            raise PublishFailed(f"The chapter {chapter} can't be read: {failure}") from failure
    if sum(len(part.text) for part in parts) > MOST_CHARACTERS:
        raise PublishFailed("The book is over 20 million characters.", "Publish it in parts.")
    return Draft(path, tuple(parts))


def chapters_in(text: str) -> list[str]:
    """The files that a list in a Markdown text names."""
    found = (CHAPTER.match(line) for line in text.split("\n"))
    named = [(match["linked"] or match["plain"]).strip("`") for match in found if match]
    return [name for name in named if name.lower().endswith((".md", ".markdown"))]


def front_of(text: str) -> str:
    """A book's own file without its list."""
    return "\n".join(line for line in text.split("\n") if not chapters_in(line))


def chapters_of_settings(text: str) -> list[str]:
    """The chapters that a settings file names. Raises PublishFailed."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PublishFailed(f"{SETTINGS_FILE} is not as it must be: {error}") from error
    match read.get("book"):
        case {"chapters": [*chapters]}:
            return [str(chapter) for chapter in chapters]
        case _:
            return []
