"""HTTP as plain ASGI: a client's request, and answers to it. No framework lies on this way."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl

Scope = MutableMapping[str, Any]
AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
AsgiSend = Callable[[AsgiMessage], Awaitable[None]]
Application = Callable[[Scope, Receive, AsgiSend], Awaitable[None]]

MAX_BODY_BYTES = 32 * 1024 * 1024
JSON = {"content-type": "application/json"}


class EarlyHead(Protocol):
    """The head of a request, the same as that of one before."""

    @property
    def scope(self) -> Mapping[str, Any]:
        """Its ASGI scope."""
        ...

    known: Any
    """What was found out from it before."""


class EarlyRequest(Protocol):
    """A whole request in the moment its bytes came, ahead of the framework."""

    @property
    def head(self) -> EarlyHead:
        """All of it but the body, and the body's length."""
        ...

    @property
    def body(self) -> bytes:
        """Its body."""
        ...

    began: float
    """When it came, of the monotonic clock."""

    @property
    def status(self) -> int:
        """The status of the answer that has begun; 0: none has."""
        ...

    first_byte: float
    """When it began."""

    work: object
    """What was begun."""

    @property
    def may_write(self) -> bool:
        """Whether an answer can begin: the client is there, and keeps up."""
        ...

    def write_first(self, status: int, lines: bytes, data: bytes) -> None:
        """Begin the answer, with further lines of its head and its first piece."""
        ...

    def go_on(self) -> None:
        """Have the framework and its task go on, as soon as what was written is sent."""
        ...


class StreamLine(Protocol):
    """The way to a client past the framework."""

    @property
    def ahead(self) -> EarlyRequest | None:
        """What was done of the request ahead of the framework."""
        ...

    def know(self) -> None:
        """Say that the client is known: its connection is no stranger's."""
        ...

    def is_free(self) -> bool:
        """Whether a piece of an answer that has begun could be written without a wait."""
        ...

    def write(self, data: bytes) -> None:
        """Write a piece."""
        ...


class ClientGone(Exception):
    """The client closed the connection before its answer was complete."""


class BodyTooLarge(Exception):
    """The body is larger than any provider takes."""


@dataclass(slots=True)
class ClientRequest:
    """One request of a client. Header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    _receive: Receive = field(repr=False)
    line: StreamLine | None = None

    @classmethod
    def of(cls, scope: Scope, receive: Receive, line: StreamLine | None = None) -> "ClientRequest":
        """The request of an ASGI scope."""
        pairs: Iterable[tuple[bytes, bytes]] = scope["headers"]
        query: bytes = scope.get("query_string", b"")
        return cls(
            scope.get("method", "GET"),
            scope["path"],
            dict(parse_qsl(query.decode("latin-1"))) if query else {},
            {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs},
            receive,
            line,
        )

    @property
    def credential(self) -> str:
        """The key a client shows, wherever its protocol puts it; empty if there is none."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        bearer = token.strip() if scheme.lower() == "bearer" else ""
        shown = (
            self.headers.get("x-api-key"),
            bearer,
            self.headers.get("x-goog-api-key"),
            self.query.get("key"),
        )
        return next((key for key in shown if key), "")

    def is_known(self) -> None:
        """Whoever makes it is known: its connection counts no more among those of strangers."""
        if self.line is not None:
            self.line.know()

    async def read_body(self) -> bytes:
        """The whole body. Raises BodyTooLarge or ClientGone."""
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            raise BodyTooLarge
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > MAX_BODY_BYTES:
                raise BodyTooLarge
            if not message.get("more_body", False):
                return b"".join(pieces)

    async def gone(self) -> None:
        """Wait until the client closes the connection; its body must have been read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


async def send_answer(
    send: AsgiSend, status: int, body: bytes, headers: Mapping[str, str] = JSON
) -> None:
    """A whole answer."""
    await send_start(send, status, {**headers, "content-length": str(len(body))})
    await send({"type": "http.response.body", "body": body})


async def send_start(send: AsgiSend, status: int, headers: Mapping[str, str]) -> None:
    """The beginning of an answer."""
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
