"""One answer of a provider while it comes over a connection of our own."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from recto.llm.http.http_answers import Take

MOST_UNREAD_BYTES = 256 * 1024
AT_ONCE_BYTES = 16 * 1024
"""More than this of one answer waits its turn: a flood must not keep all others waiting."""


class AnsweringConnection(Protocol):
    """What an answer needs of the connection that it comes over."""

    def resume(self) -> None:
        """Take more: what had come was read, or was all."""
        ...

    def abort(self) -> None:
        """End it at once."""
        ...


class DirectAnswer:
    """One answer in the coming. Whoever asked for it reads or closes it."""

    __slots__ = (
        "_begin",
        "_connection",
        "_deadline",
        "_fault",
        "_is_complete",
        "_loop",
        "_passed",
        "_take",
        "_timer",
        "_timer_at",
        "_unread",
        "_unread_bytes",
        "_waiter",
        "_when",
        "has_head",
        "headers",
        "status",
    )

    def __init__(self, connection: AnsweringConnection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection: AnsweringConnection | None = connection
        self._loop = loop
        self._unread: list[bytes] = []
        self._unread_bytes = 0
        self._is_complete = False
        self._fault: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = self._deadline = self._passed = 0.0
        self._take: Take | None = None
        self._when: Callable[[], float] | None = None
        self._begin: Callable[[], None] | None = None
        self.status = 0
        self.headers: dict[str, str] = {}
        """Names are in lower case."""
        self.has_head = False

    async def read(self, deadline: float) -> bytes:
        """Some bytes of the body, none at its end. Raises TimeoutError or what broke it."""
        while not self._unread:
            if self._fault is not None:
                raise self._fault
            if self._is_complete:
                return b""
            await self._wait(deadline)
        return self.left_over()

    async def pass_on(self, take: Take, deadline: Callable[[], float]) -> bool:
        """Hand over the body as it comes, in the very moment, until `take` answers no.

        False at the body's end. `deadline` is asked when time may be up: no piece moves a timer.
        """
        while True:
            while self._unread:
                if not take(self.left_over()):
                    return True
            if self._fault is not None:
                raise self._fault
            if self._is_complete:
                return False
            self._take, self._when = take, deadline
            try:
                await self._wait(deadline())
            finally:
                is_stopped, self._take, self._when = self._take is None, None, None
            if is_stopped:
                return True

    def left_over(self) -> bytes:
        """What has come and was not read."""
        unread = self._unread
        found = unread[0] if len(unread) == 1 else b"".join(unread)
        unread.clear()
        self._unread_bytes = 0
        if self._connection is not None:
            self._connection.resume()
        return found

    async def until_head(self, deadline: float) -> None:
        """Wait for status and headers. Raises TimeoutError or what broke the connection."""
        while not self.has_head:
            if self._fault is not None:
                raise self._fault
            await self._wait(deadline)

    def on_begin(self, begin: Callable[[], None]) -> None:
        """Have somebody told in the moment its body begins, or it breaks."""
        self._begin = begin

    def waiting(self) -> bytes:
        """What has come and was not read; it stays to be read."""
        return self._unread[0] if len(self._unread) == 1 else b"".join(self._unread)

    def close(self) -> None:
        """Cut the connection, unless the answer came to its end."""
        self._stop_timer()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abort()

    def add(self, data: bytes) -> bool:
        """Some of the body has come; whether that is too much unread."""
        self._unread.append(data)
        before = self._unread_bytes
        self._unread_bytes += len(data)
        return before <= MOST_UNREAD_BYTES < self._unread_bytes

    def end(self, fault: Exception | None = None) -> None:
        """Nothing follows: the answer is complete, or broken."""
        if not self._is_complete:
            self._is_complete, self._fault = fault is None, fault
        self._connection = None
        self._stop_timer()

    def wake(self) -> None:
        """Something has come."""
        if self._begin is not None and (
            self._unread or self._is_complete or self._fault is not None
        ):
            begin, self._begin = self._begin, None
            begin()
        if self._take is not None and self._may_take_now():
            if self._take(self.left_over()):
                return
            self._take = None
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _may_take_now(self) -> bool:
        if self._fault is not None or self._is_complete:
            return False
        return 0 < self._unread_bytes <= AT_ONCE_BYTES

    async def _wait(self, deadline: float) -> None:
        if deadline <= self._passed:
            raise TimeoutError
        self._waiter = self._loop.create_future()
        self._deadline = deadline
        # One timer for many waits: it looks at the deadline of now when its own has come.
        if self._timer is None or self._timer_at > deadline:
            self._stop_timer()
            self._start_timer()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _start_timer(self) -> None:
        self._timer_at = self._deadline
        self._timer = self._loop.call_at(self._timer_at, self._on_time)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_time(self) -> None:
        self._timer = None
        waiter = self._waiter
        if self._when is not None:
            self._deadline = self._when()
        if self._loop.time() < self._deadline:
            self._start_timer()
            return
        # Also when something has just come: what never stops coming would never be late.
        self._passed = self._deadline
        if waiter is not None and not waiter.done():
            waiter.set_exception(TimeoutError())
