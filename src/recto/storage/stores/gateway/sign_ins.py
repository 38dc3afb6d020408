"""Who is signed in to the gateway: families of tokens, by the hashes of the tokens."""

from typing import NamedTuple

from sqlalchemy import delete, select, update

from recto.storage.account_records import (
    AccountRecord,
    ProviderSignIn,
    SessionToken,
    SignInRecord,
    TokenKind,
)
from recto.storage.driver_errors import RecordName
from recto.storage.stores.gateway.accounts import KIND, read_account
from recto.storage.tables.accounts import accounts, provider_sign_ins, session_tokens, sign_ins
from recto.storage.transactions import Transactions, WriteTransaction


class TokenOwner(NamedTuple):
    """A token, the sign-in it belongs to, and whose that is."""

    token: SessionToken
    sign_in: SignInRecord
    account: AccountRecord


class SignInStore:
    """Sign-ins and their tokens. What has expired is deleted when somebody signs in."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def begin(
        self, write: WriteTransaction, *, id: str, account_id: str, expires_ms: int
    ) -> SignInRecord:
        """Keep a new sign-in. Raises RecordNotFound: there is no such account."""
        for table in (session_tokens, sign_ins):
            await write.execute(delete(table).where(table.c.expires_ms <= write.now_ms))
        made = SignInRecord(id, account_id, write.now_ms, expires_ms, None)
        values = {field: getattr(made, field) for field in SignInRecord.__slots__}
        named, parent = RecordName("sign-in", id), RecordName(KIND, account_id)
        await write.insert(sign_ins, values, named=named, parent=parent)
        return made

    async def add_token(
        self,
        write: WriteTransaction,
        *,
        hash: str,
        sign_in_id: str,
        kind: TokenKind,
        expires_ms: int,
    ) -> None:
        """Keep a token of a sign-in."""
        made = SessionToken(hash, sign_in_id, kind, expires_ms, None)
        values = {field: getattr(made, field) for field in SessionToken.__slots__}
        named, parent = RecordName("token", sign_in_id), RecordName("sign-in", sign_in_id)
        await write.insert(session_tokens, values, named=named, parent=parent)

    async def find(self, hash: str, *, within: WriteTransaction | None = None) -> TokenOwner | None:
        """The token with this hash, and whose it is."""
        query = (
            select(session_tokens, sign_ins, accounts)
            .select_from(session_tokens.join(sign_ins).join(accounts))
            .where(session_tokens.c.hash == hash)
        )
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).one_or_none()
        if row is None:
            return None
        first = len(session_tokens.c)
        second = first + len(sign_ins.c)
        return TokenOwner(
            SessionToken(*row[:first]), SignInRecord(*row[first:second]), read_account(row[second:])
        )

    async def use(self, write: WriteTransaction, hash: str) -> None:
        """A token did what it can do once."""
        statement = update(session_tokens).where(session_tokens.c.hash == hash)
        await write.execute(statement.values(used_ms=write.now_ms))

    async def end(self, write: WriteTransaction, sign_in_id: str) -> None:
        """None of its tokens counts any more."""
        statement = update(sign_ins).where(sign_ins.c.id == sign_in_id)
        await write.execute(statement.values(ended_ms=write.now_ms))

    async def end_all(self, write: WriteTransaction, account_id: str) -> None:
        """Sign an account out everywhere."""
        open_ones = sign_ins.c.account_id == account_id, sign_ins.c.ended_ms.is_(None)
        await write.execute(update(sign_ins).where(*open_ones).values(ended_ms=write.now_ms))

    async def expect(self, write: WriteTransaction, awaited: ProviderSignIn) -> None:
        """Somebody is sent to another service to sign in."""
        late = provider_sign_ins.c.expires_ms <= write.now_ms
        await write.execute(delete(provider_sign_ins).where(late))
        values = {field: getattr(awaited, field) for field in ProviderSignIn.__slots__}
        await write.insert(provider_sign_ins, values, named=RecordName("sign-in", "awaited"))

    async def come_back(self, write: WriteTransaction, hash: str) -> ProviderSignIn | None:
        """Somebody came back from there, once; None if nobody was awaited, or not any more."""
        statement = delete(provider_sign_ins).where(provider_sign_ins.c.hash == hash)
        row = (await write.execute(statement.returning(provider_sign_ins))).one_or_none()
        found = None if row is None else ProviderSignIn(*row)
        return found if found is not None and found.expires_ms > write.now_ms else None
