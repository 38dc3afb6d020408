"""Models that run on this computer: fetched with progress, added by path, removed."""

import shutil
from typing import Annotated

import anyio.to_thread
from pydantic import StringConstraints
from starlette.responses import Response

from recto.access import DownloadState, LocalFile
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.model_servers import (
    FetchableModel,
    LocalModelList,
    NewModelFile,
    OwnModelFile,
)
from recto.server.services import Services, ServicesDependency

router = Router(prefix="/api/v1/local-models", tags=["models"])
ListId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{0,99}$")]


@router.get("", response_model=LocalModelList, responses=may_answer(422))
@for_session
async def list_local_models(services: ServicesDependency) -> LocalModelList:
    """The models that can be fetched, how far each is, and other files that are used."""
    return present(services)


@router.post("", status_code=201, response_model=OwnModelFile, responses=may_answer(400, 422))
@for_session
async def add_model_file(body: NewModelFile, services: ServicesDependency) -> OwnModelFile:
    """Offer a GGUF file of this computer; it stays where it is."""
    added = await anyio.to_thread.run_sync(services.local_models.add, body.path)
    await services.feed.announce("models")
    return present_own(added)


@router.post(
    "/{list_id}/fetch",
    status_code=202,
    response_model=LocalModelList,
    responses=may_answer(404, 422),
)
@for_session
async def start_fetch(list_id: ListId, services: ServicesDependency) -> LocalModelList:
    """Fetch a model, from where it broke off. It goes on without the page."""
    services.fetches.start(list_id)
    return present(services)


@router.delete("/{list_id}/fetch", response_model=LocalModelList, responses=may_answer(404, 422))
@for_session
async def stop_fetch(list_id: ListId, services: ServicesDependency) -> LocalModelList:
    """Stop fetching; what has come stays, and the next attempt goes on from there."""
    await services.fetches.stop(list_id)
    return present(services)


@router.delete("/{list_id}", status_code=204, responses=may_answer(404, 422))
@for_session
async def remove_local_model(list_id: ListId, services: ServicesDependency) -> Response:
    """Offer a model no longer. One that was fetched is deleted; another file stays."""
    await services.fetches.stop_if_any(list_id)
    services.local_models.remove(f"builtin/{list_id}")
    await services.feed.announce("models")
    return Response(status_code=204)


def present(services: Services) -> LocalModelList:
    """All of them."""
    return LocalModelList(
        items=[present_state(state) for state in services.fetches.states()],
        own=[present_own(item) for item in services.local_models.own()],
        free_bytes=shutil.disk_usage(services.local_models.folder).free,
    )


def present_state(state: DownloadState) -> FetchableModel:
    """A model of the list."""
    listed = state.listed
    return FetchableModel(
        id=listed.id,
        model_id=listed.model_id,
        name=listed.name,
        about=listed.about,
        bytes=listed.bytes,
        memory_bytes=listed.memory_bytes,
        licence=listed.licence,
        page=listed.page,
        sha256=listed.sha256,
        state=state.state,
        done_bytes=state.done_bytes,
        problem=state.problem,
    )


def present_own(file: LocalFile) -> OwnModelFile:
    """A file that the user has named."""
    short = file.id.removeprefix("builtin/")
    return OwnModelFile(id=short, model_id=file.id, name=file.name, path=str(file.path))
