"""One answer while it comes. Its pieces are kept, so that it has an end whatever happens to it."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from recto.messages import (
    Failure,
    Finished,
    Message,
    PromptProgress,
    Started,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    Usage,
    UsageReported,
)

NO_END = Failure("upstream", "The answer ended abruptly.")
AFTER_END = Failure("upstream", "The provider went on after the end of its answer.")
NO_WORDS = Failure("upstream", "The model failed without saying why.")
NO_ANSWER = Failure("upstream", "The model sent an empty answer.")
NO_WHOLE_CALL = Failure(
    "upstream", "The model called a tool, but the call did not arrive whole. Nothing was run."
)


@dataclass(slots=True)
class PartialBlock:
    """Words or thoughts that belong together, in pieces."""

    kind: type[Text] | type[Thinking]
    pieces: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class PartialAnswer:
    """What has come of one answer."""

    is_first: bool = True
    """Of its turn. After its tools a model may end without a word: what it did is there to see."""
    stretches: list[PartialBlock] = field(default_factory=list[PartialBlock])
    usage: Usage | None = None
    finished: Finished | None = None
    is_overrun: bool = False
    """Whether something followed the end, which makes the whole answer doubtful."""

    def take(self, event: StreamEvent) -> bool:
        """Keep what came; whether it is a piece to be told."""
        if self.finished is not None:
            self.is_overrun = True
            return False
        match event:
            case TextDelta(text):
                self._add(Text, text)
            case ThinkingDelta(text):
                self._add(Thinking, text)
            case ThinkingStarted():
                self.stretches.append(PartialBlock(Thinking))
            case ToolCallStarted():
                # Words after a call are a part of their own.
                self.stretches.append(PartialBlock(Text))
            case UsageReported(usage):
                self.usage = usage
            case Started() | PromptProgress() | ThinkingEnded() | ToolCallDelta() | ToolCallEnded():
                pass
            case Finished():
                self.finished = event
                return False
            case _:
                assert_never(event)
        return True

    def _add(self, kind: type[Text] | type[Thinking], text: str) -> None:
        if not self.stretches or self.stretches[-1].kind is not kind:
            self.stretches.append(PartialBlock(kind))
        self.stretches[-1].pieces.append(text)

    def end(self, missing: Failure) -> Finished:
        """The end that came; without one, an end made of the pieces, with `missing` as its failure.

        An end that can't be acted upon is given a failure, so that nothing of it is run.
        """
        if self.finished is None:
            return Finished("error", self._message(), self._usage(), missing)
        failure = self.finished.failure or self._doubt(self.finished)
        if failure is None:
            return self.finished
        return replace(self.finished, reason="error", failure=failure)

    def _doubt(self, end: Finished) -> Failure | None:
        if self.is_overrun:
            return AFTER_END
        if end.reason == "error":
            return NO_WORDS
        # The call was cut or unreadable; without a failure the turn would end as if done.
        if end.reason == "tool_use" and not end.message.calls:
            return NO_WHOLE_CALL
        has_ended = end.reason in ("end_turn", "stop_sequence")
        if self.is_first and has_ended and says_nothing(end.message):
            return NO_ANSWER
        return None

    def _message(self) -> Message:
        """Words and thoughts, without what only the provider can read, and without calls."""
        said = [(stretch.kind, "".join(stretch.pieces)) for stretch in self.stretches]
        return Message("assistant", tuple(kind(text) for kind, text in said if text))

    def _usage(self) -> Usage | None:
        if self.usage is None or self.usage.source != "final":
            return self.usage
        # It said "final" of an answer that then went on to break off.
        return replace(self.usage, source="partial")


def says_nothing(message: Message) -> bool:
    """Whether there is nothing for a person in it but thoughts."""
    return all(
        isinstance(part, Thinking) or (isinstance(part, Text) and not part.text.strip())
        for part in message.parts
    )
