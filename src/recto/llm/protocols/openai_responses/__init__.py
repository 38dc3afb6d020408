"""The OpenAI Responses API.

Provider data (`payload`) of this protocol:
- of a `Text`: `{"phase"}`, the phase the model gave a message.
- of a `Thinking`: `{"id", "encrypted_content", "summary": [text, …]}` of a reasoning item, and
  `"content": [text, …]` if the server shows thoughts in the open.
- of a `Native`: the whole output item, of a kind that is not read here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from recto.llm.protocols.openai_responses.lower import lower
from recto.llm.protocols.openai_responses.read import ResponsesReader, read_whole
from recto.llm.protocols.openai_responses.read_failures import ID, mend, read_failure
from recto.llm.protocols.openai_responses.serve import serve
from recto.llm.protocols.openai_responses.write import (
    ResponsesWriter,
    write_failure,
    write_whole,
)
from recto.llm.traits import Traits
from recto.llm.wire import WireProtocol, WireRequest
from recto.messages import Failure, Origin, Request, StreamEvent


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """The wire protocol as one value."""

    id: str = ID

    def lower(self, request: Request, traits: Traits, origin: Origin) -> WireRequest:
        """Write a request."""
        return lower(request, traits, origin)

    def reader(self, origin: Origin) -> ResponsesReader:
        """Read a streamed answer."""
        return ResponsesReader(origin)

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

    def writer(self, answer_id: str, model: str) -> ResponsesWriter:
        """Write a streamed answer."""
        return ResponsesWriter(answer_id, model)

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write an answer that is not streamed."""
        return write_whole(events, answer_id, model)

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error."""
        return write_failure(failure)


PROTOCOL: WireProtocol = OpenAIResponses()
