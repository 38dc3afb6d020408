"""The trash of all projects: what was deleted is kept for a while, and within a size."""

from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.to_thread

from recto.clock import Clock, Ids
from recto.storage import RecordNotFound
from recto.workspace import TrashFolder, TrashItem, Workspace

KEPT_DAYS = 30
MAX_BYTES = 5_000_000_000
DAY_MS = 24 * 60 * 60 * 1000
OnErased = Callable[[str, str, int], Awaitable[None]]
"""Told the project and the path of what is gone for good, and when it was deleted."""


class Trash:
    """Deleted files and folders. The oldest go when it is too much; the newest always stays."""

    def __init__(
        self,
        folder: TrashFolder,
        *,
        clock: Clock,
        ids: Ids,
        on_erased: OnErased,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._ids = ids
        self._on_erased = on_erased
        self._max_bytes = max_bytes
        self._changing = anyio.Lock()

    async def add(
        self, project_id: str, workspace: Workspace, path: str, edits: tuple[str, ...]
    ) -> TrashItem:
        """Delete a file, a link or a folder. Raises what `Workspace.take_out` raises."""
        item = TrashItem(self._ids.new(), project_id, path, self._clock.now_ms(), edits=edits)
        async with self._changing:
            taken = await workspace.take_out(path, self._folder, item)
            await self._prune()
        return taken

    async def items(self, project_id: str) -> tuple[TrashItem, ...]:
        """What was deleted in a project, the newest first."""
        async with self._changing:
            await self._prune()
            found = await anyio.to_thread.run_sync(self._folder.items)
        return tuple(item for item in reversed(found) if item.project_id == project_id)

    async def put_back(self, project_id: str, workspace: Workspace, item_id: str) -> TrashItem:
        """Bring something back where it was. Raises RecordNotFound, PathExists."""
        async with self._changing:
            item = await self._find(project_id, item_id)
            await workspace.put_back(self._folder, item)
        return item

    async def remove(self, project_id: str, item_id: str) -> None:
        """Take something away for good. Raises RecordNotFound."""
        async with self._changing:
            await self._erase([await self._find(project_id, item_id)])

    async def empty(self, project_id: str) -> None:
        """Take away for good all that was deleted in a project."""
        items = await self.items(project_id)
        async with self._changing:
            await self._erase(items)

    async def _find(self, project_id: str, item_id: str) -> TrashItem:
        for item in await anyio.to_thread.run_sync(self._folder.items):
            if item.id == item_id and item.project_id == project_id:
                return item
        raise RecordNotFound("deleted file", item_id)

    async def _erase(self, items: Sequence[TrashItem]) -> None:
        """Take things away; what is kept of them elsewhere goes first, or they stay listed."""
        for item in items:
            await self._on_erased(item.project_id, item.path, item.deleted_ms)
            await anyio.to_thread.run_sync(self._folder.remove, item.id)

    async def _prune(self) -> None:
        """Take away what is too old, then the oldest until the rest is not too much."""
        await anyio.to_thread.run_sync(self._folder.sweep)
        items = await anyio.to_thread.run_sync(self._folder.items)
        oldest_ms = self._clock.now_ms() - KEPT_DAYS * DAY_MS
        total = sum(item.size for item in items)
        for item in items:
            is_too_much = total > self._max_bytes and item is not items[-1]
            if item.deleted_ms < oldest_ms or is_too_much:
                await self._erase([item])
                total -= item.size
