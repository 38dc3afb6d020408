"""Gemini's answers as neutral events.

Each piece of a stream is a partial answer; the end is the end of the connection after a piece that
said why it finished, so the reason is kept until then. Tool calls come whole.
"""

import hashlib
import json
from typing import Any, cast

import msgspec

from recto.llm.assembly import Assembly
from recto.llm.encoding import convert
from recto.llm.error_answers import first_words
from recto.llm.framing import Frame
from recto.llm.names import own_name
from recto.llm.protocols.gemini.read_failures import (
    ErrorBody,
    error_failure,
    read_error_body,
)
from recto.messages import (
    Failure,
    Origin,
    StopReason,
    StreamEvent,
    TokenProbability,
    Usage,
    encodable,
    encodable_json,
)

REFUSED = frozenset(
    [
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "JAILBREAK",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "IMAGE_OTHER",
    ]
)
MALFORMED = frozenset(
    [
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "MALFORMED_RESPONSE",
        "TOO_MANY_TOOL_CALLS",
    ]
)
CONTINUATION = "CONTINUATION"
CUT = frozenset(["MAX_TOKENS", CONTINUATION])
EMPTY_ANSWER = "empty_answer"
BROKE_OFF = Failure("network", "The answer broke off before its end.")


class ReadCall(msgspec.Struct, rename="camel"):
    """A call, whole unless its arguments are streamed, which Recto does not ask for."""

    name: str = ""
    args: dict[str, Any] | None = None
    id: str | None = None
    partial_args: list[Any] | None = None
    will_continue: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether these are all of its arguments."""
        return not self.partial_args and not self.will_continue


class ReadPart(msgspec.Struct, rename="camel"):
    """A piece. One with neither text nor call is of a kind that only Gemini knows."""

    text: str | None = None
    thought: bool = False
    function_call: ReadCall | None = None
    thought_signature: str | None = None


class ReadContent(msgspec.Struct):
    """The pieces of a chunk."""

    parts: list[ReadPart] | None = None


class LikelyToken(msgspec.Struct, rename="camel"):
    """A token and how likely it was."""

    token: str = ""
    log_probability: float = 0.0


class LogprobsResult(msgspec.Struct, rename="camel"):
    """The tokens of the text."""

    chosen_candidates: list[LikelyToken] | None = None


class Candidate(msgspec.Struct, rename="camel"):
    """An answer; we ask for one."""

    content: ReadContent | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    index: int = 0
    continuation_token: str | None = None
    logprobs_result: LogprobsResult | None = None


class UsageMetadata(msgspec.Struct, rename="camel"):
    """What was used so far. Later reports may leave out what earlier ones said."""

    prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class PromptFeedback(msgspec.Struct, rename="camel"):
    """Why the prompt was not answered."""

    block_reason: str | None = None
    block_reason_message: str | None = None


class Chunk(msgspec.Struct, rename="camel"):
    """A partial answer, or an error in its place."""

    candidates: list[Candidate] | None = None
    usage_metadata: UsageMetadata | None = None
    prompt_feedback: PromptFeedback | None = None
    model_version: str | None = None
    response_id: str | None = None
    error: ErrorBody | None = None


decode_chunk = msgspec.json.Decoder(Chunk).decode


class RawParts:
    """The parts of a candidate as they came. The data is read again only once for all of them."""

    def __init__(self, data: bytes, candidate: int) -> None:
        self._data = data
        self._candidate = candidate
        self._parts: list[Any] | None = None

    def part(self, index: int) -> dict[str, Any]:
        """A part with every field that Gemini gave it."""
        if self._parts is None:
            candidate = json.loads(self._data)["candidates"][self._candidate]
            self._parts = cast(list[Any], candidate["content"]["parts"])
        return encodable_json(self._parts[index])


class GeminiReader:
    """Reads one streamed answer."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._answer = Assembly(origin)
        self._response_id: str | None = None
        self._call_ids: set[str] = set()
        self._counts = UsageMetadata()
        self._finish: str | None = None
        self._finish_words: str | None = None
        self._continuation: str | None = None
        self._is_blocked = False
        self._says_something = False

    def feed(self, frame: Frame) -> list[StreamEvent]:
        """What a frame tells."""
        if self._answer.is_finished:
            return []
        try:
            chunk = decode_chunk(frame.data)
        except (msgspec.DecodeError, RecursionError):
            return self.on_odd(frame.data)
        return self.on_chunk(chunk, frame.data)

    def end(self, failure: Failure | None = None) -> list[StreamEvent]:
        """The connection ended. What finished before stays finished."""
        if self._finish is None:
            return self._answer.finish("error", failure=failure or BROKE_OFF)
        return self.on_finish(self._finish)

    def on_odd(self, data: bytes) -> list[StreamEvent]:
        """Data the fast decoder refuses: half a surrogate pair, a list, numbers as text."""
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError):
            return self.end()
        events: list[StreamEvent] = []
        try:
            for item in cast(list[Any], found) if isinstance(found, list) else [found]:
                chunk = convert(item, Chunk, strict=False)
                events += self.on_chunk(chunk, json.dumps(item).encode())
        except msgspec.ValidationError as error:
            words = f"The provider sent what is no Gemini answer: {error}"
            events += self._answer.finish("error", failure=Failure("upstream", words))
        return events

    def on_chunk(self, chunk: Chunk, data: bytes) -> list[StreamEvent]:
        """A partial answer."""
        if chunk.error is not None:
            return self._answer.finish("error", failure=error_failure(chunk.error))
        events: list[StreamEvent] = []
        if self._response_id is None:
            self._response_id = chunk.response_id or ""
            model = chunk.model_version or self._origin.model
            events += self._answer.start(self._response_id, model)
        for place, candidate in enumerate(chunk.candidates or ()):
            if candidate.index == 0:
                events += self.on_candidate(candidate, RawParts(data, place))
        if chunk.prompt_feedback is not None:
            self.on_feedback(chunk.prompt_feedback)
        if chunk.usage_metadata is not None:
            events += self.on_usage(chunk.usage_metadata)
        return events

    def on_candidate(self, candidate: Candidate, raw: "RawParts") -> list[StreamEvent]:
        """The pieces of the answer, and why it finished."""
        events: list[StreamEvent] = []
        if candidate.content is not None and candidate.content.parts:
            logprobs = read_logprobs(candidate.logprobs_result)
            for index, part in enumerate(candidate.content.parts):
                if part.text is not None:
                    events += self.on_text(part, logprobs)
                elif part.function_call is not None:
                    events += self.on_call(part.function_call, part.thought_signature)
                else:
                    events += self.on_native(raw.part(index))
        if candidate.continuation_token:
            self._continuation = candidate.continuation_token
        if candidate.finish_reason:
            self._finish = candidate.finish_reason
            self._finish_words = candidate.finish_message
        return events

    def on_text(self, part: ReadPart, logprobs: tuple[TokenProbability, ...]) -> list[StreamEvent]:
        """Words or thoughts. What is signed is never joined to what is not."""
        text, signature = part.text or "", part.thought_signature
        if part.thought:
            events = self._answer.add_thinking(text)
            if signature:
                events += self._answer.end_thinking({"signature": signature})
            return events
        if text:
            self._says_something = True
        if not signature:
            return self._answer.add_text(text, logprobs)
        events = self._answer.open_text()
        events += self._answer.add_text(text, logprobs)
        return events + self._answer.sign_text({"signature": signature})

    def on_call(self, call: ReadCall, signature: str | None) -> list[StreamEvent]:
        """A call."""
        self._says_something = True
        slot = len(self._call_ids)
        arguments = json.dumps(call.args or {}, ensure_ascii=False)
        call_id = self.free_id(call, arguments, slot)
        payload = {"signature": signature} if signature else None
        events = self._answer.open_call(slot, call_id, own_name(encodable(call.name)), payload)
        events += self._answer.add_arguments(slot, arguments)
        return events + self._answer.close_call(slot, is_whole=call.is_whole)

    def free_id(self, call: ReadCall, arguments: str, slot: int) -> str:
        """The call's id; one of our own where it has none, or one that is taken."""
        found = encodable(call.id or "")
        if not found or found in self._call_ids:
            written = f"{call.name}{arguments}".encode("utf-8", "replace")
            source = self._response_id or hashlib.sha256(written).hexdigest()[:16]
            found = f"gem_{source}_{slot}"
        self._call_ids.add(found)
        return found

    def on_native(self, part: dict[str, Any]) -> list[StreamEvent]:
        """A part of another kind, kept whole. A signature alone says nothing and is not kept."""
        if not part.keys() - {"thought", "thoughtSignature"}:
            return []
        self._says_something = True
        return self._answer.add_native({"part": part})

    def on_feedback(self, feedback: PromptFeedback) -> None:
        """The prompt was blocked, or judged harmless."""
        if feedback.block_reason:
            self._is_blocked = True
            self._finish = feedback.block_reason
            self._finish_words = feedback.block_reason_message

    def on_usage(self, told: UsageMetadata) -> list[StreamEvent]:
        """What was used so far. It is the last word once the answer has finished."""
        kept = self._counts
        self._counts = UsageMetadata(
            # Later chunks leave counts out, or say 0 for what they said before.
            told.prompt_token_count or kept.prompt_token_count,
            told.cached_content_token_count or kept.cached_content_token_count,
            told.candidates_token_count or kept.candidates_token_count,
            told.thoughts_token_count or kept.thoughts_token_count,
            told.tool_use_prompt_token_count or kept.tool_use_prompt_token_count,
        )
        usage = read_usage(self._counts, is_final=self._finish is not None)
        return self._answer.report_usage(usage)

    def on_finish(self, word: str) -> list[StreamEvent]:
        """The end, for the reason that was given."""
        finish = self._answer.finish
        if self._is_blocked or word in REFUSED:
            raw = f"{word}: {self._finish_words}" if self._finish_words else word
            return finish("refusal", raw_reason=raw, explanation=self._finish_words)
        if word in CUT:
            events = self.on_continuation(self._continuation) if self._continuation else []
            goes_on = word == CONTINUATION and bool(self._continuation)
            return events + finish("pause" if goes_on else "max_tokens", raw_reason=word)
        if word in MALFORMED:
            words = self._finish_words or f"Gemini stopped with {word}."
            return finish("error", raw_reason=word, failure=Failure("upstream", words, code=word))
        # Gemini at times stops with STOP and no content at all: worth another try.
        if not self._says_something:
            nothing = Failure("upstream", "Gemini answered nothing.", code=EMPTY_ANSWER)
            return finish("error", raw_reason=word, failure=nothing)
        reason: StopReason = "tool_use" if self._answer.has_calls else "end_turn"
        return finish(reason, raw_reason=word)

    def on_continuation(self, token: str) -> list[StreamEvent]:
        """The answer can be continued: its message ends with the token."""
        return self._answer.add_native({"continuation": token})


def read_usage(counts: UsageMetadata, *, is_final: bool) -> Usage:
    """Token counts in neutral terms: cached ones apart, thoughts within the output."""
    prompt = max(0, counts.prompt_token_count or 0)
    cached = min(prompt, max(0, counts.cached_content_token_count or 0))
    thoughts = max(0, counts.thoughts_token_count or 0)
    tools = max(0, counts.tool_use_prompt_token_count or 0)
    return Usage(
        # Gemini counts cached tokens in the prompt, but those of its own tools apart.
        input=prompt - cached + tools,
        cache_read=cached,
        # Thoughts are not among the candidates' tokens, but are billed as output.
        output=max(0, counts.candidates_token_count or 0) + thoughts,
        reasoning=thoughts,
        source="final" if is_final else "partial",
    )


def read_logprobs(result: LogprobsResult | None) -> tuple[TokenProbability, ...]:
    """How likely each token was, where the answer tells."""
    if result is None:
        return ()
    chosen = result.chosen_candidates or ()
    return tuple(TokenProbability(item.token, item.log_probability) for item in chosen)


def read_whole(body: bytes, origin: Origin) -> list[StreamEvent]:
    """Read an answer that was not streamed, or a stream that came as one JSON list."""
    reader = GeminiReader(origin)
    if body.lstrip()[:1] not in (b"{", b"["):
        words = f"The provider answered no JSON: {first_words(body)}"
        return reader.end(Failure("upstream", words))
    error = read_error_body(body)
    if error is not None:
        return reader.end(error_failure(error))
    return reader.feed(Frame("", body)) + reader.end()
