"""Notebooks: their kernels, running their cells, and what these answer."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

import anyio
from fastapi import Depends, Query, WebSocket
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocketDisconnect

from recto.notebooks import (
    LiveNotebook,
    LiveNotebooks,
    NotebookFailure,
    attached,
    completions_of,
    help_of,
    html_of,
    picture_of,
    text_of_output,
    variables_of,
)
from recto.projects import ProjectFailure, StorageFailure
from recto.server.access import for_embedding, for_session
from recto.server.media import DRAWING_POLICY, FRAME_POLICY, PICTURE_POLICY
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.documents.notebooks import (
    CellId,
    CellsToRun,
    CodeAsked,
    CodeCompletion,
    CodeCompletions,
    CodeHelp,
    InputLine,
    KernelChoice,
    KernelChoices,
    KernelOrder,
    KernelUsage,
    KernelVariable,
    KernelVariables,
    OutputsToClear,
)
from recto.server.services import ServicesDependency
from recto.server.sessions import Session
from recto.server.sockets import NOT_SIGNED_IN, POLICY, shortened, until_left
from recto.workspace import WorkspaceFailure

router = Router(prefix="/api/v1/projects/{project_id}/notebooks", tags=["notebooks"])

MAY_FAIL = may_answer(400, 404, 409, 413, 415, 422, 507)
PAUSE_S = 0.03
"""Between two pieces of what a cell prints on and on: what comes meanwhile goes with the next."""
AT_ONCE = 20
"""So many go out without a pause, as many as small cells that are run one by one may need."""
NO_KERNEL = "No kernel is running yet: run a cell first."
BUSY = "The kernel is busy: it answers once its cells have run."
NOT_ASKED = Problem(409, "Not asked", "The cell does not wait for a line any more.")
NO_OUTPUT = Problem(404, "No such output", "The cell has no such output any more.")


@router.get("/kernels", response_model=KernelChoices, responses=may_answer(404, 422))
@for_session
async def list_kernels(project_id: ResourceId, services: ServicesDependency) -> KernelChoices:
    """Every kernel that can be chosen in a project, its own environment first."""
    workspace = await services.workspaces.get(project_id)
    found = await services.notebooks.notebooks.kernels.available(workspace.root)
    return KernelChoices(items=[KernelChoice.model_validate(spec) for spec in found])


@router.post("/run", status_code=202, responses=MAY_FAIL)
@for_session
async def run_cells(
    project_id: ResourceId, body: CellsToRun, services: ServicesDependency
) -> Response:
    """Run cells behind those that wait. What they answer comes over the feed."""
    async with services.notebooks.using(project_id, body.path) as notebook:
        if body.restart and notebook.has_kernel:
            await notebook.restart()
        notebook.run(body.cells)
    return Response(status_code=202)


@router.post("/kernel", status_code=204, responses=MAY_FAIL)
@for_session
async def order_kernel(
    project_id: ResourceId, body: KernelOrder, services: ServicesDependency
) -> None:
    """Interrupt, restart or end a notebook's kernel, keep it, or have it use another one."""
    async with services.notebooks.using(project_id, body.path) as notebook:
        match body.action:
            case "interrupt":
                await notebook.interrupt()
            case "restart":
                await notebook.restart(body.kernel)
            case "shut-down":
                await notebook.shut_down()
            case "keep" | "release":
                await notebook.keep(is_kept=body.action == "keep")


@router.get("/kernel/usage", response_model=KernelUsage, responses=MAY_FAIL)
@for_session
async def read_usage(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> KernelUsage:
    """What a notebook's kernel takes of the computer."""
    async with services.notebooks.using(project_id, path) as notebook:
        kernel = notebook.kernel
        if kernel is None:
            return KernelUsage(memory_bytes=0, cpu_s=0)
        return KernelUsage.model_validate(await kernel.usage())


@router.post("/input", status_code=204, responses=MAY_FAIL)
@for_session
async def answer_input(
    project_id: ResourceId, body: InputLine, services: ServicesDependency
) -> None:
    """The line that a running cell asks for."""
    async with services.notebooks.using(project_id, body.path) as notebook:
        if not notebook.answer(body.cell, body.value):
            raise RequestProblem(NOT_ASKED)


@router.post("/clear", status_code=204, responses=MAY_FAIL)
@for_session
async def clear_outputs(
    project_id: ResourceId, body: OutputsToClear, services: ServicesDependency
) -> None:
    """Forget what cells have answered."""
    async with services.notebooks.using(project_id, body.path) as notebook:
        await notebook.clear_outputs(body.cells)


@router.get("/variables", response_model=KernelVariables, responses=MAY_FAIL)
@for_session
async def list_variables(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> KernelVariables:
    """The names that a notebook's kernel knows."""
    async with services.notebooks.using(project_id, path) as notebook:
        kernel = notebook.kernel
        if kernel is None:
            return KernelVariables(items=[], note="No kernel is running yet.")
        if kernel.place.spec.language.casefold() != "python":
            return KernelVariables(items=[], note="Only Python kernels tell their variables.")
        found = await variables_of(kernel)
    if found is None:
        return KernelVariables(items=[], note="The kernel did not answer; it may be busy.")
    return KernelVariables(items=[KernelVariable.model_validate(item) for item in found], note="")


@router.post("/complete", response_model=CodeCompletions, responses=MAY_FAIL)
@for_session
async def complete_code(
    project_id: ResourceId, body: CodeAsked, services: ServicesDependency
) -> CodeCompletions:
    """How the code of a cell can go on, as the notebook's kernel knows it."""
    at = len(body.before)
    async with services.notebooks.using(project_id, body.path) as notebook:
        kernel = notebook.kernel
        if kernel is None or kernel.state != "idle":
            note = NO_KERNEL if kernel is None else BUSY
            return CodeCompletions(start=at, end=at, items=[], note=note)
        code = body.before + body.after
        found = await completions_of(kernel, code, at)
    items = [CodeCompletion.model_validate(item) for item in found.items]
    start, end = (units_in(code[:place]) for place in (found.start, found.end))
    return CodeCompletions(start=start, end=end, items=items, note="")


@router.post("/help", response_model=CodeHelp, responses=MAY_FAIL)
@for_session
async def explain_code(
    project_id: ResourceId, body: CodeAsked, services: ServicesDependency
) -> CodeHelp:
    """What a name in a cell is, in the words of the notebook's kernel."""
    async with services.notebooks.using(project_id, body.path) as notebook:
        kernel = notebook.kernel
        if kernel is None or kernel.state != "idle":
            return CodeHelp(text="", note=NO_KERNEL if kernel is None else BUSY)
        found = await help_of(kernel, body.before + body.after, len(body.before))
    return CodeHelp(text=found, note="" if found else "The kernel knows nothing of this name.")


def units_in(text: str) -> int:
    """The length of a text as pages count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


async def find_output(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Path,
    cell: CellId,
    index: Annotated[int, Query(ge=0, lt=100_000)] = 0,
) -> Mapping[str, Any]:
    """One output of a cell, whole."""
    async with services.notebooks.using(project_id, path) as notebook:
        found = notebook.output(cell, index)
    if found is None:
        raise RequestProblem(NO_OUTPUT)
    return found


Output = Annotated[Mapping[str, Any], Depends(find_output)]


def answers(what: str, media_type: str) -> dict[int | str, dict[str, Any]]:
    """What a route of outputs answers."""
    return {**MAY_FAIL, 200: {"description": what, "content": {media_type: {}}}}


@router.get("/outputs/picture", response_class=Response, responses=answers("A picture", "image/*"))
@for_embedding
async def read_picture(
    output: Output, version: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """A picture that a cell has answered. Another `version` makes a browser ask again."""
    return picture_response(output)


@router.get(
    "/attachments/picture", response_class=Response, responses=answers("A picture", "image/*")
)
@for_embedding
async def read_attachment(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Path,
    cell: CellId,
    name: Annotated[str, Query(min_length=1, max_length=1000)],
) -> Response:
    """A picture that a text cell carries inside, by the name that its text uses."""
    async with services.notebooks.using(project_id, path) as notebook:
        found = attached(notebook.form.notebook, cell, name)
    return picture_response(found)


def picture_response(output: Mapping[str, Any]) -> Response:
    """The picture of an output, which can do nothing but be seen."""
    found = picture_of(output)
    if found is None:
        raise RequestProblem(NO_OUTPUT)
    media_type, data = found
    policy = DRAWING_POLICY if media_type == "image/svg+xml" else PICTURE_POLICY
    headers = {"content-security-policy": policy, "cache-control": "private, max-age=60"}
    return Response(data, media_type=media_type, headers=headers)


@router.get(
    "/outputs/text", response_class=PlainTextResponse, responses=answers("A text", "text/plain")
)
@for_embedding
async def read_output_text(output: Output) -> PlainTextResponse:
    """All of a text that a cell has answered, of which a page shows parts."""
    text = text_of_output(output).encode("utf-8", "replace")
    return PlainTextResponse(text, headers={"content-security-policy": PICTURE_POLICY})


@router.get("/outputs/frame", response_class=Response, responses=answers("A page", "text/html"))
@for_embedding
async def read_frame(output: Output) -> Response:
    """The HTML of an output with its scripts, for a frame that can reach nothing else."""
    found = html_of(output)
    if found is None:
        raise RequestProblem(NO_OUTPUT)
    headers = {"content-security-policy": FRAME_POLICY, "cache-control": "no-store"}
    page = f"<!doctype html><meta charset=utf-8>{found}".encode("utf-8", "replace")
    return Response(page, media_type="text/html", headers=headers)


@router.websocket("/feed")
@for_session
async def feed(websocket: WebSocket, project_id: ResourceId, path: Path) -> None:
    """What the cells of a notebook answer, and how its kernel is, as JSON messages."""
    notebooks: LiveNotebooks = websocket.app.state.services.notebooks
    session: Session = websocket.state.session
    await websocket.accept()
    try:
        async with anyio.create_task_group() as tasks:

            async def until_gone() -> None:
                await until_left(websocket)
                tasks.cancel_scope.cancel()

            async def until_ended() -> None:
                await session.ended.wait()
                await websocket.close(POLICY, NOT_SIGNED_IN)
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_gone)
            tasks.start_soon(until_ended)
            with suppress(WebSocketDisconnect):
                async with notebooks.using(project_id, path) as notebook:
                    await send_news(websocket, notebook)
    except* (NotebookFailure, WorkspaceFailure, ProjectFailure, StorageFailure) as failures:
        reason = shortened(str(failures.exceptions[0]))
        with suppress(WebSocketDisconnect, RuntimeError):
            await websocket.close(POLICY, reason)


async def send_news(websocket: WebSocket, notebook: LiveNotebook) -> None:
    """Tell a page everything, until it leaves."""
    room, since = float(AT_ONCE), anyio.current_time()
    with notebook.follow() as follower:
        while True:
            news = await follower.news()
            for message in news:
                await websocket.send_text(json.dumps(message))
            now = anyio.current_time()
            room, since = min(AT_ONCE, room + (now - since) / PAUSE_S), now
            # The state changes with each run, not with each line.
            if all(message["type"] != "state" for message in news):
                room -= 1
            # A page that is told of each printed line would do nothing else.
            if room < 1:
                await anyio.sleep(PAUSE_S)
