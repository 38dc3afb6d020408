"""Tool calls out of the pieces that servers send: with and without index, id, or order.

A piece belongs to the call of its index, else of its id, else to the last one. A new id, or a name
after arguments that are already complete, begins another call even under the same index.
Some servers repeat the name with each piece, so that must not look at all pieces again.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from recto.llm.assembly import Assembly
from recto.llm.encoding import encode
from recto.llm.names import own_name, wire_id
from recto.llm.protocols.openai_chat.chunks import CallPiece
from recto.llm.tool_arguments import read_arguments
from recto.messages import StreamEvent

MARK = re.compile(r'[{}\[\]"]')
END_OF_STRING = re.compile(r'["\\]')


@dataclass(slots=True)
class ObjectEnd:
    """Looks for the end of a JSON object that comes in pieces, at each character once."""

    depth: int = 0
    in_string: bool = False
    is_escaped: bool = False
    is_reached: bool = False
    is_passed: bool = False
    """Something follows the end: the whole is no object."""

    def feed(self, text: str) -> None:
        """Look at one more piece."""
        at = 0
        while at < len(text) and not self.is_passed:
            if self.is_reached:
                self.is_passed = bool(text[at:].strip())
                return
            at = self._in_string(text, at) if self.in_string else self._outside(text, at)

    def _in_string(self, text: str, at: int) -> int:
        if self.is_escaped:
            self.is_escaped = False
            return at + 1
        found = END_OF_STRING.search(text, at)
        if found is None:
            return len(text)
        self.is_escaped = found[0] == "\\"
        self.in_string = self.is_escaped
        return found.end()

    def _outside(self, text: str, at: int) -> int:
        found = MARK.search(text, at)
        if found is None:
            return len(text)
        match found[0]:
            case '"':
                self.in_string = True
            case "{" | "[":
                self.depth += 1
            case _:
                self.depth -= 1
                self.is_reached = self.depth <= 0
        return found.end()


@dataclass(slots=True)
class StreamedCall:
    """A call, told once its id and name are known."""

    slot: int
    id: str = ""
    name: str = ""
    is_told: bool = False
    waiting: list[str] = field(default_factory=list[str])
    """Arguments that came before the call could be told."""
    extra: dict[str, Any] | None = None
    unseen: list[str] = field(default_factory=list[str])
    """Arguments that the end was not yet looked for in."""
    end: ObjectEnd = field(default_factory=ObjectEnd)
    is_object: bool | None = None
    """Whether what stands before the end is an object, once there is an end."""


class Calls:
    """All calls of one answer."""

    def __init__(self, assembly: Assembly) -> None:
        self.answer_id = ""
        self._assembly = assembly
        self._calls: list[StreamedCall] = []
        self._untold: list[StreamedCall] = []
        """Those that have a name and no id."""
        self._by_key: dict[int | str, StreamedCall] = {}
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
            call = StreamedCall(len(self._calls))
            self._calls.append(call)
        if (key := key_of(piece)) is not None:
            self._by_key[key] = call
        call.id = call.id or piece.id or ""
        is_named_now = bool(name and not call.name)
        call.name = call.name or name
        call.extra = call.extra or piece.extra_content
        call.unseen.append(text)
        if not call.is_told and call.id and call.name:
            events += self._tell(call)
        elif is_named_now:
            self._untold.append(call)
        if not call.is_told:
            call.waiting.append(text)
            return events
        if call.extra is not None:
            self._assembly.sign_call(call.slot, {"extra_content": call.extra})
        return events + self._assembly.add_arguments(call.slot, text) if text else events

    def settle(self) -> list[StreamEvent]:
        """Tell the calls that never got an id, under one we make. Without a name, it is no call."""
        waiting, self._untold = sorted(self._untold, key=lambda call: call.slot), []
        return [event for call in waiting if not call.is_told for event in self._tell(call)]

    def close_complete(self) -> list[StreamEvent]:
        """End those whose arguments are there; the answer was cut in the others."""
        told = [call.slot for call in self._calls if call.is_told]
        complete = [slot for slot in told if is_object(self._assembly.arguments_text(slot))]
        return [event for slot in complete for event in self._assembly.close_call(slot)]

    def _find(self, piece: CallPiece, name: str) -> StreamedCall | None:
        key = key_of(piece)
        last = self._calls[-1] if self._calls else None
        call = last if key is None else self._by_key.get(key)
        if call is None or not name or not call.name:
            return call
        if piece.id and call.id:
            return call if piece.id == call.id else None
        return None if not piece.id and self._is_complete(call) else call

    def _is_complete(self, call: StreamedCall) -> bool:
        """Whether a call's arguments are an object. They are put together only at its end."""
        call.end.feed("".join(call.unseen))
        call.unseen.clear()
        if not call.end.is_reached or call.end.is_passed:
            return False
        if call.is_object is None:
            call.is_object = is_object(self._text_of(call))
        return call.is_object

    def _text_of(self, call: StreamedCall) -> str:
        return self._assembly.arguments_text(call.slot) if call.is_told else "".join(call.waiting)

    def _tell(self, call: StreamedCall) -> list[StreamEvent]:
        if not call.id or call.id in self._ids:
            # Made of what is known, not drawn: a replay must come to the same id.
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
