"""Watching one answer: what was used of what was set aside, and how long it took.

Providers' counts are believed as far as they are possible. What can't be, because it is more than
was sent or asked for, is cut to what can; what is missing is estimated from what was sent and
received, never below what was reported.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from recto.clock import Clock
from recto.messages import (
    Finished,
    Message,
    PromptProgress,
    Started,
    StreamEvent,
    Text,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    Usage,
    UsageReported,
)


@dataclass(frozen=True, slots=True)
class TokenBounds:
    """How many tokens a request and its answer can have at most."""

    prompt: int
    output: int
    likely: int | Callable[[], int] | None = None
    """About how many the prompt has, or who counts them once it is asked for: cutting a long prompt
    into tokens must not keep it from its provider. None when nobody counts."""

    @property
    def expected(self) -> int:
        """The best guess of the prompt's tokens."""
        likely = self.likely() if callable(self.likely) else self.likely
        return self.prompt if likely is None else min(likely, self.prompt)


class UsageMeter:
    """Sees every event of one answer."""

    def __init__(self, clock: Clock, began: float | None = None) -> None:
        """`began` is when the request was sent, if that is past."""
        self._clock = clock
        self._began = clock.monotonic() if began is None else began
        self._first: float | None = None
        self._reported: Usage | None = None
        self._pieces: list[str] = []
        self._text: list[str] = []
        self.is_answered = False
        """The provider began to answer, so it will want to be paid."""
        self.answer_id: str | None = None
        self.answer_model: str | None = None
        self.finished: Finished | None = None

    def see(self, event: StreamEvent) -> None:
        """Take note of one event."""
        if type(event) is TextDelta and self._first is not None:
            self._pieces.append(event.text)
            self._text.append(event.text)
            return
        match event:
            case Finished():
                self.finished = event
                # A request that was refused (bad key, overload) costs nothing.
                self.is_answered = self.is_answered or event.failure is None or bool(event.usage)
                self._reported = event.usage or self._reported
            case Started():
                self.is_answered = True
                self.answer_id, self.answer_model = event.id, event.model
            case UsageReported():
                self.is_answered = True
                self._reported = event.usage
            case PromptProgress():
                pass  # nothing of the answer has come yet
            case _:
                self._see_content(event)

    def _see_content(self, event: StreamEvent) -> None:
        self.is_answered = True
        if self._first is None:
            self._first = self._clock.monotonic()
        if isinstance(event, TextDelta | ThinkingDelta | ToolCallDelta):
            self._pieces.append(event.text)
        if isinstance(event, TextDelta):
            self._text.append(event.text)

    @property
    def message(self) -> Message:
        """The words so far, for an answer that broke off without an end."""
        text = "".join(self._text)
        return Message("assistant", (Text(text),) if text else ())

    @property
    def duration_ms(self) -> int:
        """How long it has taken."""
        return round((self._clock.monotonic() - self._began) * 1000)

    @property
    def first_token_ms(self) -> int | None:
        """How long it took until there was something to show."""
        return None if self._first is None else round((self._first - self._began) * 1000)

    @property
    def outcome(self) -> str:
        """How the answer ended, once it has."""
        failure = self.finished.failure if self.finished else None
        if failure is None:
            return "finished"
        return "cancelled" if failure.kind == "cancelled" else "failed"

    @property
    def reported(self) -> Usage | None:
        """The provider's last word on what was used."""
        return self._reported

    def usage(self, bounds: TokenBounds, count: Callable[[str], int]) -> Usage:
        """What was used, as far as anybody can know; nothing if nothing was answered.

        `count` says about how many tokens some words are.
        """
        if not self.is_answered:
            return Usage()
        used = self._reported or Usage()
        is_complete = self.finished is not None and self.finished.failure is None
        if not is_complete or (used.output <= 0 and bounds.output > 0):
            # The count stopped with the answer: more was written than it says.
            received = max(1, count("".join(self._pieces)))
            used = replace(used, output=max(used.output, received), source="estimated")
        if used.prompt <= 0:
            used = replace(
                used,
                input=bounds.expected,
                cache_read=0,
                cache_write=0,
                cache_write_long=0,
                source="estimated",
            )
        return bounded(used, bounds)


def bounded(usage: Usage, bounds: TokenBounds) -> Usage:
    """The usage, cut to what is possible: no count below 0, none above what was sent or asked."""
    left = bounds.prompt
    # The dearest kind first: cutting must never make a request look cheaper than it was.
    write = _between(usage.cache_write, left)
    read = _between(usage.cache_read, left - write)
    output = _between(usage.output, bounds.output)
    return Usage(
        input=_between(usage.input, left - write - read),
        cache_read=read,
        cache_write=write,
        cache_write_long=_between(usage.cache_write_long, write),
        output=output,
        reasoning=_between(usage.reasoning, output),
        source=usage.source,
    )


def _between(count: int, most: int) -> int:
    return max(0, min(count, most))
