"""A worker that takes a lease, makes two calls and returns the lease; ended after some commit.

Its arguments: the address of the store, and after how many commits it is ended.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from recto.access import BudgetHold, LeasedBudget, Purpose, TokenBounds
from recto.clock import SystemClock, SystemIds
from recto.messages import Usage
from recto.storage import Storage, WriteTransaction
from tests.faults.spender import PRICE, say, scopes

BOUNDS = TokenBounds(1_000, 800, 900)
USED = Usage(input=500, output=100)
LIMIT = 1_000_000
PURPOSE = Purpose("gateway", "anthropic", "claude", scopes=scopes(LIMIT))


class EndingStorage:
    """A store whose process is ended after so many commits."""

    def __init__(self, storage: Storage, commits: int) -> None:
        self._left = commits
        self.storage = storage
        self.ledger = storage.ledger
        self.leases = storage.leases

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[WriteTransaction]:
        """A transaction, after which the process may be ended."""
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        async with self.storage.write() as write:
            yield write
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


async def life(address: str, commits: int) -> None:
    """A lease; the row of a call; what it cost; the row of another; the return: five commits."""
    clock = SystemClock()
    storage: Any = EndingStorage(await Storage.open(address, clock=clock), commits)
    budget = LeasedBudget(storage, clock=clock, ids=SystemIds(clock))
    writing = asyncio.create_task(budget.keep_books())
    first = await budget.reserve(PURPOSE, BOUNDS, PRICE)
    assert isinstance(first, BudgetHold)
    await budget.written()
    await budget.settle(first, USED, outcome="finished", body={})
    await budget.reserve(PURPOSE, BOUNDS, PRICE)
    await budget.written()
    await budget.close()
    writing.cancel()
    say("lived")


def main() -> None:
    """Live as long as the arguments say."""
    asyncio.run(life(sys.argv[1], int(sys.argv[2])))
