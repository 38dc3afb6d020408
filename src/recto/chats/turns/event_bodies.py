"""What is written down of a turn's events, and what its end means."""

from typing import Any

from recto.access import Access
from recto.agent import Answered, CallStarted, EndReason, TurnEnded
from recto.assist import Confidence, Provenance, Sources
from recto.chats.history.entries import AnswerSource, Assistant, EntryConfidence, Error, Notice
from recto.chats.prompts.turn_input import TurnInput
from recto.chats.turns.stopwatches import Stopwatches
from recto.chats.turns.wire_exchange import Exchange
from recto.context import TEMPLATE
from recto.messages import (
    AssistantPart,
    Failure,
    PromptProgress,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingEnded,
    ThinkingStarted,
    ToolCallStarted,
)
from recto.storage import RunEnd
from recto.tools import unwrapped

BROKEN = "Something is wrong in Recto: this turn broke off. What there was is kept."
BROKEN_FAILURE = Failure("upstream", BROKEN, may_retry=True)
OF_THE_FOLDER = "folder"
"""The code of a failure that no model has to do with."""
CLOSED = "Recto was closed while this ran. What there was is kept."
Body = dict[str, Any]
STOPPED = EntryConfidence(None, "unknown", "The answer did not come to its end.")


def step_body(number: int, access: Access, limit: int | None = None) -> Body:
    """A step begins, of so many at most."""
    return {"step": number, "limit": limit, "model": access.id, "model_name": access.name}


def piece_event(number: int, event: StreamEvent) -> tuple[str, Body] | None:
    """A piece of an answer, as watchers are told; None for what they need not know."""
    match event:
        case PromptProgress(read=read, total=total):
            return "reading", {"step": number, "read": read, "total": total}
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


def call_body(event: CallStarted) -> Body:
    """A tool begins: the one that is meant, also where it was called through another."""
    call = unwrapped(event.call)
    return {
        "step": event.step,
        "call_id": call.id,
        "name": call.name,
        "arguments": dict(call.arguments),
    }


def turn_body(run_id: str, state: str, given: TurnInput) -> Body:
    """A turn begins, waits or ends."""
    return {
        "turn_id": run_id,
        "state": state,
        "text": given.text,
        "model": given.model,
        "profile": given.profile,
        "document": given.document.path if given.document else None,
    }


def answer_entry(
    event: Answered,
    run_id: str,
    access: Access,
    exchange: Exchange,
    sources: Sources | None,
    provenance: Provenance | None,
    timing: Stopwatches,
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
        usage=exchange.usage(end.usage),
        cost_micros=exchange.cost_micros,
        sureness=STOPPED if sources is None else sureness_of(sources.confidence),
        source=source_of(provenance if sources is None else sources.provenance),
        seconds=timing.seconds(f"step {event.step}"),
        thinking_seconds=timing.thinking_seconds,
    )


def sureness_of(found: Confidence) -> EntryConfidence:
    """How sure an answer is, as it is kept."""
    return EntryConfidence(found.value, found.source, found.why)


def source_of(found: Provenance | None) -> AnswerSource:
    """Where an answer comes from; nothing is known of one that was never sent."""
    if found is None:
        return AnswerSource("", "", TEMPLATE)
    return AnswerSource(
        found.request_id,
        found.prompt_hash,
        found.prompt_template_id,
        found.input_context_hashes,
        answer_model=found.answer_model,
        temperature=found.temperature,
        max_output=found.max_output,
        effort=found.effort,
    )


def ending(event: TurnEnded, *, is_stopped: bool) -> tuple[EndReason | str, RunEnd]:
    """What ended a turn, for the notice and for its run."""
    # Only a person's stop counts as cancelled; the end of the program is an interruption.
    if event.reason == "cancelled":
        return ("cancelled", "cancelled") if is_stopped else ("interrupted", "interrupted")
    return event.reason, "failed" if event.reason == "failed" else "finished"


def last_words(event: TurnEnded, reason: str, words: str, run_id: str) -> Notice | Error:
    """What the chat says about the end of a turn."""
    if event.failure is not None and event.failure.kind != "cancelled":
        return Error(event.failure, run_id)
    return Notice(reason, words, run_id)
