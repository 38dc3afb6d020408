"""OpenAI Chat Completions, and the many servers that speak it.

Provider data: a thinking part carries {"field": "reasoning_content" | "reasoning"}, the field its
words came in; a call carries {"extra_content": …}, which goes back to the same model unchanged.
"""

from collections.abc import Mapping

from recto.llm.protocols.openai_chat.lower import lower
from recto.llm.protocols.openai_chat.read import ChatReader, read_whole
from recto.llm.protocols.openai_chat.read_failure import mend, read_failure
from recto.llm.protocols.openai_chat.serve import serve
from recto.llm.protocols.openai_chat.serve_answer import ChatWriter, write_failure, write_whole
from recto.llm.traits import Traits
from recto.llm.wire import Reader, WireProtocol, WireRequest, Writer
from recto.messages import Failure, Origin, Request, StreamEvent


class OpenAIChat:
    """The protocol, as the seam wants it."""

    id = "openai-chat"

    def lower(self, request: Request, traits: Traits, origin: Origin) -> WireRequest:
        """Write a request."""
        return lower(request, traits, origin)

    def reader(self, origin: Origin) -> Reader:
        """Read a streamed answer."""
        return ChatReader(origin)

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
        return ChatWriter(answer_id, model)

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write an answer that is not streamed."""
        return write_whole(events, answer_id, model)

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error."""
        return write_failure(failure)


PROTOCOL: WireProtocol = OpenAIChat()
