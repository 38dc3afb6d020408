"""Keys for programs, by the hash of the key."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from sqlalchemy import select, update

from recto.storage.account_records import AccountRecord, ApiKeyRecord, CallLimits
from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import JsonObject
from recto.storage.stores.gateway.accounts import KIND, read_account
from recto.storage.tables.accounts import accounts, api_keys
from recto.storage.transactions import Transactions, WriteTransaction


class ApiKeyStore:
    """The keys of all accounts. None is ever deleted: what it spent still names it."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def add(
        self,
        write: WriteTransaction,
        *,
        id: str,
        account_id: str,
        name: str,
        hash: str,
        hint: str,
        doors: Sequence[str] | None = None,
        limits: CallLimits | None = None,
        expires_ms: int | None = None,
    ) -> ApiKeyRecord:
        """Keep a new key. Raises RecordNotFound: there is no such account."""
        limits = limits or CallLimits()
        doors = None if doors is None else tuple(doors)
        made = ApiKeyRecord(
            id, account_id, name, hash, hint, doors, limits, write.now_ms, expires_ms, None, None
        )
        values = {field: getattr(made, field) for field in ApiKeyRecord.__slots__}
        values |= {"limits": limits.stored(), "doors": None if doors is None else list(doors)}
        named, parent = RecordName("key", id), RecordName(KIND, account_id)
        await write.insert(api_keys, values, named=named, parent=parent)
        return made

    async def get(self, key_id: str, *, within: WriteTransaction | None = None) -> ApiKeyRecord:
        """The key with this id, or RecordNotFound."""
        query = select(api_keys).where(api_keys.c.id == key_id)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            raise RecordNotFound("key", key_id)
        return read_key(row)

    async def find(
        self, hash: str, *, within: WriteTransaction | None = None
    ) -> tuple[ApiKeyRecord, AccountRecord] | None:
        """The key with this hash, and whose it is."""
        query = select(api_keys, accounts).join(accounts).where(api_keys.c.hash == hash)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            return None
        width = len(api_keys.c)
        return read_key(row[:width]), read_account(row[width:])

    async def all(
        self, account_id: str | None = None, *, within: WriteTransaction | None = None
    ) -> tuple[ApiKeyRecord, ...]:
        """The keys of an account, or of all, oldest first; those that are revoked, too."""
        query = select(api_keys).order_by(api_keys.c.created_ms, api_keys.c.id)
        if account_id is not None:
            query = query.where(api_keys.c.account_id == account_id)
        async with self._transactions.read(within) as view:
            return tuple(map(read_key, await view.execute(query)))

    async def set_limits(
        self, write: WriteTransaction, key_id: str, limits: CallLimits
    ) -> ApiKeyRecord:
        """Give a key other limits. Raises RecordNotFound."""
        return await self._change(write, key_id, {"limits": limits.stored()})

    async def revoke(self, write: WriteTransaction, key_id: str) -> ApiKeyRecord:
        """Have a key open nothing any more; twice is the same. Raises RecordNotFound."""
        found = await self.get(key_id, within=write)
        if found.revoked_ms is not None:
            return found
        return await self._change(write, key_id, {"revoked_ms": write.now_ms})

    async def used(self, write: WriteTransaction, key_id: str) -> None:
        """Note that a key is in use."""
        await self._change(write, key_id, {"last_used_ms": write.now_ms})

    async def _change(
        self, write: WriteTransaction, key_id: str, values: dict[str, Any]
    ) -> ApiKeyRecord:
        statement = update(api_keys).where(api_keys.c.id == key_id).values(values)
        row = (await write.execute(statement.returning(api_keys))).one_or_none()
        if row is None:
            raise RecordNotFound("key", key_id)
        return read_key(row)


def read_key(row: Sequence[Any]) -> ApiKeyRecord:
    """A key from its columns."""
    found = ApiKeyRecord(*row)
    return replace(
        found,
        doors=None if found.doors is None else tuple(found.doors),
        limits=CallLimits.read(cast("JsonObject", found.limits)),
    )
