"""Chat groups: the folders that a project's chats lie in."""

from collections.abc import Sequence

from recto.chats.failures import ChatFailure, IdTaken, InvalidPlacement
from recto.chats.library.folder_tree import find_faults
from recto.chats.library.group_sync import MOST_GROUPS, TOO_MANY, sync_groups
from recto.chats.library.requests import ClientGroup, GroupChange, SyncOutcome
from recto.clock import Ids
from recto.colours import colour_of
from recto.storage import ChatGroup, RecordNotFound, Storage, WriteTransaction


class Groups:
    """The folders of every project."""

    def __init__(self, storage: Storage, ids: Ids) -> None:
        self._storage = storage
        self._ids = ids

    async def list(self, project_id: str) -> tuple[ChatGroup, ...]:
        """The folders of a project, in their order. Raises RecordNotFound."""
        await self._storage.projects.get(project_id)
        return await self._storage.groups.list(project_id)

    async def add(
        self, project_id: str, wanted: GroupChange, *, id: str | None = None
    ) -> ChatGroup:
        """Make a folder, after all others.

        Raises RecordNotFound, IdTaken, InvalidPlacement, ChatFailure.
        """
        new = id or self._ids.new()
        async with self._storage.write() as write:
            await self._storage.projects.get(project_id, within=write)
            if await self._is_known(write, new):
                raise IdTaken("folder", new)
            groups = await self._storage.groups.list(project_id, within=write)
            if len(groups) >= MOST_GROUPS:
                raise ChatFailure(TOO_MANY, "Remove some first.")
            _check_place(groups, new, wanted.parent_id)
            return await self._storage.groups.add(
                write,
                id=new,
                project_id=project_id,
                name=wanted.name,
                color=wanted.color or colour_of(wanted.name),
                parent_id=wanted.parent_id,
                default_context_ids=wanted.default_context_ids,
                default_skill_ids=wanted.default_skill_ids,
            )

    async def change(
        self, project_id: str, group_id: str, wanted: GroupChange, *, version: int
    ) -> ChatGroup:
        """Change a folder that the caller saw in this version, or put it into another.

        Raises RecordNotFound, StaleVersion, InvalidPlacement.
        """
        async with self._storage.write() as write:
            groups = await self._storage.groups.list(project_id, within=write)
            _find(groups, group_id)
            changed = await self._storage.groups.update(
                write,
                group_id,
                name=wanted.name,
                color=wanted.color or colour_of(wanted.name),
                parent_id=wanted.parent_id,
                default_context_ids=wanted.default_context_ids,
                default_skill_ids=wanted.default_skill_ids,
                expected_version=version,
            )
            _check_place(groups, group_id, wanted.parent_id)
            return changed

    async def reorder(self, project_id: str, ids: Sequence[str]) -> tuple[ChatGroup, ...]:
        """Put the named folders in another order, at the places they have; the others stay.

        Raises RecordNotFound, and ChatFailure when one of them is gone: then nothing changes.
        """
        async with self._storage.write() as write:
            await self._storage.projects.get(project_id, within=write)
            known = {
                group.id for group in await self._storage.groups.list(project_id, within=write)
            }
            if not known.issuperset(ids):
                raise ChatFailure(
                    "One of these folders is not there any more.", "Reload the list and try again."
                )
            return await self._storage.groups.reorder(write, project_id, ids)

    async def remove(self, project_id: str, group_id: str) -> None:
        """Remove a folder: its chats lie in none then, the folders in it move up.

        RecordNotFound.
        """
        async with self._storage.write() as write:
            _find(await self._storage.groups.list(project_id, within=write), group_id)
            await self._storage.groups.tombstone(write, group_id)

    async def sync(
        self, project_id: str, rows: Sequence[ClientGroup]
    ) -> tuple[SyncOutcome[ChatGroup], ...]:
        """Bring a client's folders and ours together. Raises RecordNotFound for the project."""
        async with self._storage.write() as write:
            await self._storage.projects.get(project_id, within=write)
            return await sync_groups(self._storage, write, project_id, rows)

    async def _is_known(self, write: WriteTransaction, group_id: str) -> bool:
        try:
            await self._storage.groups.get(group_id, within=write)
        except RecordNotFound:
            return False
        return True


def _find(groups: Sequence[ChatGroup], group_id: str) -> None:
    """Raises RecordNotFound when a folder is gone, or another project's."""
    if all(group.id != group_id for group in groups):
        raise RecordNotFound("folder", group_id)


def _check_place(groups: Sequence[ChatGroup], group_id: str, parent_id: str | None) -> None:
    """Refuse a folder in itself, in none of this project's, or too deep.

    Raises InvalidPlacement.
    """
    parents = {**{group.id: group.parent_id for group in groups}, group_id: parent_id}
    for words in find_faults(parents).values():
        raise InvalidPlacement(words, "Choose another place.")
