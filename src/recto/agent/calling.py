"""Runs the calls of one answer, and sees to it that each has its result, whatever happens."""

from dataclasses import dataclass

import anyio

from recto.agent.allowance import Allowance
from recto.agent.calls import Calls, Repeats, batches
from recto.agent.events import CallEnded, CallStarted, CallState, ResultsReady, TurnEnded
from recto.agent.ports import Ports
from recto.agent.telling import Telling, to_the_end
from recto.messages import Text, ToolCall, ToolResult
from recto.tools import Outcome

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


class Calling:
    """The hands of one turn."""

    def __init__(self, ports: Ports, telling: Telling, allowance: Allowance) -> None:
        self._ports = ports
        self._telling = telling
        self._allowance = allowance
        self._repeats = Repeats()

    def forget_repeats(self) -> None:
        """Somebody spoke: the same call may make sense again."""
        self._repeats = Repeats()

    async def run(self, calls: Calls) -> TurnEnded | None:
        """Run the calls as far as the turn may go; its end, if that is before the last of them."""
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
            return self._allowance.out_of_time(self._telling.standing.step)
        repeated = calls.all[admitted]
        await self._telling.tell(self._unanswered(repeated, REPEATED, "cancelled"))
        await self.refuse(calls, AFTER_REPEATED)
        return self._allowance.repeated(repeated, self._telling.standing.step)

    async def refuse(self, calls: Calls, why: str) -> None:
        """Give every call that has no result yet these words, and tell that all have one."""
        await to_the_end(self.leave(calls, why, None))

    async def leave(self, calls: Calls, why: str, running: Interruption | None) -> None:
        """The same, as part of work that runs to its end; some calls may have been running."""
        for place in calls.open:
            if running is not None and place in calls.started:
                ended = self._unanswered(calls.all[place], running.words, running.state)
            else:
                ended = self._unanswered(calls.all[place], why, "cancelled")
            await self._telling.say(ended)
        await self._telling.say(ResultsReady(self._telling.standing.step, calls.in_order()))

    async def _run_batch(self, batch: list[ToolCall]) -> None:
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
            await self._telling.tell(self._unanswered(call, refusal, "denied"))
        return refusal is None

    async def _run_call(self, call: ToolCall, room: anyio.CapacityLimiter) -> None:
        async with room:
            if self._allowance.is_late():
                return
            await self._telling.tell(CallStarted(self._telling.standing.step, call))
            outcome = await self._ports.run(call)
            self._allowance.note(call, outcome)
            await self._telling.tell(self._answered(call, outcome))

    def _answered(self, call: ToolCall, outcome: Outcome) -> CallEnded:
        result = ToolResult(call.id, call.name, outcome.content, is_error=outcome.is_error)
        state: CallState = "error" if outcome.is_error else "done"
        return CallEnded(self._telling.standing.step, call, result, outcome.fact, state)

    def _unanswered(self, call: ToolCall, why: str, state: CallState) -> CallEnded:
        result = ToolResult(call.id, call.name, (Text(why),), is_error=True)
        fact = "not allowed" if state == "denied" else "stopped"
        return CallEnded(self._telling.standing.step, call, result, fact, state)
