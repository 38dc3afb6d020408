"""Runs: what a model was asked to do in a chat, and how far it got."""

from collections.abc import Collection

from sqlalchemy import select, update

from recto.storage.failures import NotFound
from recto.storage.foreign import Named
from recto.storage.records import JsonObject, Run, RunEnd, RunState
from recto.storage.tables import runs
from recto.storage.transactions import Transactions, Write


class RunStore:
    """Runs by id, by chat and by state."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def add(
        self, write: Write, *, id: str, chat_id: str, state: RunState, body: JsonObject
    ) -> Run:
        """Record a run that begins or waits.

        Raises:
            AlreadyExists: the id has a run.
            NotFound: there is no such chat.
        """
        run = Run(id, chat_id, state, dict(body), write.now_ms, None)
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

    async def with_state(
        self,
        states: Collection[RunState],
        *,
        chat_id: str | None = None,
        within: Write | None = None,
    ) -> tuple[Run, ...]:
        """The runs in one of these states, oldest first: of one chat, or of all."""
        query = select(runs).where(runs.c.state.in_(sorted(states))).order_by(runs.c.id)
        if chat_id is not None:
            query = query.where(runs.c.chat_id == chat_id)
        async with self._transactions.read(within) as view:
            return tuple(Run(*row) for row in await view.execute(query))

    async def of_chats(
        self, chat_ids: Collection[str], *, within: Write | None = None
    ) -> tuple[Run, ...]:
        """Every run of some chats, the oldest first."""
        if not chat_ids:
            return ()
        query = select(runs).where(runs.c.chat_id.in_(sorted(chat_ids))).order_by(runs.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Run(*row) for row in await view.execute(query))

    async def start(self, write: Write, run_id: str) -> Run:
        """A run that waited begins, or one that ended goes on; NotFound."""
        statement = update(runs).where(runs.c.id == run_id)
        statement = statement.values(state="running", ended_ms=None).returning(runs)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise NotFound("run", run_id)
        return Run(*row)

    async def end(self, write: Write, run_id: str, state: RunEnd) -> None:
        """Record how a run ended, or NotFound."""
        statement = update(runs).where(runs.c.id == run_id)
        statement = statement.values(state=state, ended_ms=write.now_ms).returning(runs.c.id)
        if (await write.execute(statement)).one_or_none() is None:
            raise NotFound("run", run_id)
