"""Many texts are counted by processes of their own, as many as there are processors, up to four.

The tokenizer holds Python's lock as long as it cuts: in a thread, everything else would wait.
"""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from json import dumps

import anyio.to_thread
import msgspec

from recto.processes import InputClosed, RunningProgram, start
from recto.tokenizer import Count, tokenize

PROGRAM = [sys.executable, "-I", "-m", "recto.tokenizer"]
MOST_PROCESSES = 4

Cut = Callable[[Sequence[str]], Awaitable[list[Count]]]


async def cut_here(texts: Sequence[str]) -> list[Count]:
    """Count a few texts."""
    return await anyio.to_thread.run_sync(lambda: [tokenize(text) for text in texts])


@asynccontextmanager
async def cutting_beside() -> AsyncGenerator[Cut]:
    """Something that counts many texts, in processes that end with the block."""
    async with AsyncExitStack() as stack:
        amount = min(os.cpu_count() or 1, MOST_PROCESSES)
        programs = [start(PROGRAM, cwd="/", talks=True) for _ in range(amount)]
        running = [await stack.enter_async_context(program) for program in programs]

        async def cut(texts: Sequence[str]) -> list[Count]:
            shares = [texts[number::amount] for number in range(amount)]
            told = await asyncio.gather(*map(ask, running, shares))
            counts = [Count()] * len(texts)
            for number, share in enumerate(told):
                counts[number::amount] = share
            return counts

        yield cut


async def ask(process: RunningProgram, texts: Sequence[str]) -> list[Count]:
    """The counts of some texts, by one process. Raises InputClosed."""
    raw = [text.encode() for text in texts]
    lengths = dumps([len(item) for item in raw]).encode()
    await process.send(b"\n".join((lengths, b"".join(raw))))
    line = await process.line()
    if not line:
        raise InputClosed
    return [Count(*pair) for pair in msgspec.json.decode(line, type=list[tuple[int, int]])]
