"""A program that asks many questions at once, each by a connection and a reservation of its own.

Tells `number bytes` each time a question has got more of its answer: 0 when the headers have come.
Stays until it is ended.
"""

import asyncio
import os
import sys
from pathlib import Path

from recto.access import Record
from recto.app import ModelServices, open_model_services, open_store
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.messages import Request, user
from tests.faults.asker import say


async def ask_all(model: str, count: int) -> None:
    """Ask, and tell what comes."""
    home, settings, clock = Home(Path(os.environ["RECTO_HOME"])), Settings(), SystemClock()
    ids = SystemIds(clock)
    async with (
        open_store(home, settings, clock) as storage,
        open_model_services(home, settings, storage, clock, ids) as asking,
        asyncio.TaskGroup() as tasks,
    ):
        for number in range(count):
            tasks.create_task(ask(asking, model, number))


async def ask(asking: ModelServices, model: str, number: int) -> None:
    """One question; its answer never comes to an end."""
    access = asking.questions.find(model)
    question = Request(access.model, (user("Tell me of the tide."),), max_output=100)
    async for _ in asking.questions.ask(
        access, question, feature="ask", template="t/1", record=teller(number)
    ):
        pass
    raise AssertionError(f"question {number} was answered to its end")


def teller(number: int) -> Record:
    """Tells how many bytes of an answer have come."""
    got = 0

    def tell(kind: str, data: bytes) -> None:
        nonlocal got
        if kind in {"head", "answer"}:
            got += len(data) if kind == "answer" else 0
            say(f"{number} {got}")

    return tell


def main() -> None:
    """Ask what the arguments say."""
    asyncio.run(ask_all(sys.argv[1], int(sys.argv[2])))
