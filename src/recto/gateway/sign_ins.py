"""Signing in: a password for a family of tokens. A refresh token that is used twice ends it."""

from dataclasses import dataclass

from recto.clock import Clock, Ids
from recto.gateway.credentials import hash_of, new_access_token, new_refresh_token
from recto.gateway.passwords import PasswordHashing
from recto.storage import AccountRecord, RateLimit, Storage, TokenOwner, WriteTransaction

ACCESS_MS = 15 * 60 * 1000
SIGN_IN_MS = 30 * 24 * 60 * 60 * 1000
GUESSES_A_MINUTE = 10
ALL_GUESSES_A_MINUTE = 300


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """What somebody who is signed in has. Nobody can read them later."""

    access: str
    refresh: str
    access_ends_ms: int
    refresh_ends_ms: int


@dataclass(frozen=True, slots=True)
class SignInRefused:
    """Nobody is signed in; whether the name or the password was wrong is not told."""

    is_too_often: bool = False


class SignIns:
    """Who is signed in."""

    def __init__(
        self, storage: Storage, passwords: PasswordHashing, *, clock: Clock, ids: Ids
    ) -> None:
        self._storage = storage
        self._passwords = passwords
        self._clock = clock
        self._ids = ids

    async def sign_in(self, name: str, password: str) -> SessionTokens | SignInRefused:
        """Trade a password for tokens. Guessing is slowed down, for each name and for all."""
        if await self._is_too_often(name):
            return SignInRefused(is_too_often=True)
        account = await self._storage.accounts.named(name)
        kept = None if account is None else account.password_hash
        if not await self._passwords.matches(password, kept) or account is None:
            return SignInRefused()
        return SignInRefused() if account.is_disabled else await self.begin(account)

    async def begin(self, account: AccountRecord) -> SessionTokens:
        """Sign somebody in who has proved who they are."""
        sign_in_id = self._ids.new()
        ends_ms = self._clock.now_ms() + SIGN_IN_MS
        async with self._storage.write() as write:
            await self._storage.sign_ins.begin(
                write, id=sign_in_id, account_id=account.id, expires_ms=ends_ms
            )
            return await self._add_tokens(write, sign_in_id, ends_ms)

    async def refresh(self, token: str) -> SessionTokens | None:
        """Trade a refresh token for the next tokens; None if it does not hold.

        Used twice, somebody else has it: then none of its family holds any more.
        """
        hash = hash_of(token)
        sign_ins = self._storage.sign_ins
        async with self._storage.write() as write:
            found = await sign_ins.find(hash, within=write)
            if found is None or found.token.kind != "refresh" or not self._holds(found):
                return None
            if found.token.used_ms is not None:
                await sign_ins.end(write, found.sign_in.id)
                return None
            await sign_ins.use(write, hash)
            return await self._add_tokens(write, found.sign_in.id, found.sign_in.expires_ms)

    async def find(self, access_token: str) -> TokenOwner | None:
        """Who has this access token, if it holds."""
        found = await self._storage.sign_ins.find(hash_of(access_token))
        if found is None or found.token.kind != "access" or not self._holds(found):
            return None
        return found

    async def end(self, sign_in_id: str) -> None:
        """Sign out: none of its tokens holds any more."""
        async with self._storage.write() as write:
            await self._storage.sign_ins.end(write, sign_in_id)

    def _holds(self, found: TokenOwner) -> bool:
        is_over = found.sign_in.ended_ms is not None or found.account.is_disabled
        return not is_over and found.token.expires_ms > self._clock.now_ms()

    async def _is_too_often(self, name: str) -> bool:
        limits = (
            RateLimit(f"sign-in:{name}", GUESSES_A_MINUTE, None),
            RateLimit("sign-in", ALL_GUESSES_A_MINUTE, None),
        )
        async with self._storage.write() as write:
            return await self._storage.request_rates.enter(write, limits, tokens=0) is not None

    async def _add_tokens(
        self, write: WriteTransaction, sign_in_id: str, ends_ms: int
    ) -> SessionTokens:
        access, refresh = new_access_token(self._ids), new_refresh_token(self._ids)
        access_ends_ms = min(self._clock.now_ms() + ACCESS_MS, ends_ms)
        add = self._storage.sign_ins.add_token
        await add(
            write,
            hash=hash_of(access),
            sign_in_id=sign_in_id,
            kind="access",
            expires_ms=access_ends_ms,
        )
        await add(
            write,
            hash=hash_of(refresh),
            sign_in_id=sign_in_id,
            kind="refresh",
            expires_ms=ends_ms,
        )
        return SessionTokens(access, refresh, access_ends_ms, ends_ms)
