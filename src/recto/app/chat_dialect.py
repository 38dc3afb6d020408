"""OpenAI's chat format as our server speaks it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from recto.llm import load_protocol
from recto.messages import Failure, Request, StreamEvent

if TYPE_CHECKING:
    from recto.llm.protocols.openai_chat.serve_answer import ChatWriter

CHAT = "openai-chat"


class ChatDialect:
    """Reads requests and writes answers, dated by the clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms

    def serve(self, body: bytes) -> Request:
        """Read a client's request."""
        return load_protocol(CHAT).serve(body)

    def writer(self, answer_id: str, model: str, body: bytes) -> "ChatWriter":
        """Write a streamed answer to a request."""
        # Loaded with the first question, like the protocol itself.
        from recto.llm.protocols.openai_chat.serve import wants_usage
        from recto.llm.protocols.openai_chat.serve_answer import ChatWriter

        created = self._now_ms() // 1000
        usage = wants_usage(body)
        return ChatWriter(f"chatcmpl-{answer_id}", model, created=created, include_usage=usage)

    def write_whole(self, events: list[StreamEvent], answer_id: str, model: str) -> bytes:
        """Write an answer in one piece."""
        from recto.llm.protocols.openai_chat.serve_answer import write_whole

        created = self._now_ms() // 1000
        return write_whole(events, f"chatcmpl-{answer_id}", model, created=created)

    def write_failure(self, failure: Failure) -> tuple[int, bytes]:
        """Write an error."""
        return load_protocol(CHAT).write_failure(failure)
