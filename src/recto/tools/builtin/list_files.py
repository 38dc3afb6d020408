"""list_files: what is in a folder, with sizes, as a tree or as paths."""

from collections import deque
from typing import Annotated, Literal

from msgspec import Meta

from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolOutcome, said
from recto.workspace import FolderEntry, WorkspaceFailure

MAX_ENTRIES = 500
MAX_IN_FOLDER = 100
MAX_DEPTH = 20
UNITS = ("bytes", "kB", "MB", "GB", "TB")


class ListFiles(Arguments, frozen=True):
    """What to list."""

    path: Annotated[
        str, Meta(description="The folder to list; the whole folder when left out.")
    ] = ""
    depth: Annotated[
        int, Meta(description="How many levels of folders to enter, from 1.", ge=1, le=MAX_DEPTH)
    ] = 3
    form: Annotated[
        Literal["tree", "paths"], Meta(description="A tree, or one whole path a line.")
    ] = "tree"


class FolderListing:
    """What was found, folder by folder, until there is enough."""

    def __init__(self) -> None:
        self.folders: dict[str, list[FolderEntry]] = {}
        self.more: dict[str, int] = {}
        self.ignored = 0
        self.refused = 0
        self.count = 0

    def add(self, path: str, entries: tuple[FolderEntry, ...]) -> list[FolderEntry]:
        """Take in a folder; answers what is shown of it."""
        seen = [entry for entry in entries if not entry.ignored]
        self.ignored += len(entries) - len(seen)
        shown = seen[: max(0, min(MAX_IN_FOLDER, MAX_ENTRIES - self.count))]
        self.folders[path] = shown
        self.more[path] = len(seen) - len(shown)
        self.count += len(shown)
        return shown

    def lines(self, path: str, *, tree: bool, level: int = 0) -> list[str]:
        """A folder and what is in it, as text."""
        indent = "  " * level if tree else ""
        found: list[str] = []
        for entry in self.folders[path]:
            name = entry.name if tree else entry.path or entry.name
            found.append(f"{indent}{name}{describe(entry)}")
            if entry.path in self.folders:
                found += self.lines(entry.path, tree=tree, level=level + 1)
        if self.more[path]:
            where = "" if tree or not path else f" in {path}"
            found.append(f"{indent}[{self.more[path]:,} more{where}]")
        return found


async def run(asked: ListFiles, context: ToolContext) -> ToolOutcome:
    """List it, nearest folders first."""
    path = "" if asked.path == "." else asked.path.removesuffix("/")
    listing = FolderListing()
    todo = deque([(path, 1)])
    while todo:
        folder, depth = todo.popleft()
        try:
            entries = await context.workspace.list_folder(folder)
        except WorkspaceFailure:
            if folder == path:
                raise
            listing.refused += 1
            continue
        shown = listing.add(folder, entries)
        if depth < asked.depth and listing.count < MAX_ENTRIES:
            todo += [
                (item.path, depth + 1) for item in shown if item.kind == "folder" and item.path
            ]
    lines = listing.lines(path, tree=asked.form == "tree")
    if listing.ignored:
        lines.append(f"[{listing.ignored:,} ignored or hidden, not shown]")
    if listing.refused:
        lines.append(f"[{listing.refused:,} folders can't be read]")
    text = "\n".join(lines) or "There is nothing in this folder."
    return said(text, fact="1 entry" if listing.count == 1 else f"{listing.count:,} entries")


def describe(entry: FolderEntry) -> str:
    """What is said behind a name."""
    if entry.kind == "folder":
        return "/"
    if entry.kind != "file" or entry.size is None:
        return f" ({entry.kind})"
    return f" ({size_text(entry.size)})"


def size_text(size: int) -> str:
    """A size as people say it."""
    shown = float(size)
    for unit in UNITS[:-1]:
        if shown < 1000:
            return (
                f"{shown:.0f} {unit}" if unit == "bytes" or shown >= 10 else f"{shown:.1f} {unit}"
            )
        shown /= 1000
    return f"{shown:.0f} {UNITS[-1]}"


TOOL = Tool(
    Declaration(
        name="list_files",
        title="List the files of a folder",
        description=(
            "List a folder with the sizes of its files, several levels deep. Files that ignore "
            "files name are left out. Long folders are cut, and say how many more there are."
        ),
        parameters=parameters_of(ListFiles),
        group="workspace",
        changes=False,
        main="path",
        doing="Listing",
        done="Listed",
    ),
    run,
    ListFiles,
    touches=lambda asked: (asked.path,),
)
