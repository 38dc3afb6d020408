"""Neutral events as Gemini's answer, streamed or whole, and failures as Gemini's errors.

Words and thoughts go out as they come. From the first tool call on everything waits for the end:
only the complete message has the signature that must stand beside a call.
"""

import base64
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from recto.llm.carrier import carry
from recto.llm.encoding import convert
from recto.llm.names import wire_name
from recto.llm.protocols.gemini.body import FunctionCall, Part
from recto.llm.protocols.gemini.read import CONTINUATION, CUT, EMPTY_ANSWER, MALFORMED, REFUSED
from recto.llm.protocols.gemini.read_failures import TOO_LONG
from recto.messages import (
    Failure,
    FailureKind,
    Finished,
    Message,
    Native,
    ProviderData,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    TokenProbability,
    ToolCall,
    ToolCallStarted,
    Usage,
    UsageReported,
)
from recto.messages import Part as NeutralPart

OTHER_ENDS = frozenset(["OTHER", "LANGUAGE", "NO_IMAGE", "FINISH_REASON_UNSPECIFIED"])
ERRORS: dict[FailureKind, tuple[int, str]] = {
    "auth": (401, "UNAUTHENTICATED"),
    "quota": (400, "FAILED_PRECONDITION"),
    "budget": (400, "FAILED_PRECONDITION"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "context_length": (400, "INVALID_ARGUMENT"),
    "invalid_request": (400, "INVALID_ARGUMENT"),
    "not_found": (404, "NOT_FOUND"),
    "network": (503, "UNAVAILABLE"),
    "timeout": (504, "DEADLINE_EXCEEDED"),
    "upstream": (500, "INTERNAL"),
    "cancelled": (499, "CANCELLED"),
}
RPC = "type.googleapis.com/google.rpc."
LINE_ENDS = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
)


class AnswerContent(Struct):
    """What the model said."""

    parts: list[Part]
    role: str = "model"


class AnswerCandidate(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """The answer."""

    content: AnswerContent | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    index: int
    continuation_token: str | None = None
    logprobs_result: dict[str, Any] | None = None


class AnswerUsage(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """What it used."""

    prompt_token_count: int
    candidates_token_count: int = 0
    total_token_count: int
    cached_content_token_count: int = 0
    thoughts_token_count: int = 0


class Answer(Struct, rename="camel", omit_defaults=True, kw_only=True):
    """An answer, or a piece of one."""

    candidates: list[AnswerCandidate] | None = None
    prompt_feedback: dict[str, str] | None = None
    usage_metadata: AnswerUsage | None = None
    model_version: str
    response_id: str


encode = msgspec.json.Encoder().encode


class GeminiWriter:
    """Writes one answer as a stream."""

    def __init__(self, answer_id: str, model: str) -> None:
        self._id = answer_id
        self._model = model
        self._usage: Usage | None = None
        self._holds = False
        self._sent_text = 0
        self._sent_thoughts = 0
        self._thoughts: list[str] = []
        self._sealed = 0
        """How many thoughts of other providers went out whole."""

    def write(self, event: StreamEvent) -> bytes:
        """The frames of an event."""
        match event:
            case TextDelta():
                return self.on_text(event)
            case ThinkingDelta():
                return self.on_thoughts(event)
            case ThinkingEnded():
                return self.on_thinking_ended(event.provider)
            case ToolCallStarted():
                self._holds = True
            case UsageReported():
                self._usage = event.usage
            case Finished():
                return self.on_finished(event)
            case _:
                pass
        return b""

    def keep_alive(self) -> bytes:
        """A piece without a candidate, as the API sends them for counts alone."""
        return data_frame(Answer(model_version=self._model, response_id=self._id))

    def on_thinking_ended(self, data: ProviderData | None) -> bytes:
        """The thoughts of another provider go back whole: what was sent of them is in pieces."""
        text, self._thoughts = "".join(self._thoughts), []
        if data is None or data.origin.protocol == "gemini" or self._holds:
            return b""
        self._sealed += 1
        signature = write_signature(data, text)
        return self.frame([Part(text="", thought=True, thought_signature=signature)])

    def on_text(self, event: TextDelta) -> bytes:
        """Some more words."""
        if self._holds:
            return b""
        self._sent_text += len(event.text)
        return self.frame([Part(text=event.text)], event.logprobs)

    def on_thoughts(self, event: ThinkingDelta) -> bytes:
        """Some more thoughts."""
        if self._holds:
            return b""
        self._sent_thoughts += len(event.text)
        self._thoughts.append(event.text)
        return self.frame([Part(text=event.text, thought=True)])

    def on_finished(self, finished: Finished) -> bytes:
        """What is left to say, and why it ends."""
        self._usage = finished.usage or self._usage
        is_silent = not self._sent_text and not self._sent_thoughts
        parts = self.left(finished.message)
        failure = told_failure(finished)
        if failure is None:
            is_silent = is_silent and not parts
            names = (self._id, self._model)
            answer = build_answer(finished, parts, names, self._usage, is_silent=is_silent)
            return data_frame(answer)
        rest = self.frame(parts) if parts else b""
        return rest + b"data: " + safe(write_failure(failure)[1]) + b"\r\n\r\n"

    def left(self, message: Message) -> list[Part]:
        """The parts of the message that were not sent while they came."""
        found: list[Part] = []
        for neutral in message.parts:
            part = write_part(neutral)
            if part is None:
                continue
            sent = 0
            if part.text is not None and part.thought:
                sent = min(len(part.text), self._sent_thoughts)
                self._sent_thoughts -= sent
            elif part.text is not None:
                sent = min(len(part.text), self._sent_text)
                self._sent_text -= sent
            if sent and part.text is not None:
                part.text = part.text[sent:]
            if self._sealed and part.thought and is_foreign(neutral):
                self._sealed -= 1
                continue
            if part.text != "" or part.thought_signature is not None:
                found.append(part)
        return found

    def frame(self, parts: list[Part], logprobs: Iterable[TokenProbability] = ()) -> bytes:
        """A piece of the answer."""
        candidate = AnswerCandidate(
            content=AnswerContent(parts), index=0, logprobs_result=write_logprobs(logprobs)
        )
        answer = Answer(
            candidates=[candidate],
            usage_metadata=write_usage(self._usage),
            model_version=self._model,
            response_id=self._id,
        )
        return data_frame(answer)


def write_whole(events: list[StreamEvent], answer_id: str, model: str) -> bytes:
    """Write an answer that is not streamed; a failure is written as an error."""
    finished = next((event for event in events if isinstance(event, Finished)), None)
    if finished is None:
        raise ValueError("An answer without its end can't be written whole.")
    failure = told_failure(finished)
    if failure is not None:
        return write_failure(failure)[1]
    parts = list(write_parts(finished.message))
    names = (answer_id, model)
    answer = build_answer(finished, parts, names, finished.usage, is_silent=not parts)
    logprobs = [
        logprob for event in events if isinstance(event, TextDelta) for logprob in event.logprobs
    ]
    if answer.candidates:
        answer.candidates[0].logprobs_result = write_logprobs(logprobs)
    return encode(answer)


def build_answer(
    finished: Finished,
    parts: list[Part],
    names: tuple[str, str],
    usage: Usage | None,
    *,
    is_silent: bool,
) -> Answer:
    """The piece that says why the answer ends; without any word, a refusal is of the prompt."""
    answer_id, model = names
    answer = Answer(usage_metadata=write_usage(usage), model_version=model, response_id=answer_id)
    word, _, words = (finished.raw_reason or "").partition(": ")
    if finished.reason == "refusal" and is_silent:
        blocked = {"blockReason": word if word.isupper() else "OTHER"}
        answer.prompt_feedback = blocked | ({"blockReasonMessage": words} if words else {})
        return answer
    failed = finished.failure.message if finished.failure is not None else ""
    answer.candidates = [
        AnswerCandidate(
            index=0,
            content=AnswerContent(parts) if parts else None,
            finish_reason=finish_word(finished, word),
            finish_message=words or failed or None,
            continuation_token=continuation(finished.message),
        )
    ]
    return answer


def told_failure(finished: Finished) -> Failure | None:
    """The failure, unless Gemini has its own finish reason for it."""
    failure = finished.failure
    own = MALFORMED | {EMPTY_ANSWER}
    return None if failure is None or failure.code in own else failure


def finish_word(finished: Finished, raw: str) -> str:
    """Gemini's word for a stop reason; the very word, if it was Gemini's."""
    if finished.failure is not None:
        return finished.failure.code if finished.failure.code in MALFORMED else "STOP"
    match finished.reason:
        case "refusal":
            return raw if raw in REFUSED else "SAFETY"
        case "max_tokens":
            return raw if raw in CUT else "MAX_TOKENS"
        case "pause" if continuation(finished.message) is not None:
            return CONTINUATION
        case _:
            return raw if raw in OTHER_ENDS else "STOP"


def continuation(message: Message) -> str | None:
    """The token that continues the answer, if Gemini gave one."""
    match message.parts[-1:]:
        case (Native(provider=data),) if data.origin.protocol == "gemini":
            return data.payload.get("continuation")
        case _:
            return None


def write_parts(message: Message) -> Iterable[Part]:
    """The parts of an answer as Gemini writes them."""
    found = [write_part(part) for part in message.parts]
    return [part for part in found if part is not None]


def write_part(part: NeutralPart) -> Part | None:
    """A part; what only another provider can read is left out."""
    match part:
        case Text() | Thinking():
            is_thought = isinstance(part, Thinking)
            own = part.provider if is_thought or is_own(part.provider) else None
            signature = write_signature(own, part.text if is_thought else None)
            if not part.text and signature is None:
                return None
            return Part(text=part.text, thought=is_thought, thought_signature=signature)
        case ToolCall():
            call = FunctionCall(wire_name(part.name), dict(part.arguments), part.id)
            return Part(function_call=call, thought_signature=write_signature(part.provider))
        case Native() if part.provider.origin.protocol == "gemini":
            raw = part.provider.payload.get("part")
            return None if raw is None else convert(raw, Part)
        case _:
            return None


def write_signature(data: ProviderData | None, text: str | None = None) -> str | None:
    """A signature of Gemini's; in its form, too, what another provider gave. It must be base64."""
    if data is None:
        return None
    if data.origin.protocol != "gemini":
        return base64.b64encode(carry(data, text=text).encode()).decode()
    return data.payload.get("signature")


def is_own(data: ProviderData | None) -> bool:
    """Whether provider data is Gemini's."""
    return data is not None and data.origin.protocol == "gemini"


def is_foreign(part: NeutralPart) -> bool:
    """Whether these are thoughts with data of another provider."""
    return (
        isinstance(part, Thinking)
        and part.provider is not None
        and part.provider.origin.protocol != "gemini"
    )


def write_usage(usage: Usage | None) -> AnswerUsage | None:
    """Token counts as Gemini tells them: cached ones within the prompt, thoughts apart."""
    if usage is None:
        return None
    return AnswerUsage(
        prompt_token_count=usage.prompt,
        total_token_count=usage.context,
        candidates_token_count=max(0, usage.output - usage.reasoning),
        cached_content_token_count=usage.cache_read,
        thoughts_token_count=usage.reasoning,
    )


def write_logprobs(logprobs: Iterable[TokenProbability]) -> dict[str, Any] | None:
    """How likely each token was."""
    chosen = [{"token": logprob.token, "logProbability": logprob.logprob} for logprob in logprobs]
    return {"chosenCandidates": chosen} if chosen else None


def data_frame(answer: Answer) -> bytes:
    """A piece as a server-sent event, with the line ends the API uses."""
    return b"data: " + safe(encode(answer)) + b"\r\n\r\n"


def safe(data: bytes) -> bytes:
    """Escape what careless clients take for a line end."""
    if data.isascii():
        return data
    for raw, escaped in LINE_ENDS:
        data = data.replace(raw, escaped)
    return data


def write_failure(failure: Failure) -> tuple[int, bytes]:
    """Write an error: the status and the body."""
    code, status = ERRORS[failure.kind]
    message = failure.message
    if failure.kind == "context_length" and not TOO_LONG.search(message):
        message = f"The input token count exceeds the maximum number of tokens allowed. {message}"
    details: list[dict[str, Any]] = []
    if failure.kind in ("quota", "budget"):
        details.append({"@type": f"{RPC}ErrorInfo", "reason": "BILLING_DISABLED"})
    if failure.retry_after_s is not None:
        delay = f"{failure.retry_after_s:.9f}".rstrip("0").rstrip(".")
        details.append({"@type": f"{RPC}RetryInfo", "retryDelay": f"{delay}s"})
    error = {"code": code, "message": message, "status": status}
    return code, encode({"error": error | ({"details": details} if details else {})})
