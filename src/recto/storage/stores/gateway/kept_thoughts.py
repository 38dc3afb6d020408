"""What a gateway keeps for its clients for a while, sealed: thoughts, under the ids of calls."""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select

from recto.storage.tables.thoughts import kept_thoughts
from recto.storage.transactions import Transactions, WriteTransaction


class KeptThoughtStore:
    """Sealed bytes by account and call; each has an end."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def put(
        self,
        write: WriteTransaction,
        account_id: str,
        sealed: Mapping[str, bytes],
        *,
        until_ms: int,
    ) -> None:
        """Keep some; what was kept before under the same ids, and what is over, goes."""
        table = kept_thoughts.c
        same = (table.account_id == account_id) & table.call_id.in_(list(sealed))
        await write.execute(delete(kept_thoughts).where(same | (table.until_ms <= write.now_ms)))
        rows = [
            {"account_id": account_id, "call_id": call_id, "sealed": data, "until_ms": until_ms}
            for call_id, data in sealed.items()
        ]
        await write.insert_all(kept_thoughts, rows)

    async def get_many(
        self, account_id: str, call_ids: Sequence[str], *, now_ms: int
    ) -> dict[str, bytes]:
        """Those of an account that are not over yet."""
        table = kept_thoughts.c
        found: dict[str, bytes] = {}
        async with self._transactions.read() as view:
            for at in range(0, len(call_ids), 500):
                some = list(call_ids[at : at + 500])
                rows = await view.execute(
                    select(table.call_id, table.sealed).where(
                        table.account_id == account_id,
                        table.call_id.in_(some),
                        table.until_ms > now_ms,
                    )
                )
                found |= {row.call_id: bytes(row.sealed) for row in rows}
        return found
