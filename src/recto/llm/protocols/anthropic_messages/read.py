"""Answers of the API, streamed or whole, to neutral events. Unknown things are passed over."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from recto.llm.assembly import Assembly
from recto.llm.encoding import convert
from recto.llm.framing import Frame
from recto.llm.names import own_name
from recto.llm.protocols.anthropic_messages.answer import (
    Answer,
    BlockStart,
    Delta,
    Event,
    WireUsage,
    converted,
    decode_event,
    read_explanation,
    read_usage,
)
from recto.llm.protocols.anthropic_messages.read_failure import read_stream_error
from recto.messages import Failure, Origin, StopReason, StreamEvent, ToolCallEnded

REASONS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "pause_turn": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "max_tokens",
}
BROKE_OFF = "The answer broke off before its end."
NOT_A_CALL = "The model wrote a tool call that is not valid JSON."
NOT_JSON = "The provider sent something that is not JSON."


@dataclass(slots=True)
class OpenBlock:
    """A block between its start and its stop."""

    type: str
    start: Any
    slot: int = -1
    signature: str = ""
    input: Any = None
    json: list[str] = field(default_factory=list[str])
    citations: list[Any] = field(default_factory=list[Any])
    is_mixed: bool = False
    """Other blocks came in between."""


class MessagesReader:
    """Reads one answer."""

    def __init__(self, origin: Origin) -> None:
        self._assembly = Assembly(origin)
        self._blocks: dict[int, OpenBlock] = {}
        self._alone: OpenBlock | None = None
        """The only block that may be open with none in between."""
        self._usage = WireUsage()
        self._stop_reason: str | None = None
        self._stop_sequence: str | None = None
        self._stop_details: Any = None
        self._slots = 0
        self._complete_calls = 0
        self._is_broken = False

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells."""
        if self._assembly.is_finished:
            return []
        if self._is_broken:
            return self._assembly.finish("error", failure=Failure("upstream", NOT_JSON))
        try:
            event = decode_event(frame.data)
        except msgspec.DecodeError:
            found = self._decode_slowly(frame.data)
            if found is None:
                return []
            event = found
        match event.type:
            case "content_block_delta":
                return self.on_delta(event.index, event.delta) if event.delta else []
            case "content_block_start":
                return self.on_block_start(event.index, event.content_block)
            case "content_block_stop":
                return self.on_block_stop(event.index)
            case _:
                return self.on_message(event)

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended."""
        # Only `message_stop` is missing: the reason came before it, with the last counts.
        if self._stop_reason is not None:
            return self.on_message_stop()
        failure = failure or Failure("network", BROKE_OFF)
        return self._assembly.finish("error", failure=failure)

    def _decode_slowly(self, data: bytes) -> Event | None:
        """Half a character is JSON to others, not to our decoder; other misfits tell nothing."""
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError):
            # The last event of a broken connection looks like this, too: `end` will tell.
            self._is_broken = True
            return None
        try:
            return convert(found, Event)
        except msgspec.ValidationError:
            return None

    def on_message(self, event: Event) -> list[StreamEvent]:
        """What is said about the answer as a whole."""
        match event.type:
            case "message_start":
                return self.on_message_start(event.message)
            case "message_delta":
                return self.on_message_delta(event.delta or Delta(), event.usage)
            case "message_stop":
                return self.on_message_stop()
            case "error":
                failure = read_stream_error({"error": event.error, "request_id": event.request_id})
                return self._assembly.finish("error", failure=failure)
            case _:
                return []

    def on_message_start(self, message: Any) -> list[StreamEvent]:
        """The answer begins."""
        answer = converted(message, Answer)
        started = self._assembly.start(answer.id, answer.model)
        return [*started, *self._report(answer.usage, is_final=False)]

    def on_message_delta(self, delta: Delta, usage: Any) -> list[StreamEvent]:
        """Why it stops, and what it used; the last word counts."""
        if delta.stop_reason is not None:
            self._stop_reason = delta.stop_reason
            self._stop_sequence = delta.stop_sequence
            self._stop_details = delta.stop_details
        return self._report(usage, is_final=self._stop_reason is not None)

    def _report(self, usage: Any, *, is_final: bool) -> list[StreamEvent]:
        if not isinstance(usage, dict):
            return []
        # Counts are running totals, and later reports leave out what did not change.
        self._usage = self._usage.updated(converted(usage, WireUsage))
        if self._usage == WireUsage():
            return []
        return self._assembly.report_usage(read_usage(self._usage, is_final=is_final))

    def on_message_stop(self) -> list[StreamEvent]:
        """The end."""
        raw = self._stop_reason
        events: list[StreamEvent] = []
        # A block that the limit cut off is not complete, whatever it looks like.
        if raw != "max_tokens":
            events = [event for index in list(self._blocks) for event in self.on_block_stop(index)]
        reason = REASONS.get(raw or "end_turn", "end_turn")
        # What is there decides: compatible servers don't always tell the two apart.
        if raw in (None, "end_turn", "tool_use"):
            reason = "tool_use" if self._complete_calls else "end_turn"
        failure = None
        if raw == "tool_use" and self._slots and not self._complete_calls:
            reason = "error"
            failure = Failure("upstream", NOT_A_CALL, code="malformed_tool_call")
        end = self._assembly.finish(
            reason,
            raw_reason=raw,
            stop_sequence=self._stop_sequence,
            failure=failure,
            explanation=read_explanation(self._stop_details) if reason == "refusal" else None,
        )
        return [*events, *end]

    def on_block_start(self, index: int, start: Any) -> list[StreamEvent]:
        """A part begins."""
        block = converted(start, BlockStart)
        opened = OpenBlock(block.type, start, signature=block.signature)
        self._mix(opened)
        self._blocks[index] = opened
        match block.type:
            case "text":
                opened.citations = list(block.citations or ())
                return self._assembly.add_text(block.text)
            case "thinking":
                return self._assembly.add_thinking(block.thinking)
            case "redacted_thinking":
                return self._assembly.end_thinking({"redacted": block.data})
            case "tool_use":
                return self._open_call(opened, block)
            case _:
                return []

    def _mix(self, opened: OpenBlock) -> None:
        """Mark blocks that are open at the same time. All others were marked before."""
        if not self._blocks:
            self._alone = opened
            return
        opened.is_mixed = True
        if self._alone is not None:
            self._alone.is_mixed = True
            self._alone = None

    def _open_call(self, opened: OpenBlock, block: BlockStart) -> list[StreamEvent]:
        opened.slot = self._slots
        opened.input = block.input
        self._slots += 1
        known = {"caller": block.caller, "toolset_name": block.toolset_name}
        payload = {key: value for key, value in known.items() if value is not None}
        name = own_name(block.name)
        return self._assembly.open_call(opened.slot, block.id, name, payload or None)

    def on_delta(self, index: int, delta: Delta) -> list[StreamEvent]:
        """Some more of a part."""
        match delta.type:
            case "text_delta":
                return self._assembly.add_text(delta.text)
            case "thinking_delta":
                return self._assembly.add_thinking(delta.thinking)
            case "input_json_delta":
                return self._add_json(index, delta.partial_json)
            case _:
                self._add_rest(index, delta)
                return []

    def _add_json(self, index: int, text: str) -> list[StreamEvent]:
        block = self._blocks.get(index)
        if block is None:
            return []
        if block.type == "tool_use":
            return self._assembly.add_arguments(block.slot, text)
        block.json.append(text)
        return []

    def _add_rest(self, index: int, delta: Delta) -> None:
        block = self._blocks.get(index)
        if block is None:
            return
        if delta.type == "signature_delta":
            block.signature = delta.signature
        elif delta.type == "citations_delta":
            block.citations.append(delta.citation)

    def on_block_stop(self, index: int) -> list[StreamEvent]:
        """A part is complete."""
        block = self._blocks.pop(index, None)
        match block.type if block else None:
            case None | "redacted_thinking":
                return []
            case "text":
                return self._end_text(cast(OpenBlock, block))
            case "thinking" if cast(OpenBlock, block).is_mixed:
                # Whose words are whose is not known, and a signature on others is refused.
                return []
            case "thinking":
                signature = cast(OpenBlock, block).signature
                payload = {"signature": signature} if signature else None
                return self._assembly.end_thinking(payload)
            case "tool_use":
                return self._end_call(cast(OpenBlock, block))
            case _:
                return self._end_native(cast(OpenBlock, block))

    def _end_text(self, block: OpenBlock) -> list[StreamEvent]:
        if block.citations:
            return self._assembly.sign_text({"citations": block.citations})
        self._assembly.end_text()
        return []

    def _end_call(self, block: OpenBlock) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        # Anthropic streams the input; others put it whole into the start of the block.
        if block.input and not self._assembly.arguments_text(block.slot):
            events = self._assembly.add_arguments(block.slot, json.dumps(block.input))
        events += self._assembly.close_call(block.slot)
        for event in events:
            if isinstance(event, ToolCallEnded) and event.arguments is not None:
                self._complete_calls += 1
        return events

    def _end_native(self, block: OpenBlock) -> list[StreamEvent]:
        if not isinstance(block.start, dict):
            return []
        whole = cast(dict[str, Any], block.start)
        text = "".join(block.json)
        if text:
            try:
                whole = {**whole, "input": json.loads(text)}
            except (ValueError, RecursionError):
                # Cut off in the middle: it could not go back.
                return []
        return self._assembly.add_native({"block": whole})


def read_whole(body: bytes, origin: Origin) -> list[StreamEvent]:
    """Read an answer that was not streamed, as the events a stream would have told."""
    reader = MessagesReader(origin)
    try:
        answer = convert(json.loads(body), Answer)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return Assembly(origin).finish("error", failure=Failure("upstream", NOT_JSON))
    if answer.type == "error":
        failure = read_stream_error({"error": answer.error, "request_id": answer.request_id})
        return Assembly(origin).finish("error", failure=failure)
    start = {"id": answer.id, "model": answer.model}
    events = reader.on_message_start(start)
    for index, block in enumerate(answer.content or ()):
        events += reader.on_block_start(index, block)
        events += reader.on_block_stop(index)
    delta = Delta(
        stop_reason=answer.stop_reason,
        stop_sequence=answer.stop_sequence,
        stop_details=answer.stop_details,
    )
    events += reader.on_message_delta(delta, answer.usage)
    return [*events, *reader.on_message_stop()]
