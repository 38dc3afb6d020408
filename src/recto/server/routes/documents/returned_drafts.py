"""Drafts that went out as Word documents, and come back changed and commented on."""

from typing import Annotated

from fastapi import Query

from recto.chats import BroughtFile, BroughtNote
from recto.server.access import for_session, takes_megabytes
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.returned_drafts import (
    ReturnedBody,
    ReturnedReport,
    SentFrom,
    present_returned,
)
from recto.server.schemas.file_operations import FilePath
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/returned-drafts", tags=["publishing"])

MAY_FAIL = may_answer(400, 403, 404, 409, 412, 413, 415, 422, 507)
NO_DOCUMENT = Problem(
    422,
    "No document",
    "Neither a path nor a document was given, or both.",
    remedy="Give one of them.",
)


@router.get("", response_model=SentFrom, responses=MAY_FAIL)
@for_session
async def find_draft(
    project_id: ResourceId, path: Annotated[FilePath, Query()], services: ServicesDependency
) -> SentFrom:
    """The draft that a Word document of the folder was published from, if it was."""
    return SentFrom(draft=await services.returned_drafts.draft_of(project_id, path))


@router.post("", response_model=ReturnedReport, responses=MAY_FAIL)
@for_session
@takes_megabytes(48)
async def bring_back(
    project_id: ResourceId, body: ReturnedBody, services: ServicesDependency
) -> ReturnedReport:
    """What was changed and said in a document that came back; and bring it into the draft."""
    if bool(body.path) == bool(body.data):
        raise RequestProblem(NO_DOCUMENT)
    found = await services.returned_drafts.read(
        project_id, body.path, data=body.data, draft=body.draft
    )
    if body.brings:
        files = [BroughtFile(item.path, item.data, item.hash) for item in found.files]
        notes = [
            BroughtNote(item.path, item.start, item.end, item.words, item.body, item.is_resolved)
            for item in found.comments
        ]
        await services.bringing_back.bring(project_id, found.authors, files, notes)
    return present_returned(found)
