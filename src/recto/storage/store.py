"""The opened store: the door to every kind of record."""

from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from sqlalchemy import func, select

from recto.clock import Clock
from recto.storage import tables
from recto.storage.driver_errors import bad_address, not_reached, our_failures
from recto.storage.engine import Engine
from recto.storage.failures import ServerGone
from recto.storage.schema import bring_up_to_date
from recto.storage.server_wait import OnAnswering, ServerWait
from recto.storage.shielded import finish_shielded
from recto.storage.signal import CommitSignal, OnDocument, OnEvents
from recto.storage.sqlite import SqliteEngine
from recto.storage.stores.blobs import Blobs
from recto.storage.stores.changes import ChangeLog
from recto.storage.stores.chats.chat_events import EventLog
from recto.storage.stores.chats.chats import ChatStore
from recto.storage.stores.chats.groups import GroupStore
from recto.storage.stores.chats.runs import RunStore
from recto.storage.stores.chats.search import ChatSearch
from recto.storage.stores.citations import CitationStore
from recto.storage.stores.contexts import ContextStore
from recto.storage.stores.documents.documents import DocumentLog
from recto.storage.stores.documents.edits import EditStore
from recto.storage.stores.documents.notes import NoteStore
from recto.storage.stores.documents.own_saves import OwnSaveStore
from recto.storage.stores.documents.proposals import ProposalStore
from recto.storage.stores.documents.suggestions import SuggestionStore
from recto.storage.stores.documents.word_documents import WordDocumentStore
from recto.storage.stores.gateway.accounts import AccountStore
from recto.storage.stores.gateway.api_keys import ApiKeyStore
from recto.storage.stores.gateway.deployments import DeploymentStore
from recto.storage.stores.gateway.kept_calls import KeptCallStore
from recto.storage.stores.gateway.kept_thoughts import KeptThoughtStore
from recto.storage.stores.gateway.open_streams import OpenStreams
from recto.storage.stores.gateway.request_rates import RequestRates
from recto.storage.stores.gateway.sign_ins import SignInStore
from recto.storage.stores.keeping import KeepingStore
from recto.storage.stores.money.leases import LeaseStore
from recto.storage.stores.money.ledger import Ledger
from recto.storage.stores.money.request_figures import RequestFigures
from recto.storage.stores.money.usage_sums import UsageSums
from recto.storage.stores.projects import ProjectStore
from recto.storage.stores.skills import SkillStore
from recto.storage.stores.token_counts import TokenCountStore
from recto.storage.transactions import Transactions, WriteTransaction
from recto.storage.workers import Workers


class Storage:
    """Everything that is kept, in one SQLite file or one PostgreSQL database."""

    def __init__(self, engine: Engine, clock: Clock, latest_change: int) -> None:
        self._engine = engine
        self._signal = CommitSignal(latest_change)
        self._waiting = ServerWait()
        self._transactions = Transactions(engine, clock, self._signal, self._waiting)
        self.changes = ChangeLog(self._transactions)
        self.projects = ProjectStore(self._transactions, self.changes)
        self.chats = ChatStore(self._transactions, self.changes)
        self.events = EventLog(self._transactions)
        workers = Workers(self._transactions, engine, self._signal)
        self.runs = RunStore(self._transactions, self.changes, workers)
        self.search = ChatSearch(self._transactions)
        self.ledger = Ledger(self._transactions)
        self.leases = LeaseStore(self._transactions, workers)
        self.request_figures = RequestFigures(self._transactions)
        self.usage_sums = UsageSums(self._transactions)
        self.blobs = Blobs(self._transactions)
        self.keeping = KeepingStore(self._transactions, self.blobs)
        self.documents = DocumentLog(self._transactions)
        self.shared_locks = engine.shared_locks(self._signal, self._waiting)
        self.edits = EditStore(self._transactions, self.changes)
        self.own_saves = OwnSaveStore(self._transactions, self.blobs)
        self.notes = NoteStore(self._transactions, self.changes)
        self.proposals = ProposalStore(self._transactions, self.changes)
        self.suggestions = SuggestionStore(self._transactions)
        self.contexts = ContextStore(self._transactions, self.changes)
        self.skills = SkillStore(self._transactions, self.changes)
        self.groups = GroupStore(self._transactions, self.changes)
        self.token_counts = TokenCountStore(self._transactions)
        self.citations = CitationStore(self._transactions)
        self.word_documents = WordDocumentStore(self._transactions)
        self.accounts = AccountStore(self._transactions)
        self.api_keys = ApiKeyStore(self._transactions)
        self.sign_ins = SignInStore(self._transactions)
        self.request_rates = RequestRates()
        self.open_streams = OpenStreams(self._transactions, workers)
        self.kept_calls = KeptCallStore(self._transactions)
        self.kept_thoughts = KeptThoughtStore(self._transactions)
        self.deployments = DeploymentStore(self._transactions)

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
        except BaseException as error:
            await finish_shielded(engine.close())
            if isinstance(error, ServerGone):
                # At the start nobody waits for a server: the address may simply be wrong.
                raise not_reached() from error
            raise
        return cls(engine, clock, latest or 0)

    async def close(self) -> None:
        """Close every connection and let other processes have the store. Twice is the same."""
        # First, or a write that waits for a dead server would keep its turn, and us, for ever.
        self.stop_waiting()
        if not await self._transactions.close():
            return
        self._signal.close()
        await finish_shielded(self._engine.close())

    def write(self, *names: str) -> AbstractAsyncContextManager[WriteTransaction]:
        """Start a transaction: committed when the block ends, undone when it raises.

        Writes take turns, across processes too: inside one, what was read stays true. One with
        names (`write_names`) reads and changes only what has them, and rows that it
        adds: it may go on beside others, and what has other names may change meanwhile.
        """
        return self._transactions.write(names)

    async def forget_deleted_bytes(self) -> bool:
        """After an erasure: what was deleted is not to be found in the store's files any more.

        False when somebody still reads what was there before: it is to be asked for again.
        """
        return await self._engine.forget_deleted_bytes()

    @property
    def is_answering(self) -> bool:
        """Whether the database answers. If it does not, whoever needs it waits until it does."""
        return self._waiting.is_answering

    def on_answering(self, call: OnAnswering) -> None:
        """Be told when the database stops answering, and when it answers again."""
        self._waiting.listen(call)

    def stop_waiting(self) -> None:
        """The program ends: from now on, a database that does not answer is a failure."""
        self._waiting.stop()

    def on_events(self, call: OnEvents) -> None:
        """Be told of chats that have new events, by whichever process; one's own may come too.

        It is heard for as long as somebody waits for changes.
        """
        self._signal.listen(call)

    def on_documents(self, call: OnDocument) -> None:
        """Be told of live documents that have new updates, by whichever process; as of events."""
        self._signal.listen_to_documents(call)

    async def wait_for_change(self, after_seq: int) -> None:
        """Return once a change later than `after_seq` is committed, by whichever process.

        Raises:
            Unavailable: the store was closed.
        """
        while True:
            self._signal.check()
            await self._waiting.until_answered(partial(self._engine.follow, self._signal))
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
