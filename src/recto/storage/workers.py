"""Which process has a run. One that died has none: what it had is brought to an end by another."""

import anyio

from recto.storage.engine import Engine
from recto.storage.signal import CommitSignal
from recto.storage.transactions import Transactions, WriteTransaction


class Workers:
    """The processes that run something on these records."""

    def __init__(self, transactions: Transactions, engine: Engine, signal: CommitSignal) -> None:
        self._transactions = transactions
        self._engine = engine
        self._signal = signal
        self._own: int | None = None
        self._claiming = anyio.Lock()

    async def own(self, write: WriteTransaction) -> int:
        """The number of this process, which it takes when it first needs one."""
        # Two that write at once, as on PostgreSQL, would take a number each.
        async with self._claiming:
            if self._own is None:
                claim = self._engine.claim_worker
                self._own = await write.ask(lambda connection: claim(connection, self._signal))
            return self._own

    async def living(self, *, within: WriteTransaction | None = None) -> frozenset[int]:
        """The processes that live, this one included."""
        others = await self.others(within=within)
        # Our own lock may be lost for a moment when the connection is; we know that we live.
        return others if self._own is None else others | {self._own}

    async def others(self, *, within: WriteTransaction | None = None) -> frozenset[int]:
        """The other processes that live."""
        async with self._transactions.read(within) as view:
            found = await view.ask(self._engine.living_workers)
        return found if self._own is None else found - {self._own}
