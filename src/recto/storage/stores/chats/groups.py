"""Groups of chats. A deleted one leaves a tombstone; its chats and subgroups stay."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound, StaleVersion
from recto.storage.records import Action, ChatGroup
from recto.storage.stores.changes import ChangeLog
from recto.storage.tables import chats
from recto.storage.tables.library import chat_groups
from recto.storage.transactions import Transactions, WriteTransaction


class GroupStore:
    """Groups by id and by project, in the order that people gave them."""

    def __init__(self, transactions: Transactions, changes: ChangeLog) -> None:
        self._transactions = transactions
        self._changes = changes

    async def add(
        self,
        write: WriteTransaction,
        *,
        id: str,
        project_id: str,
        name: str,
        color: str,
        parent_id: str | None = None,
        default_context_ids: Sequence[str] = (),
        default_skill_ids: Sequence[str] = (),
    ) -> ChatGroup:
        """Add a group after the last one.

        Raises:
            RecordExists: the id has a group, or had one that was deleted.
            RecordNotFound: there is no such project.
        """
        last = select(func.max(chat_groups.c.position))
        last = last.where(chat_groups.c.project_id == project_id)
        highest = (await write.execute(last)).scalar_one()
        group = ChatGroup(
            id,
            project_id,
            parent_id,
            name,
            color,
            0 if highest is None else highest + 1,
            tuple(default_context_ids),
            tuple(default_skill_ids),
            write.now_ms,
            write.now_ms,
            1,
            None,
        )
        await self._insert(write, group)
        return group

    async def get(self, group_id: str, *, within: WriteTransaction | None = None) -> ChatGroup:
        """The group with this id, its tombstone included, or RecordNotFound."""
        query = select(chat_groups).where(chat_groups.c.id == group_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise RecordNotFound("chat group", group_id)
        return _group(row)

    async def list(
        self, project_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[ChatGroup, ...]:
        """The groups of a project that are there, in their order."""
        columns = chat_groups.c
        query = (
            select(chat_groups)
            .where(columns.project_id == project_id, columns.deleted_ms.is_(None))
            .order_by(columns.position, columns.id)
        )
        async with self._transactions.read(within) as view:
            return tuple(_group(row) for row in await view.execute(query))

    async def update(
        self,
        write: WriteTransaction,
        group_id: str,
        *,
        name: str,
        color: str,
        parent_id: str | None,
        default_context_ids: Sequence[str],
        default_skill_ids: Sequence[str],
        expected_version: int,
    ) -> ChatGroup:
        """Change a group, if nobody else did meanwhile.

        Raises:
            StaleVersion: somebody did.
            RecordNotFound: there is no such group, or it was deleted.
        """
        group = await self.get(group_id, within=write)
        if group.deleted_ms is not None:
            raise RecordNotFound("chat group", group_id)
        if group.version != expected_version:
            raise StaleVersion(
                "chat group", group_id, expected=expected_version, actual=group.version
            )
        return await self._change(
            write,
            group,
            name=name,
            color=color,
            parent_id=parent_id,
            default_context_ids=tuple(default_context_ids),
            default_skill_ids=tuple(default_skill_ids),
        )

    async def reorder(
        self, write: WriteTransaction, project_id: str, ids: Sequence[str]
    ) -> tuple[ChatGroup, ...]:
        """Have the named groups take their own places in another order; the others keep theirs.

        Raises:
            RecordNotFound: one of them is not a group of this project, or was deleted.
        """
        groups = {group.id: group for group in await self.list(project_id, within=write)}
        for group_id in ids:
            if group_id not in groups:
                raise RecordNotFound("chat group", group_id)
        wanted, named = iter(ids), set(ids)
        if len(named) < len(ids):
            raise ValueError("A group has one place.")
        order = [groups[next(wanted)] if item in named else groups[item] for item in groups]
        places = [group.position for group in groups.values()]
        if len(set(places)) < len(places):
            # Rows that clients made may share a place; then nobody's order would say who is first.
            places = list(range(len(places)))
        return tuple(
            [
                group
                if group.position == place
                else await self._change(write, group, position=place)
                for group, place in zip(order, places, strict=True)
            ]
        )

    async def tombstone(self, write: WriteTransaction, group_id: str) -> ChatGroup:
        """Mark a group as deleted. Twice is the same.

        Its chats belong to no group then, its subgroups to what it belonged to.
        """
        group = await self.get(group_id, within=write)
        if group.deleted_ms is not None:
            return group
        for other in await self.list(group.project_id, within=write):
            if other.parent_id == group_id:
                await self._change(write, other, parent_id=group.parent_id)
        await self._ungroup_chats(write, group_id)
        return await self._change(write, group, deleted_ms=write.now_ms)

    async def put(self, write: WriteTransaction, group: ChatGroup) -> ChatGroup:
        """Have a group be exactly this, new or not, with the version that it says.

        Raises:
            RecordNotFound: there is no such project.
        """
        query = select(chat_groups.c.id).where(chat_groups.c.id == group.id)
        if (await write.execute(query)).one_or_none() is None:
            await self._insert(write, group)
        else:
            await self._overwrite(write, group)
        return group

    async def _insert(self, write: WriteTransaction, group: ChatGroup) -> None:
        named, parent = RecordName("chat group", group.id), RecordName("project", group.project_id)
        await write.insert(chat_groups, _values(group), named=named, parent=parent)
        await self._tell(write, group, "created")

    async def _change(self, write: WriteTransaction, group: ChatGroup, **values: Any) -> ChatGroup:
        if replace(group, **values) == group:
            return group  # what is put back as it was read is no change
        changed = replace(group, **values, updated_ms=write.now_ms, version=group.version + 1)
        await self._overwrite(write, changed)
        return changed

    async def _overwrite(self, write: WriteTransaction, group: ChatGroup) -> None:
        statement = update(chat_groups).where(chat_groups.c.id == group.id)
        await write.execute(statement.values(_values(group)))
        await self._tell(write, group, "updated" if group.deleted_ms is None else "deleted")

    async def _ungroup_chats(self, write: WriteTransaction, group_id: str) -> None:
        statement = update(chats).where(chats.c.group_id == group_id, chats.c.deleted_ms.is_(None))
        statement = statement.values(group_id=None, version=chats.c.version + 1)
        columns = (chats.c.id, chats.c.project_id, chats.c.version)
        for row in (await write.execute(statement.returning(*columns))).fetchall():
            await self._changes.append(
                write,
                kind="chat",
                resource_id=row.id,
                project_id=row.project_id,
                action="updated",
                version=row.version,
            )

    async def _tell(self, write: WriteTransaction, group: ChatGroup, action: Action) -> None:
        await self._changes.append(
            write,
            kind="chat_group",
            resource_id=group.id,
            project_id=group.project_id,
            action=action,
            version=group.version,
        )


def _values(group: ChatGroup) -> dict[str, Any]:
    values = {field: getattr(group, field) for field in ChatGroup.__slots__}
    lists = ("default_context_ids", "default_skill_ids")
    return {**values, **{name: list(values[name]) for name in lists}}


def _group(row: Sequence[Any]) -> ChatGroup:
    group = ChatGroup(*row)
    return replace(
        group,
        default_context_ids=tuple(group.default_context_ids),
        default_skill_ids=tuple(group.default_skill_ids),
    )
