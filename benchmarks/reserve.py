"""What it costs to set money aside and book it, in an empty month and after many requests.

Reserves and settles through the budget, with a limit on the month, the project and the turn, in
stores with no rows, 100,000 and 1,000,000 rows in the month, in turns; prints the ratio of the
medians against the empty store: at most 1.3. Beside them, in the same run: one bare insert with a
flush to the disk, in SQLite as Recto opens it, and what summing the month's rows for one check of
the limit takes, as it would without totals. How many rows may be given: `reserve.py 2000 5000`.
"""

import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack, closing
from datetime import UTC
from decimal import Decimal
from pathlib import Path

from recto.access import Budget, BudgetHold, Purpose, SpendingLimits, TokenBounds
from recto.access.limits import month_of, month_scope
from recto.access.prices import price_of
from recto.clock import SystemClock, SystemIds
from recto.messages import Usage
from recto.storage import Storage

ROWS = (100_000, 1_000_000)
TRIES = 300
MOST_RATIO = 1.3
PRICE = price_of(input=Decimal(2), output=Decimal(10), source="benchmark")
LIMITS = SpendingLimits(10**12, turn_micros=10**12, project_micros={"project": 10**12})
BOUNDS = TokenBounds(900, 400)
USED = Usage(input=800, output=120)
REQUESTS_A_TURN = 10
NUMBERED = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)"
FILL = (
    NUMBERED + " INSERT INTO reservations (id, created_ms, amount_micros, state, request)"
    " SELECT printf('%026d', i), :now, 5800, 'settled', '{}' FROM n",
    NUMBERED + " INSERT INTO reservation_scopes (scope, reservation_id)"
    " SELECT :month, printf('%026d', i) FROM n",
    NUMBERED + " INSERT INTO reservation_scopes (scope, reservation_id)"
    " SELECT :project, printf('%026d', i) FROM n",
    NUMBERED + " INSERT INTO reservation_scopes (scope, reservation_id)"
    f" SELECT printf('turn:%026d', i / {REQUESTS_A_TURN}), printf('%026d', i) FROM n",
    NUMBERED + " INSERT INTO ledger (id, created_ms, reservation_id, feature, chat_id, project_id,"
    " provider, model, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,"
    " reasoning_tokens, cost_micros, outcome, body)"
    " SELECT printf('%026d', i), :now, printf('%026d', i), 'chat', printf('chat%d', i / 100),"
    " 'project', 'anthropic', 'claude', 800, 0, 0, 120, 0, 2800, 'finished', '{}' FROM n",
    "INSERT INTO scope_totals (scope, booked_micros, held_micros, unpriced_rows)"
    " SELECT scope, 2800 * count(*), 0, 0 FROM reservation_scopes GROUP BY scope",
)
SUM = (
    "SELECT sum(l.cost_micros) FROM reservation_scopes s"
    " JOIN reservations r ON r.id = s.reservation_id"
    " LEFT JOIN ledger l ON l.reservation_id = r.id WHERE s.scope = :month"
)


def fill(file: Path, rows: int, clock: SystemClock) -> str:
    """Put settled requests into the month; answers the month's scope."""
    now = clock.now_ms()
    month = month_of(now, UTC)
    scope, project = month_scope(month), f"project:project:{month}"
    values = {"rows": rows, "now": now, "month": scope, "project": project}
    with closing(sqlite3.connect(file)) as store:
        for statement in FILL if rows else ():
            store.execute(statement, values)
        store.execute("ANALYZE")
        store.commit()
    return scope


async def reserve_and_settle(budget: Budget, number: int) -> None:
    """One request's way through the books."""
    turn = f"turn{number // REQUESTS_A_TURN}"
    purpose = Purpose("chat", "anthropic", "claude", "chat", "project", turn)
    hold = await budget.reserve(purpose, BOUNDS, PRICE)
    assert isinstance(hold, BudgetHold)
    await budget.settle(hold, USED, outcome="finished", body={})


def open_bare(file: Path) -> sqlite3.Connection:
    """A table without anything, flushed as Recto's are."""
    bare = sqlite3.connect(file, isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, amount INTEGER)")
    return bare


def bare_insert(bare: sqlite3.Connection, number: int) -> float:
    """How long one small row takes, in seconds."""
    began = time.perf_counter()
    bare.execute("INSERT INTO bare VALUES (?, ?)", (number, 5800))
    return time.perf_counter() - began


def summing(file: Path, month: str) -> float:
    """How long it takes to sum the month once, in seconds."""
    with closing(sqlite3.connect(file)) as store:
        began = time.perf_counter()
        store.execute(SUM, {"month": month}).fetchone()
        return time.perf_counter() - began


async def measure(folder: Path, sizes: tuple[int, ...]) -> bool:
    """Fill, measure, print; whether the ratios were kept."""
    clock = SystemClock()
    sums: list[float] = []
    budgets: list[Budget] = []
    async with AsyncExitStack() as stack:
        for rows in sizes:
            file = folder / f"{rows}.db"
            await (await Storage.open(file, clock=clock)).close()
            month = fill(file, rows, clock)
            sums.append(summing(file, month))
            storage = await Storage.open(file, clock=clock)
            stack.push_async_callback(storage.close)
            ids = SystemIds(clock)
            budgets.append(Budget(storage, clock=clock, ids=ids, zone=UTC, limits=lambda: LIMITS))
        bare = stack.enter_context(closing(open_bare(folder / "bare.db")))
        took: list[list[float]] = [[] for _ in sizes]
        flushes: list[float] = []
        for number in range(TRIES):
            flushes.append(bare_insert(bare, number))
            for place, budget in enumerate(budgets):
                began = time.perf_counter()
                await reserve_and_settle(budget, number)
                took[place].append(time.perf_counter() - began)
    flush = statistics.median(flushes)
    print(f"one bare insert, flushed: {flush * 1000:.2f} ms")
    empty, is_kept = statistics.median(took[0]), True
    for rows, times, whole in zip(sizes, took, sums, strict=True):
        median = statistics.median(times)
        is_kept &= median / empty <= MOST_RATIO
        print(
            f"reserve and settle with {rows:>9,} rows: {median * 1000:.2f} ms,"
            f" {median / empty:.2f} × the empty month (at most {MOST_RATIO}),"
            f" {median / flush:.1f} × the bare insert; summing the month: {whole * 1000:.1f} ms"
        )
    return is_kept


def main() -> int:
    """Run it."""
    sizes = (0, *(tuple(map(int, sys.argv[1:])) or ROWS))
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder), sizes)) else 1


if __name__ == "__main__":
    sys.exit(main())
