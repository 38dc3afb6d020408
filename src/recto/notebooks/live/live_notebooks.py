"""The live notebooks of a program, by where they lie."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from recto.clock import Clock
from recto.documents import Documents, NotInForm, ReadOnly
from recto.notebooks.failures import NotebookBroken
from recto.notebooks.live.form import NotebookForm
from recto.notebooks.live.live_notebook import LiveNotebook
from recto.notebooks.live.outputs_journal import NotebookPlace, OutputsJournal, places_in
from recto.notebooks.live.site import is_below, site_of
from recto.notebooks.notebooks import Notebooks
from recto.supervisor import Supervisor
from recto.workspace import Workspace, WorkspaceFailure

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernels import KernelNews

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
        self._places: dict[str, NotebookPlace] = {}
        self._users: Counter[LiveNotebook] = Counter()
        notebooks.on_kernel_news = self._on_kernel_news

    @asynccontextmanager
    async def using(self, project_id: str, path: str) -> AsyncGenerator[LiveNotebook]:
        """A notebook for the block's length.

        Raises NotebookBroken for what can't be edited, and what opening a document raises.
        """
        workspace = await self._open_workspace(project_id)
        documents = await self._open_documents(project_id)
        # One that is open is known by its real path: no thread need look again before each run.
        real = path if documents.find(path) else await workspace.real_path(path)
        async with self._opened(documents, NotebookPlace(project_id, real), workspace.root) as live:
            yield live

    @asynccontextmanager
    async def _opened(
        self, documents: Documents, place: NotebookPlace, root: str
    ) -> AsyncGenerator[LiveNotebook]:
        async with documents.using(place.path) as document:
            if isinstance(document, ReadOnly):
                raise NotebookBroken(document.reason.rstrip("."))
            if not isinstance(document.form, NotebookForm):
                raise NotebookBroken("its name does not end in .ipynb")
            live = self._get(place, root)
            # What it runs next begins without asking again where it lies.
            live.use = partial(self._opened, documents, place, root)
            self._users[live] += 1
            try:
                await live.attach(document, document.form)
                yield live
            finally:
                self._users[live] -= 1
                self._drop_unused(live)

    @property
    def in_memory(self) -> tuple[str, ...]:
        """The paths of the notebooks that somebody looks at, or whose kernel lives."""
        return tuple(place.path for place in self._places.values())

    async def follow_move(self, project_id: str, path: str, new_path: str) -> None:
        """A file or folder was moved: its notebooks keep their kernels, queues and pages."""
        root = (await self._open_workspace(project_id)).root
        old_key, new_key = f"{root}/{path}", f"{root}/{new_path}"
        for key in [name for name in self._live if is_below(name, old_key)]:
            now = new_key + key[len(old_key) :]
            live = self._live[now] = self._live.pop(key)
            del self._places[key]
            place = self._places[now] = NotebookPlace(project_id, now[len(root) + 1 :])
            live.follow_move(site_of(root, now), place, partial(self.using, project_id, place.path))
        self.notebooks.follow_move(old_key, new_key)

    async def recover(self) -> None:
        """Go on with kernels that were kept; bring to their files what others answered last."""
        self.notebooks.find_kernels_again()
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
                site_of(root, key),
                self.notebooks,
                self._supervisor,
                use=partial(self.using, place.project_id, place.path),
                journal=OutputsJournal(self._records, place),
                monotonic=self._clock.monotonic,
            )
            self._places[key] = place
            self.notebooks.watchers[key] = found
        return found

    def _on_kernel_news(self, key: str, news: "KernelNews") -> None:
        live = self._live.get(key)
        if live is not None:
            live.tell_kernel(news)
            if news == "over":
                self._drop_unused(live)

    def _drop_unused(self, live: LiveNotebook) -> None:
        """Forget a notebook that nobody looks at and that has no kernel: its file has it all."""
        key = live.site.key
        is_used = self._users[live] > 0 or not live.is_at_rest or self.notebooks.has_kernel(key)
        if is_used or self._live.get(key) is not live:
            return
        del self._users[live], self._live[key], self._places[key]
        self.notebooks.forget(key)
