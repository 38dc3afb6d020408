"""The loop of a turn: ask, run the tools it wants, ask again, until it ends."""

from recto.agent.events import (
    Answered,
    CallEnded,
    CallStarted,
    CallState,
    EndReason,
    ResultsReady,
    StepStarted,
    Streamed,
    TurnEnded,
    TurnEvent,
)
from recto.agent.loop import run_turn
from recto.agent.ports import LoopPorts, TurnLimits

__all__ = [
    "Answered",
    "CallEnded",
    "CallStarted",
    "CallState",
    "EndReason",
    "TurnLimits",
    "LoopPorts",
    "ResultsReady",
    "StepStarted",
    "Streamed",
    "TurnEnded",
    "TurnEvent",
    "run_turn",
]
