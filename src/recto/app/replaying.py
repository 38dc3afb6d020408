"""`recto replay` and `recto trace`: reads a copy of the records; no socket is opened, no file touched."""  # noqa: E501

import tempfile
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from recto.access import BUILTIN, Access, Budget, Gate, Limits, Models, Record
from recto.app.asking import mend
from recto.app.store import open_store
from recto.assist import Questions
from recto.chats import Approvals, Archive, Journals, Means, Wishes
from recto.chats.record.cursor import Cursor, Differs
from recto.chats.record.recorded import RecordedTry
from recto.chats.record.replay import Replayed, replay
from recto.chats.record.story import SHOWN, Difference
from recto.chats.record.trace import Trace, find_trace
from recto.clock import LocalZone, SystemClock, SystemIds
from recto.config import Home, Settings, Trust, load_keys
from recto.context import Calibration, TokenCounter
from recto.llm import PROVIDERS, WireProtocol, WireRequest, load_protocol
from recto.llm.answers import Answer, Broken
from recto.llm.builtin import SPEAKS
from recto.llm.builtin import lowered as builtin_lowered
from recto.messages import Failure, Finished, Message, Request, StreamEvent
from recto.storage import Storage
from recto.storage.copying import copy_sqlite

NO_WORDS = Failure("network", "The connection was lost.")
SHORTEST_SECRET = 8
HIDDEN = "…".encode()
NO_LIMITS = Limits(month_micros=None)


async def replay_run(home: Home, settings: Settings, run_id: str) -> Replayed:
    """Run a turn again from its record. Raises StorageFailure, NotReplayable."""
    with tempfile.TemporaryDirectory(prefix="recto-replay-") as folder:
        scratch_file = Path(folder) / "scratch.db"
        async with open_copy(home, settings) as source:
            scratch = await Storage.open(scratch_file, clock=SystemClock())
            try:
                return await replay(source, scratch, run_id, Replay(Path(folder), scratch).build)
            finally:
                with anyio.CancelScope(shield=True):
                    await scratch.close()


async def trace_request(
    home: Home, settings: Settings, request_id: str, environment: Mapping[str, str]
) -> Trace:
    """What was sent and received for an answer. Raises NoTrace, StorageFailure."""
    async with open_copy(home, settings) as source:
        trace = await find_trace(source, request_id)
    keys = [key.reveal() for key in load_keys(home).values()]
    named = (provider.key_name for provider in PROVIDERS.values() if provider.key_name)
    return without(trace, [*keys, *(environment.get(name, "") for name in named)])


def without(trace: Trace, secrets: Iterable[str]) -> Trace:
    """A trace in which no key stands, even where a provider repeated it in its answer."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            hidden = secret.encode()
            tries = [replace(one, answer=one.answer.replace(hidden, HIDDEN)) for one in trace.tries]
            trace = replace(trace, tries=tuple(tries))
    return trace


@asynccontextmanager
async def open_copy(home: Home, settings: Settings) -> AsyncGenerator[Storage]:
    """The records as they are now, also while a server writes to them."""
    clock = SystemClock()
    if settings.storage.url or not home.database_file.exists():
        async with open_store(home, settings, clock) as storage:
            yield storage
        return
    with tempfile.TemporaryDirectory(prefix="recto-copy-") as folder:
        target = Path(folder) / "recto.db"
        await copy_sqlite(home.database_file, target)
        storage = await Storage.open(target, clock=clock)
        try:
            yield storage
        finally:
            with anyio.CancelScope(shield=True):
                await storage.close()


class Replay:
    """What a replayed turn works with: the program's own parts over a model that only remembers."""

    def __init__(self, folder: Path, scratch: Storage) -> None:
        self._folder = folder
        self._scratch = scratch

    async def build(self, cursor: Cursor, archive: Archive) -> Means:
        """Everything a turn needs, and nothing that reaches outside."""
        clock, zone = SystemClock(), LocalZone()
        ids = SystemIds(clock)
        models = Models(Home(self._folder), {}, clock=clock, zone=zone, has_builtin=False)
        budget = Budget(self._scratch, clock=clock, ids=ids, zone=zone, limits=lambda: NO_LIMITS)
        model = RecordedModel(cursor)
        gate = Gate(model.send, budget, clock=clock, chance=lambda: 0.0, mend=mend, sleep=at_once)
        counter = TokenCounter(Calibration())
        return Means(
            storage=self._scratch,
            archive=archive,
            journals=Journals(self._scratch),
            approvals=Approvals(),
            models=models,
            questions=Questions(gate, models, ids=cursor, counter=counter),
            counter=counter,
            open_workspace=nothing_outside,
            open_toolbox=nothing_outside,
            trust=Trust(Home(self._folder)),
            save_rules=nothing_outside,
            clock=clock,
            ids=ids,
            wishes=lambda: Wishes(cursor.recorded.setting.limits, summarises=False),
        )


def nothing_outside(_: object) -> Any:
    """A replay reaches for nothing outside its record."""
    raise RuntimeError("A replay needs no folder.")


async def at_once(_: float) -> None:
    """A replay does not wait."""


class RecordedModel:
    """Answers with the recorded bytes, and sees to it that the same is asked."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    async def send(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        """The recorded answer, read as if it came now."""
        number, recorded = await self._cursor.next_try()
        failure = self._cursor.failure(number)
        if recorded is None:
            yield Finished("error", Message("assistant", ()), None, failure)
            return
        protocol, wire = lowered(access, request, recorded.request)
        if wire.body != recorded.request:
            place = f"step {self._cursor.step}, request {number}: its bytes"
            await self._cursor.stop(Differs(byte_difference(place, recorded.request, wire.body)))
        if record is not None:
            record("request", wire.body)
        answer = Answer(RecordedBytes(recorded, access, failure), protocol, access.origin)
        while events := await answer.next():
            for event in events:
                yield event


def lowered(access: Access, request: Request, recorded: bytes) -> tuple[WireProtocol, WireRequest]:
    """The request as it would be sent now, within the length that the budget left then."""
    is_builtin = access.provider.id == BUILTIN.id
    protocol = load_protocol(SPEAKS if is_builtin else access.provider.protocol)

    def lower(request: Request) -> WireRequest:
        if is_builtin:
            return builtin_lowered(request)
        return protocol.lower(request, access.traits, access.origin)

    wire = lower(request)
    if wire.body == recorded:
        return protocol, wire
    try:
        allowed = protocol.serve(recorded, path=wire.path).max_output
    except ValueError:
        return protocol, wire
    if allowed < request.max_output:
        wire = lower(replace(request, max_output=allowed))
    return protocol, wire


def byte_difference(place: str, old: bytes, new: bytes) -> Difference:
    """Where two bodies part."""
    pairs = enumerate(zip(old, new, strict=False))
    at = next((at for at, (one, two) in pairs if one != two), min(len(old), len(new)))
    start = max(0, at - SHOWN // 3)
    around = [body[start : start + SHOWN].decode("utf-8", "replace") for body in (old, new)]
    return Difference(place, f"They differ from byte {at + 1:,} on.", *around)


class RecordedBytes:
    """The bytes of an answer, from the record instead of a socket."""

    def __init__(self, recorded: RecordedTry, access: Access, failure: Failure | None) -> None:
        self._recorded = recorded
        self._access = access
        self._failure = failure
        self._is_read = False

    @property
    def host(self) -> str:
        """Who answered."""
        provider = self._access.provider
        return provider.name if provider.id == BUILTIN.id else provider.endpoint(None).host

    @property
    def status(self) -> int | None:
        """The status it answered with, if it did."""
        return self._recorded.head.get("status")

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that were kept."""
        return self._recorded.head.get("headers", {})

    async def open(self) -> None:
        """The answer begins, if it did then. Raises Broken."""
        if not self._recorded.head:
            raise Broken(self._failure or NO_WORDS)

    async def read(self) -> bytes | None:
        """All bytes, then the end, or what broke it. Raises Broken."""
        if not self._is_read:
            self._is_read = True
            return self._recorded.answer
        if self._failure is not None and 200 <= (self.status or 0) < 300:
            raise Broken(self._failure)
        return None

    def left_over(self) -> bytes:
        """Nothing: all that came was recorded as read."""
        return b""

    def told(self) -> None:
        """Nobody waits."""

    def sign(self, failure: Failure) -> Failure:
        """The failure with who failed, as the transport signs it."""
        headers = self.headers
        request_id = headers.get("request-id") or headers.get("x-request-id")
        return replace(
            failure,
            provider=failure.provider or self._access.provider.id,
            request_id=failure.request_id or request_id,
        )
