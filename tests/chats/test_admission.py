"""Chats don't wait for each other: what decides about a turn is held for its chat alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from recto.chats.turns.queue import TurnQueue
from recto.clock import SystemClock
from recto.storage import Storage

pytestmark = pytest.mark.anyio


async def test_a_chat_that_is_held_keeps_no_other_one_waiting(tmp_path: Path) -> None:
    storage = await Storage.open(tmp_path / "recto.db", clock=SystemClock())
    queue = TurnQueue(cast("Any", SimpleNamespace(storage=storage)), cast("Any", None))
    is_in, order = anyio.Event(), list[str]()

    async def enter_again() -> None:
        async with queue.no_turn_in("one"):
            order.append("one again")
            is_in.set()

    try:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                async with queue.no_turn_in("one"):
                    group.start_soon(enter_again)
                    await anyio.wait_all_tasks_blocked()
                    # Another task: one and the same would be refused, not kept waiting.
                    async with anyio.create_task_group() as others:
                        others.start_soon(enter, queue, order)
                    assert order == ["two"]
                await is_in.wait()
    finally:
        await storage.close()
    assert order == ["two", "one again"]


async def enter(queue: TurnQueue, order: list[str]) -> None:
    async with queue.no_turn_in("two"):
        order.append("two")
