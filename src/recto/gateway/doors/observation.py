"""What is noted of a call for metrics and traces: times, names and numbers, never what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from recto.access import Deployment
from recto.clock import Clock
from recto.gateway.caller import Refused
from recto.gateway.doors.http import AsgiSend
from recto.messages import Failure
from recto.storage import LedgerRow


@dataclass(slots=True)
class AttemptRecord:
    """One deployment that was asked."""

    deployment: str
    provider: str
    model: str
    began: float
    ended: float = 0.0
    failure: str | None = None
    """The kind of its failure; None: it answered."""
    rests_s: float = 0.0
    """How long it is not asked from now on."""


@dataclass(slots=True)
class CallRecord:
    """One request to a door. Times are of the monotonic clock, in seconds."""

    door: str
    action: str
    began: float
    began_ms: int
    """When it began, since 1970."""
    parent: str | None = None
    """The span that the client says it belongs to (`traceparent`)."""
    model: str = ""
    """What the gateway calls the model; empty as long as none is found."""
    is_waiting: bool = False
    status: int = 0
    first_byte: float | None = None
    ended: float = 0.0
    refusal: str | None = None
    """Why it was not let in: a limit, money, or an unknown key."""
    attempts: list[AttemptRecord] = field(default_factory=list[AttemptRecord])


class CallListener(Protocol):
    """Told of calls while they happen. What it does must be quick, and must not fail."""

    def call_began(self, call: CallRecord) -> None:
        """A request came to a door."""
        ...

    def call_waits(self, call: CallRecord) -> None:
        """It begins, or ends, to wait for a place."""
        ...

    def attempt_ended(self, attempt: AttemptRecord) -> None:
        """A deployment answered, or did not."""
        ...

    def call_ended(self, call: CallRecord) -> None:
        """The client has its answer, or left."""
        ...

    def booked(self, row: LedgerRow) -> None:
        """Something was paid."""
        ...


class CallObserver:
    """Notes one call, and tells whoever listens."""

    def __init__(
        self,
        listeners: Sequence[CallListener],
        clock: Clock,
        *,
        door: str,
        action: str,
        parent: str | None = None,
        began: float | None = None,
    ) -> None:
        """`began` is when the call began, if that is past."""
        self._listeners = listeners
        self._now: Callable[[], float] = clock.monotonic
        now, now_ms = self._now(), clock.now_ms()
        if began is not None:
            now, now_ms = began, now_ms - round((now - began) * 1000)
        self.record = CallRecord(door, action, now, now_ms, parent)
        for listener in listeners:
            listener.call_began(self.record)

    def watched(self, send: AsgiSend) -> AsgiSend:
        """A way to the client that notes when and how it is answered."""
        if not self._listeners:
            return send
        record = self.record

        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
            elif record.first_byte is None and message.get("body"):
                record.first_byte = self._now()
            await send(message)

        return noting

    def told_ahead(self, status: int, first_byte: float) -> None:
        """The answer began ahead of the call's task."""
        self.record.status, self.record.first_byte = status, first_byte

    def waits(self, *, is_waiting: bool) -> None:
        """The call begins, or ends, to wait for a place."""
        if self.record.is_waiting != is_waiting:
            self.record.is_waiting = is_waiting
            for listener in self._listeners:
                listener.call_waits(self.record)

    def refused(self, refused: Refused) -> None:
        """The call may not begin."""
        self.record.refusal = refused.failure.code or refused.failure.kind

    def began(self, way: Deployment) -> AttemptRecord:
        """A deployment is asked."""
        access = way.access
        attempt = AttemptRecord(way.id, access.provider.id, access.model, self._now())
        self.record.attempts.append(attempt)
        return attempt

    def attempted(self, attempt: AttemptRecord, failure: Failure | None, rests_s: float) -> None:
        """A deployment answered, or did not."""
        attempt.ended = self._now()
        attempt.failure = None if failure is None else failure.kind
        attempt.rests_s = rests_s
        if failure is not None and failure.kind == "budget":
            self.record.refusal = "budget"
        for listener in self._listeners:
            listener.attempt_ended(attempt)

    def ended(self) -> None:
        """The call is over, however."""
        self.waits(is_waiting=False)
        self.record.ended = self._now()
        for listener in self._listeners:
            listener.call_ended(self.record)
