"""The process for the next document waits, does one piece of work, and goes with the server."""

import os

import anyio
import pytest

from recto.word import NotWord, NumberedTexts, ReadWord, ask_worker, waiting_worker
from recto.word.waiting import OPEN
from tests.word.documents import by_hand, paragraph

pytestmark = pytest.mark.anyio


async def read(text: str) -> str:
    found = (await ask_worker(ReadWord(NumberedTexts()), by_hand(paragraph(text)))).text
    assert found is not None
    return found.text


async def waiting_pid() -> int:
    """The process that waits, once it does."""
    (waiting,) = OPEN
    with anyio.fail_after(60):
        while waiting.pid is None:
            await anyio.lowlevel.checkpoint()
    return waiting.pid


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_one_process_waits_for_each_document_and_none_is_left_at_the_end() -> None:
    async with waiting_worker():
        assert await read("one") == "¶1 one"
        first = await waiting_pid()
        assert await read("two") == "¶1 two"
        second = await waiting_pid()
        assert first != second
        assert not is_there(first)
        os.kill(second, 9)
        with anyio.fail_after(60):
            while OPEN[0].pid is not None:
                await anyio.lowlevel.checkpoint()
        assert await read("three") == "¶1 three"  # whatever became of what waited
        with pytest.raises(NotWord):
            await ask_worker(ReadWord(NumberedTexts()), b"no document")
        third = await waiting_pid()
    assert not is_there(third)
    assert await read("four") == "¶1 four"
    assert OPEN == []
