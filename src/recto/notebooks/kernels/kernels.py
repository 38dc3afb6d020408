"""The kernels of notebooks: one for each, whoever looks at it, ended with the program."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

import anyio

from recto.clock import Ids
from recto.notebooks.failures import NoKernel
from recto.notebooks.kernels.held_kernels import HeldKernels
from recto.notebooks.kernels.kernel import Kernel
from recto.notebooks.kernels.kernel_process import KernelPlace
from recto.notebooks.kernels.outputs import CellOutputs
from recto.notebooks.kernels.rights import KernelRights, KernelRules
from recto.notebooks.kernels.specs import KernelSpec, choose_kernel, find_kernels
from recto.supervisor import Supervisor

KernelNews = Literal["starts", "ready", "restarts", "over"]
OnNews = Callable[[str, KernelNews], None]
"""Is told of a notebook what has become of its kernel."""


@dataclass(frozen=True, slots=True)
class KernelStatus:
    """How the kernel of a notebook is."""

    name: str
    title: str
    state: str
    queued: int
    why_dead: str
    is_kept: bool
    rights: KernelRights


class Kernels:
    """Starts, finds and ends kernels, by the absolute path of their notebook."""

    def __init__(
        self,
        supervisor: Supervisor,
        ids: Ids,
        *,
        records: HeldKernels | None = None,
        idle_s: float | None = None,
        rules: KernelRules | None = None,
        tcp: Collection[str] = (),
    ) -> None:
        """`records` is where kernels are written down that are kept; without it none can be.

        `tcp` names kernels that may be reached by ports of this computer.
        """
        self._supervisor = supervisor
        self._ids = ids
        self._records = records
        self._idle_s = idle_s
        self._rules = rules
        self._tcp = tcp
        self._running: dict[str, Kernel] = {}
        self._shown: dict[str, dict[str, CellOutputs]] = {}
        # Two that run the first cell at once must not start two kernels.
        self._starting = anyio.Lock(fast_acquire=True)
        self.on_news: OnNews | None = None

    async def get(
        self, notebook: str, *, folder: str, cwd: str, wanted: str, is_asked: bool = False
    ) -> Kernel:
        """The kernel of a notebook, started if it has none that lives.

        Raises NoSuchKernel, KernelFailed.
        """
        async with self._starting:
            found = self._running.get(notebook)
            if found is None or found.state == "dead":
                spec = await anyio.to_thread.run_sync(
                    lambda: choose_kernel(folder, wanted, is_asked=is_asked)
                )
                found = self._start(notebook, await self._place(spec, cwd, folder))
        return await self._ready(notebook, found)

    async def restart(self, notebook: str) -> Kernel:
        """Begin anew, without any variable. Raises NoKernel, KernelFailed."""
        async with self._starting:
            old = self._find(notebook)
            old.gives_way = True
            self._tell(notebook, "restarts")
            try:
                await old.shut_down()
                place = await self._place(old.place.spec, old.place.cwd, old.place.root)
            finally:
                old.gives_way = False
            new = self._start(notebook, place)
        return await self._ready(notebook, new)

    async def keep(self, notebook: str) -> None:
        """Have a notebook's kernel go on when Recto ends. Raises NoKernel, KernelDied."""
        assert self._records is not None
        held = await self._alive(notebook).keep()
        await anyio.to_thread.run_sync(self._records.keep, replace(held, notebook=notebook))

    async def release(self, notebook: str) -> None:
        """Have a notebook's kernel end with Recto again. Raises NoKernel."""
        await self._alive(notebook).release()
        if self._records is not None:
            await anyio.to_thread.run_sync(self._records.forget, notebook)

    def find_again(self) -> None:
        """Go on with the kernels that were kept when an earlier Recto ended."""
        for found in () if self._records is None else self._records.all():
            place = KernelPlace(found.spec, found.cwd, found.root, found.rights)
            kernel = Kernel(place, self._ids, found=found)
            self._run(found.notebook, kernel)

    async def interrupt(self, notebook: str) -> None:
        """Stop what runs. Raises NoKernel."""
        await self._alive(notebook).interrupt()

    async def shut_down(self, notebook: str) -> None:
        """End a notebook's kernel. Raises NoKernel."""
        await self._find(notebook).shut_down()
        del self._running[notebook]
        self._shown.pop(notebook, None)

    def follow_move(self, notebook: str, new: str) -> None:
        """A notebook has another path now; its kernel goes along."""
        if notebook in self._running:
            self._running[new] = self._running.pop(notebook)
            if self._records is not None:
                self._records.follow_move(notebook, new)
        if notebook in self._shown:
            self._shown[new] = self._shown.pop(notebook)

    def known(self) -> tuple[str, ...]:
        """The notebooks that have a kernel, or had one that died."""
        return tuple(self._running)

    def forget_outputs(self, notebook: str) -> None:
        """Nobody shows what the cells of a notebook answered any more."""
        self._shown.pop(notebook, None)

    def find(self, notebook: str) -> Kernel | None:
        """The kernel of a notebook, if it has one that lives."""
        kernel = self._running.get(notebook)
        return None if kernel is None or kernel.state == "dead" else kernel

    def status(self, notebook: str) -> KernelStatus | None:
        """How a notebook's kernel is; None when it has none."""
        kernel = self._running.get(notebook)
        if kernel is None:
            return None
        spec = kernel.place.spec
        return KernelStatus(
            spec.name,
            spec.title,
            kernel.state,
            kernel.queued,
            kernel.why_dead,
            kernel.is_kept,
            kernel.place.rights,
        )

    async def available(self, folder: str) -> tuple[KernelSpec, ...]:
        """Every kernel that can be chosen in a folder."""
        return await anyio.to_thread.run_sync(find_kernels, folder)

    def begin_outputs(self, notebook: str, cell_id: str, kernel: Kernel) -> CellOutputs:
        """Room for what a cell is about to answer; later cells can update what it showed."""
        shown = self._shown.setdefault(notebook, {})
        if cell_id in shown:
            kernel.displays.forget(shown[cell_id])
        shown[cell_id] = CellOutputs(kernel.displays)
        return shown[cell_id]

    def updated_outputs(self, notebook: str) -> dict[str, CellOutputs]:
        """The outputs of cells that changed since this was asked last, by the cell's id."""
        shown = self._shown.get(notebook, {})
        found = {cell_id: outputs for cell_id, outputs in shown.items() if outputs.is_changed}
        for outputs in found.values():
            outputs.is_changed = False
        return found

    async def _place(self, spec: KernelSpec, cwd: str, root: str) -> KernelPlace:
        """Where a kernel works, with the rights that are chosen for its folder now."""
        may_use_ports = spec.name in self._tcp
        if self._rules is None:
            return KernelPlace(spec, cwd, root, may_use_ports=may_use_ports)
        rights = await self._rules.find(root)
        return KernelPlace(spec, cwd, root, rights, self._rules.sandbox, may_use_ports)

    def _start(self, notebook: str, place: KernelPlace) -> Kernel:
        kernel = Kernel(place, self._ids, idle_s=self._idle_s)
        self._shown.pop(notebook, None)
        self._run(notebook, kernel)
        return kernel

    async def _ready(self, notebook: str, kernel: Kernel) -> Kernel:
        was_starting = kernel.state == "starting"
        await kernel.wait_until_ready()
        if was_starting:
            self._tell(notebook, "ready")
        return kernel

    def _tell(self, notebook: str, news: KernelNews) -> None:
        if self.on_news is not None:
            self.on_news(notebook, news)

    def _run(self, notebook: str, kernel: Kernel) -> None:
        self._running[notebook] = kernel
        self._tell(notebook, "starts")

        async def live() -> None:
            try:
                await kernel.run()
            finally:
                self._on_over(kernel)

        self._supervisor.run_once("kernels", live)

    def _on_over(self, kernel: Kernel) -> None:
        if kernel.is_left_behind:
            return
        for notebook, running in self._running.items():
            if running is kernel:
                if self._records is not None and kernel.is_kept:
                    self._records.forget(notebook)
                self._tell(notebook, "over")
                return

    def _find(self, notebook: str) -> Kernel:
        kernel = self._running.get(notebook)
        if kernel is None:
            raise NoKernel
        return kernel

    def _alive(self, notebook: str) -> Kernel:
        kernel = self._find(notebook)
        if kernel.state == "dead":
            raise NoKernel
        return kernel
