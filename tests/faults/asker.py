"""A program that asks one question through the real store, budget and transport.

Says `asking`, then the type of every event as it comes, then `asked`, and stays until it is ended.
"""

import asyncio
import os
import sys
from pathlib import Path

from recto.app import open_model_services, open_store
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Settings
from recto.messages import Request, user


async def ask(model: str) -> None:
    """Ask, and tell what comes."""
    home, settings, clock = Home(Path(os.environ["RECTO_HOME"])), Settings(), SystemClock()
    ids = SystemIds(clock)
    async with (
        open_store(home, settings, clock) as storage,
        open_model_services(home, settings, storage, clock, ids) as asking,
    ):
        access = asking.questions.find(model)
        question = Request(access.model, (user("Tell me of the tide."),), max_output=500)
        say("asking")
        async for event in asking.questions.ask(access, question, feature="ask", template="t/1"):
            say(getattr(event, "type", "sources"))
        say("asked")
        await asyncio.Event().wait()


def say(word: str) -> None:
    """Tell whoever watches, at once."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    """Ask what the arguments say."""
    asyncio.run(ask(sys.argv[1]))
