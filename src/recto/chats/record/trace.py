"""What went over the wire for one answer, found by the request id that the answer names."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from recto.chats.failures import ChatFailure
from recto.storage import Storage

SHORTEST_SECRET = 8
HIDDEN = "…".encode()


class NoTrace(ChatFailure):
    """Nothing was recorded under a request id."""

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"There is no record of the request {request_id}.",
            "Only the requests of chats are recorded. Copy the id from an answer's details.",
        )


@dataclass(frozen=True, slots=True)
class TracedTry:
    """One request and its answer, exactly; without the key, which is never recorded."""

    request: bytes
    head: dict[str, Any]
    """The status and the headers of the answer."""
    answer: bytes


@dataclass(frozen=True, slots=True)
class Trace:
    """All that was sent and received for an answer."""

    request_id: str
    run_id: str
    step: int
    answered_ms: int
    """When the answer was written down."""
    tries: tuple[TracedTry, ...]


async def find_trace(storage: Storage, request_id: str) -> Trace:
    """What was sent and received for an answer. Raises NoTrace."""
    event = await storage.events.find_exchange(request_id)
    if event is None or event.run_id is None:
        raise NoTrace(request_id)
    tries = [
        TracedTry(
            await storage.blobs.get(attempt["request"]),
            attempt["head"],
            await storage.blobs.get(attempt["answer"]),
        )
        for attempt in event.body["tries"]
    ]
    return Trace(request_id, event.run_id, event.body["step"], event.created_ms, tuple(tries))


def without_secrets(trace: Trace, secrets: Iterable[str]) -> Trace:
    """A trace in which no key stands, even where a provider repeated it in its answer."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            hidden = secret.encode()
            tries = [
                replace(attempt, answer=attempt.answer.replace(hidden, HIDDEN))
                for attempt in trace.tries
            ]
            trace = replace(trace, tries=tuple(tries))
    return trace
