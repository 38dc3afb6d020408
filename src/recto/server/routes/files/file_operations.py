"""What people do with files: making, moving, duplicating, deleting, bringing back."""

from starlette.responses import Response

from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.file_operations import (
    DeletedFile,
    DeletedFilePage,
    FileCopy,
    FileMove,
    FilePlace,
    FileRemoval,
    LinkChanges,
    MovedFile,
    NewFile,
)
from recto.server.services import ServicesDependency
from recto.workspace import TrashItem

router = Router(prefix="/api/v1/projects/{project_id}", tags=["files"])

MAY_FAIL = may_answer(400, 404, 409, 412, 413, 422, 507)


@router.post("/files", status_code=201, response_model=FilePlace, responses=MAY_FAIL)
@for_session
async def create_file(
    project_id: ResourceId, body: NewFile, services: ServicesDependency
) -> FilePlace:
    """Make a file or a folder. A name that is taken is left as it is: 409."""
    await services.files.create(project_id, body.path, body.kind, body.text, parents=body.parents)
    return FilePlace(path=body.path)


@router.post("/files/move", response_model=MovedFile, responses=MAY_FAIL)
@for_session
async def move_file(
    project_id: ResourceId, body: FileMove, services: ServicesDependency
) -> MovedFile:
    """Rename or move a file or folder, with its open text, threads and edits that wait."""
    followed = await services.files.move(
        project_id, body.path, body.new_path, links=body.links, spellings=body.spellings
    )
    return MovedFile(path=body.new_path, links=LinkChanges.model_validate(followed))


@router.post("/files/duplicate", status_code=201, response_model=FilePlace, responses=MAY_FAIL)
@for_session
async def duplicate_file(
    project_id: ResourceId, body: FileCopy, services: ServicesDependency
) -> FilePlace:
    """Copy a file or folder with all that is in it."""
    return FilePlace(path=await services.files.duplicate(project_id, body.path, body.new_path))


@router.get("/trash", response_model=DeletedFilePage, responses=may_answer(404, 422))
@for_session
async def list_trash(project_id: ResourceId, services: ServicesDependency) -> DeletedFilePage:
    """What was deleted here and can be brought back, the newest first."""
    found = await services.files.deleted(project_id)
    return DeletedFilePage(items=[presented(item) for item in found], next_cursor=None)


@router.post("/trash", status_code=201, response_model=DeletedFile, responses=MAY_FAIL)
@for_session
async def delete_file(
    project_id: ResourceId, body: FileRemoval, services: ServicesDependency
) -> DeletedFile:
    """Put a file or folder into the trash."""
    return presented(await services.files.delete(project_id, body.path))


@router.delete("/trash", status_code=204, responses=may_answer(404, 422))
@for_session
async def empty_trash(project_id: ResourceId, services: ServicesDependency) -> Response:
    """Take all that was deleted here away for good."""
    await services.files.empty_trash(project_id)
    return Response(status_code=204)


@router.post("/trash/{item_id}/restore", response_model=FilePlace, responses=MAY_FAIL)
@for_session
async def restore_file(
    project_id: ResourceId, item_id: ResourceId, services: ServicesDependency
) -> FilePlace:
    """Bring something back where it was. What lies there by now is left as it is: 409."""
    return FilePlace(path=(await services.files.restore(project_id, item_id)).path)


@router.delete("/trash/{item_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def erase_file(
    project_id: ResourceId, item_id: ResourceId, services: ServicesDependency
) -> Response:
    """Take one thing out of the trash for good."""
    await services.files.erase(project_id, item_id)
    return Response(status_code=204)


def presented(item: TrashItem) -> DeletedFile:
    """An item of the trash as pages read it."""
    return DeletedFile(
        id=item.id,
        path=item.path,
        kind=item.kind,
        size=item.size,
        deleted_at=item.deleted_ms,
    )
