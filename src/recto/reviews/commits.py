"""Accepted runs become commits, where the user wants that and the folder is a git repository.

A run is committed once it has ended and all its edits are accepted: its files as they stand then.
"""

import logging
from collections.abc import Callable, Iterable, Sequence

import anyio

from recto.reviews.edits import Edits
from recto.storage import Edit, Run
from recto.workspace import NotCommitted, WorkspaceFailure

log = logging.getLogger(__name__)

UNDER_WAY = frozenset({"queued", "running"})
LONGEST_SUBJECT = 72


class Commits:
    """Keeps accepted runs in git."""

    def __init__(
        self,
        edits: Edits,
        *,
        is_wanted: Callable[[], bool],
        request_of: Callable[[Run], str],
        tell: Callable[[str, str], None],
    ) -> None:
        """`tell` says to the pages of a project what became of a run."""
        self._edits = edits
        self._storage = edits.storage
        self._is_wanted = is_wanted
        self._request_of = request_of
        self._tell = tell
        self._lock = anyio.Lock()

    async def consider(self, run_ids: Iterable[str]) -> None:
        """Commit those of these runs that are over and accepted as a whole."""
        if not self._is_wanted():
            return
        async with self._lock:
            for run_id in sorted(run_ids):
                await self._consider(run_id)

    async def _consider(self, run_id: str) -> None:
        run = await self._storage.runs.get(run_id)
        rows = await self._storage.edits.of_run(run_id)
        made = [row for row in rows if row.status != "not_written"]
        if run.state in UNDER_WAY or not made or any(row.status != "accepted" for row in made):
            return
        project_id = made[0].project_id
        try:
            await self._commit(run, made)
        except (NotCommitted, WorkspaceFailure) as failure:
            why = failure.message if isinstance(failure, WorkspaceFailure) else str(failure)
            log.warning("a run was not committed", extra={"run": run_id, "why": why})
            self._tell(project_id, f"The accepted edits were not committed. {why}")

    async def _commit(self, run: Run, rows: Sequence[Edit]) -> None:
        project_id = rows[0].project_id
        await (await self._edits.open_documents(project_id)).settle()
        workspace = await self._edits.open_workspace(project_id)
        message = message_of(self._request_of(run), run.id, rows)
        if await workspace.commit(files_of(rows), message):
            self._tell(project_id, f"Committed: {message.splitlines()[0]}")


def files_of(rows: Sequence[Edit]) -> list[str]:
    """Every file that a run changed; of one that it moved, both names."""
    names = [name for row in rows for name in (row.from_path, row.path) if name is not None]
    return list(dict.fromkeys(names))


def message_of(request: str, run_id: str, rows: Sequence[Edit]) -> str:
    """The request in one line, then who wrote it."""
    subject = " ".join(request.split()) or "Edits of AI"
    if len(subject) > LONGEST_SUBJECT:
        subject = subject[: LONGEST_SUBJECT - 1].rstrip() + "…"
    models = ", ".join(dict.fromkeys(row.model_name for row in rows))
    return f"{subject}\n\nWritten by {models}, accepted in Recto.\n\nRecto-Run: {run_id}"
