"""What people keep in a project and take out again: listed newest first, changed by version."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

from sqlalchemy import Table, delete, select, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound, StaleVersion
from recto.storage.records import Action, Page
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.cursors import newest_first
from recto.storage.transactions import Transactions, WriteTransaction


class VersionedRecord(Protocol):
    """What every record on a shelf has."""

    @property
    def id(self) -> str: ...
    @property
    def project_id(self) -> str: ...
    @property
    def version(self) -> int: ...


R = TypeVar("R", bound=VersionedRecord)


class VersionedTable(Generic[R]):
    """The records of one table. `kind` is what pages and people know them by."""

    def __init__(
        self,
        transactions: Transactions,
        changes: ChangeLog,
        table: Table,
        kind: str,
        make: Callable[[Sequence[Any]], R],
    ) -> None:
        self._transactions = transactions
        self._changes = changes
        self._table = table
        self._kind = kind
        self._make = make

    async def get(self, record_id: str, *, within: WriteTransaction | None = None) -> R:
        """The record with this id, or RecordNotFound."""
        query = select(self._table).where(self._table.c.id == record_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise RecordNotFound(self._kind, record_id)
        return self._make(row)

    async def page(
        self,
        project_id: str,
        cursor: str | None = None,
        limit: int = 50,
        *,
        within: WriteTransaction | None = None,
    ) -> Page[R]:
        """The records of a project, the newest first."""
        columns = self._table.c
        query = select(self._table).where(columns.project_id == project_id)
        order = (columns.created_ms, columns.id)
        async with self._transactions.read(within) as view:
            return await newest_first(view, query, order, self._make, cursor=cursor, limit=limit)

    async def remove(self, write: WriteTransaction, record_id: str) -> None:
        """Forget a record, or RecordNotFound."""
        statement = delete(self._table).where(self._table.c.id == record_id)
        row = (await write.execute(statement.returning(self._table))).one_or_none()
        if row is None:
            raise RecordNotFound(self._kind, record_id)
        await self._tell(write, self._make(row), "deleted")

    async def used(self, write: WriteTransaction, ids: Sequence[str]) -> None:
        """Mark records as used now. Their versions stay; ids that are not there are passed over."""
        statement = update(self._table).where(self._table.c.id.in_(ids))
        statement = statement.values(last_used_ms=write.now_ms).returning(self._table)
        for row in (await write.execute(statement)).fetchall():
            await self._tell(write, self._make(row), "updated")

    async def _insert(self, write: WriteTransaction, record: R, values: Mapping[str, Any]) -> R:
        named, parent = RecordName(self._kind, record.id), RecordName("project", record.project_id)
        await write.insert(self._table, values, named=named, parent=parent)
        await self._tell(write, record, "created")
        return record

    async def _change(
        self,
        write: WriteTransaction,
        record_id: str,
        expected_version: int,
        values: Mapping[str, Any],
    ) -> R:
        columns = self._table.c
        query = select(self._table).where(columns.id == record_id)
        row = (await write.execute(query)).one_or_none()
        if row is None:
            raise RecordNotFound(self._kind, record_id)
        record = self._make(row)
        if record.version != expected_version:
            raise StaleVersion(
                self._kind, record_id, expected=expected_version, actual=record.version
            )
        if all(getattr(record, name) == frozen(value) for name, value in values.items()):
            return record  # what is put back as it was read is no change
        statement = update(self._table).where(columns.id == record_id)
        statement = statement.values({**values, "version": expected_version + 1})
        record = self._make((await write.execute(statement.returning(self._table))).one())
        await self._tell(write, record, "updated")
        return record

    async def _tell(self, write: WriteTransaction, record: R, action: Action) -> None:
        await self._changes.append(
            write,
            kind=self._kind,
            resource_id=record.id,
            project_id=record.project_id,
            action=action,
            version=record.version,
        )


def frozen(value: object) -> object:
    """A value as records have it: their lists are tuples."""
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value
