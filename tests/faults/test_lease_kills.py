"""Two workers on one PostgreSQL spend out of leases and are killed, again and again.

4 kills by default. Many: RECTO_LEASE_KILLS=200 pytest tests/faults/test_lease_kills.py
"""

import os
import random
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from recto.access import LeasedBudget
from recto.access.leases import TERM_S
from recto.clock import SystemClock, SystemIds
from recto.storage import Storage
from tests.faults.spender import scopes
from tests.forking import Started, start
from tests.storage.server import running_server, url

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

KILLS = int(os.environ.get("RECTO_LEASE_KILLS", "4"))
CALLS_A_LIFE = 40
LIMIT = 150_000 * (KILLS + 2)
"""More than the lives before the last can spend."""


class LaterClock(SystemClock):
    """A clock that is ahead: the term of every lease is over."""

    def now_ms(self) -> int:
        return super().now_ms() + round(TERM_S * 1000) + 1


@pytest.fixture(scope="module")
def server() -> Generator[Path]:
    with running_server() as folder:
        yield folder


def begin(database: str, number: int) -> Started:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    words = ("spender", database, str(LIMIT), str(number))
    return start("tests.faults.spender", *words, environment=kept)


async def hear(process: Started, word: str, times: int = 1) -> None:
    """Read what it says until it has said this so often."""
    while times:
        line = await to_thread.run_sync(process.stdout.readline, abandon_on_cancel=True)
        assert line, process.stderr.read()
        times -= line.strip() == word


async def check_limits(storage: Storage) -> int:
    """No limit is passed, and the sums are those of the rows; what counts against the key's."""
    async with storage.write() as write:
        found = await storage.ledger.spending([one.name for one in scopes(LIMIT)], within=write)
        assert await storage.ledger.wrong_totals(within=write) == ()
    for scope in scopes(LIMIT):
        if scope.limit_micros is not None:
            assert found[scope.name].total_micros <= scope.limit_micros, found
    return found["key"].total_micros


async def test_whoever_is_killed_no_limit_is_passed_and_everything_is_booked_once(
    server: Path,
) -> None:
    database = url(server)
    storage = await Storage.open(database, clock=SystemClock())
    chance = random.Random(7)
    numbers = iter(range(1 << 30))
    living = [begin(database, next(numbers)) for _ in range(2)]
    try:
        with anyio.fail_after(60 + 20 * KILLS):
            for _ in range(KILLS):
                dying = living.pop(0)
                await hear(dying, "booked", chance.randrange(1, CALLS_A_LIFE))
                dying.kill()
                await to_thread.run_sync(dying.communicate)
                living.append(begin(database, next(numbers)))
                await check_limits(storage)
            # Those that live spend the rest.
            for one in living:
                await hear(one, "refused")
    finally:
        for one in living:
            one.kill()
            one.communicate()
    # What the dead had leased counts until their terms are over.
    assert await check_limits(storage) > 0.9 * LIMIT, "the living spend all that is left"
    await storage.close()
    later = await Storage.open(database, clock=LaterClock())
    budget = LeasedBudget(later, clock=LaterClock(), ids=SystemIds(LaterClock()))
    with anyio.fail_after(60):
        # The server may take a moment to see that the last two are gone.
        while await later.leases.all() or await later.ledger.held():
            await budget.sweep()
    await check_limits(later)
    rows = await later.ledger.between(0, 1 << 60)
    booked = [row.reservation_id for row in rows]
    assert len(booked) == len(set(booked)), "nothing is booked twice"
    assert {row.spend.outcome for row in rows} <= {"finished", "interrupted"}
    found = await later.ledger.spending(["key", "gateway"])
    assert found["key"].total_micros == sum(row.spend.cost_micros or 0 for row in rows)
    await later.close()
