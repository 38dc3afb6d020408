"""What the loop needs from outside. It knows no provider, no store and no clock."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

from recto.agent.events import TurnEvent
from recto.messages import StreamEvent, ToolCall
from recto.tools import ToolOutcome


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Where a turn ends by itself."""

    steps: int = 50
    wall_s: float = 3600.0
    spend_micros: int | None = None


@dataclass(frozen=True, slots=True)
class LoopPorts:
    """What the loop asks, runs and tells with.

    ask: asks the model for one step, with everything that has been told so far.
    is_safe: whether a call changes nothing, so that it may run beside others.
    permit: may wait for a person, as long as it takes; the words why not, or None when the call may
        run. One call is asked about at a time.
    run: does it. An expected failure is an error outcome; an exception is a bug and ends the turn.
    join: takes in what people said meanwhile; whether there was anything. Not asked at a limit:
        what was said is for the next turn to answer.
    tell: hears every event, in order, one at a time. A stop may cut it off at a piece of an answer
        and nowhere else. What it raised at counts as not told.
    spent_micros: what the turn has cost so far.
    monotonic: seconds that never go back.
    """

    ask: Callable[[int], AsyncGenerator[StreamEvent]]
    is_safe: Callable[[ToolCall], bool]
    permit: Callable[[ToolCall], Awaitable[str | None]]
    run: Callable[[ToolCall], Awaitable[ToolOutcome]]
    join: Callable[[], Awaitable[bool]]
    tell: Callable[[TurnEvent], Awaitable[None]]
    spent_micros: Callable[[], int]
    monotonic: Callable[[], float]
