"""Requests that are begun in the moment their bytes come, ahead of the framework.

Who keeps a connection says the same head with each request, but for the length of what follows. So
a head that the parser has read on a connection is known there, and a request that comes whole under
it can be begun at once. The parser gets its bytes all the same, a moment later: its application
finds out then what was done. All other requests take the ordinary way alone.
"""

import re
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

MOST_HEAD_BYTES = 8 * 1024
CATCH_UP_S = 0.005
"""How long the framework waits for a request that was begun, unless its answer comes before."""
LENGTH = re.compile(rb"\r\ncontent-length: ?([0-9]{1,8})\r\n", re.IGNORECASE)
ONLY_ONCE = (b"content-length", b"host")
NEVER = frozenset([b"transfer-encoding", b"expect", b"upgrade", b"trailer"])


@dataclass(slots=True)
class KnownHead:
    """The head of a request as it was read, and what stands around its length."""

    before: bytes
    after: bytes
    scope: Mapping[str, Any]
    known: Any = None
    """What the application has found out from it."""

    def body_of(self, data: bytes) -> bytes | None:
        """The body of a request with this head; None: it has another one, or is not whole."""
        if not data.startswith(self.before):
            return None
        start = len(self.before)
        end = data.find(b"\r", start, start + 9)
        if end < 0 or not data.startswith(self.after, end):
            return None
        length, at = data[start:end], end + len(self.after)
        if not length.isdigit() or int(length) != len(data) - at:
            return None
        return data[at:]


def learned(data: bytes, scope: Mapping[str, Any]) -> KnownHead | None:
    """The head of a request that was read and begins these bytes, if others may be known by it."""
    end = data.find(b"\r\n\r\n", 0, MOST_HEAD_BYTES)
    found = LENGTH.search(data, 0, end + 2) if end >= 0 else None
    # What follows a request in the same bytes would be taken for it.
    if found is None or len(data) > end + 4 + int(found[1]):
        return None
    names = [name for name, _ in scope["headers"]]
    if scope["method"] != "POST" or scope["http_version"] != "1.1" or NEVER.intersection(names):
        return None
    if any(names.count(name) != 1 for name in ONLY_ONCE):
        return None
    return KnownHead(data[: found.start(1)], data[found.end(1) : end + 4], scope)


class AheadConnection(Protocol):
    """The connection that a request came over."""

    @property
    def may_write(self) -> bool:
        """Whether an answer can begin: the client is there, and keeps up."""
        ...

    def write_first(self, status: int, lines: bytes, data: bytes) -> None:
        """Write the head of an answer and its first piece."""
        ...

    def go_on(self) -> None:
        """Let the framework have the request, as soon as what was written is sent."""
        ...


class AnsweringCycle(Protocol):
    """The framework's part of a request, once it has read it."""

    response_started: bool
    chunked_encoding: bool | None
    disconnected: bool


class RequestAhead:
    """One request ahead of the framework."""

    __slots__ = ("_connection", "_cycle", "began", "body", "first_byte", "head", "status", "work")

    def __init__(self, head: KnownHead, body: bytes, connection: AheadConnection) -> None:
        self.head = head
        self.body = body
        self.began = 0.0
        """When it came, as the application's clock says."""
        self.status = 0
        """Of the answer, once it has begun."""
        self.first_byte = 0.0
        """When that was, as the application's clock says."""
        self.work: object = None
        """What the application has begun."""
        self._connection = connection
        self._cycle: AnsweringCycle | None = None

    @property
    def is_taken_up(self) -> bool:
        """Whether the framework has it."""
        return self._cycle is not None

    def taken_up(self, cycle: AnsweringCycle) -> None:
        """The framework has it now; its answer may still begin here."""
        self._cycle = cycle
        self._mark()

    @property
    def may_write(self) -> bool:
        """Whether an answer can begin here: none has, the client is there, and keeps up."""
        cycle = self._cycle
        is_open = cycle is None or not (cycle.response_started or cycle.disconnected)
        return is_open and self._connection.may_write

    def write_first(self, status: int, lines: bytes, data: bytes) -> None:
        """Begin the answer, with further lines of its head; what follows goes the ordinary way."""
        self.status = status
        self._connection.write_first(status, lines, data)
        self._mark()

    def _mark(self) -> None:
        if self.status and self._cycle is not None:
            self._cycle.response_started = self._cycle.chunked_encoding = True

    def go_on(self) -> None:
        """Have the framework and its task go on, as soon as what was written is sent."""
        self._connection.go_on()


BeginAhead = Callable[[RequestAhead], bool]
"""Begins a request at once; no: it did nothing, and the request takes the ordinary way."""
Scope = MutableMapping[str, Any]
