"""The loop: one turn from its first question to its end, over ports and nothing else.

Whatever happens, what was told is a whole history: each step has one answer, each call one result,
and the turn one end, which is told last.
"""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from recto.agent.allowance import Allowance
from recto.agent.answer import NO_END, Answer
from recto.agent.calling import Calling, Interruption
from recto.agent.events import Answered, EndReason, StepStarted, Streamed, TurnEnded
from recto.agent.ports import Limits, Ports
from recto.agent.telling import Telling, to_the_end
from recto.messages import Failure, Finished

LATE = Failure("timeout", "The turn's time was up before the answer was complete.")
CUT = "The answer reached its greatest length and was cut. Say “continue” to go on."
DECLINED = "The model declined to answer."
CALLS_OF_FAILED = "The answer with this call failed before its end. Nothing was run."
CALLS_OF_CUT = (
    "The answer with this call was cut at its greatest length, so calls may be missing. "
    "Nothing was run."
)
CALLS_OF_DECLINED = "The answer with this call ended in a refusal. Nothing was run."


@dataclass(frozen=True, slots=True)
class Break:
    """An end that comes from outside: what is told of the turn, its answer and its open calls."""

    reason: EndReason
    failure: Failure
    not_run: str
    running: Interruption


STOPPED = Break(
    "cancelled",
    Failure("cancelled", "The turn was stopped."),
    "The turn was stopped before this call. Nothing was run.",
    Interruption(
        "The turn was stopped while this tool ran. What it did until then is not known.",
        "cancelled",
    ),
)
BROKEN = Break(
    "failed",
    Failure("upstream", "Something in Recto went wrong. What was done before that stands."),
    "Something in Recto went wrong before this call. Nothing was run.",
    Interruption(
        "Something in Recto went wrong while this tool ran. What it did until then is not known.",
        "error",
    ),
)


async def run_turn(ports: Ports, limits: Limits) -> TurnEnded:
    """Run one turn to its end.

    It may be cancelled anywhere, and a port may raise: running tools are stopped and awaited, what
    the history lacks is told, and then the cancellation or the exception goes on to the caller.
    """
    turn = Turn(ports, limits)
    try:
        return await turn.run()
    except asyncio.CancelledError:
        await to_the_end(turn.break_off(STOPPED))
        raise
    except Exception:
        await to_the_end(turn.break_off(BROKEN))
        raise


class Turn:
    """One turn in the running."""

    def __init__(self, ports: Ports, limits: Limits) -> None:
        self._ports = ports
        self._telling = Telling(ports)
        self._standing = self._telling.standing
        self._allowance = Allowance(ports, limits)
        self._calling = Calling(ports, self._telling, self._allowance)

    async def run(self) -> TurnEnded:
        """Step by step, until something ends it."""
        end = self._limit()
        while end is None:
            end = await self._follow(await self._ask())
        await self._telling.tell(end)
        return end

    async def break_off(self, cause: Break) -> None:
        """Tell what the history lacks."""
        standing = self._standing
        if standing.answer is not None:
            end = standing.answer.end(cause.failure)
            await self._telling.say(Answered(standing.step, end))
        if standing.calls is not None:
            await self._calling.leave(standing.calls, cause.not_run, cause.running)
        if not standing.is_over:
            failure = cause.failure if cause.reason == "failed" else None
            await self._telling.say(TurnEnded(cause.reason, cause.failure.message, failure))

    async def _ask(self) -> Finished:
        step = self._standing.step + 1
        await self._telling.tell(StepStarted(step))
        answer = self._standing.open_answer
        with anyio.move_on_after(self._allowance.seconds_left()) as scope:
            await self._listen(step, answer)
        end = answer.end(LATE if scope.cancelled_caught else NO_END)
        await self._telling.tell(Answered(step, end))
        return end

    async def _listen(self, step: int, answer: Answer) -> None:
        async with aclosing(self._ports.ask(step)) as events:
            async for event in events:
                if answer.take(event):
                    await self._ports.tell(Streamed(step, event))
                elif answer.is_overrun:
                    return

    async def _follow(self, end: Finished) -> TurnEnded | None:
        """Do what an answer asks for; the end of the turn, if that is what it comes to."""
        if end.failure is not None:
            await self._refuse(CALLS_OF_FAILED)
            return self._failed(end.failure)
        if end.reason == "max_tokens":
            await self._refuse(CALLS_OF_CUT)
            return TurnEnded("max_tokens", CUT)
        if end.reason == "refusal":
            await self._refuse(CALLS_OF_DECLINED)
            return TurnEnded("refusal", DECLINED)
        if self._standing.calls is not None:
            return await self._calling.run(self._standing.calls) or await self._go_on()
        if end.reason == "pause":
            return self._limit()
        # At a limit nothing is taken in: what was said meanwhile is for the next turn.
        is_asked_more = self._limit() is None and await self._join()
        return None if is_asked_more else TurnEnded("done")

    async def _refuse(self, why: str) -> None:
        if self._standing.calls is not None:
            await self._calling.refuse(self._standing.calls, why)

    def _failed(self, failure: Failure) -> TurnEnded:
        if failure is LATE:
            return self._allowance.out_of_time(self._standing.step)
        return TurnEnded("failed", failure.message, failure)

    async def _go_on(self) -> TurnEnded | None:
        end = self._limit()
        if end is None:
            await self._join()
        return end

    async def _join(self) -> bool:
        has_joined = await self._ports.join()
        if has_joined:
            self._calling.forget_repeats()
        return has_joined

    def _limit(self) -> TurnEnded | None:
        return self._allowance.end_after(self._standing.step)
