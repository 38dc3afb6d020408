"""Links between the texts of a project: where they lead, who has them, what a move changes."""

from typing import Annotated

from fastapi import Query

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.file_operations import LinkChanges
from recto.server.schemas.links import (
    FileLinks,
    NotePlace,
    TagCount,
    TaggedNote,
    TaggedNotes,
    TagList,
)
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}", tags=["files"])

NamedPath = Annotated[Text, Query(min_length=1, max_length=4096)]


@router.get("/links", response_model=FileLinks, responses=may_answer(404, 422, 503))
@for_session
async def read_links(
    project_id: ResourceId, services: ServicesDependency, path: NamedPath
) -> FileLinks:
    """What links to a file, and which of its own links lead nowhere."""
    return FileLinks.model_validate(await services.links.around(project_id, path))


@router.get("/links/note", response_model=NotePlace, responses=may_answer(404, 422))
@for_session
async def find_note(
    project_id: ResourceId,
    services: ServicesDependency,
    name: Annotated[Text, Query(max_length=1000)],
    origin: Path = "",
) -> NotePlace:
    """The file that a wiki link means in the text where it stands."""
    return NotePlace(path=await services.links.find_note(project_id, name, origin))


@router.get("/links/move", response_model=LinkChanges, responses=may_answer(404, 409, 422, 503))
@for_session
async def preview_move(
    project_id: ResourceId,
    services: ServicesDependency,
    path: NamedPath,
    new_path: Annotated[Text, Query(alias="newPath", min_length=1, max_length=4096)],
) -> LinkChanges:
    """Which links would follow a file or folder to another path. Nothing is changed."""
    plan, _ = await services.links.plan(project_id, path, new_path)
    return LinkChanges.model_validate(plan)


@router.get("/tags", response_model=TagList, responses=may_answer(404, 422, 503))
@for_session
async def list_tags(project_id: ResourceId, services: ServicesDependency) -> TagList:
    """The tags of the notes of a project."""
    found, truncated = await services.links.tags(project_id)
    items = [TagCount(tag=tag, count=count) for tag, count in found]
    return TagList(items=items, truncated=truncated)


@router.get("/tags/notes", response_model=TaggedNotes, responses=may_answer(404, 422, 503))
@for_session
async def list_tagged(
    project_id: ResourceId,
    services: ServicesDependency,
    tag: Annotated[Text, Query(min_length=1, max_length=1000)],
) -> TaggedNotes:
    """The notes with a tag, or one below it."""
    found, truncated = await services.links.tagged(project_id, tag)
    return TaggedNotes(
        items=[TaggedNote.model_validate(note) for note in found], truncated=truncated
    )
