"""Prompts and answers, kept only for accounts whose operator has switched it on.

Nothing is kept unless the account says so when a call begins and when it ends. Whoever has the
account, and admins, can read what is kept, and erase it; switching it off erases all of it.
"""

import logging
import zlib
from dataclasses import dataclass
from typing import Protocol

import anyio
import anyio.to_thread

from recto.clock import Clock, Ids
from recto.gateway.caller import Caller, Door
from recto.gateway.kept_words import Said, answered_words, asked_words
from recto.gateway.people import NoSuchAccount, PeopleFailure
from recto.storage import AccountRecord, KeptCall, RecordNotFound, Storage

log = logging.getLogger(__name__)

SHOWN = 50
PAUSE_S = 60.0
LEVEL = 1
"""Fast: most of it is never read."""


class NoSuchKeptCall(PeopleFailure):
    """There is no such call, its time is over, or it is somebody else's."""

    def __init__(self) -> None:
        super().__init__("There is no such call.", "It was erased, or its time is over.")


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call that is over, with the very bytes of its prompt and its answer."""

    caller: Caller
    door: Door
    path: str
    model: str
    status: int
    began_ms: int
    asked: bytes
    answered: bytes
    is_cut: bool


@dataclass(frozen=True, slots=True)
class KeptWords:
    """A call that was kept, as people read it."""

    call: KeptCall
    asked: tuple[Said, ...]
    answered: tuple[Said, ...]


class CallKeeping(Protocol):
    """Keeps calls of accounts that say so."""

    async def keep(self, call: AnsweredCall) -> None:
        """Keep a call, if its account still says so."""
        ...


class KeptCalls:
    """What is kept, in the database that all workers share."""

    def __init__(self, storage: Storage, *, clock: Clock, ids: Ids) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._erased = anyio.Event()
        # An earlier program may have ended between an erasure and the last step of it.
        self._has_remains = True

    async def keep(self, call: AnsweredCall) -> None:
        """Keep a call, if its account still says so."""
        asked = await anyio.to_thread.run_sync(zlib.compress, call.asked, LEVEL)
        answered = await anyio.to_thread.run_sync(zlib.compress, call.answered, LEVEL)
        record = KeptCall(
            self._ids.new(),
            call.caller.account_id,
            call.caller.key_id,
            call.door,
            call.path,
            call.model,
            call.status,
            call.began_ms,
            call.began_ms,
            len(call.asked),
            len(call.answered),
            call.is_cut,
        )
        async with self._storage.write() as write:
            await self._storage.kept_calls.put(write, record, asked=asked, answered=answered)

    async def of(self, account_id: str, *, before: str | None = None) -> tuple[KeptCall, ...]:
        """Some calls of an account, newest first; `before` is the last one that is known."""
        return await self._storage.kept_calls.of_account(
            account_id, now_ms=self._clock.now_ms(), before=before, most=SHOWN
        )

    async def read(self, account_id: str, call_id: str) -> KeptWords:
        """One call of an account. Raises NoSuchKeptCall."""
        try:
            call, asked, answered = await self._storage.kept_calls.get(
                account_id, call_id, now_ms=self._clock.now_ms()
            )
        except RecordNotFound as error:
            raise NoSuchKeptCall from error
        return await anyio.to_thread.run_sync(read_kept, call, asked, answered)

    async def switch(self, account_id: str, days: int | None) -> AccountRecord:
        """Have an account's calls kept so long; None: no more, and all are erased.

        Raises NoSuchAccount.
        """
        try:
            async with self._storage.write() as write:
                await self._storage.kept_calls.keep_for(write, account_id, days)
                changed = await self._storage.accounts.get(account_id, within=write)
        except RecordNotFound as error:
            raise NoSuchAccount(account_id) from error
        log.info("keeping of calls was switched", extra={"account": account_id, "days": days})
        self._forget()
        return changed

    async def erase(self, account_id: str, call_id: str | None = None) -> None:
        """Erase one call of an account, or all. Raises NoSuchKeptCall: it is not there."""
        async with self._storage.write() as write:
            erased = await self._storage.kept_calls.erase(write, account_id, call_id)
        if call_id is not None and not erased:
            raise NoSuchKeptCall
        log.info("kept calls were erased", extra={"account": account_id, "count": erased})
        self._forget()

    async def keep_tidy(self) -> None:
        """Erase what is over, for ever, and have nothing of what was erased stay in the files."""
        while True:
            await self.tidy()
            with anyio.move_on_after(PAUSE_S):
                await self._erased.wait()

    async def tidy(self) -> None:
        """Erase what is over now."""
        self._erased = anyio.Event()
        is_done = False
        while not is_done:
            async with self._storage.write() as write:
                is_done = not await self._storage.kept_calls.expire(write)
            self._has_remains = self._has_remains or not is_done
        if self._has_remains:
            # Before: what is erased meanwhile may have come too late for it.
            self._has_remains = False
            is_forgotten = False
            try:
                is_forgotten = await self._storage.forget_deleted_bytes()
            finally:
                self._has_remains = self._has_remains or not is_forgotten

    def _forget(self) -> None:
        self._has_remains = True
        self._erased.set()


def read_kept(call: KeptCall, asked: bytes, answered: bytes) -> KeptWords:
    """A call as people read it. Raises zlib.error: the bytes are not what was written."""
    return KeptWords(
        call,
        asked_words(call.door, call.path, zlib.decompress(asked)),
        answered_words(call.door, zlib.decompress(answered)),
    )
