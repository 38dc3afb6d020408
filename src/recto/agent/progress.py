"""How a turn stands: what has been told of it, and so what its history still lacks to be whole."""

from dataclasses import dataclass
from typing import assert_never

from recto.agent.answer import PartialAnswer
from recto.agent.calls import AnswerCalls
from recto.agent.events import (
    Answered,
    CallEnded,
    CallStarted,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
    TurnEvent,
)


@dataclass(slots=True)
class TurnProgress:
    """Changes only by what was told."""

    step: int = 0
    answer: PartialAnswer | None = None
    """The answer that is awaited: a step that started and has no `Answered`."""
    calls: AnswerCalls | None = None
    """The calls of the last answer, until their results are ready."""
    is_over: bool = False

    def note(self, event: TurnEvent) -> None:
        """An event was told."""
        match event:
            case StepStarted(step):
                self.step, self.answer = step, PartialAnswer(is_first=step == 1)
            case Answered(end=end):
                self.answer = None
                self.calls = AnswerCalls(end.message.calls) if end.message.calls else None
            case CallStarted(call=call):
                self.open_calls.start(call)
            case CallEnded(call=call, result=result):
                self.open_calls.settle(call, result)
            case ResultsReady():
                self.calls = None
            case TurnEnded():
                self.is_over = True
            case Streamed():
                pass
            case _:
                assert_never(event)

    @property
    def open_calls(self) -> AnswerCalls:
        """The calls, where there must be some."""
        assert self.calls is not None
        return self.calls

    @property
    def open_answer(self) -> PartialAnswer:
        """The answer, where one must be awaited."""
        assert self.answer is not None
        return self.answer
