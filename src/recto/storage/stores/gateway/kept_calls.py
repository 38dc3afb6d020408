"""Prompts and answers of accounts whose operator has them kept, each until a moment."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, select, update

from recto.storage.account_records import KeptCall
from recto.storage.failures import RecordNotFound
from recto.storage.tables.accounts import accounts, kept_calls
from recto.storage.transactions import Transactions, WriteTransaction

DAY_MS = 24 * 60 * 60 * 1000
TOLD = [kept_calls.c[name] for name in KeptCall.__slots__]
EXPIRED_AT_A_TIME = 100
KIND = "kept call"


class KeptCallStore:
    """Calls by their id, newest first."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def put(
        self, write: WriteTransaction, call: KeptCall, *, asked: bytes, answered: bytes
    ) -> bool:
        """Keep a call as long as its account says now; False: it says no more, nothing is kept."""
        switch = select(accounts.c.keep_days).where(accounts.c.id == call.account_id)
        days = (await write.execute(switch)).scalar_one_or_none()
        if days is None:
            return False
        values = asdict(call) | {"until_ms": call.created_ms + days * DAY_MS}
        await write.insert_all(kept_calls, [values | {"asked": asked, "answered": answered}])
        return True

    async def of_account(
        self, account_id: str, *, now_ms: int, before: str | None, most: int
    ) -> tuple[KeptCall, ...]:
        """Calls of an account, newest first; `before` is the id of the last one of those before."""
        query = select(*TOLD).where(
            kept_calls.c.account_id == account_id, kept_calls.c.until_ms > now_ms
        )
        if before is not None:
            query = query.where(kept_calls.c.id < before)
        async with self._transactions.read() as view:
            rows: Sequence[Any] = list(
                await view.execute(query.order_by(kept_calls.c.id.desc()).limit(most))
            )
        return tuple(KeptCall(*row) for row in rows)

    async def get(
        self, account_id: str, call_id: str, *, now_ms: int
    ) -> tuple[KeptCall, bytes, bytes]:
        """One call of an account, with what was asked and answered. Raises RecordNotFound."""
        query = select(*TOLD, kept_calls.c.asked, kept_calls.c.answered).where(
            kept_calls.c.account_id == account_id,
            kept_calls.c.id == call_id,
            kept_calls.c.until_ms > now_ms,
        )
        async with self._transactions.read() as view:
            rows: list[Sequence[Any]] = list(await view.execute(query))
        for *told, asked, answered in rows:
            return KeptCall(*told), bytes(asked), bytes(answered)
        raise RecordNotFound(KIND, call_id)

    async def keep_for(self, write: WriteTransaction, account_id: str, days: int | None) -> int:
        """Have an account's calls kept so long; None: no more, and those that are there go.

        How many were erased. Raises RecordNotFound.
        """
        statement = update(accounts).where(accounts.c.id == account_id).values(keep_days=days)
        found = await write.execute(statement.returning(accounts.c.id))
        if found.one_or_none() is None:
            raise RecordNotFound("account", account_id)
        if days is None:
            return await self.erase(write, account_id)
        mine = update(kept_calls).where(kept_calls.c.account_id == account_id)
        await write.execute(mine.values(until_ms=kept_calls.c.created_ms + days * DAY_MS))
        return 0

    async def erase(
        self, write: WriteTransaction, account_id: str, call_id: str | None = None
    ) -> int:
        """Erase one call of an account, or all: how many there were."""
        statement = delete(kept_calls).where(kept_calls.c.account_id == account_id)
        if call_id is not None:
            statement = statement.where(kept_calls.c.id == call_id)
        return len(list(await write.execute(statement.returning(kept_calls.c.id))))

    async def expire(self, write: WriteTransaction) -> int:
        """Erase some of those whose time is over: how many there were."""
        over = select(kept_calls.c.id).where(kept_calls.c.until_ms <= write.now_ms)
        some = delete(kept_calls).where(kept_calls.c.id.in_(over.limit(EXPIRED_AT_A_TIME)))
        return len(list(await write.execute(some.returning(kept_calls.c.id))))
