"""The opened store: the door to every kind of record."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from sqlalchemy import func, select

from recto.clock import Clock
from recto.storage import tables
from recto.storage.endings import to_the_end
from recto.storage.engine import Engine
from recto.storage.foreign import bad_address, our_failures
from recto.storage.schema import bring_up_to_date
from recto.storage.signal import CommitSignal, OnEvents, OnWish
from recto.storage.sqlite import SqliteEngine
from recto.storage.stores.blobs import Blobs
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.chat_events import EventLog
from recto.storage.stores.chats import ChatStore
from recto.storage.stores.contexts import ContextStore
from recto.storage.stores.documents import DocumentLog
from recto.storage.stores.edits import EditStore
from recto.storage.stores.groups import GroupStore
from recto.storage.stores.ledger import Ledger
from recto.storage.stores.notes import NoteStore
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.proposals import ProposalStore
from recto.storage.stores.runs import RunStore
from recto.storage.stores.search import ChatSearch
from recto.storage.stores.skills import SkillStore
from recto.storage.stores.suggestions import SuggestionStore
from recto.storage.stores.token_counts import TokenCountStore
from recto.storage.transactions import Transactions, Write
from recto.storage.workers import Workers


class Storage:
    """Everything that is kept, in one SQLite file or one PostgreSQL database."""

    def __init__(self, engine: Engine, clock: Clock, latest_change: int) -> None:
        self._engine = engine
        self._signal = CommitSignal(latest_change)
        self._transactions = Transactions(engine, clock, self._signal)
        self.changes = ChangeLog(self._transactions)
        self.projects = ProjectStore(self._transactions, self.changes)
        self.chats = ChatStore(self._transactions, self.changes)
        self.events = EventLog(self._transactions)
        self.runs = RunStore(
            self._transactions, self.changes, Workers(self._transactions, engine, self._signal)
        )
        self.search = ChatSearch(self._transactions)
        self.ledger = Ledger(self._transactions)
        self.blobs = Blobs(self._transactions)
        self.documents = DocumentLog(self._transactions)
        self.edits = EditStore(self._transactions, self.changes)
        self.notes = NoteStore(self._transactions, self.changes)
        self.proposals = ProposalStore(self._transactions, self.changes)
        self.suggestions = SuggestionStore(self._transactions)
        self.contexts = ContextStore(self._transactions, self.changes)
        self.skills = SkillStore(self._transactions, self.changes)
        self.groups = GroupStore(self._transactions, self.changes)
        self.token_counts = TokenCountStore(self._transactions)

    @classmethod
    async def open(cls, url_or_path: str | Path, *, clock: Clock) -> "Storage":
        """Open the SQLite file at a path, or the PostgreSQL database at a `postgresql://` address.

        Raises:
            CannotOpen: it can't be reached, written or understood (NewerSchema: not yet).
            StoreInUse: another process has the SQLite file.
        """
        engine = await _engine(url_or_path)
        try:
            await bring_up_to_date(engine)
            with our_failures():
                async with engine.writer.connect() as connection:
                    latest = await connection.scalar(select(func.max(tables.changes.c.seq)))
        except BaseException:
            await to_the_end(engine.close())
            raise
        return cls(engine, clock, latest or 0)

    async def close(self) -> None:
        """Close every connection and let other processes have the store. Twice is the same."""
        if not await self._transactions.close():
            return
        self._signal.close()
        await to_the_end(self._engine.close())

    def write(self) -> AbstractAsyncContextManager[Write]:
        """Start a transaction: committed when the block ends, undone when it raises.

        Writes take turns, across processes too: inside one, what was read stays true.
        """
        return self._transactions.write()

    def on_events(self, call: OnEvents) -> None:
        """Be told of chats that have new events, by whichever process; one's own may come too.

        It is heard for as long as somebody waits for changes.
        """
        self._signal.listen(call)

    async def ask_others(self, words: str) -> None:
        """Ask the other processes for something; whoever it is for does it, or nobody."""
        async with self.write() as write:
            write.news.wishes.append(words)

    def on_wish(self, call: OnWish) -> None:
        """Be told what other processes ask for, for as long as somebody waits for changes."""
        self._signal.obey(call)

    async def wait_for_change(self, after_seq: int) -> None:
        """Return once a change later than `after_seq` is committed, by whichever process.

        Raises:
            Unavailable: the store was closed, or its server is gone.
        """
        while True:
            self._signal.check()
            await self._engine.follow(self._signal)
            if self._signal.latest > after_seq:
                return
            await self._signal.wait()


async def _engine(url_or_path: str | Path) -> Engine:
    address = str(url_or_path)
    if isinstance(url_or_path, Path) or "://" not in address:
        return await SqliteEngine.open(Path(address))
    if address.startswith(("postgresql://", "postgres://")):
        # Loaded here, because its driver would cost every start on SQLite.
        from recto.storage.postgres import PostgresEngine

        return PostgresEngine(address)
    raise bad_address()
