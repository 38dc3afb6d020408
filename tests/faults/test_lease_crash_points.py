"""A worker is killed after each of its commits: what it had is set aside until the term is over."""

import os

import pytest
from anyio import to_thread

from recto.access import LeasedBudget
from recto.clock import SystemClock, SystemIds
from recto.storage import ScopeSpending, Storage
from tests.faults.leaser import LIMIT
from tests.faults.test_lease_kills import LaterClock
from tests.forking import start
from tests.storage.conftest import (
    address,
    new_postgres_url,
    postgres_server,
    postgres_tables,
    postgres_url,
    sqlite_path,
)

__all__ = [
    "address",
    "new_postgres_url",
    "postgres_server",
    "postgres_tables",
    "postgres_url",
    "sqlite_path",
]

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

BOOKED: dict[int, list[str]] = {
    0: [],
    1: [],
    2: ["interrupted"],
    3: ["finished"],
    4: ["finished", "interrupted"],
    5: ["finished", "interrupted"],
}
"""By the number of commits: which calls have left a row."""


async def spending(storage: Storage) -> ScopeSpending:
    assert await storage.ledger.wrong_totals() == ()
    return (await storage.ledger.spending(["key"]))["key"]


@pytest.mark.parametrize("commits", BOOKED)
async def test_after_a_death_at_any_commit_money_is_set_aside_until_the_term_and_booked_once(
    address: str, commits: int
) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    await (await Storage.open(address, clock=SystemClock())).close()
    words = ("leaser", address, str(commits))
    process = start("tests.faults.leaser", *words, environment=kept)
    said, complaints = await to_thread.run_sync(process.communicate, "", 60)
    assert process.returncode == -9, (said, complaints)

    storage = await Storage.open(address, clock=SystemClock())
    budget = LeasedBudget(storage, clock=SystemClock(), ids=SystemIds(SystemClock()))
    if "://" not in address:
        await budget.recover(is_alone=True)
    await budget.sweep()
    found = await spending(storage)
    assert found.held_micros == 0
    # What may have been sent just before the end has left no row: the lease stands for it.
    assert (found.leased_micros > 0) == (1 <= commits < 5)
    assert found.total_micros <= LIMIT
    rows = await storage.ledger.between(0, 1 << 60)
    assert [row.spend.outcome for row in rows] == BOOKED[commits]
    await storage.close()

    later = await Storage.open(address, clock=LaterClock())
    budget = LeasedBudget(later, clock=LaterClock(), ids=SystemIds(LaterClock()))
    await budget.sweep()
    assert await spending(later) == ScopeSpending(found.settled_micros)
    assert await later.leases.all() == {}
    await later.close()
