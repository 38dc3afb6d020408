"""Puts an answer together while it streams: tells each piece, keeps each complete part.

Shared by every protocol's reader, so that all of them end in the same kind of `Finished`.
"""

from recto.llm.names import free_id
from recto.llm.open_parts import OpenCall, OpenText, OpenThinking, Pieces
from recto.llm.tool_arguments import read_arguments
from recto.messages import (
    Failure,
    Finished,
    Json,
    Message,
    Native,
    Origin,
    Part,
    ProviderData,
    Started,
    StopReason,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    TokenProbability,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
    encodable,
)


class Assembly:
    """One answer in the making. Each method returns the events it causes, in order."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._parts: list[OpenText | OpenThinking | OpenCall | Native] = []
        self._calls: dict[int, OpenCall] = {}
        self._ids: dict[str, int] = {}
        self._usage: Usage | None = None
        self.is_finished = False

    @property
    def has_calls(self) -> bool:
        """Whether any tool call was begun."""
        return bool(self._calls)

    @property
    def has_content(self) -> bool:
        """Whether anything was told that a reader could have seen."""
        return any(
            not isinstance(part, OpenText) or bool(part.text.all() or part.payload)
            for part in self._parts
        )

    @property
    def open_pieces(self) -> Pieces | None:
        """The pieces of the words or thoughts that are being written."""
        current = self._parts[-1] if self._parts else None
        if isinstance(current, OpenThinking) and not current.ended:
            return current.text
        if isinstance(current, OpenText) and current.payload is None and not current.ended:
            return current.text
        return None

    def start(self, answer_id: str, model: str) -> list[StreamEvent]:
        """The provider began to answer."""
        return [Started(answer_id, model)]

    def add_text(self, text: str, logprobs: tuple[TokenProbability, ...] = ()) -> list[StreamEvent]:
        """Some more words. They continue the text before them, unless something came between."""
        if not text:
            return []
        current = self._parts[-1] if self._parts else None
        events: list[StreamEvent] = []
        if type(current) is OpenText and current.payload is None and not current.ended:
            if text.isascii() and not current.text.half:
                # Nearly every word of an answer comes by here.
                current.text.parts.append(text)
                return [TextDelta(text, logprobs)]
        else:
            events = self._leave_part()
            current = OpenText()
            self._parts.append(current)
        shown = current.text.add(text)
        if shown:
            events.append(TextDelta(shown, logprobs))
        return events

    def open_text(self) -> list[StreamEvent]:
        """The words that follow are a part of their own, not joined to those before."""
        events = self._leave_part()
        self._parts.append(OpenText())
        return events

    def sign_text(self, payload: Json) -> list[StreamEvent]:
        """Provider data of the words just written (or of an empty text, if there are none)."""
        events = self._leave_part()
        current = self._parts[-1] if self._parts else None
        if not isinstance(current, OpenText) or current.payload is not None:
            current = OpenText()
            self._parts.append(current)
        current.payload = payload
        return events

    def end_text(self) -> None:
        """The words just written are a part of their own: what follows begins another."""
        current = self._parts[-1] if self._parts else None
        if isinstance(current, OpenText):
            current.ended = True

    def add_thinking(self, text: str) -> list[StreamEvent]:
        """Some more thoughts; the first of them begins a part."""
        current = self._parts[-1] if self._parts else None
        events: list[StreamEvent] = []
        if not isinstance(current, OpenThinking) or current.ended:
            events = self._leave_part()
            current = OpenThinking()
            self._parts.append(current)
            events.append(ThinkingStarted())
        shown = current.text.add(text)
        if shown:
            events.append(ThinkingDelta(shown))
        return events

    def open_thinking(self) -> list[StreamEvent]:
        """The thoughts that follow are a part of their own, not joined to those before."""
        events = self._leave_part()
        self._parts.append(OpenThinking())
        return [*events, ThinkingStarted()]

    def end_thinking(self, payload: Json | None = None) -> list[StreamEvent]:
        """The thoughts are complete; `payload` must go back with them."""
        events: list[StreamEvent] = []
        current = self._parts[-1] if self._parts else None
        if not isinstance(current, OpenThinking) or current.ended:
            events = self.add_thinking("")
            current = self._parts[-1]
        assert isinstance(current, OpenThinking)
        current.payload = payload
        current.ended = True
        rest = current.text.end()
        return [
            *events,
            *([ThinkingDelta(rest)] if rest else []),
            ThinkingEnded(self._data(payload)),
        ]

    def sign_late(self, pieces: Pieces, payload: Json) -> None:
        """Provider data of words or thoughts that something else has followed already."""
        for part in reversed(self._parts):
            if isinstance(part, OpenText | OpenThinking) and part.text is pieces:
                part.payload = payload
                return

    def _leave_part(self) -> list[StreamEvent]:
        """Whatever follows thoughts ends them; half a character at the end of words is shown."""
        current = self._parts[-1] if self._parts else None
        if isinstance(current, OpenThinking) and not current.ended:
            return self.end_thinking(current.payload)
        if isinstance(current, OpenText):
            rest = current.text.end()
            return [TextDelta(rest)] if rest else []
        return []

    def open_call(
        self, slot: int, call_id: str, name: str, payload: Json | None = None
    ) -> list[StreamEvent]:
        """A tool call begins. An id that another call of the answer has gets a number."""
        call_id = free_id(call_id, self._ids)
        events = self._leave_part()
        if slot in self._calls:
            events += self.close_call(slot)
        call = OpenCall(call_id, name, payload=payload)
        self._calls[slot] = call
        self._parts.append(call)
        return [*events, ToolCallStarted(slot, call_id, name)]

    def add_arguments(self, slot: int, text: str) -> list[StreamEvent]:
        """Some more of a call's arguments. What comes after its end is left out."""
        call = self._calls[slot]
        shown = "" if call.ended else call.text.add(text)
        return [ToolCallDelta(slot, shown)] if shown else []

    def complete_arguments(self, slot: int, whole: str) -> list[StreamEvent]:
        """The arguments as they are: what is missing is told, and what was told wrongly is not."""
        call = self._calls[slot]
        whole = encodable(whole)
        if call.ended or not whole:
            return []
        call.text.half = ""
        known = call.text.all()
        if whole.startswith(known):
            return self.add_arguments(slot, whole[len(known) :])
        call.text = Pieces([whole])
        return []

    def sign_call(self, slot: int, payload: Json) -> None:
        """Provider data of a call."""
        self._calls[slot].payload = payload

    def arguments_text(self, slot: int) -> str:
        """What has come of a call's arguments so far."""
        return self._calls[slot].text.all()

    def close_call(self, slot: int, *, is_whole: bool = True) -> list[StreamEvent]:
        """A call is written. No arguments at all means none are needed.

        One that is not whole, or names no tool, has no arguments: it is never run.
        """
        call = self._calls[slot]
        if call.ended:
            return []
        call.ended = True
        rest = call.text.end()
        raw = call.text.all()
        call.arguments = read_arguments(raw) if is_whole and call.name else None
        return [
            *([ToolCallDelta(slot, rest)] if rest else []),
            ToolCallEnded(slot, call.arguments, raw),
        ]

    def add_native(self, payload: Json) -> list[StreamEvent]:
        """A block of a kind that only the provider knows."""
        events = self._leave_part()
        self._parts.append(Native(ProviderData(self._origin, payload)))
        return events

    def report_usage(self, usage: Usage) -> list[StreamEvent]:
        """What was used so far."""
        if usage == self._usage:
            return []
        self._usage = usage
        return [UsageReported(usage)]

    def finish(
        self,
        reason: StopReason,
        *,
        raw_reason: str | None = None,
        stop_sequence: str | None = None,
        failure: Failure | None = None,
        explanation: str | None = None,
    ) -> list[StreamEvent]:
        """The end: open parts are closed, and one `Finished` is told. A second end is no end."""
        if self.is_finished:
            return []
        self.is_finished = True
        events = self._leave_part()
        # A call that was cut off may be valid JSON by chance: it must not run.
        if failure is None and reason != "max_tokens":
            events += [event for slot in self._calls for event in self.close_call(slot)]
        message = Message("assistant", self._complete_parts())
        why = encodable(explanation).strip() if explanation else None
        end = Finished(
            reason,
            message,
            self._usage,
            failure,
            raw_reason,
            stop_sequence,
            explanation=why or None,
        )
        return [*events, end]

    def _complete_parts(self) -> tuple[Part, ...]:
        found = [self._complete(part) for part in self._parts]
        return tuple(part for part in found if part is not None)

    def _complete(self, part: OpenText | OpenThinking | OpenCall | Native) -> Part | None:
        match part:
            case OpenText():
                text = part.text.all()
                return Text(text, self._data(part.payload)) if text or part.payload else None
            case OpenThinking():
                text = part.text.all()
                return Thinking(text, self._data(part.payload)) if text or part.payload else None
            case OpenCall():
                if part.arguments is None:
                    return None
                return ToolCall(part.id, part.name, part.arguments, self._data(part.payload))
            case Native():
                return part

    def _data(self, payload: Json | None) -> ProviderData | None:
        return None if payload is None else ProviderData(self._origin, payload)
