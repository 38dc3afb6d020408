"""Runs: what a model was asked to do in a chat, and how far it got."""

from collections.abc import Collection, Mapping

from sqlalchemy import and_, bindparam, func, literal, or_, select, union_all, update

from recto.storage.driver_errors import RecordName
from recto.storage.failures import RecordNotFound
from recto.storage.records import JsonObject, Run, RunEnd, RunState
from recto.storage.stores.changes import ChangeLog
from recto.storage.tables import chat_events, runs
from recto.storage.transactions import Transactions, WriteTransaction
from recto.storage.workers import Workers

TAKEN = -1
"""In the place of an event's number, which is never below 1."""

# Built once: building a statement takes longer than running it.
IN_STATES = (
    select(runs).where(runs.c.state.in_(bindparam("states", expanding=True))).order_by(runs.c.id)
)
OF_CHAT_IN_STATES = IN_STATES.where(runs.c.chat_id == bindparam("chat_id"))
TAKEN_RUNS = select(runs.c.id).where(
    runs.c.id.in_(bindparam("run_ids", expanding=True)),
    or_(
        runs.c.state == "interrupted",
        and_(runs.c.state == "running", runs.c.worker != bindparam("own")),
    ),
)
TAKEN_AND_LAST = union_all(
    select(chat_events.c.chat_id.label("id"), func.max(chat_events.c.seq).label("last"))
    .where(chat_events.c.chat_id.in_(bindparam("chat_ids", expanding=True)))
    .group_by(chat_events.c.chat_id),
    TAKEN_RUNS.add_columns(literal(TAKEN)),
)
END = update(runs).where(runs.c.id == bindparam("run_id")).returning(runs.c.chat_id)


class RunStore:
    """Runs by id, by chat and by state."""

    def __init__(self, transactions: Transactions, changes: ChangeLog, workers: Workers) -> None:
        self._transactions = transactions
        self._changes = changes
        self._workers = workers

    async def add(
        self, write: WriteTransaction, *, id: str, chat_id: str, state: RunState, body: JsonObject
    ) -> Run:
        """Record a run that begins or waits.

        Raises:
            RecordExists: the id has a run.
            RecordNotFound: there is no such chat.
        """
        # What waits has no process: any may start it.
        worker = await self._workers.own(write) if state == "running" else None
        run = Run(id, chat_id, state, dict(body), write.now_ms, None, worker)
        values = {field: getattr(run, field) for field in Run.__slots__}
        named, parent = RecordName("run", id), RecordName("chat", chat_id)
        await write.insert(runs, values, named=named, parent=parent)
        if state == "running":
            await self._tell(write, chat_id)
        return run

    async def get(self, run_id: str, *, within: WriteTransaction | None = None) -> Run:
        """The run with this id, or RecordNotFound."""
        async with self._transactions.read(within) as view:
            row = (await view.execute(select(runs).where(runs.c.id == run_id))).one_or_none()
        if row is None:
            raise RecordNotFound("run", run_id)
        return Run(*row)

    async def with_state(
        self,
        states: Collection[RunState],
        *,
        chat_id: str | None = None,
        within: WriteTransaction | None = None,
    ) -> tuple[Run, ...]:
        """The runs in one of these states, oldest first: of one chat, or of all."""
        query = IN_STATES if chat_id is None else OF_CHAT_IN_STATES
        values = {"states": sorted(states), **({} if chat_id is None else {"chat_id": chat_id})}
        async with self._transactions.read(within) as view:
            return tuple(Run(*row) for row in await view.execute(query, values))

    async def alive(self, *, within: WriteTransaction | None = None) -> tuple[Run, ...]:
        """The runs that run, in this process or in another one that lives."""
        return await self._running(True, within)

    async def abandoned(self, *, within: WriteTransaction | None = None) -> tuple[Run, ...]:
        """The runs that nobody has any more: their process died without ending them."""
        return await self._running(False, within)

    async def taken(self, write: WriteTransaction, run_ids: Collection[str]) -> frozenset[str]:
        """Those of some runs of this process that another one took for abandoned."""
        if not run_ids:
            return frozenset()
        values = {"own": await self._workers.own(write), "run_ids": sorted(run_ids)}
        return frozenset((await write.execute(TAKEN_RUNS, values)).scalars())

    async def taken_and_last(
        self, write: WriteTransaction, run_ids: Collection[str], chat_ids: Collection[str]
    ) -> tuple[frozenset[str], Mapping[str, int]]:
        """The same, and the number of the last event of each chat that has any: in one trip."""
        own = await self._workers.own(write)
        values = {"own": own, "run_ids": sorted(run_ids), "chat_ids": sorted(chat_ids)}
        found = (await write.execute(TAKEN_AND_LAST, values)).mappings()
        rows = [(str(row["id"]), int(row["last"])) for row in found]
        return (
            frozenset(name for name, number in rows if number == TAKEN),
            {name: number for name, number in rows if number != TAKEN},
        )

    async def elsewhere(
        self, chat_id: str, *, within: WriteTransaction | None = None
    ) -> tuple[Run, ...]:
        """The runs of a chat that run in another process, which lives."""
        running = await self.with_state({"running"}, chat_id=chat_id, within=within)
        if not running:
            return ()
        others = await self._workers.others(within=within)
        return tuple(run for run in running if run.worker in others)

    async def _running(self, is_alive: bool, within: WriteTransaction | None) -> tuple[Run, ...]:
        # First the runs: who has one of them lives, or is found to be dead by then.
        running = await self.with_state({"running"}, within=within)
        living = await self._workers.living(within=within)
        return tuple(run for run in running if (run.worker in living) == is_alive)

    async def of_chats(
        self, chat_ids: Collection[str], *, within: WriteTransaction | None = None
    ) -> tuple[Run, ...]:
        """Every run of some chats, the oldest first."""
        if not chat_ids:
            return ()
        query = select(runs).where(runs.c.chat_id.in_(sorted(chat_ids))).order_by(runs.c.id)
        async with self._transactions.read(within) as view:
            return tuple(Run(*row) for row in await view.execute(query))

    async def start(self, write: WriteTransaction, run_id: str) -> Run:
        """A run begins that waited, or goes on that ended, in this process; RecordNotFound."""
        worker = await self._workers.own(write)
        statement = update(runs).where(runs.c.id == run_id)
        values = {"state": "running", "ended_ms": None, "worker": worker}
        statement = statement.values(values).returning(runs)
        row = (await write.execute(statement)).one_or_none()
        if row is None:
            raise RecordNotFound("run", run_id)
        run = Run(*row)
        await self._tell(write, run.chat_id)
        return run

    async def end(self, write: WriteTransaction, run_id: str, state: RunEnd) -> None:
        """Record how a run ended, or RecordNotFound."""
        values = {"run_id": run_id, "state": state, "ended_ms": write.now_ms}
        chat_id = (await write.execute(END, values)).scalar_one_or_none()
        if chat_id is None:
            raise RecordNotFound("run", run_id)
        await self._tell(write, chat_id)

    async def _tell(self, write: WriteTransaction, chat_id: str) -> None:
        """Say that something begins or ends to run in a chat."""
        await self._changes.append(
            write,
            kind="turn",
            resource_id=chat_id,
            project_id=None,
            action="updated",
            version=0,
        )
