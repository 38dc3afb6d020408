"""What many callers write at the same time is committed together, with one flush of the disk."""

import asyncio
from asyncio import Future, Task
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from recto.storage.failures import ServerGone, Unavailable
from recto.storage.store import Storage
from recto.storage.transactions import WriteTransaction

MOST_TOGETHER = 64
T = TypeVar("T")
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
NamedWork = tuple[Callable[[WriteTransaction], Awaitable[Any]], Sequence[str]]


class GroupedRequests(Generic[Asked, Answer]):
    """Takes requests while a commit is under way, and does all of them in the next transaction.

    Each caller hears of its own after the commit, and of its own failure: when one of them fails,
    nothing of them is kept, and each is done again by itself.
    """

    def __init__(
        self,
        storage: Storage,
        write_all: Callable[[WriteTransaction, Sequence[Asked]], Awaitable[Sequence[Answer]]],
        names_of: Callable[[Asked], Iterable[str]] | None = None,
    ) -> None:
        """`write_all` does some of them in their order, and has an answer for each.

        `names_of` says what one of them reads and changes, so that others may write beside.
        """
        self._storage = storage
        self._write_all = write_all
        self._names_of = names_of
        self._waiting: list[tuple[Asked, Future[Answer]]] = []
        self._writing: Task[None] | None = None

    async def do(self, asked: Asked) -> Answer:
        """Do what is asked; it may be done twice, with nothing kept of the first."""
        told: Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, told))
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

    async def _write_group(self, group: list[tuple[Asked, Future[Answer]]]) -> None:
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

    async def _together(self, group: list[tuple[Asked, Future[Answer]]]) -> Sequence[Answer]:
        asked = [item for item, _ in group]
        names = [list(self._names_of(item)) if self._names_of else [] for item in asked]
        # One that does not say what it changes needs all for itself, and so do those with it.
        named = {name for some in names for name in some} if all(names) else set[str]()
        async with self._storage.write(*sorted(named)) as write:
            return await self._write_all(write, asked)


class GroupedWrites:
    """The same for any work in a transaction."""

    def __init__(self, storage: Storage) -> None:
        self._requests = GroupedRequests[NamedWork, Any](storage, do_each, names_of)

    async def do(self, work: Callable[[WriteTransaction], Awaitable[T]], *names: str) -> T:
        """Do some work in a transaction; it may be done twice, with nothing kept of the first.

        `names` say what it reads and changes, as in `Storage.write`.
        """
        return await self._requests.do((work, names))


def names_of(asked: NamedWork) -> Sequence[str]:
    """What some work reads and changes."""
    return asked[1]


async def do_each(write: WriteTransaction, asked: Sequence[NamedWork]) -> Sequence[Any]:
    """Do one work after the other."""
    return [await work(write) for work, _ in asked]


def tell_all(group: Sequence[tuple[Any, Future[Any]]], error: BaseException) -> None:
    """Have everybody hear of a failure."""
    for _, told in group:
        if not told.done():
            told.set_exception(error)
