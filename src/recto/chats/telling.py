"""What is written down of a turn's events, and what its end means."""

from typing import Any

from recto.access import Access
from recto.agent import Answered, CallStarted, EndReason, TurnEnded
from recto.assist import Sources
from recto.chats.entries import Assistant, Error, Notice, Source, Sureness
from recto.chats.exchange import Exchange
from recto.chats.inputs import Input
from recto.chats.timing import Timing
from recto.context import TEMPLATE
from recto.messages import (
    AssistantPart,
    Failure,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCallStarted,
)
from recto.storage import RunEnd

BROKEN = "Something is wrong in Recto: this turn broke off. What there was is kept."
BROKEN_FAILURE = Failure("upstream", BROKEN, may_retry=True)
OF_THE_FOLDER = "folder"
"""The code of a failure that no model has to do with."""
CLOSED = "Recto was closed while this ran. What there was is kept."
Body = dict[str, Any]
UNKNOWN = Sureness(None, "unknown")


def step(number: int, access: Access, limit: int | None = None) -> Body:
    """A step begins, of so many at most."""
    return {"step": number, "limit": limit, "model": access.id, "model_name": access.name}


def piece(number: int, event: StreamEvent) -> tuple[str, Body] | None:
    """A piece of an answer, as watchers are told; None for what they need not know."""
    match event:
        case TextDelta(text=text):
            return "text", {"step": number, "text": text}
        case ThinkingStarted():
            return "thinking", {"step": number, "text": "", "is_over": False}
        case ThinkingDelta(text=text):
            return "thinking", {"step": number, "text": text, "is_over": False}
        case ThinkingEnded():
            return "thinking", {"step": number, "text": "", "is_over": True}
        case ToolCallStarted(slot=slot, id=id, name=name):
            return "call_written", {"step": number, "slot": slot, "call_id": id, "name": name}
        case _:
            return None


def call(event: CallStarted) -> Body:
    """A tool begins."""
    return {
        "step": event.step,
        "call_id": event.call.id,
        "name": event.call.name,
        "arguments": dict(event.call.arguments),
    }


def turn(run_id: str, state: str, given: Input) -> Body:
    """A turn begins, waits or ends."""
    return {
        "turn_id": run_id,
        "state": state,
        "text": given.text,
        "model": given.model,
        "profile": given.profile,
        "document": given.document.path if given.document else None,
    }


def answer(
    event: Answered,
    run_id: str,
    access: Access,
    exchange: Exchange,
    sources: Sources | None,
    timing: Timing,
) -> Assistant:
    """The entry of an answer."""
    end = event.end
    stopped = end.failure is not None and end.failure.kind == "cancelled"
    parts: tuple[AssistantPart, ...] = tuple(
        part for part in end.message.parts if isinstance(part, AssistantPart)
    )
    return Assistant(
        parts=parts,
        turn=run_id,
        step=event.step,
        model=access.id,
        model_name=access.name,
        reason="cancelled" if stopped else end.reason,
        usage=end.usage,
        cost_micros=exchange.cost_micros,
        sureness=Sureness(sources.confidence.value, sources.confidence.source)
        if sources
        else UNKNOWN,
        source=source_of(sources),
        seconds=timing.seconds(f"step {event.step}"),
        thinking_seconds=timing.thinking_seconds,
    )


def source_of(sources: Sources | None) -> Source:
    """Where an answer comes from; little is known of one that was stopped."""
    if sources is None:
        return Source("", "", TEMPLATE)
    found = sources.provenance
    return Source(
        found.request_id,
        found.prompt_hash,
        found.prompt_template_id,
        found.input_context_hashes,
    )


def ending(event: TurnEnded, *, is_stopped: bool) -> tuple[EndReason | str, RunEnd]:
    """What ended a turn, for the notice and for its run."""
    if event.reason == "cancelled":
        return ("cancelled", "cancelled") if is_stopped else ("interrupted", "interrupted")
    return event.reason, "failed" if event.reason == "failed" else "finished"


def last_words(event: TurnEnded, reason: str, words: str, run_id: str) -> Notice | Error:
    """What the chat says about the end of a turn."""
    if event.failure is not None and event.failure.kind != "cancelled":
        return Error(event.failure, run_id)
    return Notice(reason, words, run_id)
