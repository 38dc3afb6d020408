"""The files of a project: folders, texts, names, search, git."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Query

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.files import (
    Entry,
    FileNameMatch,
    FileNames,
    FolderPage,
    GitState,
    SearchMatch,
    SearchResults,
    TextFacts,
    TextFile,
    TextPart,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}", tags=["files"])

FOLDER_PAGE = 5000
MOST_NAMES = 10_000
MOST_LINES = 2**31
Path = Annotated[Text, Query(max_length=4096)]


@router.get("/folder", response_model=FolderPage, responses=may_answer(404, 409, 422))
@for_session
async def list_folder(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Path = "",
    cursor: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> FolderPage:
    """What lies in a folder, folders first; one page at a time."""
    workspace = await services.workspaces.get(project_id)
    entries = await workspace.list_folder(path)
    end = cursor + FOLDER_PAGE
    return FolderPage(
        path=path,
        items=[
            Entry(
                name=entry.name,
                path=entry.path,
                kind=entry.kind,
                size=entry.size,
                modified_at=entry.modified_ms,
                ignored=entry.ignored,
            )
            for entry in entries[cursor:end]
        ],
        next_cursor=str(end) if end < len(entries) else None,
    )


@router.get("/file", response_model=TextFile, responses=may_answer(404, 409, 413, 415, 422))
@for_session
async def read_file(project_id: ResourceId, services: ServicesDependency, path: Path) -> TextFile:
    """A text file, how it is stored, and how it is to be indented."""
    workspace = await services.workspaces.get(project_id)
    file = TextFile.model_validate(await workspace.read_text(path))
    return file.model_copy(update={"indent": await workspace.indentation(path)})


@router.get("/file-facts", response_model=TextFacts, responses=may_answer(404, 409, 413, 415, 422))
@for_session
async def read_file_facts(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> TextFacts:
    """How a text file is stored, for who has its text already."""
    workspace = await services.workspaces.get(project_id)
    facts = TextFacts.model_validate(await workspace.read_text(path))
    return facts.model_copy(update={"indent": await workspace.indentation(path)})


@router.get("/file-part", response_model=TextPart, responses=may_answer(404, 409, 413, 415, 422))
@for_session
async def read_file_part(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Path,
    part: Annotated[int, Query(ge=1, le=MOST_LINES)] = 1,
    line: Annotated[int | None, Query(ge=1, le=MOST_LINES)] = None,
) -> TextPart:
    """About a megabyte of a text too large to be edited: one of its parts, or that with a line."""
    workspace = await services.workspaces.get(project_id)
    return TextPart.model_validate(await workspace.read_part(path, part=part, line=line))


@router.get("/file-names", response_model=FileNames, responses=may_answer(404, 422))
@for_session
async def find_files(
    project_id: ResourceId,
    services: ServicesDependency,
    query: Annotated[Text, Query(max_length=500)] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_NAMES)] = 50,
    under: Path = "",
) -> FileNames:
    """The files whose names fit best, of all or of those in one folder; ignored ones aside."""
    workspace = await services.workspaces.get(project_id)
    names = (await workspace.file_names()).inside(under)
    found = await workspace.match_names(query, limit=limit, under=under)
    return FileNames(
        items=[
            FileNameMatch(path=match.path, positions=in_utf16(match.path, match.positions))
            for match in found
        ],
        total=len(names.paths),
        truncated=names.truncated,
    )


@router.get("/search", response_model=SearchResults, responses=may_answer(404, 422))
@for_session
async def search(
    project_id: ResourceId,
    services: ServicesDependency,
    query: Annotated[Text, Query(min_length=1, max_length=1000)],
    regex: bool = False,
    case_sensitive: Annotated[bool, Query(alias="caseSensitive")] = False,
) -> SearchResults:
    """The lines that hold a text or fit a regular expression."""
    workspace = await services.workspaces.get(project_id)
    found = await workspace.search(query, regex=regex, case_sensitive=case_sensitive)
    return SearchResults(
        items=[
            SearchMatch(
                path=match.path,
                line=match.line,
                column=match.column,
                text=match.text,
                ranges=[pair(in_utf16(match.text, ends)) for ends in match.ranges],
            )
            for match in found.matches
        ],
        truncated=found.truncated,
    )


@router.get("/git", response_model=GitState, responses=may_answer(404, 422))
@for_session
async def git(project_id: ResourceId, services: ServicesDependency) -> GitState:
    """The branch, and which files differ from the last commit."""
    workspace = await services.workspaces.get(project_id)
    return GitState.model_validate(await workspace.git_state())


def in_utf16(text: str, offsets: Iterable[int]) -> list[int]:
    """Offsets in characters as offsets in UTF-16 units, which is how the page counts."""
    if text.isascii():
        return list(offsets)
    return [len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2 for offset in offsets]


def pair(ends: list[int]) -> tuple[int, int]:
    """The two ends of a range."""
    start, end = ends
    return start, end
