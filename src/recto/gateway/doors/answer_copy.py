"""A copy of what goes to a client, taken only for accounts whose calls are kept."""

from typing import Any

from recto.gateway.doors.http import AsgiSend, EarlyRequest, StreamLine

MOST_BYTES = 32 * 1024 * 1024


class ClientCopy:
    """Passes an answer on, and keeps its bytes up to a size."""

    def __init__(self, send: AsgiSend, line: StreamLine | None) -> None:
        self._send = send
        self._line = line
        self._pieces: list[bytes] = []
        self._size = 0
        self._is_whole = False
        self._is_too_long = False
        self.status = 0

    @property
    def data(self) -> bytes:
        """What went to the client."""
        return b"".join(self._pieces)

    @property
    def is_cut(self) -> bool:
        """Whether the end is missing."""
        return self._is_too_long or not self._is_whole

    @property
    def line(self) -> StreamLine | None:
        """The way past the framework, if there is one: what goes there is noted, too."""
        return None if self._line is None else CopiedLine(self._line, self)

    async def send(self, message: Any) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.note(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)
        await self._send(message)

    def note(self, data: bytes) -> None:
        """Keep some bytes."""
        if self._size + len(data) > MOST_BYTES:
            self._is_too_long = True
        if not self._is_too_long:
            self._pieces.append(data)
            self._size += len(data)


class CopiedLine:
    """A way to a client past the framework, of which a copy is taken."""

    def __init__(self, line: StreamLine, copy: ClientCopy) -> None:
        self._line = line
        self._copy = copy

    @property
    def ahead(self) -> EarlyRequest | None:
        """What was done of the request ahead of the framework."""
        return self._line.ahead

    def know(self) -> None:
        """Say that the client is known."""
        self._line.know()

    def is_free(self) -> bool:
        """Whether a piece could be written without a wait."""
        return self._line.is_free()

    def write(self, data: bytes) -> None:
        """Write a piece."""
        self._copy.note(data)
        self._line.write(data)
