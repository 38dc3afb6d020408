"""The events of chats: committed before anybody sees them, followed from any number."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select

from recto.storage.driver_errors import RecordName
from recto.storage.records import ChatEvent, JsonObject
from recto.storage.tables import chat_events
from recto.storage.transactions import Transactions, WriteTransaction

# Built once: building a statement takes longer than running it.
AFTER = (
    select(chat_events)
    .where(chat_events.c.chat_id == bindparam("chat_id"), chat_events.c.seq > bindparam("after"))
    .order_by(chat_events.c.seq)
    .limit(bindparam("limit"))
)
LATEST = select(func.max(chat_events.c.seq)).where(chat_events.c.chat_id == bindparam("chat_id"))


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that has no number yet."""

    kind: str
    body: JsonObject
    run_id: str | None = None


class EventLog:
    """The events of each chat, numbered from 1."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    async def append(
        self, write: WriteTransaction, chat_id: str, events: Sequence[NewEvent]
    ) -> tuple[ChatEvent, ...]:
        """Add events after the last one.

        Raises:
            RecordNotFound: there is no such chat.
        """
        if not events:
            return ()
        first = await self.latest(chat_id, within=write) + 1
        added = tuple(
            ChatEvent(chat_id, seq, event.run_id, event.kind, dict(event.body), write.now_ms)
            for seq, event in enumerate(events, first)
        )
        rows = [{field: getattr(event, field) for field in ChatEvent.__slots__} for event in added]
        # The first by itself: its failure says which chat is not there.
        named, parent = RecordName("event", f"{chat_id}/{first}"), RecordName("chat", chat_id)
        await write.insert(chat_events, rows[0], named=named, parent=parent)
        if rows[1:]:
            await write.insert_all(chat_events, rows[1:])
        write.news.events[chat_id] = added[-1].seq
        return added

    async def append_all(
        self,
        write: WriteTransaction,
        told: Sequence[tuple[str, Sequence[NewEvent]]],
        last: Mapping[str, int],
    ) -> list[tuple[ChatEvent, ...]]:
        """Add events of many chats, each of which is there, behind their last ones."""
        latest = dict(last)
        added: list[tuple[ChatEvent, ...]] = []
        for chat_id, events in told:
            first = latest.get(chat_id, 0) + 1
            some = tuple(
                ChatEvent(chat_id, seq, event.run_id, event.kind, dict(event.body), write.now_ms)
                for seq, event in enumerate(events, first)
            )
            if some:
                latest[chat_id] = write.news.events[chat_id] = some[-1].seq
            added.append(some)
        rows = [
            {field: getattr(event, field) for field in ChatEvent.__slots__}
            for some in added
            for event in some
        ]
        if rows:
            await write.insert_all(chat_events, rows)
        return added

    async def after(
        self,
        chat_id: str,
        seq: int = 0,
        limit: int = 1000,
        *,
        within: WriteTransaction | None = None,
    ) -> tuple[ChatEvent, ...]:
        """At most `limit` events of a chat after `seq`, in order."""
        values = {"chat_id": chat_id, "after": seq, "limit": limit}
        async with self._transactions.read(within) as view:
            return tuple(ChatEvent(*row) for row in await view.execute(AFTER, values))

    async def of_run(
        self, run_id: str, kinds: Collection[str] = (), *, within: WriteTransaction | None = None
    ) -> tuple[ChatEvent, ...]:
        """All events of a run, in order; or those of some kinds."""
        query = select(chat_events).where(chat_events.c.run_id == run_id)
        if kinds:
            query = query.where(chat_events.c.kind.in_(sorted(kinds)))
        async with self._transactions.read(within) as view:
            found = await view.execute(query.order_by(chat_events.c.seq))
            return tuple(ChatEvent(*row) for row in found)

    async def find_exchange(
        self, request_id: str, *, within: WriteTransaction | None = None
    ) -> ChatEvent | None:
        """The event that tells what was sent and received for a request id, if there is one."""
        query = select(chat_events).where(
            chat_events.c.kind == "exchange",
            chat_events.c.body["request_id"].as_string() == request_id,
        )
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).first()
        return None if row is None else ChatEvent(*row)

    async def last(
        self, chat_id: str, kind: str, *, within: WriteTransaction | None = None
    ) -> ChatEvent | None:
        """The newest event of a kind, if there is one."""
        of_kind = (chat_events.c.chat_id == chat_id, chat_events.c.kind == kind)
        query = select(chat_events).where(*of_kind).order_by(chat_events.c.seq.desc()).limit(1)
        async with self._transactions.read(within) as view:
            row = (await view.execute(query)).first()
        return None if row is None else ChatEvent(*row)

    async def latest(self, chat_id: str, *, within: WriteTransaction | None = None) -> int:
        """The number of a chat's newest event; 0 when there is none."""
        async with self._transactions.read(within) as view:
            return (await view.execute(LATEST, {"chat_id": chat_id})).scalar_one() or 0
