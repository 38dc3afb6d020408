"""Google Gemini generateContent. The base address ends with the API version, as in `…/v1beta`.

Provider data: `{"signature": …}` on words, thoughts and calls; in native parts `{"part": {…}}`, a
part kept whole, or `{"continuation": …}` at the end of an answer that stopped with CONTINUATION.
"""

from collections.abc import Mapping

from recto.llm.protocols.gemini.lower import lower
from recto.llm.protocols.gemini.read import GeminiReader, read_whole
from recto.llm.protocols.gemini.read_failures import mend, read_failure
from recto.llm.protocols.gemini.serve import serve
from recto.llm.protocols.gemini.serve_answer import GeminiWriter, write_failure, write_whole
from recto.llm.traits import Traits
from recto.llm.wire import Reader, WireProtocol, WireRequest, Writer
from recto.messages import Failure, Origin, Request, StreamEvent


class Gemini:
    """The protocol, as the seam wants it."""

    id = "gemini"

    def lower(self, request: Request, traits: Traits, origin: Origin) -> WireRequest:
        """Write a request."""
        return lower(request, traits, origin)

    def reader(self, origin: Origin) -> Reader:
        """Read a streamed answer."""
        return GeminiReader(origin)

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
        return serve(body, path)

    def writer(self, answer_id: str, model: str) -> Writer:
        """Write a streamed answer."""
        return GeminiWriter(answer_id, model)

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write a whole answer."""
        return write_whole(events, answer_id, model)

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error."""
        return write_failure(failure)


PROTOCOL: WireProtocol = Gemini()
