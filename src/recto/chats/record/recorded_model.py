"""A model that answers from the record: the same bytes, if the same is asked."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace

from recto.access import BUILTIN, Access, Record
from recto.chats.record.cursor import RecordCursor, ReplayDiffers
from recto.chats.record.recorded_run import RecordedTry
from recto.chats.record.run_items import SHOWN, RunDifference
from recto.llm import (
    BUILTIN_PROTOCOL,
    AnswerDecoder,
    UnreadableAnswer,
    WireProtocol,
    WireRequest,
    load_protocol,
    lower_builtin,
)
from recto.messages import Failure, Finished, Message, Request, StreamEvent

NO_WORDS = Failure("network", "The connection was lost.")


class RecordedModel:
    """Answers with the recorded bytes, and sees to it that the same is asked."""

    def __init__(self, cursor: RecordCursor) -> None:
        self._cursor = cursor

    async def send(
        self, access: Access, request: Request, record: Record | None
    ) -> AsyncGenerator[StreamEvent]:
        """The recorded answer, read as if it came now."""
        number, recorded = await self._cursor.next_try()
        failure = self._cursor.failure(number)
        if recorded is None:
            yield Finished("error", Message("assistant", ()), None, failure)
            return
        protocol, wire = lower_recorded(access, request, recorded.request)
        if wire.body != recorded.request:
            place = f"step {self._cursor.step}, request {number}: its bytes"
            await self._cursor.stop(
                ReplayDiffers(byte_difference(place, recorded.request, wire.body))
            )
        if record is not None:
            record("request", wire.body)
        answer = AnswerDecoder(RecordedBytes(recorded, access, failure), protocol, access.origin)
        while events := await answer.next():
            for event in events:
                yield event


def lower_recorded(
    access: Access, request: Request, recorded: bytes
) -> tuple[WireProtocol, WireRequest]:
    """The request as it would be sent now, within the length that the budget left then."""
    is_builtin = access.provider.id == BUILTIN.id
    protocol = load_protocol(BUILTIN_PROTOCOL if is_builtin else access.provider.protocol)

    def lower(request: Request) -> WireRequest:
        if is_builtin:
            return lower_builtin(request)
        return protocol.lower(request, access.traits, access.origin)

    wire = lower(request)
    if wire.body == recorded:
        return protocol, wire
    try:
        allowed = protocol.serve(recorded, path=wire.path).max_output
    except ValueError:
        return protocol, wire
    if allowed < request.max_output:
        wire = lower(replace(request, max_output=allowed))
    return protocol, wire


def byte_difference(place: str, old: bytes, new: bytes) -> RunDifference:
    """Where two bodies part."""
    pairs = enumerate(zip(old, new, strict=False))
    at = next((at for at, (item, two) in pairs if item != two), min(len(old), len(new)))
    start = max(0, at - SHOWN // 3)
    around = [body[start : start + SHOWN].decode("utf-8", "replace") for body in (old, new)]
    return RunDifference(place, f"They differ from byte {at + 1:,} on.", *around)


class RecordedBytes:
    """The bytes of an answer, from the record instead of a socket."""

    def __init__(self, recorded: RecordedTry, access: Access, failure: Failure | None) -> None:
        self._recorded = recorded
        self._access = access
        self._failure = failure
        self._is_read = False

    @property
    def host(self) -> str:
        """Who answered."""
        provider = self._access.provider
        return provider.name if provider.id == BUILTIN.id else provider.endpoint(None).host

    @property
    def status(self) -> int | None:
        """The status it answered with, if it did."""
        return self._recorded.head.get("status")

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that were kept."""
        return self._recorded.head.get("headers", {})

    async def open(self) -> None:
        """The answer begins, if it did then. Raises UnreadableAnswer."""
        if not self._recorded.head:
            raise UnreadableAnswer(self._failure or NO_WORDS)

    async def read(self) -> bytes | None:
        """All bytes, then the end, or what broke it. Raises UnreadableAnswer."""
        if not self._is_read:
            self._is_read = True
            return self._recorded.answer
        if self._failure is not None and 200 <= (self.status or 0) < 300:
            raise UnreadableAnswer(self._failure)
        return None

    def left_over(self) -> bytes:
        """Nothing: all that came was recorded as read."""
        return b""

    def told(self) -> None:
        """Nobody waits."""

    def sign(self, failure: Failure) -> Failure:
        """The failure with who failed, as the transport signs it."""
        headers = self.headers
        request_id = headers.get("request-id") or headers.get("x-request-id")
        return replace(
            failure,
            provider=failure.provider or self._access.provider.id,
            request_id=failure.request_id or request_id,
        )
