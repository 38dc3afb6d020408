"""Pictures and PDFs of a project, as bytes that a browser may show and never run."""

from typing import Annotated
from urllib.parse import quote

import anyio
from fastapi import Query, Request
from starlette.responses import Response

from recto.projects import attachment_name, attachment_place
from recto.server.access import for_embedding, for_session, takes_megabytes
from recto.server.media import disposition_of, media_type_of, policy_of
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId, Text
from recto.server.schemas.file_operations import FilePlace
from recto.server.services import ServicesDependency
from recto.workspace import content_hash

router = Router(prefix="/api/v1/projects/{project_id}", tags=["files"])

MAX_BYTES = 64_000_000
NOT_SHOWN = Problem(
    415,
    "Not a picture",
    "The file is not a picture or PDF that Recto can show, whatever its name says.",
    remedy="Open it in another program.",
    kind="urn:recto:problem:not-a-picture",
)


@router.get(
    "/raw",
    response_class=Response,
    responses={
        **may_answer(404, 409, 413, 415, 422),
        200: {
            "description": "A picture or PDF",
            "content": {"image/*": {}, "application/pdf": {}},
        },
        304: {"description": "Not changed since it was read"},
    },
)
@for_embedding
async def read_raw(
    project_id: ResourceId,
    request: Request,
    services: ServicesDependency,
    path: Path,
    version: Annotated[Text, Query(max_length=100)] = "",
) -> Response:
    """A picture or PDF. Another `version` makes a browser ask again; the answer is the same."""
    workspace = await services.workspaces.get(project_id)
    data = await workspace.read_bytes(path, max_bytes=MAX_BYTES)
    media_type = media_type_of(data)
    if media_type is None:
        raise RequestProblem(NOT_SHOWN)
    etag = f'"{await anyio.to_thread.run_sync(content_hash, data)}"'
    name = quote(path.rsplit("/", 1)[-1], safe="")
    headers = {
        "etag": etag,
        "cache-control": "private, no-cache",
        "content-security-policy": policy_of(media_type),
        "content-disposition": f"{disposition_of(media_type)}; filename*=UTF-8''{name}",
    }
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=media_type, headers=headers)


@router.post(
    "/attachments",
    status_code=201,
    response_model=FilePlace,
    responses=may_answer(400, 404, 409, 413, 415, 422, 507),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"format": "binary"}}},
        }
    },
)
@for_session
@takes_megabytes(64)
async def keep_attachment(
    project_id: ResourceId,
    request: Request,
    services: ServicesDependency,
    note: Path = "",
    name: Annotated[Text, Query(max_length=500)] = "",
) -> FilePlace:
    """Keep a picture that was pasted or dropped into a note, where the settings say."""
    data = await request.body()
    media_type = media_type_of(data)
    if media_type is None:
        raise RequestProblem(NOT_SHOWN)
    folder = attachment_place(services.preferences.editor.attachments_folder, note)
    wanted = attachment_name(name, media_type, services.clock.now_ms(), services.zone)
    return FilePlace(path=await services.files.keep(project_id, folder, wanted, data))
