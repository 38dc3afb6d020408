"""One live notebook: its cells in the shared text, its queue of runs, and whoever follows it."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import anyio

from recto.documents import LiveDocument
from recto.notebooks.failures import KernelDied, NotebookFailure, unexpected
from recto.notebooks.file.arrange import WantedOutputs
from recto.notebooks.kernels.execution import InputRequest
from recto.notebooks.kernels.outputs import CellOutputs
from recto.notebooks.live.cell_drafts import CellDrafts
from recto.notebooks.live.cells_text import CellText, split_cells
from recto.notebooks.live.file_outputs import for_file
from recto.notebooks.live.followers import Message, NotebookFollower, views_of
from recto.notebooks.live.form import NotebookForm
from recto.notebooks.live.output_views import view_of
from recto.notebooks.live.outputs_journal import NotebookPlace, OutputsJournal
from recto.notebooks.live.questions import InputQuestions
from recto.notebooks.live.run_queue import QueuedRun, RunQueue
from recto.notebooks.live.site import NotebookSite
from recto.notebooks.live.staleness import RanCell, ran_cell, stale_cells
from recto.notebooks.live.state_views import kernel_view, running_views
from recto.notebooks.notebooks import Notebooks
from recto.supervisor import Supervisor

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernel import Kernel
    from recto.notebooks.kernels.kernels import KernelNews

Use = Callable[[], AbstractAsyncContextManager[Any]]
"""Keeps the notebook open for a block's length."""


class LiveNotebook:
    """A notebook, whoever looks at it. Its document may be closed while nobody does."""

    def __init__(
        self,
        site: NotebookSite,
        notebooks: Notebooks,
        supervisor: Supervisor,
        *,
        use: Use,
        journal: OutputsJournal | None,
        monotonic: Callable[[], float],
    ) -> None:
        self.site = site
        self._notebooks = notebooks
        self._supervisor = supervisor
        self.use = use
        self._journal = journal
        self._monotonic = monotonic
        self._document: LiveDocument | None = None
        self._form: NotebookForm | None = None
        self._attaching = anyio.Lock()
        self._queue = RunQueue()
        self._is_working = False
        self._saves = 0  # runs that go on, or are being saved
        self._running: dict[str, tuple[CellOutputs, float, str]] = {}
        """What runs: its outputs, since when, and who ran it."""
        self._kept: dict[str, tuple[WantedOutputs, CellOutputs]] = {}
        """What cells answered, whole: the file may have a part."""
        self._ran: dict[str, RanCell] = {}
        self._runs = 0
        self._questions = InputQuestions(lambda: self._tell_state(may_wait=False))
        self.drafts = CellDrafts(self._tell_state)
        self._problem = ""
        self._wanted: str | None = None
        self._followers: set[NotebookFollower] = set()

    @property
    def document(self) -> LiveDocument:
        """The shared text."""
        assert self._document is not None
        return self._document

    @property
    def form(self) -> NotebookForm:
        """The rest of the file."""
        assert self._form is not None
        return self._form

    @property
    def cells(self) -> tuple[CellText, ...]:
        """The cells as they are."""
        return split_cells(self.document.text)

    async def attach(self, document: LiveDocument, form: NotebookForm) -> None:
        """Its file is open; what a program that was ended has left comes back."""
        async with self._attaching:
            if self._form is form:
                return
            if self._form is not None:
                form.carry_over(self._form)
            self._document, self._form = document, form
            form.listeners.add(self._tell_all)
            left = {} if self._journal is None or self._running else self._journal.outputs()
            for cell_id, outputs in left.items():
                form.set_outputs(cell_id, outputs)
            if left:
                document.touch()
                await self._save()

    def follow_move(self, site: NotebookSite, place: NotebookPlace, use: Use) -> None:
        """Its file lies elsewhere now; what runs goes on."""
        self.site = site
        self.use = use
        if self._journal is not None:
            self._journal.follow_move(place)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing runs, waits or looks."""
        return not (self._saves or self._running or self._queue or self._followers)

    @contextmanager
    def follow(self) -> Generator[NotebookFollower]:
        """Hear of everything for the block's length."""
        follower = NotebookFollower(self)
        self._followers.add(follower)
        try:
            yield follower
        finally:
            self._followers.discard(follower)

    def run(self, cell_ids: Sequence[str] | None) -> None:
        """Run cells behind those that wait; None: all. Raises NoSuchCell, NotCode."""
        self._queue.add(self.cells, cell_ids)
        self._problem = ""
        self._tell_state()
        if self._queue and not self._is_working:
            self._is_working = True
            self._supervisor.run_once("notebook runs", self._work)

    async def _work(self) -> None:
        self._saves += 1
        try:
            async with AsyncExitStack() as using:
                try:
                    await using.enter_async_context(self.use())
                    while self._queue:
                        await self._run_next()
                finally:
                    self._queue.clear()
                    self._is_working = False
                    self._tell_state()
                # A run that is asked for now begins at once: it need not wait for the disk, and
                # goes on whatever becomes of what was run before it.
                await self._save()
        except Exception as error:
            self._problem = f"Running ended because of {unexpected(error)}."
            raise
        finally:
            self._saves -= 1
            self._tell_state()

    async def _run_next(self) -> None:
        try:
            kernel = await self._kernel()
            # Taken now: while the kernel started, somebody may have stopped it all.
            if not self._queue:
                return
            queued = self._queue.next()
            if not await self._run_one(kernel, queued):
                self._queue.clear()
        except KernelDied:
            self._queue.clear()  # the kernel's state says it
        except NotebookFailure as failure:
            self._queue.clear()
            self._problem = str(failure)

    async def _kernel(self) -> "Kernel":
        """Its kernel, started if need be. Raises NoSuchKernel, KernelFailed."""
        status = self._notebooks.kernels.status(self.site.key)
        if status is None or status.state == "dead":
            self._ran.clear()
        wanted = self._wanted or self.form.notebook.kernel_name
        return await self._notebooks.kernels.get(
            self.site.key,
            folder=self.site.folder,
            cwd=self.site.cwd,
            wanted=wanted,
            is_asked=self._wanted is not None,
        )

    async def _run_one(self, kernel: "Kernel", queued: QueuedRun) -> bool:
        """Run a cell; whether it ended well. Raises KernelDied."""
        kernels = self._notebooks.kernels
        outputs = kernels.begin_outputs(self.site.key, queued.cell_id, kernel)

        async def answer(request: InputRequest) -> str:
            return await self._questions.ask(queued.cell_id, request, kernel)

        with self.running(queued.cell_id, queued.source, outputs) as heard:
            try:
                result = await kernel.execute(
                    queued.source, outputs, timeout_s=None, answer=answer, heard=heard
                )
            finally:
                self._keep(kernels.updated_outputs(self.site.key) | {queued.cell_id: outputs})
        return result.ending == "ok"

    @contextmanager
    def running(
        self, cell_id: str, source: str, outputs: CellOutputs, by: str = "person"
    ) -> Generator[Callable[[str, Any], None]]:
        """A cell runs for the block's length; what it answers is to be told to what is yielded."""
        if self._journal is not None:
            self._journal.begin(cell_id, outputs)
        self._running[cell_id] = (outputs, self._monotonic(), by)
        self._runs += 1
        self._ran[cell_id] = ran_cell(self._runs, source, self._language())
        self._tell_cell(cell_id, may_wait=True)
        self._tell_state()

        def heard(kind: str, content: Any) -> None:
            if self._journal is not None:
                self._journal.note(cell_id, kind, content)
            if kind == "update_display_data":
                for shown in list(self._running):
                    self._tell_cell(shown)
            if kind != "status":
                begins = kind == "execute_input"
                self._tell_cell(cell_id, is_printed=kind == "stream", may_wait=begins)

        try:
            yield heard
        finally:
            self._running.pop(cell_id, None)
            if self._journal is not None and not self._running:
                self._journal.close()
            self._tell_cell(cell_id, may_wait=True)
            self._tell_state()

    def written(self) -> None:
        """The file has what was run for it."""
        if self._journal is not None and not (self._running or self._saves):
            self._journal.clear()

    def _keep(self, answered: dict[str, CellOutputs]) -> None:
        """What cells have answered is saved with the notebook."""
        for cell_id, outputs in answered.items():
            wanted = WantedOutputs(for_file(outputs), outputs.execution_count)
            self.form.set_outputs(cell_id, wanted)
            self._kept[cell_id] = (wanted, outputs)
            self._tell_cell(cell_id, may_wait=True)
        self.document.touch()

    async def _save(self) -> None:
        state = await self.document.save()
        if state.is_saved and self._journal is not None and not self._running:
            self._journal.clear()

    @property
    def has_kernel(self) -> bool:
        """Whether a kernel runs, or has died."""
        return self._notebooks.kernels.status(self.site.key) is not None

    @property
    def kernel(self) -> "Kernel | None":
        """The kernel that runs."""
        return self._notebooks.kernels.find(self.site.key)

    def output(self, cell_id: str, index: int) -> Mapping[str, Any] | None:
        """One output of a cell, whole; None when there is none."""
        found = self.form.outputs_of(cell_id)
        running, kept = self._running.get(cell_id), self._kept.get(cell_id)
        outputs: Sequence[Mapping[str, Any]] = found.outputs
        if running is not None:
            outputs = running[0].outputs()
        elif kept is not None and kept[0] is found:
            outputs = kept[1].outputs()
        return outputs[index] if index < len(outputs) else None

    def answered(self, cell_id: str) -> WantedOutputs | None:
        """What a cell shows, also where the file has none of it; None before the file was open."""
        return None if self._form is None else self._form.outputs_of(cell_id)

    def answer(self, cell_id: str, value: str) -> bool:
        """The line that a running cell wants; False when it wants none."""
        return self._questions.answer(cell_id, value)

    async def interrupt(self) -> None:
        """Stop what runs; what waits does not run. Raises NoKernel."""
        self._queue.clear()
        await self._notebooks.kernels.interrupt(self.site.key)
        self._questions.give_up()
        self._tell_state()

    async def restart(self, wanted: str | None = None) -> None:
        """Begin anew, without any variable; with another kernel if one is wanted.

        Raises NoKernel, NoSuchKernel, KernelFailed.
        """
        self._queue.clear()
        self._questions.give_up()
        kernels = self._notebooks.kernels
        status = kernels.status(self.site.key)
        self._problem = ""
        if wanted is not None and (status is None or status.name != wanted):
            self._wanted = wanted
            if status is not None:
                await kernels.shut_down(self.site.key)
            self._ran.clear()
            await self._kernel()
            self._tell_all()
        else:
            await kernels.restart(self.site.key)

    async def keep(self, *, is_kept: bool) -> None:
        """Have the kernel go on when Recto ends, or end with it again. Raises NoKernel."""
        kernels = self._notebooks.kernels
        await (kernels.keep if is_kept else kernels.release)(self.site.key)
        self._tell_state()

    async def shut_down(self) -> None:
        """End the kernel. Raises NoKernel."""
        self._queue.clear()
        self._questions.give_up()
        await self._notebooks.kernels.shut_down(self.site.key)
        self._ran.clear()
        self._tell_all()

    async def clear_outputs(self, cell_ids: Sequence[str] | None) -> None:
        """Forget what cells have answered; None: all of them."""
        for cell in self.cells:
            is_meant = cell_ids is None or cell.id in cell_ids
            if cell.kind == "code" and is_meant and cell.id not in self._running:
                self.form.set_outputs(cell.id, WantedOutputs((), None))
                if self._journal is not None:
                    self._journal.forget(cell.id)
                self._tell_cell(cell.id)
        self.document.touch()

    def running_outputs(self, cell_id: str) -> CellOutputs | None:
        """What a running cell has answered so far."""
        found = self._running.get(cell_id)
        return None if found is None else found[0]

    def tell_kernel(self, news: "KernelNews") -> None:
        """Something has become of its kernel, whoever did it."""
        if news == "restarts":
            self._ran.clear()
            self._tell_all()
        else:
            self._tell_state()

    def cell_message(self, cell_id: str) -> Message:
        """A cell with all of its outputs, for pages."""
        return {"type": "cell", "cell": cell_id, **self._view(cell_id)}

    def whole_message(self) -> Message:
        """All cells that have something to show, for pages."""
        views = {cell.id: self._view(cell.id) for cell in self.cells if cell.kind == "code"}
        return {"type": "notebook", "language": self._language(), "cells": views}

    def state_message(self) -> Message:
        """The kernel, what runs and waits, what is asked, and what is stale, for pages."""
        order = [cell.id for cell in self.cells] if self._document is not None else []
        return {
            "type": "state",
            "kernel": kernel_view(self._notebooks.kernels.status(self.site.key)),
            "running": running_views(self._running, self._monotonic()),
            "queue": self._queue.cell_ids,
            "asked": self._questions.view,
            "stale": stale_cells(order, self._ran),
            "problem": self._problem,
            "drafts": self.drafts.views,
        }

    def _view(self, cell_id: str) -> Message:
        running = self._running.get(cell_id)
        source = None if (ran := self._ran.get(cell_id)) is None else ran.source
        if running is not None:
            outputs = running[0]
            views, count = views_of(outputs), outputs.execution_count
            return {"count": count, "outputs": views, "ran": source, "leftOut": outputs.left_out}
        found = self.form.outputs_of(cell_id)
        views = [view_of(output) for output in found.outputs]
        return {"count": found.execution_count, "outputs": views, "ran": source, "leftOut": 0}

    def _language(self) -> str:
        return self.form.notebook.language or "python"

    def _tell_all(self) -> None:
        for follower in self._followers:
            follower.tell_all()

    def _tell_state(self, **how: bool) -> None:
        for follower in self._followers:
            follower.tell_state(**how)

    def _tell_cell(self, cell_id: str, **how: bool) -> None:
        for follower in self._followers:
            follower.tell_cell(cell_id, **how)
