"""What every turn's events must be, however the turn went: a whole history."""

from recto.agent import (
    Answered,
    CallEnded,
    CallStarted,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
    TurnEvent,
)
from recto.messages import Finished, TextDelta, ToolCall, ToolResult


def check_whole(told: list[TurnEvent]) -> None:
    """One end, which is last; and step after step, each with one answer and all its results."""
    assert [event for event in told if isinstance(event, TurnEnded)] == told[-1:]
    steps = [at for at, event in enumerate(told) if isinstance(event, StepStarted)]
    ends = [*steps[1:], len(told) - 1]
    assert steps[:1] == [0] or len(told) == 1
    for number, begin in enumerate(steps):
        check_step(number + 1, told[begin : ends[number]])


def check_step(number: int, told: list[TurnEvent]) -> None:
    """A step is its start, pieces, one answer; and what became of the calls of that answer."""
    assert {event.step for event in told if not isinstance(event, TurnEnded)} == {number}
    answered = [at for at, event in enumerate(told) if isinstance(event, Answered)]
    assert len(answered) == 1
    pieces, (answer, *rest) = told[1 : answered[0]], told[answered[0] :]
    assert isinstance(answer, Answered)
    check_pieces(pieces, answer.end)
    calls = answer.end.message.calls
    check_calls(calls, rest)


def check_pieces(pieces: list[TurnEvent], end: Finished) -> None:
    """Only pieces come before an answer, never its end; the words add up to no more than it has."""
    streamed = [event.event for event in pieces if isinstance(event, Streamed)]
    assert len(streamed) == len(pieces)
    assert not any(isinstance(event, Finished) for event in streamed)
    shown = "".join(event.text for event in streamed if isinstance(event, TextDelta))
    assert end.message.text.startswith(shown)


def check_calls(calls: tuple[ToolCall, ...], told: list[TurnEvent]) -> None:
    """Each call ends once (I11), starts at most once and before its end; then all are ready."""
    if not calls:
        assert told == []
        return
    *middle, last = told
    assert isinstance(last, ResultsReady)
    open_calls = list(calls)
    started: list[str] = []
    results: dict[str, list[ToolResult]] = {}
    for event in middle:
        match event:
            case CallStarted(call=call):
                assert call in open_calls
                assert call.id not in started
                started.append(call.id)
            case CallEnded(call=call, result=result):
                open_calls.remove(call)
                assert (result.call_id, result.name) == (call.id, call.name)
                results.setdefault(call.id, []).append(result)
                if call.id in started:
                    started.remove(call.id)
            case _:
                raise AssertionError(event)
    assert open_calls == []
    assert [results[call.id].pop(0) for call in calls] == list(last.results)
