"""Runs the calls of one answer, and sees to it that each has its result, whatever happens."""

from dataclasses import dataclass

import anyio

from recto.agent.allowance import TurnAllowance
from recto.agent.calls import AnswerCalls, RepeatedCalls, batches
from recto.agent.emitter import EventEmitter, finish_shielded
from recto.agent.events import CallEnded, CallStarted, CallState, ResultsReady, TurnEnded
from recto.agent.ports import LoopPorts
from recto.messages import Text, ToolCall, ToolResult
from recto.tools import ToolOutcome

SIDE_BY_SIDE = 8
REPEATED = (
    "This call was made three times in a row with the same arguments, so it was not run and the "
    "turn ended. Try another way."
)
AFTER_REPEATED = "The turn ended before this call, because it went in circles. Nothing was run."
LATE = "The turn's time was up before this call. Nothing was run."


@dataclass(frozen=True, slots=True)
class Interruption:
    """What calls are told that were running when the turn broke off."""

    words: str
    state: CallState


class CallRunner:
    """Runs the calls of one turn."""

    def __init__(self, ports: LoopPorts, emitter: EventEmitter, allowance: TurnAllowance) -> None:
        self._ports = ports
        self._emitter = emitter
        self._allowance = allowance
        self._repeats = RepeatedCalls()

    def forget_repeats(self) -> None:
        """Somebody spoke: the same call may make sense again."""
        self._repeats = RepeatedCalls()

    async def run(self, calls: AnswerCalls) -> TurnEnded | None:
        """Run the calls as far as the turn may go; its end, if that is before the last of them."""
        # Before anything runs: the third of a kind stops the turn, those before it still run.
        admitted = self._repeats.admit(calls.all)
        for batch in batches(calls.all[:admitted], self._ports.is_safe):
            if self._allowance.is_late():
                break
            await self._run_batch([calls.all[place] for place in batch])
        open_places = calls.open
        if not open_places:
            await self.refuse(calls, "")
            return None
        if open_places[0] < admitted:
            await self.refuse(calls, LATE)
            return self._allowance.out_of_time(self._emitter.progress.step)
        repeated = calls.all[admitted]
        await self._emitter.tell(self._unanswered(repeated, REPEATED, "cancelled"))
        await self.refuse(calls, AFTER_REPEATED)
        return self._allowance.repeated(repeated, self._emitter.progress.step)

    async def refuse(self, calls: AnswerCalls, why: str) -> None:
        """Give every call that has no result yet these words, and tell that all have one."""
        await finish_shielded(self.leave(calls, why, None))

    async def leave(self, calls: AnswerCalls, why: str, running: Interruption | None) -> None:
        """The same, as part of work that runs to its end; some calls may have been running."""
        for place in calls.open:
            if running is not None and place in calls.started:
                ended = self._unanswered(calls.all[place], running.words, running.state)
            else:
                ended = self._unanswered(calls.all[place], why, "cancelled")
            await self._emitter.say(ended)
        await self._emitter.say(ResultsReady(self._emitter.progress.step, calls.in_order()))

    async def _run_batch(self, batch: list[ToolCall]) -> None:
        # One question at a time, and before any of the batch runs.
        permitted = [call for call in batch if await self._permit(call)]
        room = anyio.CapacityLimiter(SIDE_BY_SIDE)
        async with anyio.create_task_group() as group:
            for call in permitted:
                group.start_soon(self._run_call, call, room)

    async def _permit(self, call: ToolCall) -> bool:
        """Ask whether a call may run. The time a person takes to answer is not the turn's."""
        asked = self._ports.monotonic()
        refusal = await self._ports.permit(call)
        self._allowance.give_back(self._ports.monotonic() - asked)
        if refusal is not None:
            await self._emitter.tell(self._unanswered(call, refusal, "denied"))
        return refusal is None

    async def _run_call(self, call: ToolCall, room: anyio.CapacityLimiter) -> None:
        async with room:
            if self._allowance.is_late():
                return
            # Durable first: after a crash, a tool that may have run is known.
            await self._emitter.tell(CallStarted(self._emitter.progress.step, call))
            outcome = await self._ports.run(call)
            self._allowance.note(call, outcome)
            await self._emitter.tell(self._answered(call, outcome))

    def _answered(self, call: ToolCall, outcome: ToolOutcome) -> CallEnded:
        result = ToolResult(call.id, call.name, outcome.content, is_error=outcome.is_error)
        state: CallState = "error" if outcome.is_error else "done"
        step = self._emitter.progress.step
        return CallEnded(
            step, call, result, outcome.fact, state, outcome.artifact, outcome.shortened
        )

    def _unanswered(self, call: ToolCall, why: str, state: CallState) -> CallEnded:
        result = ToolResult(call.id, call.name, (Text(why),), is_error=True)
        fact = "not allowed" if state == "denied" else "stopped"
        return CallEnded(self._emitter.progress.step, call, result, fact, state)
