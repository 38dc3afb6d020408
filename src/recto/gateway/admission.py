"""Admits calls: who a key or token belongs to, how much may be asked for, how many at a time.

What is known of a credential is read again after half a second, so that what was revoked, disabled
or limited anywhere holds here within a second, also while the database is restarted.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import cast
from weakref import WeakValueDictionary

import anyio

from recto.access import month_of
from recto.clock import Clock, Ids
from recto.gateway.caller import Caller, Door, Refused
from recto.gateway.credentials import KEY, hash_of
from recto.gateway.rate_leases import RateLeases
from recto.gateway.scopes import spending_scopes
from recto.messages import Failure
from recto.storage import (
    AccountRecord,
    ApiKeyRecord,
    RateLimit,
    RateRefusal,
    Storage,
    StreamCap,
    WriteTransaction,
    finish_shielded,
)

FRESH_S = 0.5
MOST_KNOWN = 10_000
LOOK_AGAIN_S = 0.2
"""How often a caller in the queue looks whether another process has given a place back."""
NO_PLACE = "streams"
"""The code of a refusal because too many streams run."""
LAST_USED_MS = 60_000
"""How exactly the last use of a key is known: noting each would be a write for each request."""


@dataclass(frozen=True, slots=True)
class CredentialOwner:
    """Whose a credential is, as the records say."""

    account: AccountRecord
    key: ApiKeyRecord | None
    expires_ms: int | None
    is_ended: bool


@dataclass(slots=True)
class KnownCredential:
    """What was read of a credential, and when."""

    read_at: float = float("-inf")
    owner: CredentialOwner | None = None
    caller: Caller | None = None
    """What the owner may do, as long as neither the month nor the gateway's limit is another."""
    caller_for: tuple[str, int | None] | None = None
    reading: anyio.Lock = field(default_factory=anyio.Lock)


class StoredCallers:
    """Callers as the records know them. One for each worker."""

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        ids: Ids,
        zone: tzinfo,
        gateway_micros: Callable[[], int | None],
        queue_s: float,
    ) -> None:
        """`gateway_micros` is what all may spend in a month, `queue_s` how long a call may wait."""
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._zone = zone
        self._gateway_micros = gateway_micros
        self._queue_s = queue_s
        self._known: dict[str, KnownCredential] = {}
        self._queues = WeakValueDictionary[tuple[str, str | None], anyio.Lock]()
        self._freed = anyio.Event()
        self._month = (-1, "")
        self.rates = RateLeases(storage, clock)

    async def authenticate(self, credential: str, door: Door) -> Caller | Refused:
        """Who this key or access token belongs to; Refused when it is unknown, expired, revoked."""
        return self._judge(await self._known_of(credential), door)

    def recall(self, credential: str, door: Door) -> Caller | None:
        """Who it belongs to, if that was read a moment ago; None: `authenticate` finds out."""
        known = self._known.get(hash_of(credential))
        if known is None or not self._is_fresh(known):
            return None
        found = self._judge(known, door)
        return found if isinstance(found, Caller) else None

    def enters_at_once(self, caller: Caller, *, tokens: int) -> bool:
        """Whether what this worker has taken of the rate limits suffices; places must be asked."""
        return not caller.stream_caps and self.rates.suffices(caller.rates, tokens=tokens)

    def count(self, caller: Caller, *, tokens: int) -> None:
        """Count a request that enters at once against the rate limits."""
        self.rates.spend(caller.rates, tokens=tokens)

    def _judge(self, known: KnownCredential, door: Door) -> Caller | Refused:
        owner = known.owner
        now_ms = self._clock.now_ms()
        if owner is None or owner.is_ended:
            return UNKNOWN
        if owner.expires_ms is not None and owner.expires_ms <= now_ms:
            return EXPIRED
        account, key = owner.account, owner.key
        if account.is_disabled:
            return DISABLED
        if key is not None and key.doors is not None and door not in key.doors:
            return wrong_door(door)
        month, gateway_micros = self._month_at(now_ms), self._gateway_micros()
        if known.caller is None or known.caller_for != (month, gateway_micros):
            known.caller = caller_of(account, key, month, gateway_micros=gateway_micros)
            known.caller_for = (month, gateway_micros)
        return known.caller

    def _month_at(self, now_ms: int) -> str:
        """The month; asked for once a minute, because months begin with one."""
        minute = now_ms // 60_000
        if minute != self._month[0]:
            self._month = (minute, month_of(now_ms, self._zone))
        return self._month[1]

    def enter(self, caller: Caller, *, tokens: int) -> AbstractAsyncContextManager[Refused | None]:
        """Counts a request, and holds a place among the streams; Refused inside when it may not."""
        if not caller.rates and not caller.stream_caps:
            return nullcontext()
        return self._entered(caller, tokens)

    @asynccontextmanager
    async def _entered(self, caller: Caller, tokens: int) -> AsyncGenerator[Refused | None]:
        stream_id = self._ids.new()
        refused: Refused | None = None
        try:
            refused = await self._admit(caller, stream_id, tokens)
            yield refused
        finally:
            # Also when nobody knows whether the place was taken: giving none back changes nothing.
            is_too_fast = refused is not None and refused.failure.code != NO_PLACE
            if caller.stream_caps and not is_too_fast:
                await finish_shielded(self._leave(stream_id))

    async def _admit(self, caller: Caller, stream_id: str, tokens: int) -> Refused | None:
        queue = self._queue_of(caller)
        is_counted = self.rates.spend(caller.rates, tokens=tokens)
        if is_counted and not caller.stream_caps:
            return None
        async with self._storage.write() as write:
            if not is_counted:
                refusal = await self.rates.enter(write, caller.rates, tokens=tokens)
                if refusal is not None:
                    return too_fast(refusal)
            # Nobody passes those who wait already.
            if not queue.locked() and await self._take_place(write, caller, stream_id):
                return None
        return None if await self._wait_for_place(caller, stream_id, queue) else self._no_place()

    async def _take_place(self, write: WriteTransaction, caller: Caller, stream_id: str) -> bool:
        return not caller.stream_caps or await self._storage.open_streams.enter(
            write,
            id=stream_id,
            account_id=caller.account_id,
            key_id=caller.key_id,
            caps=caller.stream_caps,
        )

    async def _wait_for_place(self, caller: Caller, stream_id: str, queue: anyio.Lock) -> bool:
        with anyio.move_on_after(self._queue_s):
            async with queue:
                while True:
                    freed = self._freed
                    if not await self._storage.open_streams.is_full(caller.stream_caps):
                        async with self._storage.write() as write:
                            has_place = await self._take_place(write, caller, stream_id)
                        if has_place:
                            return True
                    with anyio.move_on_after(LOOK_AGAIN_S):
                        await freed.wait()
        return False

    async def _leave(self, stream_id: str) -> None:
        async with self._storage.write() as write:
            await self._storage.open_streams.leave(write, stream_id)
        self._freed.set()
        self._freed = anyio.Event()

    def _queue_of(self, caller: Caller) -> anyio.Lock:
        name = (caller.account_id, caller.key_id)
        found = self._queues.get(name)
        if found is None:
            found = self._queues[name] = anyio.Lock()
        return found

    def _no_place(self) -> Refused:
        words = f"No place became free within {self._queue_s:g} seconds."
        return Refused(
            Failure("rate_limit", f"Too many streams at a time. {words}", code=NO_PLACE),
            429,
            retry_after_s=max(1.0, self._queue_s),
        )

    async def _known_of(self, credential: str) -> KnownCredential:
        """Whose a credential is, as the records said within the last half second."""
        hash = hash_of(credential)
        known = self._known.get(hash) or KnownCredential()
        if self._is_fresh(known):
            return known
        async with known.reading:
            now = self._clock.monotonic()
            if now - known.read_at >= FRESH_S:
                known.owner, known.caller = await self._read(credential, hash), None
                known.read_at = now
                self._remember(hash, known, now)
        return known

    def _is_fresh(self, known: KnownCredential) -> bool:
        return self._clock.monotonic() - known.read_at < FRESH_S

    def _remember(self, hash: str, known: KnownCredential, now: float) -> None:
        if known.owner is None:
            self._known.pop(hash, None)  # what somebody makes up takes no room
            return
        if len(self._known) >= MOST_KNOWN:
            kept = self._known.items()
            self._known = {key: one for key, one in kept if now - one.read_at < FRESH_S}
        self._known[hash] = known

    async def _read(self, credential: str, hash: str) -> CredentialOwner | None:
        if not credential.startswith(KEY):
            found = await self._storage.sign_ins.find(hash)
            if found is None or found.token.kind != "access":
                return None
            is_ended = found.sign_in.ended_ms is not None
            return CredentialOwner(found.account, None, found.token.expires_ms, is_ended)
        pair = await self._storage.api_keys.find(hash)
        if pair is None:
            return None
        key, account = pair
        is_revoked = key.revoked_ms is not None
        if not is_revoked and self._clock.now_ms() - (key.last_used_ms or 0) >= LAST_USED_MS:
            async with self._storage.write() as write:
                await self._storage.api_keys.used(write, key.id)
        return CredentialOwner(account, key, key.expires_ms, is_revoked)


def caller_of(
    account: AccountRecord, key: ApiKeyRecord | None, month: str, *, gateway_micros: int | None
) -> Caller:
    """What an account may do, by one of its keys or signed in."""
    limits = account.limits
    rates = [
        RateLimit(f"account:{account.id}", limits.requests_per_minute, limits.tokens_per_minute)
    ]
    caps = [] if limits.streams is None else [StreamCap(account.id, None, limits.streams)]
    models, model_map = limits.models, dict(limits.model_map)
    if key is not None:
        own = key.limits
        rates.append(RateLimit(f"key:{key.id}", own.requests_per_minute, own.tokens_per_minute))
        caps += [] if own.streams is None else [StreamCap(account.id, key.id, own.streams)]
        models = common(models, own.models)
        model_map |= own.model_map
    return Caller(
        account_id=account.id,
        key_id=None if key is None else key.id,
        name=account.name,
        is_admin=account.role == "admin",
        models=None if models is None else frozenset(models),
        doors=None
        if key is None or key.doors is None
        else frozenset(cast("tuple[Door, ...]", key.doors)),
        model_map=model_map,
        scopes=spending_scopes(account, key, month=month, gateway_micros=gateway_micros),
        rates=tuple(one for one in rates if (one.requests, one.tokens) != (None, None)),
        stream_caps=tuple(caps),
        keeps_calls=account.keep_days is not None,
    )


def common(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """What both lists allow; no list allows everything."""
    if first is None or second is None:
        return second if first is None else first
    return tuple(item for item in first if item in second)


def too_fast(refusal: RateRefusal) -> Refused:
    """A rate limit would be passed."""
    whose = "This account" if refusal.subject.startswith("account:") else "This key"
    words = f"{whose} may ask for {refusal.limit} {refusal.what} a minute."
    if refusal.retry_after_s is None:
        words += " This request alone is more."
    else:
        words += f" Try again in {refusal.retry_after_s} seconds."
    failure = Failure(
        "rate_limit", words, code=refusal.what, may_retry=refusal.retry_after_s is not None
    )
    return Refused(failure, 429, refusal.retry_after_s)


def wrong_door(door: Door) -> Refused:
    """The key is for other protocols."""
    return Refused(Failure("auth", f"This key may not be used for {door}.", code="door"), 403)


UNKNOWN = Refused(
    Failure("auth", "This key or token is not known here, or was revoked.", code="unknown"), 401
)
EXPIRED = Refused(Failure("auth", "This key or token has expired.", code="expired"), 401)
DISABLED = Refused(Failure("auth", "This account is disabled.", code="disabled"), 403)
