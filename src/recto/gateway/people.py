"""Accounts, invitations and keys: what the operator, and each person for themselves, can change."""

from collections.abc import Sequence
from dataclasses import dataclass

from recto.clock import Clock, Ids
from recto.gateway.credentials import hash_of, hint_of, new_key
from recto.gateway.passwords import LONGEST_PASSWORD, SHORTEST_PASSWORD, PasswordHashing
from recto.storage import (
    AccountChanges,
    AccountRecord,
    AccountRole,
    ApiKeyRecord,
    CallLimits,
    RecordNotFound,
    Storage,
)

INVITATION_MS = 7 * 24 * 60 * 60 * 1000
FIRST_ADMIN = "admin"
MOST_KEYS = 200


class PeopleFailure(Exception):
    """What was asked for can't be done; says why and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class NameTaken(PeopleFailure):
    """Somebody has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is an account {name} already.", "Choose another name.")


class NoSuchAccount(PeopleFailure):
    """Nobody has this name or id."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no account {name}.", "See the list with: recto gateway user list"
        )


class NoSuchKey(PeopleFailure):
    """There is no such key, or it is somebody else's."""

    def __init__(self) -> None:
        super().__init__("There is no such key.", "See the list with: recto gateway key list")


class TooManyKeys(PeopleFailure):
    """An account has as many keys as it may."""

    def __init__(self) -> None:
        super().__init__(f"An account has at most {MOST_KEYS} keys.", "Revoke one first.")


class LastAdmin(PeopleFailure):
    """Nobody could change anything any more."""

    def __init__(self) -> None:
        super().__init__("This is the last admin.", "Make somebody else an admin first.")


class InvitationOver(PeopleFailure):
    """An invitation was used, replaced, or is too old."""

    def __init__(self) -> None:
        super().__init__(
            "This invitation is not known: it was used, replaced, or is too old.",
            "Ask for a new one.",
        )


class PasswordRefused(PeopleFailure):
    """A password is too short or too long."""

    def __init__(self) -> None:
        super().__init__(
            f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.",
            "Choose another one.",
        )


@dataclass(frozen=True, slots=True)
class InvitedAccount:
    """An account, and the code that lets somebody choose its password, once."""

    account: AccountRecord
    code: str


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key that was just made. Nobody can read `secret` later."""

    record: ApiKeyRecord
    secret: str


class People:
    """Who may use the gateway, and with what."""

    def __init__(
        self, storage: Storage, passwords: PasswordHashing, *, clock: Clock, ids: Ids
    ) -> None:
        self._storage = storage
        self._passwords = passwords
        self._clock = clock
        self._ids = ids

    async def add(
        self, name: str, *, role: AccountRole = "member", limits: CallLimits | None = None
    ) -> InvitedAccount:
        """Make an account and invite somebody to it. Raises NameTaken."""
        code = self._ids.secret()
        accounts = self._storage.accounts
        async with self._storage.write() as write:
            if await accounts.named(name, within=write) is not None:
                raise NameTaken(name)
            made = await accounts.add(
                write, id=self._ids.new(), name=name, role=role, limits=limits
            )
            await accounts.invite(
                write, account_id=made.id, hash=hash_of(code), expires_ms=self._invitation_end()
            )
        return InvitedAccount(made, code)

    async def invite_again(self, account_id: str) -> InvitedAccount:
        """A new invitation, such as for somebody who forgot their password. Raises NoSuchAccount.

        The one before does not hold any more; the password does, until another is chosen.
        """
        code = self._ids.secret()
        async with self._storage.write() as write:
            try:
                await self._storage.accounts.invite(
                    write,
                    account_id=account_id,
                    hash=hash_of(code),
                    expires_ms=self._invitation_end(),
                )
            except RecordNotFound as error:
                raise NoSuchAccount(account_id) from error
            account = await self._storage.accounts.get(account_id, within=write)
        return InvitedAccount(account, code)

    async def first_admin(self) -> InvitedAccount | None:
        """An invitation for the first admin, as long as there is none who can sign in."""
        accounts = self._storage.accounts
        if await accounts.has_admin():
            return None
        found = await accounts.named(FIRST_ADMIN)
        if found is None:
            return await self.add(FIRST_ADMIN, role="admin")
        return await self.invite_again(found.id) if found.role == "admin" else None

    async def open_invitations(self) -> dict[str, int]:
        """When each invitation that still holds ends, by its account."""
        return await self._storage.accounts.open_invitations(self._clock.now_ms())

    async def withdraw_invitation(self, account_id: str) -> AccountRecord:
        """Have a link open nothing any more. Raises NoSuchAccount."""
        account = await self.account(account_id)
        async with self._storage.write() as write:
            await self._storage.accounts.withdraw_invitation(write, account_id)
        return account

    async def invited(self, code: str) -> AccountRecord:
        """Whom an invitation is for. Raises InvitationOver."""
        found = await self._storage.accounts.invited(hash_of(code), self._clock.now_ms())
        if found is None or found.is_disabled:
            raise InvitationOver
        return found

    async def accept(self, code: str, password: str) -> AccountRecord:
        """Choose the password of an account; whoever was signed in to it is signed out.

        Raises:
            InvitationOver: the code does not hold.
            PasswordRefused: the password is too short or too long. The invitation still holds.
        """
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise PasswordRefused
        await self.invited(code)  # before the slow part
        kept = await self._passwords.hash(password)
        accounts, hash = self._storage.accounts, hash_of(code)
        async with self._storage.write() as write:
            found = await accounts.invited(hash, self._clock.now_ms(), within=write)
            if found is None or found.is_disabled:
                raise InvitationOver
            await accounts.take_invitation(write, hash)
            await self._storage.sign_ins.end_all(write, found.id)
            return await accounts.change(write, found.id, password_hash=kept)

    async def change(self, account_id: str, changes: AccountChanges) -> AccountRecord:
        """Change an account; whoever is disabled is signed out. Raises NoSuchAccount, LastAdmin."""
        accounts = self._storage.accounts
        await self.account(account_id)
        async with self._storage.write() as write:
            had_admin = await accounts.has_admin(within=write)
            changed = await accounts.change(write, account_id, **changes)
            if had_admin and not await accounts.has_admin(within=write):
                raise LastAdmin
            if changed.is_disabled:
                await self._storage.sign_ins.end_all(write, account_id)
            return changed

    async def accounts(self) -> tuple[AccountRecord, ...]:
        """Everybody, by name."""
        return await self._storage.accounts.all()

    async def account(self, account_id: str) -> AccountRecord:
        """One account. Raises NoSuchAccount."""
        try:
            return await self._storage.accounts.get(account_id)
        except RecordNotFound as error:
            raise NoSuchAccount(account_id) from error

    async def named(self, name: str) -> AccountRecord:
        """The account with a name. Raises NoSuchAccount."""
        found = await self._storage.accounts.named(name)
        if found is None:
            raise NoSuchAccount(name)
        return found

    async def add_key(
        self,
        account_id: str,
        *,
        name: str = "",
        doors: Sequence[str] | None = None,
        limits: CallLimits | None = None,
        expires_ms: int | None = None,
    ) -> NewApiKey:
        """Make a key. Raises NoSuchAccount, TooManyKeys."""
        secret = new_key(self._ids)
        async with self._storage.write() as write:
            others = await self._storage.api_keys.all(account_id, within=write)
            if sum(key.revoked_ms is None for key in others) >= MOST_KEYS:
                raise TooManyKeys
            try:
                record = await self._storage.api_keys.add(
                    write,
                    id=self._ids.new(),
                    account_id=account_id,
                    name=name,
                    hash=hash_of(secret),
                    hint=hint_of(secret),
                    doors=doors,
                    limits=limits,
                    expires_ms=expires_ms,
                )
            except RecordNotFound as error:
                raise NoSuchAccount(account_id) from error
        return NewApiKey(record, secret)

    async def keys(self, account_id: str | None = None) -> tuple[ApiKeyRecord, ...]:
        """The keys of an account, or of all."""
        return await self._storage.api_keys.all(account_id)

    async def key(self, key_id: str) -> ApiKeyRecord:
        """One key. Raises NoSuchKey."""
        return await self._own_key(key_id, None)

    async def revoke_key(self, key_id: str, *, owner_id: str | None = None) -> ApiKeyRecord:
        """Have a key open nothing any more. Raises NoSuchKey, also when it is not the owner's."""
        found = await self._own_key(key_id, owner_id)
        async with self._storage.write() as write:
            return await self._storage.api_keys.revoke(write, found.id)

    async def limit_key(self, key_id: str, limits: CallLimits) -> ApiKeyRecord:
        """Give a key other limits. Raises NoSuchKey."""
        found = await self._own_key(key_id, None)
        async with self._storage.write() as write:
            return await self._storage.api_keys.set_limits(write, found.id, limits)

    async def _own_key(self, key_id: str, owner_id: str | None) -> ApiKeyRecord:
        try:
            found = await self._storage.api_keys.get(key_id)
        except RecordNotFound as error:
            raise NoSuchKey from error
        if owner_id is not None and found.account_id != owner_id:
            raise NoSuchKey
        return found

    def _invitation_end(self) -> int:
        return self._clock.now_ms() + INVITATION_MS
