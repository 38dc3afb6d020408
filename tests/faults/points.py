"""Ends a process right after one of the steps by which something becomes lasting or goes out.

The steps are those of the gates that everything passes: a commit of the store, a flush and a rename
of a file, a request to a provider. They are wrapped here, in the process that is to die.
"""

import os
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any

from recto import durable
from recto.chats.history import journal
from recto.llm.http.transport import Transport
from recto.storage.sqlite_connection import TripConnection


class Points:
    """Counts the steps while it is open, and ends the process after the n-th."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.is_open = False
        self.passed: list[str] = []

    def passing(self, name: str) -> None:
        """A step was done."""
        if self.is_open:
            self.passed.append(name)
            if len(self.passed) == self._at:
                os.kill(os.getpid(), signal.SIGKILL)

    def lay(self) -> None:
        """Wrap the gates of this process."""
        # Pieces are committed once by themselves and then with what can't wait: the same each time.
        journal.FLUSH_S = 3600
        os.fsync = self._after("fsync", os.fsync)
        os.rename = self._after("rename", os.rename)
        durable.move_new_by_kernel = self._after("rename", durable.move_new_by_kernel)
        TripConnection.commit = self._after_commit(TripConnection.commit)
        Transport.send = self._after_waiting("send", Transport.send)

    def _after(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def wrapped(*args: Any, **more: Any) -> Any:
            done = call(*args, **more)
            self.passing(name)
            return done

        return wrapped

    def _after_waiting(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        async def wrapped(*args: Any, **more: Any) -> Any:
            done = await call(*args, **more)
            self.passing(name)
            return done

        return wrapped

    def _after_commit(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        async def wrapped(connection: TripConnection) -> None:
            has_begun = connection.in_transaction
            await call(connection)
            if has_begun:
                self.passing("commit")

        return wrapped
