"""Running cells of a notebook's file: what each answers is written there when it has ended."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from recto.notebooks.file.edits import set_outputs
from recto.notebooks.file.notebook import Cell, Notebook
from recto.notebooks.kernels.execution import Answer, Ending, TellPrinted
from recto.notebooks.kernels.outputs import CellOutputs
from recto.notebooks.notebooks import Notebooks
from recto.workspace import PathChanged

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernel import Kernel

TRIES = 5
Shorten = Callable[[str], Awaitable[str]]
"""Makes a printed text short enough for the file, and keeps the whole somewhere."""


class NotebookFile(Protocol):
    """The file of one notebook."""

    @property
    def key(self) -> str:
        """Its absolute path: what its kernel is known by."""
        ...

    async def read(self) -> bytes:
        """Its bytes as they are now."""
        ...

    async def write(self, data: bytes, *, based_on: bytes) -> None:
        """Other bytes, in place of those. Raises PathChanged when it has others by now."""
        ...


@dataclass(frozen=True, slots=True)
class CellRun:
    """How the run of a cell ended."""

    cell_id: str
    ending: Ending
    is_stuck: bool
    outputs: tuple[Mapping[str, Any], ...]
    is_written: bool
    """Whether the outputs are in the file: the cell may be gone from it."""


class NotebookRun:
    """Runs cells of one notebook with its kernel."""

    def __init__(
        self,
        notebooks: Notebooks,
        file: NotebookFile,
        *,
        folder: str,
        cwd: str,
        shorten: Shorten,
        by: str = "ai",
    ) -> None:
        """`by` is said where the notebook is shown."""
        self._by = by
        self._notebooks = notebooks
        self._file = file
        self._folder = folder
        self._cwd = cwd
        self._shorten = shorten

    async def read(self) -> Notebook:
        """The notebook as it is now. Raises NotebookBroken, NotebookReadOnly."""
        notebook = self._notebooks.cells.read(self._file.key, await self._file.read())
        notebook.check_writable()
        return notebook

    async def kernel(self, notebook: Notebook, wanted: str | None) -> "Kernel":
        """Its kernel, started if need be. Raises NoSuchKernel, KernelFailed."""
        return await self._notebooks.kernels.get(
            self._file.key,
            folder=self._folder,
            cwd=self._cwd,
            wanted=wanted or notebook.kernel_name,
            is_asked=wanted is not None,
        )

    async def run(
        self,
        cell: Cell,
        kernel: "Kernel",
        *,
        timeout_s: float | None,
        answer: Answer | None = None,
        tell: TellPrinted | None = None,
    ) -> CellRun:
        """Run one code cell. Raises KernelDied; what it had answered is written all the same."""
        kernels = self._notebooks.kernels
        outputs = kernels.begin_outputs(self._file.key, cell.id, kernel)
        outputs.is_changed = True  # also a cell that answers nothing has other outputs now
        watcher = self._notebooks.watchers.get(self._file.key)
        try:
            shown = (
                nullcontext()
                if watcher is None
                else watcher.running(cell.id, cell.source, outputs, self._by)
            )
            with shown as heard:
                result = await kernel.execute(
                    cell.source, outputs, timeout_s=timeout_s, answer=answer, tell=tell, heard=heard
                )
        finally:
            written = await self._write(kernels.updated_outputs(self._file.key))
            if watcher is not None:
                watcher.written()
        answered = tuple(outputs.outputs())
        return CellRun(cell.id, result.ending, result.is_stuck, answered, cell.id in written)

    async def run_all(
        self,
        cells: tuple[Cell, ...],
        kernel: "Kernel",
        *,
        timeout_s: Callable[[], float | None],
        tell: TellPrinted | None = None,
        answer: Answer | None = None,
    ) -> AsyncGenerator[CellRun]:
        """Run cells one after the other, up to the first that does not end well."""
        for cell in cells:
            ran = await self.run(cell, kernel, timeout_s=timeout_s(), tell=tell, answer=answer)
            yield ran
            if ran.ending != "ok":
                return

    async def _write(self, updated: Mapping[str, CellOutputs]) -> set[str]:
        """Write outputs over those of their cells; which cells there are."""
        found = {cell_id: await self._in_file(outputs) for cell_id, outputs in updated.items()}
        for attempt in range(TRIES):
            data = await self._file.read()
            notebook = self._notebooks.cells.read(self._file.key, data)
            there = {cell.id for cell in notebook.cells if cell.kind == "code"} & found.keys()
            for cell_id in there:
                count = updated[cell_id].execution_count
                notebook = set_outputs(notebook, cell_id, found[cell_id], count)
            if notebook.data == data:
                return there
            try:
                await self._file.write(notebook.data, based_on=data)
            except PathChanged:
                if attempt == TRIES - 1:
                    raise
                continue
            self._notebooks.cells.note(self._file.key, notebook)
            return there
        raise AssertionError("the last attempt raises")

    async def _in_file(self, outputs: CellOutputs) -> list[dict[str, Any]]:
        return [
            {**output, "text": await self._shorten(output["text"])}
            if output["output_type"] == "stream"
            else output
            for output in outputs.outputs()
        ]


def code_cells(notebook: Notebook) -> tuple[Cell, ...]:
    """The cells that can run and have something to run."""
    return tuple(cell for cell in notebook.cells if cell.kind == "code" and cell.source.strip())
