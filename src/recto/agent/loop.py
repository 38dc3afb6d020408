"""The loop: one turn from its first question to its end, over ports and nothing else.

Whatever happens, what was told is a whole history: each step has one answer, each call one result,
and the turn one end, which is told last.
"""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from recto.agent.allowance import TurnAllowance
from recto.agent.answer import NO_END, PartialAnswer
from recto.agent.call_runner import CallRunner, Interruption
from recto.agent.emitter import EventEmitter, finish_shielded
from recto.agent.events import Answered, EndReason, StepStarted, Streamed, TurnEnded
from recto.agent.ports import LoopPorts, TurnLimits
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
class Interrupt:
    """An end that comes from outside: what is told of the turn, its answer and its open calls."""

    reason: EndReason
    failure: Failure
    not_run: str
    running: Interruption


STOPPED = Interrupt(
    "cancelled",
    Failure("cancelled", "The answer was stopped."),
    "The turn was stopped before this call. Nothing was run.",
    Interruption(
        "The turn was stopped while this tool ran. What it did until then is not known.",
        "cancelled",
    ),
)
BROKEN = Interrupt(
    "failed",
    Failure("upstream", "Something in Recto went wrong. What was done before that stands."),
    "Something in Recto went wrong before this call. Nothing was run.",
    Interruption(
        "Something in Recto went wrong while this tool ran. What it did until then is not known.",
        "error",
    ),
)


async def run_turn(ports: LoopPorts, limits: TurnLimits) -> TurnEnded:
    """Run one turn to its end.

    It may be cancelled anywhere, and a port may raise: running tools are stopped and awaited, what
    the history lacks is told, and then the cancellation or the exception goes on to the caller.
    """
    turn = TurnLoop(ports, limits)
    try:
        return await turn.run()
    # anyio's cancellation is this one on asyncio; both kinds of stop come here.
    except asyncio.CancelledError:
        await finish_shielded(turn.break_off(STOPPED))
        raise
    except Exception:
        await finish_shielded(turn.break_off(BROKEN))
        raise


class TurnLoop:
    """One turn in the running."""

    def __init__(self, ports: LoopPorts, limits: TurnLimits) -> None:
        self._ports = ports
        self._emitter = EventEmitter(ports)
        self._progress = self._emitter.progress
        self._allowance = TurnAllowance(ports, limits)
        self._runner = CallRunner(ports, self._emitter, self._allowance)

    async def run(self) -> TurnEnded:
        """Step by step, until something ends it."""
        end = self._limit()
        while end is None:
            end = await self._follow(await self._ask())
        await self._emitter.tell(end)
        return end

    async def break_off(self, cause: Interrupt) -> None:
        """Tell what the history lacks."""
        progress = self._progress
        if progress.answer is not None:
            end = progress.answer.end(cause.failure)
            await self._emitter.say(Answered(progress.step, end))
        if progress.calls is not None:
            await self._runner.leave(progress.calls, cause.not_run, cause.running)
        if not progress.is_over:
            failure = cause.failure if cause.reason == "failed" else None
            await self._emitter.say(TurnEnded(cause.reason, cause.failure.message, failure))

    async def _ask(self) -> Finished:
        step = self._progress.step + 1
        await self._emitter.tell(StepStarted(step))
        answer = self._progress.open_answer
        # Only the waiting is cut off, not the telling of what came.
        with anyio.move_on_after(self._allowance.seconds_left()) as scope:
            await self._listen(step, answer)
        end = answer.end(LATE if scope.cancelled_caught else NO_END)
        await self._emitter.tell(Answered(step, end))
        return end

    async def _listen(self, step: int, answer: PartialAnswer) -> None:
        async with aclosing(self._ports.ask(step)) as events:
            async for event in events:
                if answer.take(event):
                    # Not shielded like the others: if a stop cuts it off, `answer` has the words.
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
            return TurnEnded("refusal", declined(end.explanation))
        if self._progress.calls is not None:
            return await self._runner.run(self._progress.calls) or await self._go_on()
        # Anthropic pauses long turns of its own tools: ask again with what there is.
        if end.reason == "pause":
            return self._limit()
        # At a limit nothing is taken in: what was said meanwhile is for the next turn.
        is_asked_more = self._limit() is None and await self._join()
        return None if is_asked_more else TurnEnded("done")

    async def _refuse(self, why: str) -> None:
        if self._progress.calls is not None:
            await self._runner.refuse(self._progress.calls, why)

    def _failed(self, failure: Failure) -> TurnEnded:
        # By identity: a provider's own timeout is a failure, ours is a limit of the turn.
        if failure is LATE:
            return self._allowance.out_of_time(self._progress.step)
        return TurnEnded("failed", failure.message, failure)

    async def _go_on(self) -> TurnEnded | None:
        end = self._limit()
        if end is None:
            await self._join()
        return end

    async def _join(self) -> bool:
        has_joined = await self._ports.join()
        if has_joined:
            self._runner.forget_repeats()
        return has_joined

    def _limit(self) -> TurnEnded | None:
        return self._allowance.end_after(self._progress.step)


def declined(why: str | None) -> str:
    """What a person reads of an answer that the model declined to give."""
    return f"{DECLINED[:-1]}: {why}" if why else DECLINED
