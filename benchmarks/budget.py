"""What setting money aside and booking it costs in a full ledger, and for many callers at once.

For SQLite and PostgreSQL, in the same run: one reserve and settle after another in a store without
rows and in one with 1,000,000 in the month (medians; the ratio must stay under 1.2), then 50
callers who reserve at once, in one month and a project each, whose sums are compared with their
rows (at least 500 reservations a second). PostgreSQL is as the tests have it: it flushes nothing.
How many rows may be given: `python -m benchmarks.budget 20000`.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from benchmarks.reserve import BOUNDS, LIMITS, PRICE, reserve_and_settle
from recto.access import Budget, BudgetHold, Purpose
from recto.access.limits import month_of, month_scope
from recto.clock import SystemClock, SystemIds
from recto.storage import Storage
from tests.storage.conftest import run_sql
from tests.storage.server import running_server, url

ROWS = 1_000_000
TRIES = 200
CALLERS = 50
EACH = 20
MOST_RATIO = 1.2
LEAST_A_SECOND = 500
FORMS = {
    "sqlite": (
        "printf('%026d', {})",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})",
    ),
    "postgresql": (
        "lpad(CAST({} AS TEXT), 26, '0')",
        "WITH n(i) AS (SELECT generate_series(1, {}))",
    ),
}


@dataclass(frozen=True)
class Books:
    """A budget, and the store behind it."""

    storage: Storage
    budget: Budget


def fill(kind: str, rows: int, now_ms: int) -> tuple[str, ...]:
    """The statements that put settled requests into the month."""
    name, numbers = FORMS[kind]
    row, of = name.format("i"), numbers.format(rows)
    month = month_of(now_ms, UTC)
    scopes = (month_scope(month), f"project:project:{month}")
    insert = "INSERT INTO reservations (id, created_ms, amount_micros, state, request)"
    # A colon would name a value.
    named = [scope.replace(":", r"\:") for scope in scopes]

    def with_numbers(statement: str, columns: str) -> str:
        return f"{statement} {of} SELECT {columns} FROM n"

    return (
        with_numbers(insert, f"{row}, {now_ms}, 5800, 'settled', '{{}}'"),
        *(
            with_numbers(
                "INSERT INTO reservation_scopes (scope, reservation_id)", f"'{scope}', {row}"
            )
            for scope in named
        ),
        with_numbers(
            "INSERT INTO ledger (id, created_ms, reservation_id, feature, chat_id, project_id,"
            " provider, model, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,"
            " reasoning_tokens, cost_micros, outcome, body)",
            f"{row}, {now_ms}, {row}, 'chat', 'chat', 'project', 'anthropic', 'claude',"
            " 800, 0, 0, 120, 0, 2800, 'finished', '{}'",
        ),
        *(
            "INSERT INTO scope_totals (scope, booked_micros, held_micros, unpriced_rows)"
            f" VALUES ('{scope}', {2800 * rows}, 0, 0)"
            for scope in named
        ),
    )


@asynccontextmanager
async def books_at(address: str, rows: int) -> AsyncGenerator[Books]:
    """A budget on a store with so many requests in the month."""
    clock = SystemClock()
    await (await Storage.open(address, clock=clock)).close()
    if rows:
        kind = "postgresql" if "://" in address else "sqlite"
        await run_sql(address, *fill(kind, rows, clock.now_ms()), "ANALYZE")
    storage = await Storage.open(address, clock=clock)
    try:
        ids = SystemIds(clock)
        yield Books(storage, Budget(storage, clock=clock, ids=ids, zone=UTC, limits=lambda: LIMITS))
    finally:
        await storage.close()


async def one_by_one(empty: Books, full: Books) -> tuple[float, float]:
    """The medians of one request's way through the books, in turns, in milliseconds."""
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(TRIES):
        for books, times in zip((empty, full), took, strict=True):
            began = time.perf_counter()
            await reserve_and_settle(books.budget, number)
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[0]), statistics.median(took[1])


async def at_once(books: Books) -> float:
    """Reservations a second of many callers; fails when sums and rows don't agree."""

    async def call(caller: int) -> None:
        for number in range(EACH):
            turn = f"caller{caller}turn{number}"
            purpose = Purpose("chat", "anthropic", "claude", "chat", f"project{caller}", turn)
            hold = await books.budget.reserve(purpose, BOUNDS, PRICE)
            assert isinstance(hold, BudgetHold)

    began = time.perf_counter()
    await asyncio.gather(*(call(caller) for caller in range(CALLERS)))
    rate = CALLERS * EACH / (time.perf_counter() - began)
    wrong = await books.storage.ledger.wrong_totals()
    if wrong:
        raise RuntimeError(f"These sums are not what their rows come to: {wrong}.")
    return rate


async def measure(name: str, empty_at: str, full_at: str, rows: int) -> bool:
    """Measure one engine and print it; whether it keeps what is asked."""
    async with books_at(empty_at, 0) as empty, books_at(full_at, rows) as full:
        without, with_rows = await one_by_one(empty, full)
        ratio = with_rows / without
        rate = await at_once(full)
    print(
        f"{name}: reserve and settle {without:.2f} ms without rows, {with_rows:.2f} ms with"
        f" {rows:,} ({ratio:.2f} ×, less than {MOST_RATIO} allowed); {CALLERS} callers at once:"
        f" {rate:,.0f} reservations a second (at least {LEAST_A_SECOND})"
    )
    return ratio < MOST_RATIO and rate >= LEAST_A_SECOND


async def measure_postgres(server: Path, rows: int) -> bool:
    """The same on a server of our own."""
    await run_sql(url(server), "CREATE DATABASE bench_empty", "CREATE DATABASE bench_full")
    return await measure("PostgreSQL", url(server, "bench_empty"), url(server, "bench_full"), rows)


def main() -> None:
    """Measure both engines, print, and judge."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = asyncio.run(measure("SQLite", f"{folder}/empty.db", f"{folder}/full.db", rows))
    with running_server() as server:
        kept &= asyncio.run(measure_postgres(server, rows))
    if not kept:
        sys.exit("budget: setting money aside costs more than it may.")


if __name__ == "__main__":
    main()
