"""Anthropic Messages: POST /v1/messages.

Provider data of ours, all of it sent back only over this protocol and to the same account:
`{"signature": …}` or `{"redacted": …}` on thoughts, and only to the same model;
`{"citations": […]}` on words; `{"caller": …, "toolset_name": …}` on calls, where given;
`{"block": {…}}` in a native part: a block of a kind of the API's own, whole.
"""

from collections.abc import Mapping

from recto.llm.protocols.anthropic_messages.lower import lower
from recto.llm.protocols.anthropic_messages.read import MessagesReader, read_whole
from recto.llm.protocols.anthropic_messages.read_failure import mend, read_failure
from recto.llm.protocols.anthropic_messages.serve import serve
from recto.llm.protocols.anthropic_messages.write import MessagesWriter
from recto.llm.protocols.anthropic_messages.write_message import (
    PROTOCOL_ID,
    write_failure,
    write_whole,
)
from recto.llm.traits import Traits
from recto.llm.wire import Reader, WireProtocol, WireRequest, Writer
from recto.messages import Failure, Origin, Request, StreamEvent


class AnthropicMessages:
    """The protocol, as the seam wants it."""

    id = PROTOCOL_ID

    def lower(self, request: Request, traits: Traits, origin: Origin) -> WireRequest:
        """Write a request."""
        return lower(request, traits, origin)

    def reader(self, origin: Origin) -> Reader:
        """Read a streamed answer."""
        return MessagesReader(origin)

    def read_whole(self, body: bytes, origin: Origin) -> list[StreamEvent]:
        """Read an answer that was not streamed."""
        return read_whole(body, origin)

    def read_failure(self, status: int, headers: Mapping[str, str], body: bytes) -> Failure:
        """Read an error answer."""
        return read_failure(status, headers, body)

    def mend(
        self, failure: Failure, request: Request, traits: Traits
    ) -> tuple[Request, Traits] | None:
        """What to try once more with."""
        return mend(failure, request, traits)

    def serve(self, body: bytes, *, path: str = "") -> Request:
        """Read a foreign client's request."""
        return serve(body, path=path)

    def writer(self, answer_id: str, model: str) -> Writer:
        """Write a streamed answer."""
        return MessagesWriter(answer_id, model)

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write a whole answer."""
        return write_whole(events, answer_id, model)

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error."""
        return write_failure(failure)


PROTOCOL: WireProtocol = AnthropicMessages()
