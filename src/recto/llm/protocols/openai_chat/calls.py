"""Tool calls out of the pieces that servers send: with and without index, id, or order.

A piece belongs to the call of its index, else of its id, else to the last one. A new id, or a name
after arguments that are already complete, begins another call even under the same index.
"""

from dataclasses import dataclass, field
from typing import Any

from recto.llm.assembly import Assembly, read_arguments
from recto.llm.encoding import encode
from recto.llm.names import own_name, wire_id
from recto.llm.protocols.openai_chat.chunks import CallPiece
from recto.messages import StreamEvent


@dataclass(slots=True)
class OpenCall:
    """A call, told once its id and name are known."""

    slot: int
    id: str = ""
    name: str = ""
    is_told: bool = False
    waiting: list[str] = field(default_factory=list[str])
    """Arguments that came before the call could be told."""
    extra: dict[str, Any] | None = None


class Calls:
    """All calls of one answer."""

    def __init__(self, assembly: Assembly) -> None:
        self.answer_id = ""
        self._assembly = assembly
        self._calls: list[OpenCall] = []
        self._by_key: dict[int | str, OpenCall] = {}
        self._ids: set[str] = set()

    def on_piece(self, piece: CallPiece) -> list[StreamEvent]:
        """Some more of a call."""
        function = piece.function
        name = (function.name if function else None) or ""
        text = write_text(function.arguments if function else None)
        events: list[StreamEvent] = []
        call = self._find(piece, name)
        if call is None:
            # An id that has not come by now does not come.
            events += self.settle()
            call = OpenCall(len(self._calls))
            self._calls.append(call)
        if (key := key_of(piece)) is not None:
            self._by_key[key] = call
        call.id = call.id or piece.id or ""
        call.name = call.name or name
        call.extra = call.extra or piece.extra_content
        if not call.is_told and call.id and call.name:
            events += self._tell(call)
        if not call.is_told:
            call.waiting.append(text)
            return events
        if call.extra is not None:
            self._assembly.sign_call(call.slot, {"extra_content": call.extra})
        return events + self._assembly.add_arguments(call.slot, text) if text else events

    def settle(self) -> list[StreamEvent]:
        """Tell the calls that never got an id, under one we make. Without a name, it is no call."""
        waiting = [call for call in self._calls if call.name and not call.is_told]
        return [event for call in waiting for event in self._tell(call)]

    def close_complete(self) -> list[StreamEvent]:
        """End those whose arguments are there; the answer was cut in the others."""
        told = [call.slot for call in self._calls if call.is_told]
        complete = [slot for slot in told if is_object(self._assembly.arguments_text(slot))]
        return [event for slot in complete for event in self._assembly.close_call(slot)]

    def _find(self, piece: CallPiece, name: str) -> OpenCall | None:
        key = key_of(piece)
        last = self._calls[-1] if self._calls else None
        call = last if key is None else self._by_key.get(key)
        if call is None or not name or not call.name:
            return call
        if piece.id and call.id:
            return call if piece.id == call.id else None
        return None if not piece.id and is_object(self._text_of(call)) else call

    def _text_of(self, call: OpenCall) -> str:
        return self._assembly.arguments_text(call.slot) if call.is_told else "".join(call.waiting)

    def _tell(self, call: OpenCall) -> list[StreamEvent]:
        if not call.id or call.id in self._ids:
            call.id = wire_id(f"{self.answer_id}:{call.slot}:{call.name}")
        self._ids.add(call.id)
        call.is_told = True
        payload = None if call.extra is None else {"extra_content": call.extra}
        events = self._assembly.open_call(call.slot, call.id, own_name(call.name), payload)
        text = "".join(call.waiting)
        return events + self._assembly.add_arguments(call.slot, text) if text else events


def key_of(piece: CallPiece) -> int | str | None:
    """What a piece says of the call it belongs to, if anything."""
    return piece.index if piece.index is not None else piece.id or None


def write_text(arguments: str | dict[str, Any] | None) -> str:
    """Arguments as JSON text; some servers send the object itself."""
    if isinstance(arguments, dict):
        return encode(arguments).decode()
    return arguments or ""


def is_object(text: str) -> bool:
    """Whether the text is a complete JSON object."""
    return bool(text.strip()) and read_arguments(text) is not None
