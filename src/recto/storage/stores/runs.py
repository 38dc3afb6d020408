"""Runs and their events: committed before anybody sees them, resumable from any number."""

from collections.abc import Sequence

from sqlalchemy import func, select, update

from recto.storage.failures import NotFound
from recto.storage.foreign import Named
from recto.storage.records import JsonObject, Run, RunEnd, RunEvent
from recto.storage.tables import run_events, runs
from recto.storage.transactions import Transactions, Write


class RunStore:
    """Runs by id, and the events of each, numbered from 1."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def start(self, write: Write, *, id: str, chat_id: str) -> Run:
        """Record that a run begins.

        Raises:
            AlreadyExists: the id has a run.
            NotFound: there is no such chat.
        """
        run = Run(id, chat_id, "running", write.now_ms)
        values = {field: getattr(run, field) for field in Run.__slots__}
        named, parent = Named("run", id), Named("chat", chat_id)
        await write.insert(runs, values, named=named, parent=parent)
        return run

    async def get(self, run_id: str, *, within: Write | None = None) -> Run:
        """The run with this id, or NotFound."""
        async with self._transactions.read(within) as view:
            row = (await view.execute(select(runs).where(runs.c.id == run_id))).one_or_none()
        if row is None:
            raise NotFound("run", run_id)
        return Run(*row)

    async def running(self, *, within: Write | None = None) -> tuple[Run, ...]:
        """The runs that have not ended: after a start, those that a crash interrupted."""
        query = select(runs).where(runs.c.state == "running").order_by(runs.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Run(*row) for row in await view.execute(query))

    async def end(self, write: Write, run_id: str, state: RunEnd) -> None:
        """Record how a run ended, or NotFound."""
        statement = update(runs).where(runs.c.id == run_id).values(state=state)
        if (await write.execute(statement.returning(runs.c.id))).one_or_none() is None:
            raise NotFound("run", run_id)

    async def append(
        self, write: Write, run_id: str, events: Sequence[tuple[str, JsonObject]]
    ) -> tuple[RunEvent, ...]:
        """Add events, each a kind and a body, after the last one, or NotFound."""
        await self.get(run_id, within=write)
        if not events:
            return ()
        query = select(func.max(run_events.c.seq)).where(run_events.c.run_id == run_id)
        first = ((await write.execute(query)).scalar_one() or 0) + 1
        added = tuple(
            RunEvent(run_id, seq, kind, dict(body), write.now_ms)
            for seq, (kind, body) in enumerate(events, first)
        )
        rows = [{field: getattr(event, field) for field in RunEvent.__slots__} for event in added]
        await write.insert_all(run_events, rows)
        return added

    async def events(
        self, run_id: str, after_seq: int = 0, limit: int = 1000, *, within: Write | None = None
    ) -> tuple[RunEvent, ...]:
        """At most `limit` events after `after_seq`, in order."""
        query = (
            select(run_events)
            .where(run_events.c.run_id == run_id, run_events.c.seq > after_seq)
            .order_by(run_events.c.seq)
            .limit(limit)
        )
        async with self._transactions.read(within) as view:
            return tuple(RunEvent(*row) for row in await view.execute(query))
