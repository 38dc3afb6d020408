"""The way from a request past the framework to whoever made it."""

from collections.abc import Callable

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from recto.server.ahead import RequestAhead


class HttpLine:
    """The connection that a request came over, past the framework.

    What goes through that is a call for each piece, a message and a wait, costs more than writing.
    """

    __slots__ = ("_cycle", "_know", "ahead")

    def __init__(
        self,
        cycle: RequestResponseCycle,
        know: Callable[[], None],
        ahead: RequestAhead | None = None,
    ) -> None:
        self._cycle = cycle
        self._know = know
        self.ahead = ahead
        """What was done of the request ahead of the framework."""

    def know(self) -> None:
        """Say that whoever is on it is known: it counts no more among those of strangers."""
        self._know()

    def is_free(self) -> bool:
        """Whether a piece of an answer that has begun could be written without a wait."""
        cycle = self._cycle
        return (
            cycle.chunked_encoding is True
            and not cycle.response_complete
            and not cycle.disconnected
            and not cycle.flow.write_paused
            and cycle.scope["method"] != "HEAD"
        )

    def write(self, data: bytes) -> None:
        """Write a piece."""
        self._cycle.transport.write(b"%x\r\n%b\r\n" % (len(data), data))
