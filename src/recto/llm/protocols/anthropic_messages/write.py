"""Neutral events to the API's own stream, for a foreign client: the inverse of `read`.

One block is open at a time and indexes count up from 0. What belongs to a later block waits, so
calls that come mixed go out one after the other. Frames are ASCII: no client can cut them wrong.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Any

from recto.llm.carrier import carry
from recto.llm.names import wire_name
from recto.llm.protocols.anthropic_messages.write_message import (
    block_of_native,
    error_body,
    is_own,
    write_stop,
    write_usage,
)
from recto.messages import (
    Failure,
    Finished,
    Message,
    Native,
    PromptProgress,
    ProviderData,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
)

Block = dict[str, Any]
DELTA = (
    "event: content_block_delta\n"
    'data: {"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":%s}}\n\n'
)
_encode = json.JSONEncoder(separators=(",", ":")).encode
PING = 'event: ping\ndata: {"type":"ping"}\n\n'


@dataclass(slots=True)
class Lane:
    """A block and those of its pieces that wait to be written."""

    kind: str
    start: Block
    slot: int = -1
    pieces: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    is_open: bool = False
    is_ended: bool = False
    has_pieces: bool = False

    def add(self, kind: str, key: str, text: str) -> None:
        """Some more of the block."""
        self.has_pieces = True
        self.pieces.append((kind, key, text))


class MessagesWriter:
    """Writes one answer."""

    def __init__(self, answer_id: str, model: str) -> None:
        self._id = answer_id
        self._model = model
        self._is_started = False
        self._index = 0
        self._lanes: deque[Lane] = deque()
        self._calls: dict[int, Lane] = {}
        self._usage: Usage | None = None

    def write(self, event: StreamEvent) -> bytes:
        """The frames an event becomes; possibly none."""
        if type(event) is TextDelta and self._is_writing_text():
            text = encode_basestring_ascii(event.text)
            return (
                (DELTA % (self._index, "text_delta", "text", text)).encode() if event.text else b""
            )
        match event:
            case TextDelta() if event.text:
                lane = self._lane("text", {"type": "text", "text": ""})
                lane.add("text_delta", "text", event.text)
            case ToolCallDelta():
                self._calls[event.slot].add("input_json_delta", "partial_json", event.text)
            case ThinkingDelta():
                self._thinking_lane().add("thinking_delta", "thinking", event.text)
            case ThinkingEnded():
                self.on_thinking_ended(event.provider)
            case ToolCallStarted():
                self.on_call_started(event)
            case ToolCallEnded():
                self.on_call_ended(self._calls[event.slot], event.raw)
            case UsageReported():
                self._usage = event.usage
            case Finished():
                return self.on_finished(event).encode()
            case Started() | ThinkingStarted() | TextDelta() | PromptProgress():
                # A block begins with its first words: none is empty, and thoughts may turn out
                # to be redacted.
                pass
        return "".join((*self._start(), *self._drain())).encode()

    def keep_alive(self) -> bytes:
        """A ping; the answer must have begun."""
        return "".join((*self._start(), PING)).encode()

    def on_thinking_ended(self, data: ProviderData | None) -> None:
        """The block ends with its signature; the API's own redacted thoughts are a whole block."""
        redacted = data.payload.get("redacted") if data and is_own(data) else None
        if redacted is not None:
            self._add_whole({"type": "redacted_thinking", "data": redacted})
            return
        if data is None and not (self._lanes and self._lanes[-1].kind == "thinking"):
            return
        lane = self._thinking_lane()
        if data is not None:
            proof = data.payload.get("signature", "") if is_own(data) else carry(data)
            lane.add("signature_delta", "signature", str(proof))
        lane.is_ended = True

    def on_call_started(self, event: ToolCallStarted) -> None:
        """A call begins, now or when the blocks before it have ended."""
        name = wire_name(event.name)
        start: Block = {"type": "tool_use", "id": event.id, "name": name, "input": {}}
        self._calls[event.slot] = self._add(Lane("tool_use", start, event.slot))

    def on_call_ended(self, lane: Lane, raw: str) -> None:
        """A call is written; one without arguments says so."""
        if not lane.has_pieces:
            lane.add("input_json_delta", "partial_json", raw.strip() or "{}")
        lane.is_ended = True

    def on_finished(self, event: Finished) -> str:
        """The end, or an error: after an error nothing is closed and nothing follows."""
        if event.failure is not None or event.reason == "error":
            failure = event.failure or Failure("upstream", "The answer could not be completed.")
            return frame("error", error_body(failure))
        for block in carriers(event.message):
            self._add_whole(block)
        for lane in self._lanes:
            lane.is_ended = True
        usage = write_usage(event.usage or self._usage)
        delta = {"type": "message_delta", "delta": write_stop(event), "usage": usage}
        frames = (*self._start(), *self._drain(), frame("message_delta", delta))
        return "".join((*frames, frame("message_stop", {"type": "message_stop"})))

    def _is_writing_text(self) -> bool:
        """Whether words are open and nothing waits: then more of them go out as they are."""
        lanes = self._lanes
        if len(lanes) != 1:
            return False
        lane = lanes[0]
        return lane.kind == "text" and lane.is_open and not lane.is_ended

    def _lane(self, kind: str, start: Block) -> Lane:
        """The last lane if it is of this kind and still open, else a new one."""
        last = self._lanes[-1] if self._lanes else None
        if last is not None and last.kind == kind and not last.is_ended:
            return last
        return self._add(Lane(kind, start))

    def _thinking_lane(self) -> Lane:
        return self._lane("thinking", {"type": "thinking", "thinking": "", "signature": ""})

    def _add(self, lane: Lane) -> Lane:
        if self._lanes and self._lanes[-1].kind != "tool_use":
            # Words and thoughts end where something else begins; a call says when it ends.
            self._lanes[-1].is_ended = True
        self._lanes.append(lane)
        return lane

    def _add_whole(self, block: Block) -> None:
        self._add(Lane("whole", block)).is_ended = True

    def _start(self) -> Iterator[str]:
        if not self._is_started:
            self._is_started = True
            message: Block = {
                "id": self._id,
                "type": "message",
                "role": "assistant",
                "model": self._model,
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": write_usage(self._usage),
            }
            yield frame("message_start", {"type": "message_start", "message": message})

    def _drain(self) -> Iterator[str]:
        """What can be written now: the first lane's pieces, and each next lane's when one ends."""
        while self._lanes:
            lane = self._lanes[0]
            if not lane.is_open:
                lane.is_open = True
                start = {"index": self._index, "content_block": lane.start}
                yield frame("content_block_start", {"type": "content_block_start", **start})
            for kind, key, text in lane.pieces:
                yield DELTA % (self._index, kind, key, encode_basestring_ascii(text))
            lane.pieces.clear()
            if not lane.is_ended:
                return
            stop = {"type": "content_block_stop", "index": self._index}
            yield frame("content_block_stop", stop)
            self._index += 1
            self._lanes.popleft()


def carriers(message: Message) -> Iterator[Block]:
    """What no event tells: blocks of the API's own, and what other providers gave with calls."""
    for part in message.parts:
        match part:
            case Native():
                yield block_of_native(part)
            case ToolCall() if part.provider is not None and not is_own(part.provider):
                yield {"type": "redacted_thinking", "data": carry(part.provider, part.id)}
            case _:
                pass


def frame(event: str, data: Block) -> str:
    """One event of a stream."""
    return f"event: {event}\ndata: {_encode(data)}\n\n"
