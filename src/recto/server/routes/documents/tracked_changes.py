"""Tracked changes in Word documents: listed, accepted, rejected."""

from typing import Annotated

from fastapi import Query

from recto.projects import DocumentChanges
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.tracked_changes import (
    Settlement,
    TrackedChange,
    TrackedChangeList,
)
from recto.server.schemas.file_operations import FilePath
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1/projects/{project_id}/tracked-changes", tags=["files"])

MAY_FAIL = may_answer(400, 404, 409, 412, 413, 422, 507)


@router.get("", response_model=TrackedChangeList, responses=MAY_FAIL)
@for_session
async def list_tracked_changes(
    project_id: ResourceId, path: Annotated[FilePath, Query()], services: ServicesDependency
) -> TrackedChangeList:
    """The tracked changes of a Word document."""
    return presented(await services.tracked_changes.find(project_id, path))


@router.post("/settle", response_model=TrackedChangeList, responses=MAY_FAIL)
@for_session
async def settle_tracked_changes(
    project_id: ResourceId, body: Settlement, services: ServicesDependency
) -> TrackedChangeList:
    """Accept or reject tracked changes; answers those that are left."""
    found = await services.tracked_changes.settle(
        project_id, body.path, expected_hash=body.hash, accept=body.accept, chosen=body.chosen
    )
    return presented(found)


def presented(found: DocumentChanges) -> TrackedChangeList:
    """The changes as a page gets them."""
    rows = [TrackedChange.model_validate(item, from_attributes=True) for item in found.changes]
    return TrackedChangeList(hash=found.hash, changes=rows)
