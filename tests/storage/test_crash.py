"""A process that dies takes nothing with it that it had said was kept."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from anyio import to_thread

from recto.storage import Storage, StoreInUse
from tests.storage.conftest import StepClock

pytestmark = pytest.mark.anyio


@contextmanager
def appending(address: str) -> Generator[subprocess.Popen[str]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.storage.appender", address],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def told(child: subprocess.Popen[str], lines: int) -> list[int]:
    """The first numbers that the child says, and after its end all the others."""
    assert child.stdout is not None
    first = [int(child.stdout.readline()) for _ in range(lines)]
    child.kill()
    # The last line may be torn: what was not said whole was not said.
    rest = child.stdout.read().split("\n")[:-1]
    return first + [int(line) for line in rest]


async def test_what_was_acknowledged_is_there_after_a_kill(address: str, clock: StepClock) -> None:
    acknowledged = 0
    for lines in (1, 7, 20):
        with appending(address) as child:
            numbers = await to_thread.run_sync(told, child, lines)
        assert numbers[0] > acknowledged
        acknowledged = numbers[-1]

        storage = await Storage.open(address, clock=clock)
        kept = [entry.seq for entry in await storage.chats.entries("c1", limit=100_000)]
        await storage.close()

        assert kept == list(range(1, len(kept) + 1))
        assert len(kept) >= acknowledged


async def test_a_store_in_use_names_its_process_and_is_free_once_that_is_killed(
    sqlite_path: str, clock: StepClock
) -> None:
    with appending(sqlite_path) as child:
        assert child.stdout is not None
        await to_thread.run_sync(child.stdout.readline)
        with pytest.raises(StoreInUse, match=f"process {child.pid}") as caught:
            await Storage.open(sqlite_path, clock=clock)
        assert caught.value.pid == child.pid

    storage = await Storage.open(sqlite_path, clock=clock)
    await storage.close()
