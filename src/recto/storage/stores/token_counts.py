"""How many tokens texts have, by the hashes of the texts; thousands at once."""

from collections.abc import Iterable, Mapping

from sqlalchemy import JSON, Select, func, literal, select

from recto.storage.tables.library import token_counts
from recto.storage.transactions import ReadTransaction, Transactions, WriteTransaction


class TokenCountStore:
    """Counts that never change: the same text has the same tokens."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def get_many(
        self, hashes: Iterable[str], *, within: WriteTransaction | None = None
    ) -> dict[str, tuple[int, int]]:
        """The counts that are known, ASCII and other."""
        async with self._transactions.read(within) as view:
            found = await view.execute(_among(view, list(hashes)))
            return {row.hash: (row.ascii, row.other) for row in found}

    async def put_many(
        self, write: WriteTransaction, counts: Mapping[str, tuple[int, int]]
    ) -> None:
        """Keep counts; those that are known already stay as they are."""
        known = await self.get_many(counts, within=write)
        rows = [
            {"hash": key, "ascii": ascii, "other": other, "created_ms": write.now_ms}
            for key, (ascii, other) in counts.items()
            if key not in known
        ]
        if rows:
            await write.insert_all(token_counts, rows)


def _among(view: ReadTransaction, hashes: list[str]) -> Select[str, int, int]:
    """Their rows. The list is one value for the statement, however long it is."""
    wanted = literal(hashes, JSON)
    if view.connection.dialect.name == "postgresql":
        each = select(func.json_array_elements_text(wanted))
    else:
        each = select(func.json_each(wanted).table_valued("value").c.value)
    columns = (token_counts.c.hash, token_counts.c.ascii, token_counts.c.other)
    return select(*columns).where(token_counts.c.hash.in_(each))
