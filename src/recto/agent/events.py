"""What happens in a turn, told as it happens. Each event is a frozen value with a literal `type`.

Whoever is told decides what is written down. `tell` returns once the event is as safe as its kind
demands: pieces of an answer may wait a moment, everything else is durable when it returns.
"""

from dataclasses import dataclass
from typing import Literal

from recto.messages import Failure, Finished, Json, StreamEvent, ToolCall, ToolResult
from recto.tools import Artifact, ShortenedOutput

EndReason = Literal[
    "done",  # the model said what it had to say
    "max_tokens",  # the answer was cut at its longest; it can be continued
    "refusal",  # the model declined
    "failed",  # the model could not be asked; what came before stands
    "cancelled",  # somebody stopped it
    "steps",  # as many steps as are allowed
    "time",  # as long as is allowed
    "spend",  # as dear as is allowed
    "repeat",  # the same call three times in a row
]
CallState = Literal["done", "error", "denied", "cancelled"]


@dataclass(frozen=True, slots=True)
class StepStarted:
    """The model is asked now; steps count from 1."""

    step: int
    type: Literal["step_started"] = "step_started"


@dataclass(frozen=True, slots=True)
class Streamed:
    """A piece of the answer; never a `Finished`."""

    step: int
    event: StreamEvent
    type: Literal["streamed"] = "streamed"


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer of a step, or what there is of it after a failure or a stop."""

    step: int
    end: Finished
    type: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool begins. Durable before it does anything."""

    step: int
    call: ToolCall
    type: Literal["call_started"] = "call_started"


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A tool has answered, or its call was refused or stopped.

    A call that was refused, or that the turn did not come to, has no `CallStarted`.
    """

    step: int
    call: ToolCall
    result: ToolResult
    fact: str
    state: CallState
    artifact: Artifact | None = None
    shortened: ShortenedOutput | None = None
    type: Literal["call_ended"] = "call_ended"


@dataclass(frozen=True, slots=True)
class ResultsReady:
    """Every call of a step has its result, in the order of the calls."""

    step: int
    results: tuple[ToolResult, ...]
    type: Literal["results_ready"] = "results_ready"


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. `words` say in the chat what ended it, where that needs saying."""

    reason: EndReason
    words: str = ""
    failure: Failure | None = None
    type: Literal["turn_ended"] = "turn_ended"


TurnEvent = StepStarted | Streamed | Answered | CallStarted | CallEnded | ResultsReady | TurnEnded


@dataclass(frozen=True, slots=True)
class CallKey:
    """What makes two calls the same."""

    name: str
    arguments: Json
