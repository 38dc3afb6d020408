"""Hears suggestions in a model's answer: from its call, or from words that hold the same JSON."""

from collections.abc import Iterator
from dataclasses import dataclass

from recto.assist.confidence import UNKNOWN, Confidence, confidence_of
from recto.context import SUGGEST, SuggestionReader, suggestions_in
from recto.messages import (
    Finished,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallStarted,
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A suggestion as the model gave it."""

    text: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the answer's words: where it stands, and how likely it was."""

    start: int
    end: int
    logprob: float


class Hearing:
    """Takes the events of one answer."""

    def __init__(self) -> None:
        self._call = SuggestionReader()
        self._words = SuggestionReader()
        self._slot: int | None = None
        self._tokens: list[Token] = []
        self._length = 0
        self._has_found = False

    def hear(self, event: StreamEvent) -> list[Heard]:
        """The suggestions that are complete with this event."""
        found = list(self._hear(event))
        self._has_found = self._has_found or bool(found)
        return found

    def _hear(self, event: StreamEvent) -> Iterator[Heard]:
        match event:
            case ToolCallStarted() if event.name == SUGGEST and self._slot is None:
                self._slot = event.slot
            case ToolCallDelta() if event.slot == self._slot:
                for one in self._call.feed(event.text):
                    yield Heard(one.text, UNKNOWN)
            case TextDelta() if self._slot is None:
                self._note(event)
                for one in self._words.feed(event.text):
                    yield Heard(one.text, self._confidence(one.start, one.end))
            case Finished() if not self._has_found:
                yield from whole_answer(event)
            case _:
                pass

    def _note(self, event: TextDelta) -> None:
        """Remember where the tokens are, if they are what the words are made of."""
        start, self._length = self._length, self._length + len(event.text)
        if "".join(one.token for one in event.logprobs) != event.text:
            return
        for one in event.logprobs:
            end = start + len(one.token)
            self._tokens.append(Token(start, end, one.logprob))
            start = end

    def _confidence(self, start: int, end: int) -> Confidence:
        inside = [one.logprob for one in self._tokens if one.start < end and one.end > start]
        return confidence_of(inside)


def whole_answer(end: Finished) -> Iterator[Heard]:
    """The suggestions of an answer whose form could be read only when all of it was there."""
    calls = [call.arguments for call in end.message.calls if call.name == SUGGEST]
    for text in suggestions_in(calls[0] if calls else None, end.message.text):
        yield Heard(text, UNKNOWN)
