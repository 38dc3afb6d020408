"""The streams that run, in every process. Those of a process that died do not count."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, select

from recto.storage.driver_errors import RecordName
from recto.storage.tables.accounts import open_streams
from recto.storage.transactions import Transactions, WriteTransaction
from recto.storage.workers import Workers

FORGOTTEN_MS = 10 * 60 * 1000
"""When the rows of a process that is not there are deleted: it may only have lost its server."""


@dataclass(frozen=True, slots=True)
class StreamCap:
    """How many streams an account, or a key, may have at a time."""

    account_id: str
    key_id: str | None
    most: int

    def counted(self) -> ColumnElement[bool]:
        """The streams that it is about: those of the key, or without one of the account."""
        if self.key_id is not None:
            return open_streams.c.key_id == self.key_id
        return open_streams.c.account_id == self.account_id


class OpenStreams:
    """Places for streams, given and taken back."""

    def __init__(self, transactions: Transactions, workers: Workers) -> None:
        self._transactions = transactions
        self._workers = workers

    async def enter(
        self,
        write: WriteTransaction,
        *,
        id: str,
        account_id: str,
        key_id: str | None,
        caps: Sequence[StreamCap],
    ) -> bool:
        """Take a place, if every cap leaves one."""
        own = await self._workers.own(write)
        living = await self._workers.living(within=write)
        is_dead = open_streams.c.worker.not_in(sorted(living))
        late = open_streams.c.created_ms < write.now_ms - FORGOTTEN_MS
        await write.execute(delete(open_streams).where(is_dead, late))
        for cap in caps:
            query = select(func.count()).where(cap.counted(), ~is_dead)
            if (await write.execute(query)).scalar_one() >= cap.most:
                return False
        values = {"id": id, "account_id": account_id, "key_id": key_id, "worker": own}
        values["created_ms"] = write.now_ms
        await write.insert(open_streams, values, named=RecordName("stream", id))
        return True

    async def leave(self, write: WriteTransaction, stream_id: str) -> None:
        """Give a place back."""
        await write.execute(delete(open_streams).where(open_streams.c.id == stream_id))

    async def is_full(self, caps: Sequence[StreamCap]) -> bool:
        """Whether some cap leaves no place just now."""
        living = await self._workers.living()
        async with self._transactions.read() as view:
            for cap in caps:
                query = select(func.count()).where(
                    cap.counted(), open_streams.c.worker.in_(sorted(living))
                )
                if (await view.execute(query)).scalar_one() >= cap.most:
                    return True
        return False
