"""What people saved themselves: kept as they write, compared, and forgotten."""

import hashlib
import logging
from collections.abc import Awaitable, Callable

from recto.clock import Clock, Ids
from recto.documents import OwnWords
from recto.storage import OwnSave, Storage, StorageFailure, pack_beside, save_of
from recto.workspace import Workspace

STRETCH_MS = 5 * 60 * 1000
"""Within this time from its beginning, further saves belong to the same stretch of writing."""
MOST_SAVES = 100
"""How many stretches are kept of one file."""
MAX_CHARACTERS = 1_000_000
log = logging.getLogger(__name__)


class OwnSaves:
    """The local history of each file, as far as people wrote it themselves."""

    def __init__(
        self,
        storage: Storage,
        ids: Ids,
        clock: Clock,
        open_workspace: Callable[[str], Awaitable[Workspace]],
    ) -> None:
        self._storage = storage
        self._ids = ids
        self._clock = clock
        self._open_workspace = open_workspace
        self._ended: set[tuple[str, str]] = set()
        """The files whose next save is not a part of the last stretch."""

    def witness(self, project_id: str) -> OwnWords:
        """Keeps every save of a project's files that people alone wrote."""

        async def saved(path: str, before: str, after: str) -> None:
            try:
                await self.keep(project_id, path, before, after)
            except StorageFailure as failure:
                # What a person wrote is saved, whatever becomes of its history.
                log.error("a save is not in the history of its file: %s", failure)

        return saved

    async def keep(self, project_id: str, path: str, before: str, after: str) -> None:
        """Keep a save, together with those of the same stretch. Secrets are nobody's history."""
        workspace = await self._open_workspace(project_id)
        if max(len(before), len(after)) > MAX_CHARACTERS or await workspace.is_ignored(path):
            return
        now_ms, known = (
            self._clock.now_ms(),
            await self._storage.own_saves.of_path(project_id, path),
        )
        old, new = before.encode(), after.encode()
        last = known[-1] if known else None
        goes_on = (
            last is not None
            and (project_id, path) not in self._ended
            and last.after == hashlib.sha256(old).hexdigest()
            and 0 <= now_ms - last.begun_ms < STRETCH_MS
        )
        if last is not None and goes_on:
            old = await self._storage.blobs.get(last.before)
        base = await pack_beside(old)
        packed = await pack_beside(new, base.as_base(old))
        save_id = self._ids.new()
        owner = save_of(project_id, save_id)
        async with self._storage.write() as write:
            digest = await self._storage.blobs.put_packed(write, base, old, owner)
            after_digest = await self._storage.blobs.put_packed(write, packed, new, owner)
            begun_ms = last.begun_ms if last is not None and goes_on else now_ms
            save = OwnSave(save_id, project_id, path, begun_ms, now_ms, digest, after_digest)
            await self._storage.own_saves.add(write, save, most=MOST_SAVES)
            if last is not None and goes_on:
                await self._storage.own_saves.remove(write, last)
        self._ended.discard((project_id, path))

    def end_stretch(self, project_id: str, path: str) -> None:
        """What is saved next is a version of its own: the last one is not replaced by it."""
        self._ended.add((project_id, path))

    async def list(self, project_id: str, path: str) -> tuple[OwnSave, ...]:
        """The saves of a file, the newest first. Raises a WorkspaceFailure for a bad path."""
        workspace = await self._open_workspace(project_id)
        found = await self._storage.own_saves.of_path(project_id, await workspace.real_path(path))
        return tuple(reversed(found))

    async def texts(self, save_id: str) -> tuple[str, str]:
        """The text before and after a stretch of writing. Raises RecordNotFound."""
        save = await self.get(save_id)
        before, after = [
            (await self._storage.blobs.get(digest)).decode() for digest in (save.before, save.after)
        ]
        return before, after

    async def get(self, save_id: str) -> OwnSave:
        """One save. Raises RecordNotFound."""
        return await self._storage.own_saves.get(save_id)

    async def forget(self, project_id: str, path: str, deleted_ms: int) -> None:
        """A file or a folder was erased for good: so is what was saved of it before that."""
        async with self._storage.write() as write:
            await self._storage.own_saves.erase(write, project_id, path, deleted_ms)
