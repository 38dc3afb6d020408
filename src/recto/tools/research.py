"""What the tools of references and of the web work with."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recto.references import Libraries, Library, LibraryFile
from recto.research import PageFetcher, PaperSearch, RecordFinder, Zotero
from recto.tools.tool import ToolContext

SearchWeb = Callable[[str, int], Awaitable[list[dict[str, Any]] | None]]
"""Pages of the web by some words; None: nobody can be asked. Raises SearchFailed."""


@dataclass(frozen=True, slots=True)
class ResearchServices:
    """The library of a folder, and whoever knows of works and pages."""

    libraries: Libraries
    records: RecordFinder
    papers: PaperSearch
    search_web: SearchWeb
    pages: PageFetcher
    zotero: Zotero

    async def library(self, context: ToolContext, document: str = "") -> Library:
        """The folder's library as the AI may see it, with what a document names besides."""
        return await self.libraries.open(context.workspace, document=document or None)


def describe_file(file: LibraryFile) -> str:
    """A file of the library in a few words."""
    return f"{file.path}{' (read-only)' if file.read_only else ''}"


def item_fields(item: Mapping[str, Any]) -> str:
    """What is known of a work that is in no library, one field a line."""
    people = ", ".join(
        " ".join(filter(None, (row.get("given"), row.get("family") or row.get("literal"))))
        for row in item.get("author", [])
    )
    year = item.get("issued", {}).get("date-parts", [[""]])[0][0]
    rows = (
        ("title", item.get("title")),
        ("authors", people),
        ("year", year),
        ("in", item.get("container-title") or item.get("publisher")),
        ("doi", item.get("DOI")),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)
