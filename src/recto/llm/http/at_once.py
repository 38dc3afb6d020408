"""Requests that are sent in the very moment they are wanted, over connections that are free."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from recto.llm.http.direct_answer import DirectAnswer
from recto.llm.http.direct_connection import PIECE_BYTES, DirectConnections
from recto.llm.http.http_answers import HttpAnswer
from recto.llm.http.request_head import Place
from recto.llm.wire import WireRequest


class RequestUnderWay:
    """A request that was sent. Who opens it as if it were none waits for its answer."""

    def __init__(self, answer: DirectAnswer) -> None:
        self._answer = answer

    @property
    def status(self) -> int:
        """The answer's status; 0 as long as there is none."""
        return self._answer.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers, with names in lower case."""
        return self._answer.headers

    def waiting(self) -> bytes:
        """What has come of its body; it stays to be read."""
        return self._answer.waiting()

    def on_begin(self, begin: Callable[[], None]) -> None:
        """Have somebody told in the moment the answer's body begins, or it breaks."""
        self._answer.on_begin(begin)

    async def open(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes, deadline: float
    ) -> HttpAnswer:
        """Wait until the answer begins. Raises one of FAULTS."""
        try:
            await self._answer.until_head(deadline)
        except BaseException:
            self._answer.close()
            raise
        return self._answer


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, and its answer in the coming."""

    wire: WireRequest
    under_way: RequestUnderWay


@dataclass(frozen=True, slots=True)
class ReadyRequest:
    """A request that can be sent now."""

    wire: WireRequest
    lines: "RequestsAtOnce"

    def send(self) -> SentRequest:
        """Send it."""
        return SentRequest(self.wire, self.lines.ask(self.wire.body))


class RequestsAtOnce:
    """Requests to one address, whose heads are the same but for the length."""

    def __init__(self, connections: DirectConnections, place: Place, start: bytes) -> None:
        self._connections = connections
        self._place = place
        self._start = start

    def may_ask(self, size: int) -> bool:
        """Whether a body of this size can be sent without waiting."""
        return size <= PIECE_BYTES and self._connections.has_free(self._place)

    def ask(self, body: bytes) -> RequestUnderWay:
        """Send one, that may be."""
        head = b"%bcontent-length: %d\r\n\r\n" % (self._start, len(body))
        return RequestUnderWay(self._connections.ask_now(self._place, head, body))
