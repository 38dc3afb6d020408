"""`recto replay` and `recto trace`: reads a copy of the records; no socket is opened, no file touched."""  # noqa: E501

import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from recto.access import Budget, ModelGate, Models, SpendingLimits
from recto.access.connections import mend
from recto.app.store import open_store
from recto.assist import Questions
from recto.chats import Archive, ChatJournals, ChatServices, SentBytes, TurnPreferences
from recto.chats.record.cursor import RecordCursor
from recto.chats.record.recorded_model import RecordedModel
from recto.chats.record.replay import ReplayResult, replay
from recto.chats.record.trace import Trace, find_trace, without_secrets
from recto.clock import LocalZone, SystemClock, SystemIds
from recto.config import Home, Settings, Trust, load_keys
from recto.context import TokenCalibration, TokenCounter
from recto.llm import PROVIDERS
from recto.storage import Storage
from recto.storage.copies import copy_sqlite

NO_LIMITS = SpendingLimits(month_micros=None)


async def replay_run(home: Home, settings: Settings, run_id: str) -> ReplayResult:
    """Run a turn again from its record. Raises StorageFailure, NotReplayable."""
    with tempfile.TemporaryDirectory(prefix="recto-replay-") as folder:
        scratch_file = Path(folder) / "scratch.db"
        async with open_copy(home, settings) as source:
            scratch = await Storage.open(scratch_file, clock=SystemClock())
            try:
                return await replay(
                    source, scratch, run_id, ReplayServices(Path(folder), scratch).build
                )
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
    named = (name for provider in PROVIDERS.values() for name in provider.key_names)
    return without_secrets(trace, [*keys, *(environment.get(name, "") for name in named)])


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


class ReplayServices:
    """What a replayed turn works with: the program's own parts over a model that only remembers."""

    def __init__(self, folder: Path, scratch: Storage) -> None:
        self._folder = folder
        self._scratch = scratch

    async def build(self, cursor: RecordCursor, archive: Archive) -> ChatServices:
        """Everything a turn needs, and nothing that reaches outside."""
        clock, zone = SystemClock(), LocalZone()
        ids = SystemIds(clock)
        models = Models(Home(self._folder), {}, clock=clock, zone=zone, has_builtin=False)
        budget = Budget(self._scratch, clock=clock, ids=ids, zone=zone, limits=lambda: NO_LIMITS)
        model = RecordedModel(cursor)
        counter = TokenCounter(TokenCalibration())
        gate = ModelGate(
            model.send,
            budget,
            clock=clock,
            chance=lambda: 0.0,
            mend=mend,
            estimate=counter,
            sleep=skip_sleep,
        )
        return ChatServices(
            storage=self._scratch,
            archive=archive,
            journals=ChatJournals(self._scratch),
            sent=SentBytes(self._scratch),
            models=models,
            budget=budget,
            questions=Questions(gate, models, ids=cursor, counter=counter),
            counter=counter,
            open_workspace=refuse_outside,
            open_toolbox=refuse_outside,
            trust=Trust(Home(self._folder)),
            save_rules=refuse_outside,
            clock=clock,
            ids=ids,
            preferences=lambda: TurnPreferences(cursor.recorded.snapshot.limits, summarises=False),
        )


def refuse_outside(_: object) -> Any:
    """A replay reaches for nothing outside its record."""
    raise RuntimeError("A replay needs no folder.")


async def skip_sleep(_: float) -> None:
    """A replay does not wait."""
