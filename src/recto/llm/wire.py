"""The seam of every wire protocol: how a request is written and how an answer is read, both ways.

A protocol is not a deployment: the address, the key and the account come from elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from recto.llm.framing import Frame
from recto.llm.traits import Traits
from recto.messages import Failure, Origin, Request, StreamEvent


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as bytes. The same conversation always gives the same bytes."""

    path: str
    """What follows the provider's base address, such as /v1/messages."""
    body: bytes
    headers: Mapping[str, str]
    """Headers besides the key and the content type."""


class Reader(Protocol):
    """Reads one streamed answer."""

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells. Unknown kinds of frames tell nothing."""
        ...

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended, by itself or by a failure: `Finished`, unless it came before."""
        ...


class Writer(Protocol):
    """Writes one answer for a foreign client, the inverse of a reader."""

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes; possibly none."""
        ...


class WireProtocol(Protocol):
    """One provider API."""

    @property
    def id(self) -> str:
        """Its name in settings, such as anthropic-messages."""
        ...

    def lower(self, request: Request, traits: Traits, origin: Origin) -> WireRequest:
        """Write a request. Provider data of another origin is left out."""
        ...

    def reader(self, origin: Origin) -> Reader:
        """Read a streamed answer."""
        ...

    def read_whole(self, body: bytes, origin: Origin) -> list[StreamEvent]:
        """Read an answer that was not streamed, as the events a stream would have told."""
        ...

    def read_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """Read an error answer. Header names are lower case."""
        ...

    def mend(
        self, failure: Failure, request: Request, traits: Traits
    ) -> tuple[Request, Traits] | None:
        """The request and traits to try once more with, if the failure says what to leave out."""
        ...

    def serve(self, body: bytes, *, path: str = "") -> Request:
        """Read a foreign client's request: the inverse of `lower`. Raises ValueError with words."""
        ...

    def writer(self, answer_id: str, model: str) -> Writer:
        """Write a streamed answer for a foreign client."""
        ...

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write an answer that is not streamed for a foreign client."""
        ...

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error for a foreign client: the status and the body."""
        ...
