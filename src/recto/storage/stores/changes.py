"""The outbox: what was changed, in commit order. Every open page follows it."""

from sqlalchemy import bindparam, func, insert, select

from recto.storage.records import Action, ChangeRecord
from recto.storage.tables import changes
from recto.storage.transactions import Transactions, WriteTransaction

# Built once: building a statement takes longer than running it.
ADD = insert(changes).returning(changes.c.seq)
AFTER = (
    select(changes)
    .where(changes.c.seq > bindparam("after"))
    .order_by(changes.c.seq)
    .limit(bindparam("limit"))
)


class ChangeLog:
    """Changes, numbered without reuse; a later number was committed later."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def append(
        self,
        write: WriteTransaction,
        *,
        kind: str,
        resource_id: str,
        project_id: str | None,
        action: Action,
        version: int,
    ) -> None:
        """Tell of a change in the transaction that makes it."""
        values = {
            "created_ms": write.now_ms,
            "kind": kind,
            "resource_id": resource_id,
            "project_id": project_id,
            "action": action,
            "version": version,
        }
        await write.draw_change(ADD, values, write.news.reached)

    async def after(
        self, seq: int, limit: int = 500, *, within: WriteTransaction | None = None
    ) -> tuple[ChangeRecord, ...]:
        """The changes after `seq`, oldest first."""
        values = {"after": seq, "limit": limit}
        async with self._transactions.read(within) as view:
            return tuple(ChangeRecord(*row) for row in await view.execute(AFTER, values))

    async def latest(self, *, within: WriteTransaction | None = None) -> int:
        """The number of the latest change; 0 when there is none."""
        async with self._transactions.read(within) as view:
            result = await view.execute(select(func.max(changes.c.seq)))
            return result.scalar_one() or 0
