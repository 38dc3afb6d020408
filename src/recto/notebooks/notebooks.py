"""The notebooks of a program: what their cells are called, and their kernels."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recto.clock import Ids
from recto.notebooks.file.arrange import WantedOutputs
from recto.notebooks.file.cell_ids import CellIds
from recto.notebooks.file.notebook import Cell
from recto.notebooks.kernels.execution import Heard
from recto.notebooks.kernels.outputs import CellOutputs
from recto.notebooks.kernels.rights import KernelRules
from recto.notebooks.live.cell_drafts import CellDrafts
from recto.supervisor import Supervisor

if TYPE_CHECKING:
    from recto.notebooks.kernels.kernels import KernelNews, Kernels

NEW_ID_LENGTH = 8


class RunWatcher(Protocol):
    """Shows what cells answer while they run, and what a model writes into them."""

    @property
    def drafts(self) -> CellDrafts:
        """The cells that are being written."""
        ...

    def running(
        self, cell_id: str, source: str, outputs: CellOutputs, by: str = "person"
    ) -> AbstractContextManager[Heard]:
        """A cell runs for the block's length; what it answers is to be told to what is yielded."""
        ...

    def answered(self, cell_id: str) -> WantedOutputs | None:
        """What a cell shows, also where the file has none of it; None before the file was open."""
        ...

    def written(self) -> None:
        """The file has what was run for it."""
        ...


class Notebooks:
    """One for the program. Its kernels end with it."""

    def __init__(
        self,
        supervisor: Supervisor,
        ids: Ids,
        *,
        kept: Path | None = None,
        idle_s: float | None = None,
        rules: KernelRules | None = None,
        tcp: Collection[str] = (),
    ) -> None:
        """`kept` is a folder for what is known of kernels that are kept when Recto ends.

        After `idle_s` without a run a kernel ends. Without `rules` all have the user's rights.
        `tcp` names kernels that may be reached by ports of this computer.
        """
        self._supervisor = supervisor
        self._ids = ids
        self._kept = kept
        self._idle_s = idle_s
        self._rules = rules
        self._tcp = tcp
        self._kernels: Kernels | None = None
        self.cells = CellIds()
        self.watchers: dict[str, RunWatcher] = {}
        """Whoever shows a notebook, by its key: told of every run."""
        self.on_kernel_news: Callable[[str, KernelNews], None] | None = None
        """Is told the key of a notebook, and what has become of its kernel."""

    @property
    def kernels(self) -> "Kernels":
        """The kernels. Their parts load on first use: most starts of Recto need none."""
        if self._kernels is not None:
            return self._kernels
        module = import_module("recto.notebooks.kernels.kernels")
        records = None if self._kept is None else module.HeldKernels(self._kept)
        found: Kernels = module.Kernels(
            self._supervisor,
            self._ids,
            records=records,
            idle_s=self._idle_s,
            rules=self._rules,
            tcp=self._tcp,
        )
        found.on_news = self.on_kernel_news
        self._kernels = found
        return found

    def find_kernels_again(self) -> None:
        """Go on with the kernels that were kept when an earlier Recto ended."""
        if self._kept is not None and any(self._kept.glob("*.json")):
            self.kernels.find_again()

    def has_kernel(self, key: str) -> bool:
        """Whether a kernel of a notebook lives."""
        return self._kernels is not None and self._kernels.find(key) is not None

    def shown(self, key: str, cell: Cell) -> Cell:
        """A cell of the file with what it shows, where somebody has the notebook open."""
        watcher = self.watchers.get(key)
        if watcher is None or cell.kind != "code" or cell.outputs:
            return cell
        found = watcher.answered(cell.id)
        if found is None:
            return cell
        return replace(cell, outputs=tuple(found.outputs), execution_count=found.execution_count)

    def follow_move(self, key: str, new: str) -> None:
        """A file or folder has another path now: so have its notebooks."""
        kernels = () if self._kernels is None else self._kernels.known()
        for old in {*kernels, *self.watchers, *self.cells.known()}:
            if old == key or old.startswith(f"{key}/"):
                now = new + old[len(key) :]
                if self._kernels is not None:
                    self._kernels.follow_move(old, now)
                self.cells.follow_move(old, now)
                if old in self.watchers:
                    self.watchers[now] = self.watchers.pop(old)

    def forget(self, key: str) -> None:
        """Nobody shows a notebook any more."""
        self.watchers.pop(key, None)
        if self._kernels is not None:
            self._kernels.forget_outputs(key)

    def new_cell_id(self) -> str:
        """An id for a new cell, as short as Jupyter's."""
        return self._ids.secret()[:NEW_ID_LENGTH]
