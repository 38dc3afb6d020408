"""What many callers write at the same time is committed together, with one flush of the disk."""

import asyncio
from asyncio import Future, Task
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from recto.storage import ServerGone, Storage, Unavailable, WriteTransaction

MOST_TOGETHER = 64
T = TypeVar("T")
Work = Callable[[WriteTransaction], Awaitable[Any]]


class GroupedWrites:
    """Takes work while a commit is under way, and does all of it in the next transaction.

    Each caller hears of its own after the commit, and of its own failure: when one of them fails,
    nothing of them is kept, and each is done again by itself.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._waiting: list[tuple[Work, Future[Any]]] = []
        self._writing: Task[None] | None = None

    async def do(self, work: Callable[[WriteTransaction], Awaitable[T]]) -> T:
        """Do some work in a transaction; it may be done twice, with nothing kept of the first."""
        told: Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, told))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await told

    async def _write(self) -> None:
        try:
            while self._waiting:
                group = self._waiting[:MOST_TOGETHER]
                del self._waiting[:MOST_TOGETHER]
                await self._write_group(group)
        finally:
            self._writing = None

    async def _write_group(self, group: list[tuple[Work, Future[Any]]]) -> None:
        try:
            (done,) = await asyncio.gather(self._together(group), return_exceptions=True)
        except asyncio.CancelledError:
            for _, told in group:
                told.cancel()
            raise
        if not isinstance(done, BaseException):
            for (_, told), answer in zip(group, done, strict=True):
                # Whoever was cancelled waits no more.
                if not told.done():
                    told.set_result(answer)
        # Of a database that went away nobody knows what it kept: nothing is done twice.
        elif len(group) == 1 or isinstance(done, ServerGone | Unavailable):
            tell_all(group, done)
        else:
            for one in group:
                await self._write_group([one])

    async def _together(self, group: list[tuple[Work, Future[Any]]]) -> list[Any]:
        async with self._storage.write() as write:
            return [await work(write) for work, _ in group]


def tell_all(group: list[tuple[Work, Future[Any]]], error: BaseException) -> None:
    """Have everybody hear of a failure."""
    for _, told in group:
        if not told.done():
            told.set_exception(error)
