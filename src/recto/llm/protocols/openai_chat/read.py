"""A Chat Completions answer as neutral events."""

import json
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from recto.llm.assembly import Assembly
from recto.llm.encoding import convert
from recto.llm.framing import Frame
from recto.llm.protocols.openai_chat.calls import Calls
from recto.llm.protocols.openai_chat.chunks import (
    Chunk,
    ChunkChoice,
    Delta,
    FirstChunk,
    Logprobs,
    Whole,
    WholeChoice,
)
from recto.llm.protocols.openai_chat.read_failure import read_error
from recto.llm.protocols.openai_chat.reasoning import Thoughts, as_objects, words_of
from recto.llm.protocols.openai_chat.think_tags import ThinkTags
from recto.llm.protocols.openai_chat.usage import groq_usage, read_usage
from recto.messages import (
    Failure,
    Origin,
    StopReason,
    StreamEvent,
    TokenProbability,
    Usage,
)

REASONS: dict[str, StopReason] = {
    "length": "max_tokens",
    "model_length": "max_tokens",
    "max_tokens": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
    "guardrail_intervened": "refusal",
    "error": "error",
}
BROKE_OFF = Failure("network", "The answer broke off before its end.")
UNREADABLE = Failure("upstream", "The provider sent data that can't be read.", code="malformed")
EMPTY = Failure("upstream", "The provider sent an empty answer.", code="empty_answer")
FAILED = Failure("upstream", "The provider failed while it answered.", code="error")

Read = TypeVar("Read")
_CHUNKS = msgspec.json.Decoder(Chunk)
_FIRST_CHUNKS = msgspec.json.Decoder(FirstChunk)
_WHOLES = msgspec.json.Decoder(Whole)


class ChatReader:
    """Reads one answer, piece by piece."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._assembly = Assembly(origin)
        self._calls = Calls(self._assembly)
        self._is_started = False
        self._is_refused = False
        self._is_unreadable = False
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._tags: ThinkTags | None = ThinkTags()
        self._held_logprobs: list[TokenProbability] = []
        self._thoughts = Thoughts()
        self._is_whole = False
        self._is_speaking = False
        """The last thing told is words: what belongs to thoughts does not cut them in two."""

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells."""
        if self._assembly.is_finished:
            return []
        if self._is_unreadable:
            return self._fail(UNREADABLE)
        if frame.data.startswith(b"[DONE]"):
            return self._conclude()
        chunk = self._decode(frame.data)
        if chunk is None:
            return self._on_unreadable(frame)
        if self._is_speaking and self._tags is None and (words := plain_words(chunk, frame)):
            return self._assembly.add_text(words)
        if chunk.error or frame.event == "error" or (chunk.message and not chunk.choices):
            return self._fail(read_error(frame.data))
        events = [] if self._is_started else self._on_start(chunk)
        for choice in chunk.choices or ():
            if not choice.index:
                events += self._on_choice(choice)
        usage = chunk.usage if chunk.usage is not None else groq_usage(chunk.x_groq)
        if usage is not None:
            events += self._on_usage(usage)
        return events

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended. After a finish reason, the answer is complete all the same."""
        if self._assembly.is_finished:
            return []
        # Some servers close without [DONE].
        return self._conclude() if self._finish else self._fail(failure or BROKE_OFF)

    def read_whole(self, body: bytes) -> list[StreamEvent]:
        """Read an answer that came as one."""
        self._is_whole = True
        whole = decode(body, _WHOLES, Whole)
        if whole is None:
            return self._fail(replace(UNREADABLE, message=read_error(body).message))
        if whole.error or (whole.message and not whole.choices):
            return self._fail(read_error(body))
        choice = whole.choices[0] if whole.choices else WholeChoice()
        message = choice.message or Delta()
        for index, call in enumerate(message.tool_calls or ()):
            # Whole answers number no calls; without it, two without ids would become one.
            call.index = index
        events = self._start(whole.id, whole.model)
        events += self._on_choice(ChunkChoice(0, message, choice.finish_reason, choice.logprobs))
        usage = read_usage(whole.usage, "final")
        events += self._assembly.report_usage(usage) if usage else []
        return events + self._conclude()

    def _decode(self, data: bytes) -> Chunk | None:
        if self._is_started:
            return decode(data, _CHUNKS, Chunk)
        return decode(data, _FIRST_CHUNKS, FirstChunk)

    def _on_unreadable(self, frame: Frame) -> list[StreamEvent]:
        """Data cut by the end of the stream broke off; followed by more, it is nonsense."""
        if frame.event == "error":
            return self._fail(read_error(frame.data))
        self._is_unreadable = frame.event in ("", "message") and self._finish is None
        return []

    def _on_start(self, chunk: Chunk) -> list[StreamEvent]:
        """Some servers tell of their filters before the answer begins, under no id."""
        assert isinstance(chunk, FirstChunk)
        if not chunk.id and not chunk.choices:
            return []
        return self._start(chunk.id, chunk.model)

    def _start(self, answer_id: str | None, model: str | None) -> list[StreamEvent]:
        self._is_started = True
        self._calls.answer_id = answer_id or ""
        return self._assembly.start(answer_id or "", model or self._origin.model)

    def _on_choice(self, choice: ChunkChoice) -> list[StreamEvent]:
        delta = choice.delta
        events = [] if delta is None else self._on_thoughts(delta)
        if delta is not None:
            if delta.content:
                events += self._on_content(delta.content, choice.logprobs)
            if delta.refusal:
                self._is_refused = True
                events += self._on_words(delta.refusal, ())
            if delta.tool_calls:
                events += self._flush()
                for call in delta.tool_calls:
                    events += self._calls.on_piece(call)
        if choice.finish_reason:
            self._finish = choice.finish_reason
        return events

    def _on_thoughts(self, delta: Delta) -> list[StreamEvent]:
        words = ""
        if delta.reasoning_details:
            words = self._thoughts.add_details(delta.reasoning_details, is_whole=self._is_whole)
        if thought := delta.reasoning_content or delta.reasoning:
            return self._on_thought(thought, is_content=bool(delta.reasoning_content))
        return self._think(words) if words else []

    def _on_thought(self, thought: Any, *, is_content: bool) -> list[StreamEvent]:
        if not isinstance(thought, str):
            return []
        self._thoughts.came_in("reasoning_content" if is_content else "reasoning")
        return self._think(thought)

    def _think(self, words: str) -> list[StreamEvent]:
        self._is_speaking = False
        return self._assembly.add_thinking(words)

    def _on_content(self, content: str | list[Any], logprobs: Logprobs | None) -> list[StreamEvent]:
        probabilities = () if logprobs is None else read_logprobs(logprobs)
        if isinstance(content, str):
            return self._on_text(content, probabilities)
        events: list[StreamEvent] = []
        for part in as_objects(content):
            if part.get("type") == "thinking":
                events += self._on_thinking_part(part)
            elif text := words_of(part):
                events += self._on_text(text, probabilities)
                probabilities = ()
        return events

    def _on_thinking_part(self, part: dict[str, Any]) -> list[StreamEvent]:
        """Mistral's thoughts: whole, or in pieces that are one until it is signed."""
        events = self._end_thinking() if self._is_whole or self._thoughts.is_signed else []
        return [*events, *self._think(self._thoughts.add_part(part))]

    def _on_text(self, text: str, told: tuple[TokenProbability, ...]) -> list[StreamEvent]:
        if self._tags is None:
            return self._on_words(text, told)
        self._held_logprobs += told
        pieces = self._tags.feed(text)
        if self._tags.is_over:
            self._tags = None
        if not pieces:
            return []
        told, self._held_logprobs = tuple(self._held_logprobs), []
        return self._on_pieces(pieces, told)

    def _on_pieces(
        self, pieces: list[tuple[bool, str]], logprobs: tuple[TokenProbability, ...]
    ) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        for is_thought, text in pieces:
            if is_thought:
                events += self._on_thought(text, is_content=True)
            else:
                events += self._on_words(text, logprobs)
        return events

    def _on_words(self, text: str, logprobs: tuple[TokenProbability, ...]) -> list[StreamEvent]:
        ended = [] if self._is_speaking else self._end_thinking()
        self._is_speaking = True
        return [*ended, *self._assembly.add_text(text, logprobs)]

    def _end_thinking(self) -> list[StreamEvent]:
        if not self._thoughts.is_open:
            return []
        payload = self._thoughts.take()
        return self._assembly.end_thinking(payload) if payload else []

    def _flush(self) -> list[StreamEvent]:
        """Words that waited for a tag to show, and the end of open thoughts."""
        pieces = self._tags.end() if self._tags is not None else []
        self._tags = None
        return [*self._on_pieces(pieces, tuple(self._held_logprobs)), *self._end_thinking()]

    def _on_usage(self, usage: Any) -> list[StreamEvent]:
        found = read_usage(usage, "final" if self._finish else "partial")
        self._usage = found or self._usage
        return self._assembly.report_usage(found) if found else []

    def _conclude(self) -> list[StreamEvent]:
        events = [*self._flush(), *self._calls.settle()]
        raw = self._finish
        if raw in (None, "tool_calls", "function_call") and not self._assembly.has_content:
            return events + self._fail(EMPTY)
        reason = REASONS.get(raw or "", "end_turn")
        if reason == "error":
            return events + self._fail(FAILED)
        if self._is_refused:
            reason = "refusal"
        elif reason in ("end_turn", "tool_use"):
            # Many servers say "stop" after calls, or "tool_calls" without any.
            reason = "tool_use" if self._assembly.has_calls else "end_turn"
        if reason == "max_tokens":
            events += self._calls.close_complete()
        if self._usage is not None:
            # Some tell the usage before the finish reason: it was the last word all the same.
            events += self._assembly.report_usage(replace(self._usage, source="final"))
        return events + self._assembly.finish(reason, raw_reason=raw)

    def _fail(self, failure: Failure) -> list[StreamEvent]:
        events = self._flush()
        return events + self._assembly.finish("error", raw_reason=self._finish, failure=failure)


def plain_words(chunk: Chunk, frame: Frame) -> str:
    """The words of a chunk that has nothing besides them, as nearly all have; else none."""
    choices = chunk.choices
    if choices is None or len(choices) != 1 or frame.event == "error":
        return ""
    if not (chunk.usage is None and chunk.x_groq is None and not chunk.error):
        return ""
    choice = choices[0]
    delta = choice.delta
    if delta is None or choice.index or choice.finish_reason or choice.logprobs is not None:
        return ""
    is_more = (
        delta.reasoning_content
        or delta.reasoning
        or delta.reasoning_details
        or delta.refusal
        or delta.tool_calls
    )
    return delta.content if not is_more and isinstance(delta.content, str) else ""


def decode(data: bytes, decoder: msgspec.json.Decoder[Read], kind: type[Read]) -> Read | None:
    """The data, if it can be read. Half a pair of surrogates needs the slow way."""
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, RecursionError):
        try:
            found = json.loads(data.decode("utf-8", "replace"))
            return convert(found, kind, strict=False)
        except (ValueError, RecursionError):
            return None


def read_logprobs(logprobs: Logprobs) -> tuple[TokenProbability, ...]:
    """How likely the tokens were."""
    return tuple(
        TokenProbability(part.token, part.logprob)
        for part in logprobs.content or ()
        if part.logprob is not None
    )


def read_whole(body: bytes, origin: Origin) -> list[StreamEvent]:
    """Read an answer that was not streamed, as the events a stream would have told."""
    return ChatReader(origin).read_whole(body)
