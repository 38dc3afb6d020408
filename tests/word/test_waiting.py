"""The process for the next document waits, does one piece of work, and goes with the server."""

import hashlib
import os

import anyio
import pytest

from recto.word import (
    Holding,
    NotWord,
    NumberedTexts,
    PageDifference,
    ReadWord,
    ShownPage,
    ShowPage,
    applied,
    ask_worker,
    numbers_since,
    waiting_worker,
)
from recto.word.waiting import MOST_HELD, OPEN
from recto.word.worker import MAX_HELD_KIB
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


async def shown(
    data: bytes, name: str, before: tuple[bytes, ShownPage] | None = None
) -> ShownPage | PageDifference:
    """What is told of a document to somebody who may have its page as it was."""
    known = NumberedTexts() if before is None else before[1].numbered
    holding = Holding(name)
    if before is not None:
        shorter = ShowPage(since=numbers_since(known, known))
        holding = Holding(name, hashlib.sha256(before[0]).hexdigest(), shorter)
    page = (await ask_worker(ShowPage(known=known), data, holding=holding)).page
    assert page is not None
    return page


async def test_a_process_that_holds_a_document_tells_what_is_other_and_has_no_second_one() -> None:
    one, other = (by_hand(paragraph("a") + paragraph(text)) for text in ("b", "c"))
    async with waiting_worker():
        (waiting,) = OPEN
        first = await shown(one, "x")
        assert isinstance(first, ShownPage)
        pid = waiting.held_pid("x")
        change = await shown(other, "x", (one, first))
        assert isinstance(change, PageDifference)
        assert waiting.held_pid("x") == pid
        second = applied(first, change)
        assert second.text == "¶1 a\n¶2 c"

        await shown(one, "y")
        assert waiting.held_pid("y") not in (None, pid)
        # Whoever has an older page is told all of it, and so is everybody when the process ended.
        assert isinstance(await shown(one, "x", (one, first)), ShownPage)
        ended = waiting.held_pid("x")
        assert ended is not None
        os.kill(ended, 9)
        assert isinstance(await shown(other, "x", (one, first)), ShownPage)
        with pytest.raises(NotWord):
            await shown(b"no document", "x")
        assert isinstance(await shown(one, "x"), ShownPage)

        for number in range(MOST_HELD):
            await shown(one, f"more {number}")
        assert waiting.held_pid("x") is waiting.held_pid("y") is None
        held = [waiting.held_pid(f"more {number}") for number in range(MOST_HELD)]
        assert None not in held
    assert not any(pid is not None and is_there(pid) for pid in held)


async def test_a_document_is_held_however_much_memory_whoever_asks_has() -> None:
    ballast = bytes(1) * (MAX_HELD_KIB * 1024)
    async with waiting_worker():
        await shown(by_hand(paragraph("a")), "x")
        assert OPEN[0].held_pid("x") is not None
    assert len(ballast) == MAX_HELD_KIB * 1024


async def test_two_that_ask_at_once_about_one_document_are_both_answered() -> None:
    data = by_hand(paragraph("a"))
    pages: list[ShownPage | PageDifference] = []

    async def ask() -> None:
        pages.append(await shown(data, "x"))

    async with waiting_worker():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            tasks.start_soon(ask)
        assert OPEN[0].held_pid("x") is not None
    assert [isinstance(page, ShownPage) for page in pages] == [True, True]
