"""A turn's process ends after each commit, flush, rename and request, each of them once."""

from collections import Counter
from dataclasses import dataclass

import pytest

from recto.chats import ChatEntry, ToolResults
from tests.faults.test_kill_during_turns import (
    NEW,
    Run,
    Talker,
    check_files,
    check_history,
    reopened,
    talker,
)

__all__ = ["talker"]

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

GROUPS = 2
"""The points are dealt out to so many tests, which run side by side."""


@dataclass(frozen=True, slots=True)
class Death:
    """A run that ended after a point, and what it had done to the folder by then."""

    after: str
    run: Run
    has_written: bool
    has_run_command: bool


@pytest.mark.parametrize("group", range(GROUPS))
async def test_after_any_point_nothing_is_lost_doubled_or_denied(
    talker: Talker, group: int
) -> None:
    """I1, I11: what was acknowledged is there once, and a tool that worked is not said not to have.

    Each process recovers, at its start, what the one before it left.
    """
    upstream = talker.servers["anthropic"]
    points = (await talker.talk(0, end_after=None)).passed
    assert {"commit", "fsync", "rename", "send"} == set(points)
    requests = len(upstream.exchanges)
    deaths: list[Death] = []
    for number in range(1 + group, len(points) + 1, GROUPS):
        run = await talker.talk(number, end_after=number)
        # Writes that come together are grouped, so their number is not the same each time.
        assert len(run.passed) < number, f"the process lived on after point {number}"
        requests += len(upstream.exchanges)
        check_files(talker, number)
        text = (talker.folder / "a.md").read_text(encoding="utf-8")
        log = talker.folder / "log"
        lines = log.read_text(encoding="utf-8").split() if log.exists() else []
        name = f"point {number}, {points[number - 1]}"
        deaths.append(Death(name, run, text == NEW, str(number) in lines))
    async with reopened(talker) as working:
        for death in deaths:
            entries = await check_history(working, death.run)
            check_told(death, entries)
        assert await working.storage.ledger.held() == ()
        rows = (await working.storage.ledger.page(limit=1000)).items
    booked = sum(row.spend.outcome != "failed" for row in rows)
    # What was set aside and not yet sent is booked, too: nobody knows whether it arrived.
    assert requests <= booked <= requests + len(deaths)


def check_told(death: Death, entries: list[ChatEntry]) -> None:
    """The history never denies what a tool has done."""
    states = Counter(
        (result.result.name, result.state)
        for entry in entries
        if isinstance(entry.content, ToolResults)
        for result in entry.content.results
    )
    assert not (death.has_written and states["write_file", "cancelled"]), death.after
    assert not (death.has_run_command and states["run_command", "cancelled"]), death.after
    assert death.has_written or not states["write_file", "done"], death.after
    assert death.has_run_command or not states["run_command", "done"], death.after
