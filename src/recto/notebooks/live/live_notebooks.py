"""The live notebooks of a program, by where they lie."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio

from recto.clock import Clock
from recto.documents import Documents, NotInForm, ReadOnly
from recto.notebooks.failures import NotebookBroken
from recto.notebooks.live.form import NotebookForm
from recto.notebooks.live.live_notebook import LiveNotebook, NotebookSite
from recto.notebooks.live.outputs_journal import NotebookPlace, OutputsJournal, places_in
from recto.notebooks.notebooks import Notebooks
from recto.supervisor import Supervisor
from recto.workspace import Workspace, WorkspaceFailure

log = logging.getLogger(__name__)


class LiveNotebooks:
    """Opens each notebook once, however many look at it; its kernel and queue outlive its pages."""

    def __init__(
        self,
        notebooks: Notebooks,
        supervisor: Supervisor,
        clock: Clock,
        *,
        open_documents: Callable[[str], Awaitable[Documents]],
        open_workspace: Callable[[str], Awaitable[Workspace]],
        records: Path,
    ) -> None:
        """`records` is a folder for what kernels answered and no file has yet."""
        self.notebooks = notebooks
        self._supervisor = supervisor
        self._clock = clock
        self._open_documents = open_documents
        self._open_workspace = open_workspace
        self._records = records
        self._live: dict[str, LiveNotebook] = {}

    @asynccontextmanager
    async def using(self, project_id: str, path: str) -> AsyncGenerator[LiveNotebook]:
        """A notebook for the block's length.

        Raises NotebookBroken for what can't be edited, and what opening a document raises.
        """
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        real = await workspace.real_path(path)
        async with documents.using(real) as document:
            if isinstance(document, ReadOnly):
                raise NotebookBroken(document.reason.rstrip("."))
            if not isinstance(document.form, NotebookForm):
                raise NotebookBroken("its name does not end in .ipynb")
            live = self._get(NotebookPlace(project_id, real), workspace.root)
            await live.attach(document, document.form)
            yield live

    async def recover(self) -> None:
        """Bring to their files what kernels answered before the program was ended."""
        places = await anyio.to_thread.run_sync(places_in, self._records)
        for place in places:
            try:
                async with self.using(place.project_id, place.path):
                    pass  # opening it takes in what was left
            except (NotebookBroken, NotInForm, WorkspaceFailure) as failure:
                log.warning("outputs of %s are not in its file: %s", place.path, failure)

    def _get(self, place: NotebookPlace, root: str) -> LiveNotebook:
        key = f"{root}/{place.path}"
        found = self._live.get(key)
        if found is None:
            found = self._live[key] = LiveNotebook(
                NotebookSite(key, folder=root, cwd=key.rpartition("/")[0]),
                self.notebooks,
                self._supervisor,
                use=partial(self.using, place.project_id, place.path),
                journal=OutputsJournal(self._records, place),
                monotonic=self._clock.monotonic,
            )
            self.notebooks.watchers[key] = found
        return found
