"""search_content: lines with a text or a regular expression, in files or in kept output."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import anyio
from msgspec import Meta

from recto.tools.builtin.read_file import HANDLE
from recto.tools.editing.word import WordEdit
from recto.tools.reading.lines import numbered, split_lines
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.word import is_word
from recto.workspace import SearchLimits, SearchMatch, SearchResult, Workspace, WorkspaceFailure

MAX_MATCHES = 200
MAX_LINE = 300
MAX_CONTEXT = 10
MAX_DOCUMENTS = 200
DOCUMENTS_S = 20.0
PIECE = 4_000_000  # letters of kept output in one file: well below what a search reads of a file


class SearchContent(Arguments, frozen=True):
    """What to look for."""

    query: Annotated[str, Meta(description="The text to look for, in one line.")]
    path: Annotated[
        str,
        Meta(description="A folder or file to look in, or an output handle; else everywhere."),
    ] = ""
    glob: Annotated[
        str, Meta(description="Only files of this form, such as *.md or src/**/*.{ts,tsx}.")
    ] = ""
    regex: Annotated[
        bool, Meta(description="Whether query is a regular expression, without look-around.")
    ] = False
    case_sensitive: Annotated[bool, Meta(description="Whether case counts.")] = False
    context: Annotated[
        int, Meta(description="How many lines to show around each.", ge=0, le=MAX_CONTEXT)
    ] = 0


async def run(asked: SearchContent, tool_context: ToolContext) -> ToolOutcome:
    """Look for it."""
    if asked.path.startswith(HANDLE):
        text = await tool_context.outputs.read(asked.path)
        found = await search_text(text, asked)
        blocks = [show(found.matches, split_lines(text), asked.context)]
    else:
        path = "" if asked.path == "." else asked.path.removesuffix("/")
        in_texts = await search(tool_context.workspace, asked, path=path, glob=asked.glob)
        in_documents, lines = await search_documents(asked, path, tool_context)
        found = SearchResult(
            (*in_texts.matches, *in_documents.matches)[:MAX_MATCHES],
            in_texts.truncated or in_documents.truncated,
        )
        blocks = [
            await show_file(path, found, asked, tool_context, lines.get(path))
            for path in paths_of(found)
        ]
    if not found.matches:
        where = " within the time there is" if found.truncated else ""
        return said(f"Nothing was found{where}.", fact="no matches")
    if found.truncated:
        blocks.append("[There may be more. Narrow the search with path, glob or a longer query.]")
    count = len(found.matches)
    return said("\n\n".join(blocks), fact="1 match" if count == 1 else f"{count:,} matches")


async def search(
    workspace: Workspace, asked: SearchContent, *, path: str, glob: str
) -> SearchResult:
    """The lines of a folder that have it."""
    return await workspace.search(
        asked.query,
        regex=asked.regex,
        case_sensitive=asked.case_sensitive,
        path=path,
        glob=glob,
        limits=SearchLimits(max_matches=MAX_MATCHES, max_line=MAX_LINE, deadline_s=15.0),
    )


def paths_of(found: SearchResult) -> list[str]:
    """The files with matches, in order."""
    return list(dict.fromkeys(match.path for match in found.matches))


async def show_file(
    path: str,
    found: SearchResult,
    asked: SearchContent,
    tool_context: ToolContext,
    known: Sequence[str] | None,
) -> str:
    """The matches of one file under its name."""
    matches = [match for match in found.matches if match.path == path]
    lines: Sequence[str] = known or ()
    if asked.context and known is None:
        lines = split_lines((await tool_context.workspace.read_text(path)).text)
    return f"{path}\n{show(matches, lines, asked.context)}"


def show(matches: Sequence[SearchMatch], lines: Sequence[str], context: int) -> str:
    """Numbered lines, those around matches too; three dots where lines were passed over."""
    last = max((match.line for match in matches), default=0) + context
    if not context:
        return "\n".join(numbered(match.line, match.text, last) for match in matches)
    hits = {match.line: match.text for match in matches}
    wanted = sorted(
        {
            number
            for line in hits
            for number in range(max(1, line - context), min(len(lines), line + context) + 1)
        }
        | hits.keys()
    )
    shown: list[str] = []
    for before, number in zip([wanted[0], *wanted], wanted, strict=False):
        shown += ["..."] if number > before + 1 else []
        text = hits[number] if number in hits else lines[number - 1][:MAX_LINE]
        shown.append(numbered(number, text, last))
    return "\n".join(shown)


async def search_documents(
    asked: SearchContent, path: str, tool_context: ToolContext
) -> tuple[SearchResult, dict[str, list[str]]]:
    """The lines of Word documents that have it: the same search, over their texts."""
    names = await document_names(path, tool_context)
    texts: dict[str, str] = {}
    left_out = len(names) > MAX_DOCUMENTS
    with anyio.move_on_after(DOCUMENTS_S) as scope:
        for name in names[:MAX_DOCUMENTS]:
            try:
                _, document = await WordEdit(name, tool_context).read()
            except (WorkspaceFailure, ToolFailure):
                continue  # as other files that can't be read
            texts[name] = document.text
    if not texts:
        return SearchResult((), scope.cancelled_caught), {}
    with tempfile.TemporaryDirectory(prefix="recto-search-") as folder:
        # They lie where the documents do, so that a pattern for names means the same.
        await anyio.to_thread.run_sync(write_texts, texts, folder)
        async with await Workspace.open(folder) as apart:
            found = await search(apart, asked, path="", glob=asked.glob)
    lines = {name: split_lines(text) for name, text in texts.items()}
    return SearchResult(found.matches, found.truncated or left_out or scope.cancelled_caught), lines


async def document_names(path: str, tool_context: ToolContext) -> list[str]:
    """The Word documents at or below a path."""
    if is_word(path):
        return [path]
    names = (await tool_context.workspace.file_names()).inside(path)
    return [name for name in names.paths if is_word(name) and not is_lock(name)]


def is_lock(path: str) -> bool:
    """Whether it is what Word puts beside an open document."""
    return path.rpartition("/")[2].startswith("~$")


def write_texts(texts: Mapping[str, str], folder: str) -> None:
    """Write texts under the names of their documents."""
    for name, text in texts.items():
        file = Path(folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "replace"))


async def search_text(text: str, asked: SearchContent) -> SearchResult:
    """The lines of kept output that have it: the same search, over files made for it."""
    with tempfile.TemporaryDirectory(prefix="recto-search-") as folder:
        firsts = await anyio.to_thread.run_sync(write_pieces, text, folder)
        async with await Workspace.open(folder) as apart:
            found = await search(apart, asked, path="", glob="")
    moved = [
        SearchMatch("", firsts[match.path] + match.line, match.column, match.text, match.ranges)
        for match in found.matches
    ]
    return SearchResult(tuple(sorted(moved, key=lambda match: match.line)), found.truncated)


def write_pieces(text: str, folder: str) -> dict[str, int]:
    """Write a text as files of whole lines; for each, how many lines are before it."""
    firsts: dict[str, int] = {}
    piece: list[str] = []
    size = 0
    lines = split_lines(text)
    for number, line in enumerate(lines, 1):
        piece.append(line)
        size += len(line)
        if size > PIECE or number == len(lines):
            name = f"{len(firsts)}.txt"
            firsts[name] = number - len(piece)
            content = "\n".join(piece).encode("utf-8", "replace")
            (Path(folder) / name).write_bytes(content)
            piece, size = [], 0
    return firsts


TOOL = Tool(
    Declaration(
        name="search_content",
        title="Search the text of every file that is not ignored",
        description=(
            "Find the lines that have a text, or fit a regular expression, in the files of the "
            "folder that are not ignored, Word documents included. Case does not count unless "
            "case_sensitive is set. Also searches the output handles (output:...) that other tools "
            "give."
        ),
        parameters=parameters_of(SearchContent),
        group="workspace",
        changes=False,
        main="query",
        doing="Searching",
        done="Searched",
    ),
    run,
    SearchContent,
    touches=lambda asked: () if asked.path.startswith(HANDLE) else (asked.path,),
)
