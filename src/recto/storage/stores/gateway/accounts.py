"""The gateway's accounts, and the invitations to them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack, cast

from sqlalchemy import delete, or_, select, update

from recto.storage.account_records import AccountRecord, AccountRole, CallLimits
from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import JsonObject
from recto.storage.tables.accounts import accounts, invitations
from recto.storage.transactions import Transactions, WriteTransaction

KIND = "account"


class AccountChanges(TypedDict, total=False):
    """What of an account can be changed."""

    role: AccountRole
    password_hash: str | None
    subject: str | None
    is_disabled: bool
    limits: CallLimits


class AccountStore:
    """Accounts by id, name and subject."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def add(
        self,
        write: WriteTransaction,
        *,
        id: str,
        name: str,
        role: AccountRole = "member",
        subject: str | None = None,
        limits: CallLimits | None = None,
    ) -> AccountRecord:
        """Keep a new account.

        Raises:
            RecordExists: the name is taken.
        """
        limits = limits or CallLimits()
        made = AccountRecord(id, name, role, None, subject, False, limits, write.now_ms)
        values = {field: getattr(made, field) for field in AccountRecord.__slots__}
        values["limits"] = limits.stored()
        await write.insert(accounts, values, named=RecordName(KIND, name))
        return made

    async def change(
        self, write: WriteTransaction, account_id: str, **changes: Unpack[AccountChanges]
    ) -> AccountRecord:
        """Change what is named. Raises RecordNotFound."""
        values: dict[str, Any] = {**changes}
        if "limits" in changes:
            values["limits"] = changes["limits"].stored()
        statement = update(accounts).where(accounts.c.id == account_id).values(values)
        row = (await write.execute(statement.returning(accounts))).one_or_none()
        if row is None:
            raise RecordNotFound(KIND, account_id)
        return read_account(row)

    async def get(
        self, account_id: str, *, within: WriteTransaction | None = None
    ) -> AccountRecord:
        """The account with this id, or RecordNotFound."""
        found = await self._find("id", account_id, within)
        if found is None:
            raise RecordNotFound(KIND, account_id)
        return found

    async def named(
        self, name: str, *, within: WriteTransaction | None = None
    ) -> AccountRecord | None:
        """The account with this name."""
        return await self._find("name", name, within)

    async def with_subject(
        self, subject: str, *, within: WriteTransaction | None = None
    ) -> AccountRecord | None:
        """The account of somebody whom another service signs in."""
        return await self._find("subject", subject, within)

    async def all(self, *, within: WriteTransaction | None = None) -> tuple[AccountRecord, ...]:
        """Every account, by name."""
        async with self._transactions.read(within) as view:
            found = await view.execute(select(accounts).order_by(accounts.c.name))
            return tuple(map(read_account, found))

    async def has_admin(self, *, within: WriteTransaction | None = None) -> bool:
        """Whether there is an admin who can sign in."""
        can = or_(accounts.c.password_hash.is_not(None), accounts.c.subject.is_not(None))
        query = select(accounts.c.id).where(
            accounts.c.role == "admin", accounts.c.is_disabled.is_(False), can
        )
        async with self._transactions.read(within) as view:
            return (await view.execute(query.limit(1))).first() is not None

    async def invite(
        self, write: WriteTransaction, *, account_id: str, hash: str, expires_ms: int
    ) -> None:
        """Keep an invitation to an account, in the place of earlier ones. Raises RecordNotFound."""
        earlier = invitations.c.account_id == account_id
        late = invitations.c.expires_ms <= write.now_ms
        await write.execute(delete(invitations).where(or_(earlier, late)))
        values = {"hash": hash, "account_id": account_id, "expires_ms": expires_ms}
        named, parent = RecordName("invitation", account_id), RecordName(KIND, account_id)
        await write.insert(invitations, values, named=named, parent=parent)

    async def invited(
        self, hash: str, now_ms: int, *, within: WriteTransaction | None = None
    ) -> AccountRecord | None:
        """The account that an invitation is to, if it still holds."""
        query = select(accounts).join(invitations)
        query = query.where(invitations.c.hash == hash, invitations.c.expires_ms > now_ms)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        return None if row is None else read_account(row)

    async def open_invitations(
        self, now_ms: int, *, within: WriteTransaction | None = None
    ) -> dict[str, int]:
        """When each invitation that still holds ends, by its account."""
        query = select(invitations.c.account_id, invitations.c.expires_ms)
        query = query.where(invitations.c.expires_ms > now_ms)
        async with self._transactions.read(within) as view:
            rows: list[Sequence[Any]] = list(await view.execute(query))
        return {row[0]: row[1] for row in rows}

    async def withdraw_invitation(self, write: WriteTransaction, account_id: str) -> None:
        """No invitation to this account holds any more."""
        await write.execute(delete(invitations).where(invitations.c.account_id == account_id))

    async def take_invitation(self, write: WriteTransaction, hash: str) -> None:
        """An invitation is used: it does not hold any more."""
        await write.execute(delete(invitations).where(invitations.c.hash == hash))

    async def _find(
        self, column: Literal["id", "name", "subject"], value: str, within: WriteTransaction | None
    ) -> AccountRecord | None:
        query = select(accounts).where(accounts.c[column] == value)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        return None if row is None else read_account(row)


def read_account(row: Sequence[Any]) -> AccountRecord:
    """An account from its columns."""
    found = AccountRecord(*row)
    return replace(found, limits=CallLimits.read(cast("JsonObject", found.limits)))
