"""The outbox: what was changed, in commit order. Every open page follows it."""

from sqlalchemy import func, insert, select

from recto.storage.records import Action, Change
from recto.storage.tables import changes
from recto.storage.transactions import Transactions, Write


class ChangeLog:
    """Changes, numbered without reuse; a later number was committed later."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def append(
        self,
        write: Write,
        *,
        kind: str,
        resource_id: str,
        project_id: str | None,
        action: Action,
        version: int,
    ) -> int:
        """Tell of a change in the transaction that makes it; answers its number."""
        statement = insert(changes).values(
            created_ms=write.now_ms,
            kind=kind,
            resource_id=resource_id,
            project_id=project_id,
            action=action,
            version=version,
        )
        result = await write.execute(statement.returning(changes.c.seq))
        write.news.last_change = int(result.scalar_one())
        return write.news.last_change

    async def after(
        self, seq: int, limit: int = 500, *, within: Write | None = None
    ) -> tuple[Change, ...]:
        """The changes after `seq`, oldest first."""
        query = select(changes).where(changes.c.seq > seq).order_by(changes.c.seq).limit(limit)
        async with self._transactions.read(within) as view:
            return tuple(Change(*row) for row in await view.execute(query))

    async def latest(self, *, within: Write | None = None) -> int:
        """The number of the latest change; 0 when there is none."""
        async with self._transactions.read(within) as view:
            result = await view.execute(select(func.max(changes.c.seq)))
            return result.scalar_one() or 0
