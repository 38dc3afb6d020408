"""The seam of every wire protocol: how a request is written and how an answer is read, both ways.

A protocol is not a deployment: the address, the key and the account come from elsewhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from recto.llm.framing import Frame
from recto.llm.traits import Traits
from recto.messages import Failure, Origin, Request, StreamEvent

REDIRECT = "redirect"
"""The code of a failure to find what lives at another address now."""
Record = Callable[[Literal["request", "head", "request_id", "answer"], bytes], None]
"""Told what a call sent and got: the body sent; the answer's status and headers as JSON, without
keys and cookies; its request id; the answer as it comes, unpacked. Each try begins with a request.
"""

OfferBytes = Callable[[bytes], bool]
"""Offered some bytes of an answer at the moment they come; no: it takes them the ordinary way."""
OfferEvents = Callable[[list[StreamEvent]], bool]
"""Offered some words of an answer at the moment they come; no: it takes them the ordinary way."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as bytes. The same conversation always gives the same bytes."""

    path: str
    """What follows the provider's base address, such as /v1/messages."""
    body: bytes
    headers: Mapping[str, str]
    """Headers besides the key and the content type."""


@dataclass(frozen=True, slots=True)
class RelayedPiece:
    """Some bytes of an answer as its provider sent them, for a client of the same protocol."""

    status: int
    """The answer's status; 0 when there is no answer."""
    headers: Mapping[str, str]
    data: bytes
    failure: Failure | None = None
    """Why there is no answer, or none any more; `data` may be the provider's own words for it."""


def nowhere(failure: Failure) -> None:
    """No failure says to speak another protocol."""


class WireReader(Protocol):
    """Reads one streamed answer."""

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells. Unknown kinds of frames tell nothing."""
        ...

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended, by itself or by a failure: `Finished`, unless it came before."""
        ...


class WireWriter(Protocol):
    """Writes one answer for a foreign client, the inverse of a reader."""

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes; possibly none."""
        ...

    def keep_alive(self) -> bytes:
        """A frame that tells nothing, but that the client's idle timer counts."""
        ...


class Serve(Protocol):
    """Reads a foreign client's request. Raises ValueError with words."""

    def __call__(self, body: bytes, *, path: str = "") -> Request:
        """The request; some APIs say part of it in the path."""
        ...


@dataclass(frozen=True, slots=True)
class WireProtocol:
    """One provider API: the functions of its package, as one value."""

    id: str
    """Its name in settings, such as anthropic-messages."""
    lower: Callable[[Request, Traits, Origin], WireRequest]
    """Write a request. Provider data of another origin is left out."""
    reader: Callable[[Origin], WireReader]
    """Read a streamed answer."""
    read_whole: Callable[[bytes, Origin], list[StreamEvent]]
    """Read an answer that was not streamed, as the events a stream would have told."""
    read_failure: Callable[[int, Mapping[str, str], bytes], Failure]
    """Read an error answer: status, headers with lower-case names, body."""
    mend: Callable[[Failure, Request, Traits], tuple[Request, Traits] | None]
    """What to try once more with, if the failure says what to leave out."""
    serve: Serve
    """The inverse of `lower`."""
    writer: Callable[[str, str], WireWriter]
    """Write a streamed answer for a foreign client: its id, and the model's name for the client."""
    write_whole: Callable[[list[StreamEvent], str, str], bytes]
    """Write an answer that is not streamed for a foreign client."""
    write_failure: Callable[[Failure], tuple[int, bytes]]
    """Write an error for a foreign client: the status and the body."""
    elsewhere: Callable[[Failure], str | None] = nowhere
    """The id of the protocol that a failure says to speak instead."""
