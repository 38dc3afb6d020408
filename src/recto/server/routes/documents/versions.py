"""Versions: what each edit of AI, and each own save, left; compare, and go back."""

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.reviews import (
    Restore,
    SavedVersion,
    VersionList,
    VersionTexts,
)
from recto.server.services import ServicesDependency
from recto.server.views.review import present_version

router = Router(prefix="/api/v1", tags=["versions"])


@router.get(
    "/projects/{project_id}/versions", response_model=VersionList, responses=may_answer(404, 422)
)
@for_session
async def list_versions(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> VersionList:
    """The edits of a file by AI, and what a person saved; each the newest first."""
    found = await services.versions.list(project_id, path)
    saves = await services.versions.saves.list(project_id, path)
    return VersionList(
        items=[present_version(edit) for edit in found],
        saves=[SavedVersion(id=save.id, begun_at=save.begun_ms, at=save.at_ms) for save in saves],
    )


@router.get("/versions/{version_id}", response_model=VersionTexts, responses=may_answer(404, 422))
@for_session
async def get_version(version_id: ResourceId, services: ServicesDependency) -> VersionTexts:
    """The text before and after an edit."""
    before, after = await services.versions.texts(version_id)
    return VersionTexts(before=before, after=after)


@router.post(
    "/versions/{version_id}/restore",
    status_code=204,
    responses=may_answer(400, 404, 409, 412, 415, 422),
)
@for_session
async def restore(version_id: ResourceId, body: Restore, services: ServicesDependency) -> None:
    """Make the text what it was before or after an edit. It is an edit of yours."""
    await services.versions.restore(version_id, body.side)


@router.get("/saves/{save_id}", response_model=VersionTexts, responses=may_answer(404, 422))
@for_session
async def get_save(save_id: ResourceId, services: ServicesDependency) -> VersionTexts:
    """The text before and after a stretch of own writing."""
    before, after = await services.versions.saves.texts(save_id)
    return VersionTexts(before=before, after=after)


@router.post(
    "/saves/{save_id}/restore",
    status_code=204,
    responses=may_answer(400, 404, 409, 412, 415, 422),
)
@for_session
async def restore_save(save_id: ResourceId, body: Restore, services: ServicesDependency) -> None:
    """Make the text what it was before or after a stretch of own writing."""
    await services.versions.restore_save(save_id, body.side)
