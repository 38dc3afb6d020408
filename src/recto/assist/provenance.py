"""Where an answer comes from: known when it is asked for, exact once it was sent and began."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from recto.access import Record
from recto.messages import Started, StreamEvent

OnAsked = Callable[["Provenance"], None]
"""Told where an answer comes from: each time it is sent, and when its provider names the model."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an answer comes from."""

    model_id: str
    request_id: str
    prompt_hash: str
    prompt_template_id: str
    input_context_hashes: tuple[str, ...]
    temperature: float | None = None
    """As it was really sent: models that think take none."""
    max_output: int | None = None
    effort: str | None = None
    answer_model: str = ""
    """The model as its provider named it in the answer."""


class AnswerTracer:
    """Follows one answer from what is sent for it to what comes back."""

    def __init__(
        self, provenance: Provenance, record: Record | None, on_asked: OnAsked | None
    ) -> None:
        self.provenance = provenance
        self._record = record
        self._on_asked = on_asked

    def note(self, kind: Literal["request", "head", "request_id", "answer"], data: bytes) -> None:
        """Take what the transport tells as it sends and receives."""
        if self._record is not None:
            self._record(kind, data)
        if kind == "request":
            # The decoder loads with the first question, like the protocol itself.
            from recto.llm import read_sent

            sent = read_sent(data)
            self.provenance = replace(
                self.provenance,
                temperature=sent.temperature,
                max_output=sent.max_output,
                effort=sent.effort,
            )
            self._tell()

    def see(self, event: StreamEvent) -> None:
        """Take what the answer says of itself."""
        if isinstance(event, Started) and event.model:
            self.provenance = replace(self.provenance, answer_model=event.model)
            self._tell()

    def _tell(self) -> None:
        if self._on_asked is not None:
            self._on_asked(self.provenance)
