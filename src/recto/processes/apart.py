"""Reading a foreign file in a process of its own: whatever it holds, Stop ends it, and caps do."""

import math
import sys
from contextlib import suppress

import anyio

from recto.processes.failures import InputClosed, ProcessFailure
from recto.processes.programs import start

READER = (sys.executable, "-I", "-m", "recto.processes.reader")
MAX_MEMORY = 1 << 30
DEADLINE_S = 60.0
MAX_ANSWER = 200_000_000


class TooMuchToRead(ProcessFailure):
    """A file takes more memory or time than one may."""

    def __init__(self) -> None:
        super().__init__(
            "The file takes too much memory or time to read, or is damaged in a way that nobody"
            " expects.",
            "Use a smaller one.",
        )


async def read_apart(
    function: str,
    data: bytes,
    *,
    max_memory: int = MAX_MEMORY,
    deadline_s: float = DEADLINE_S,
    max_answer: int = MAX_ANSWER,
) -> bytes:
    """What `module:function` makes of a file's bytes. Raises TooMuchToRead.

    The function takes bytes and answers bytes, and tells of failures in these.
    """
    argv = [*READER, function, str(max_memory), str(math.ceil(deadline_s))]
    made = bytearray()
    try:
        with anyio.fail_after(deadline_s):
            async with start(argv, cwd="/", talks=True) as running:
                with suppress(InputClosed):  # it gave up before the end
                    await running.send(len(data).to_bytes(8) + data)
                async for chunk in running.chunks():
                    made += chunk
                    if len(made) > max_answer:
                        raise TooMuchToRead
                if await running.wait() != 0:
                    raise TooMuchToRead
    except TimeoutError as error:
        raise TooMuchToRead from error
    return bytes(made)
