"""Hears suggestions in a model's answer: from its call, or from words that hold the same JSON."""

from collections.abc import Iterator
from dataclasses import dataclass

from recto.access import Access
from recto.assist.confidence import NOT_IN_A_CALL, Confidence, confidence_of, unknown
from recto.context import SUGGEST, SuggestionReader, suggestions_in
from recto.messages import (
    Finished,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallStarted,
)


@dataclass(frozen=True, slots=True)
class ParsedSuggestion:
    """A suggestion as the model gave it."""

    text: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A token of the answer's words: where it stands, and how likely it was."""

    start: int
    end: int
    logprob: float


class SuggestionParser:
    """Takes the events of one answer."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._call = SuggestionReader()
        self._words = SuggestionReader()
        self._slot: int | None = None
        self._tokens: list[AnswerToken] = []
        self._length = 0
        self._has_found = False

    def hear(self, event: StreamEvent) -> list[ParsedSuggestion]:
        """The suggestions that are complete with this event."""
        found = list(self._hear(event))
        self._has_found = self._has_found or bool(found)
        return found

    def _hear(self, event: StreamEvent) -> Iterator[ParsedSuggestion]:
        match event:
            case ToolCallStarted() if event.name == SUGGEST and self._slot is None:
                self._slot = event.slot
            case ToolCallDelta() if event.slot == self._slot:
                for item in self._call.feed(event.text):
                    yield ParsedSuggestion(item.text, unknown(NOT_IN_A_CALL))
            case TextDelta() if self._slot is None:
                self._note(event)
                for item in self._words.feed(event.text):
                    yield ParsedSuggestion(item.text, self._confidence(item.start, item.end))
            case Finished() if not self._has_found:
                yield from self._whole_answer(event)
            case _:
                pass

    def _note(self, event: TextDelta) -> None:
        """Remember where the tokens are, if they are what the words are made of."""
        start, self._length = self._length, self._length + len(event.text)
        if "".join(logprob.token for logprob in event.logprobs) != event.text:
            return
        for logprob in event.logprobs:
            end = start + len(logprob.token)
            self._tokens.append(AnswerToken(start, end, logprob.logprob))
            start = end

    def _confidence(self, start: int, end: int) -> Confidence:
        inside = [
            _token.logprob for _token in self._tokens if _token.start < end and _token.end > start
        ]
        return confidence_of(self._access, inside)

    def _whole_answer(self, end: Finished) -> Iterator[ParsedSuggestion]:
        """The suggestions of an answer whose form could be read only when all of it was there."""
        calls = [call.arguments for call in end.message.calls if call.name == SUGGEST]
        sureness = unknown(NOT_IN_A_CALL) if calls else confidence_of(self._access, ())
        for text in suggestions_in(calls[0] if calls else None, end.message.text):
            yield ParsedSuggestion(text, sureness)
