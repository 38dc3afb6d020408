"""Undo: taking back what a turn, or one call of it, did to files."""

from typing import Annotated

from fastapi import Path, Query

from recto.chats import UndoOutcome
from recto.server.access import for_session
from recto.server.responses import may_answer
from recto.server.routes.router import Router
from recto.server.schemas.base import ResourceId
from recto.server.schemas.tools import UndoFile, UndoResult
from recto.server.services import ServicesDependency

router = Router(prefix="/api/v1", tags=["undo"])

MAY_FAIL = may_answer(403, 404, 409, 422)
CallId = Annotated[str, Path(min_length=1, max_length=500, pattern=r"^[^\x00/]+$")]
DryRun = Annotated[bool, Query(alias="dryRun")]


@router.post("/turns/{turn_id}/undo", response_model=UndoResult, responses=MAY_FAIL)
@for_session
async def undo_turn(
    turn_id: ResourceId, services: ServicesDependency, dry_run: DryRun = False
) -> UndoResult:
    """Take back what a turn did to files; later edits stay. `dryRun` only says what it would do."""
    return shown(await services.chats.undo_run(turn_id, dry_run=dry_run))


@router.post("/calls/{turn_id}/{call_id}/undo", response_model=UndoResult, responses=MAY_FAIL)
@for_session
async def undo_call(
    turn_id: ResourceId, call_id: CallId, services: ServicesDependency, dry_run: DryRun = False
) -> UndoResult:
    """Take back what one call did to files. An undo is such a call, too, named by `undoCallId`."""
    return shown(await services.chats.undo_call(turn_id, call_id, dry_run=dry_run))


def shown(undone: UndoOutcome) -> UndoResult:
    """The answer."""
    return UndoResult(
        files=[
            UndoFile(path=file.path, action=file.action, words=file.words, diff=file.diff)
            for file in undone.files
        ],
        applied=undone.applied,
        not_covered=undone.not_covered,
        undo_call_id=undone.undo_id,
    )
