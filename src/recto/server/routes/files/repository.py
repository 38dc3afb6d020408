"""The git repository of a project's folder: what changed, staging, commits, who wrote a line."""

from typing import Annotated

from fastapi import Query

from recto.server.access import for_session
from recto.server.problems import Problem, RequestProblem
from recto.server.responses import may_answer
from recto.server.routes.files.files import Path
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.repository import (
    Commit,
    CommitId,
    CommitMessage,
    CommitRestore,
    CommittedText,
    FileCommit,
    FileCommits,
    FileDifference,
    GitChanges,
    LineOrigin,
    LineOriginAnswer,
    Staging,
)
from recto.server.services import Services, ServicesDependency
from recto.workspace import Repository

router = Router(prefix="/api/v1/projects/{project_id}/git", tags=["git"])

MAY_FAIL = may_answer(404, 409, 413, 415, 422)
MOST_LINES = 2**31
ONE_FILE = Problem(422, "Not understood", "Hunks are those of one file.", remedy="Name one path.")


async def saved(services: Services, project_id: str) -> Repository:
    """The repository, after what people typed a moment ago is on the disk."""
    await (await services.documents(project_id)).settle()
    return (await services.workspaces.get(project_id)).repository


@router.get("/changes", response_model=GitChanges, responses=MAY_FAIL)
@for_session
async def list_changes(project_id: ResourceId, services: ServicesDependency) -> GitChanges:
    """What differs from the last commit, staged or not."""
    repository = await saved(services, project_id)
    return GitChanges.model_validate(await repository.changes())


@router.get("/diff", response_model=FileDifference, responses=MAY_FAIL)
@for_session
async def get_diff(
    project_id: ResourceId, services: ServicesDependency, path: Path, staged: bool = False
) -> FileDifference:
    """How a file differs from what is staged, or what of it is staged."""
    repository = await saved(services, project_id)
    return FileDifference.model_validate(await repository.diff(path, staged=staged))


@router.post("/stage", status_code=204, responses=MAY_FAIL)
@for_session
async def stage(project_id: ResourceId, body: Staging, services: ServicesDependency) -> None:
    """Stage files as they are, or some hunks of one."""
    repository = await saved(services, project_id)
    await repository.stage(body.paths, hunks_of(body))


@router.post("/unstage", status_code=204, responses=MAY_FAIL)
@for_session
async def unstage(project_id: ResourceId, body: Staging, services: ServicesDependency) -> None:
    """Take files, or some hunks of one, out of what is staged."""
    repository = await saved(services, project_id)
    await repository.unstage(body.paths, hunks_of(body))


@router.post("/commits", status_code=201, response_model=Commit, responses=MAY_FAIL)
@for_session
async def commit(
    project_id: ResourceId, body: CommitMessage, services: ServicesDependency
) -> Commit:
    """Commit what is staged. Hooks do not run, and nothing is signed."""
    repository = await saved(services, project_id)
    return Commit(id=await repository.commit(body.message))


@router.get("/blame", response_model=LineOriginAnswer, responses=MAY_FAIL)
@for_session
async def blame(
    project_id: ResourceId,
    services: ServicesDependency,
    path: Path,
    line: Annotated[int, Query(ge=1, le=MOST_LINES)],
) -> LineOriginAnswer:
    """The commit that a line of a file comes from."""
    found = await (await saved(services, project_id)).blame(path, line)
    return LineOriginAnswer(origin=found and LineOrigin.model_validate(found))


@router.get("/history", response_model=FileCommits, responses=MAY_FAIL)
@for_session
async def list_history(
    project_id: ResourceId, services: ServicesDependency, path: Path
) -> FileCommits:
    """The commits that changed a file, the newest first."""
    repository = (await services.workspaces.get(project_id)).repository
    found = await repository.history(path)
    return FileCommits(items=[FileCommit.model_validate(item) for item in found])


@router.get("/history/{commit_id}", response_model=CommittedText, responses=MAY_FAIL)
@for_session
async def get_committed_text(
    project_id: ResourceId, commit_id: CommitId, services: ServicesDependency, path: Path
) -> CommittedText:
    """A file's text in a commit."""
    repository = (await services.workspaces.get(project_id)).repository
    return CommittedText(text=await repository.text_at(commit_id, path))


@router.post("/history/{commit_id}/restore", status_code=204, responses=MAY_FAIL)
@for_session
async def restore_committed_text(
    project_id: ResourceId, commit_id: CommitId, body: CommitRestore, services: ServicesDependency
) -> None:
    """Make a text what it was in a commit. It is an edit of yours."""
    await services.committed_texts.restore(project_id, commit_id, body.old_path, body.path)


def hunks_of(body: Staging) -> list[str] | None:
    """The hunks that are meant, which are those of one file."""
    if body.hunks is not None and len(body.paths) != 1:
        raise RequestProblem(ONE_FILE)
    return body.hunks
