"""A stage for turns: the model's lines are written down, tools are played, all is noted."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import anyio.lowlevel

from recto.agent import (
    Answered,
    CallEnded,
    CallStarted,
    LoopPorts,
    Streamed,
    TurnEnded,
    TurnEvent,
    TurnLimits,
    run_turn,
)
from recto.messages import (
    AssistantPart,
    Failure,
    Finished,
    Message,
    Started,
    StopReason,
    StreamEvent,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCall,
    ToolCallDelta,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
)
from recto.tools import ToolOutcome

Lines = list[StreamEvent]
"""One answer, as it streams."""


def call(name: str, call_id: str = "c1", **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, arguments)


def answer(
    *parts: AssistantPart | str, reason: StopReason = "end_turn", failure: Failure | None = None
) -> Lines:
    """An answer of these parts; words come in pieces of three letters."""
    whole = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    pieces = [piece for slot, part in enumerate(whole) for piece in spell(slot, part)]
    return [
        Started("a1", "model"),
        *pieces,
        Finished(reason, Message("assistant", whole), failure=failure),
    ]


def wants(*parts: AssistantPart | str) -> Lines:
    """An answer that waits for its tools."""
    return answer(*parts, reason="tool_use")


def spell(slot: int, part: AssistantPart) -> Lines:
    match part:
        case Text(text):
            return [TextDelta(piece) for piece in threes(text)]
        case Thinking(text):
            thoughts = [ThinkingDelta(piece) for piece in threes(text)]
            return [ThinkingStarted(), *thoughts, ThinkingEnded(part.provider)]
        case ToolCall():
            begun = [ToolCallStarted(slot, part.id, part.name), ToolCallDelta(slot, "{}")]
            return [*begun, ToolCallEnded(slot, part.arguments, "{}")]
        case _:
            return []


def threes(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


def said(words: str) -> ToolOutcome:
    return ToolOutcome((Text(words),), fact=f"{len(words)} letters")


def result(call: ToolCall, words: str, *, is_error: bool = False) -> ToolResult:
    return ToolResult(call.id, call.name, (Text(words),), is_error=is_error)


@dataclass
class Stage:
    """Everything a turn needs. Tools whose name begins with `read` are safe."""

    lines: list[Lines]
    """What the model answers, step by step."""
    outcomes: dict[str, ToolOutcome] = field(default_factory=dict[str, ToolOutcome])
    """What tools answer, by name; others say their name."""
    refusals: dict[str, str] = field(default_factory=dict[str, str])
    """Why calls may not run, by id."""
    joins: list[bool] = field(default_factory=list[bool])
    """Whether somebody spoke meanwhile, each time that is asked; never after that."""
    on_run: Callable[[ToolCall], Awaitable[None]] | None = None
    """What happens while a tool runs."""
    on_wait: Callable[[str], None] | None = None
    """What happens at every wait of every port, by its name; `told` is after telling."""
    on_permit: Callable[[], None] | None = None
    spent: int = 0
    now: float = 0.0
    limits: TurnLimits = field(default_factory=TurnLimits)
    told: list[TurnEvent] = field(default_factory=list[TurnEvent])
    permitted: list[ToolCall] = field(default_factory=list[ToolCall])
    """The calls that somebody was asked about."""
    asked: list[int] = field(default_factory=list[int])
    closed: list[int] = field(default_factory=list[int])
    began: list[ToolCall] = field(default_factory=list[ToolCall])
    stopped: list[ToolCall] = field(default_factory=list[ToolCall])
    running: int = 0
    most_running: int = 0
    join_count: int = 0
    is_telling: bool = False

    async def play(self) -> TurnEnded:
        """Run the turn."""
        with anyio.fail_after(60):
            return await run_turn(self.ports(), self.limits)
        raise AssertionError("a turn that is late raises")

    def ports(self) -> LoopPorts:
        return LoopPorts(
            ask=self.ask,
            is_safe=lambda call: call.name.startswith("read"),
            permit=self.permit,
            run=self.run,
            join=self.join,
            tell=self.tell,
            spent_micros=lambda: self.spent,
            monotonic=lambda: self.now,
        )

    async def wait(self, where: str) -> None:
        if self.on_wait is not None:
            self.on_wait(where)
        await anyio.lowlevel.checkpoint()

    async def ask(self, step: int) -> AsyncGenerator[StreamEvent]:
        self.asked.append(step)
        try:
            for event in self.lines[step - 1]:
                await self.wait("ask")
                yield event
            await self.wait("ask")
        finally:
            self.closed.append(step)

    async def permit(self, call: ToolCall) -> str | None:
        self.permitted.append(call)
        await self.wait("permit")
        if self.on_permit is not None:
            self.on_permit()
        return self.refusals.get(call.id)

    async def run(self, call: ToolCall) -> ToolOutcome:
        self.began.append(call)
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        is_done = False
        try:
            await self.wait("run")
            if self.on_run is not None:
                await self.on_run(call)
            is_done = True
            return self.outcomes.get(call.name, said(call.name))
        finally:
            self.running -= 1
            if not is_done:
                self.stopped.append(call)

    async def join(self) -> bool:
        await self.wait("join")
        self.join_count += 1
        return self.joins[self.join_count - 1] if self.join_count <= len(self.joins) else False

    async def tell(self, event: TurnEvent) -> None:
        assert not self.is_telling, "two events are told at once"
        self.is_telling = True
        try:
            await self.wait("tell")
            self.told.append(event)
            await self.wait("told")
        finally:
            self.is_telling = False

    def main_events(self) -> list[TurnEvent]:
        """What was told, without the pieces of answers."""
        return [event for event in self.told if not isinstance(event, Streamed)]

    def kinds(self) -> list[str]:
        """The main events by type; a call with its tool, and with its state when it ended."""
        return [name_of(event) for event in self.main_events()]

    def results(self) -> list[ToolResult]:
        return [event.result for event in self.told if isinstance(event, CallEnded)]

    def texts(self) -> list[str]:
        """The words of each answer."""
        return [event.end.message.text for event in self.told if isinstance(event, Answered)]


def name_of(event: TurnEvent) -> str:
    match event:
        case CallStarted(call=call):
            return call.name
        case CallEnded(call=call, state=state):
            return f"{call.name} {state}"
        case _:
            return event.type
