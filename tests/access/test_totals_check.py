"""Totals that are wrong are told of at the start, and only those that can still limit something."""

import logging
from datetime import UTC
from pathlib import Path

import pytest
from sqlalchemy import update

from recto.access import TotalsCheck, month_of, month_scope
from recto.access.limits import project_scope
from recto.clock import SystemClock
from recto.storage import Storage
from recto.storage.tables import scope_totals

pytestmark = pytest.mark.anyio


async def test_wrong_totals_are_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = SystemClock()
    storage = await Storage.open(tmp_path / "recto.db", clock=clock)
    month = month_scope(month_of(clock.now_ms(), UTC))
    async with storage.write() as write:
        for id, scope in (("r1", month), ("r2", "month:1999-01")):
            await storage.ledger.reserve(
                write, id=id, scopes=[scope], amount_micros=5, request={"owner": "o"}
            )
    check = TotalsCheck(storage, clock=clock, zone=UTC)
    with caplog.at_level(logging.ERROR):
        await check.run()
    assert (check.wrong, caplog.records) == ((), [])

    async with storage.write() as write:
        await write.execute(update(scope_totals).values(held_micros=4))
    with caplog.at_level(logging.ERROR):
        await check.run()
    await storage.close()
    assert check.wrong == (month,)
    assert "totals of the budget" in caplog.text


async def test_every_project_is_checked_however_many_there_are(tmp_path: Path) -> None:
    clock = SystemClock()
    storage = await Storage.open(tmp_path / "recto.db", clock=clock)
    month = month_of(clock.now_ms(), UTC)
    async with storage.write() as write:
        for number in range(120):
            name = f"p{number}"
            await storage.projects.add(write, id=name, name=name, path=f"/{name}", settings={})
            await storage.ledger.reserve(
                write,
                id=name,
                scopes=[project_scope(name, month)],
                amount_micros=5,
                request={"owner": "o"},
            )
        await write.execute(update(scope_totals).values(held_micros=4))
    check = TotalsCheck(storage, clock=clock, zone=UTC)
    await check.run()
    await storage.close()
    assert sorted(check.wrong) == sorted(
        project_scope(f"p{number}", month) for number in range(120)
    )
