"""Chats as the API shows them: entries, events, turns."""

import hashlib
from collections.abc import Collection, Iterable
from typing import Any, assert_never

from recto.chats import (
    Accounting,
    Assistant,
    Error,
    Notice,
    OpenedChat,
    Result,
    Run,
    SideQuestion,
    Summary,
    System,
    Title,
    ToolResults,
    User,
    WatchedEvent,
    pins_of,
    profile_of,
    text_of,
)
from recto.chats import ChatEntry as Kept
from recto.messages import AssistantPart, Failure, Image, Text, Thinking, ToolCall
from recto.server.schemas.chats import chat_events as events
from recto.server.schemas.chats import entries as shown
from recto.server.schemas.chats.turns import Turn
from recto.server.views.chat_list import present_chat
from recto.tools import unwrapped

Place = dict[str, Any]
"""What every entry or event has."""
CONTINUABLE = frozenset(
    {"steps", "time", "spend", "repeat", "max_tokens", "interrupted", "cancelled"}
)
REMEDIES = {
    "auth": "Set the key in the settings: under Keys, for your own server under Models.",
    "quota": "Add money to the account at the provider, or choose another model.",
    "budget": "Raise the limit in the settings, or choose a cheaper model.",
    "rate_limit": "Wait a moment, then retry.",
    "overloaded": "Retry, or choose another model.",
    "context_length": "Summarise the chat, attach less, or choose a model with a larger window.",
    "invalid_request": "Retry with another model.",
    "not_found": "Choose another model.",
    "network": "Check the connection, then retry.",
    "timeout": "Retry, or choose another model.",
    "upstream": "Retry, or choose another model.",
    "cancelled": "",
}


def present_view(view: OpenedChat) -> events.ChatView:
    """A chat as it is opened."""
    used = view.totals
    pins = pins_of(view.chat)
    return events.ChatView(
        chat=present_chat(view.chat, is_running=view.is_running),
        entries=present_entries(view.entries, pins),
        has_earlier=view.has_earlier,
        turns=[present_turn(run) for run in view.turns],
        events=[one for told in view.events if (one := present_event(told, pins)) is not None],
        last_event=view.last_event,
        totals=shown.ChatTotals(
            input=used.input,
            cache_read=used.cache_read,
            cache_write=used.cache_write,
            output=used.output,
            cost_micros=used.cost_micros,
            unpriced=used.unpriced,
            context_tokens=view.context_tokens,
        ),
    )


def present_turn(run: Run) -> Turn:
    """A turn that has not ended."""
    assert run.state in ("running", "queued", "interrupted")
    profile, document, limit = profile_of(run)
    return Turn(
        id=run.id,
        state=run.state,
        text=text_of(run),
        model=run.body["model"],
        started_at=run.created_ms,
        profile=profile,
        document=document,
        limit=limit,
    )


def present_entries(entries: Iterable[Kept], pins: Collection[str]) -> list[shown.Entry]:
    """Those entries that people see."""
    found = (present_entry(entry, pins) for entry in entries)
    return [entry for entry in found if entry is not None]


def present_entry(entry: Kept, pins: Collection[str]) -> shown.Entry | None:
    """An entry as people see it; None for those that they don't."""
    place: Place = {"id": entry.id, "seq": entry.seq, "created_at": entry.created_ms}
    match content := entry.content:
        case User():
            return shown.UserEntry(
                **place,
                turn_id=content.turn,
                text=content.text,
                attached=[
                    shown.AttachedFile(
                        path=attachment.path,
                        origin=attachment.origin,
                        size=len(attachment.text),
                        cut=attachment.cut,
                    )
                    for attachment in content.attached
                ],
                images=[present_image(image) for image in content.images],
                contexts=[shown.Switched.model_validate(context) for context in content.contexts],
                skills=[shown.Switched.model_validate(skill) for skill in content.skills],
                additional_prompt=content.additional_prompt,
                pinned=entry.id in pins,
            )
        case Assistant():
            return present_answer(place, content)
        case ToolResults():
            results = [present_result(result) for result in content.results]
            return shown.ResultsEntry(
                **place, turn_id=content.turn, step=content.step, results=results
            )
        case Error():
            return present_error(place, content)
        case Notice():
            return shown.NoticeEntry(
                **place,
                turn_id=content.turn,
                reason=content.reason,
                words=content.words,
                can_continue=content.reason in CONTINUABLE,
                entries=list(content.entries),
            )
        case Title():
            return shown.TitleEntry(
                **place, text=content.text, model=content.model, cost_micros=content.cost_micros
            )
        case Summary():
            return present_summary(place, content)
        case Accounting():
            return shown.AccountingEntry(
                **place,
                reason=content.reason,
                discarded=content.discarded,
                from_seq=content.from_seq,
                about=content.about,
                cost_micros=content.totals.cost_micros,
            )
        case System() | SideQuestion():
            return None
        case _:
            assert_never(content)


def present_answer(place: Place, answer: Assistant) -> shown.AnswerEntry:
    """An answer of a model."""
    usage = answer.usage
    return shown.AnswerEntry(
        **place,
        turn_id=answer.turn,
        step=answer.step,
        model=answer.model,
        model_name=answer.model_name,
        blocks=[block for part in answer.parts if (block := present_part(part)) is not None],
        reason=answer.reason,
        usage=None if usage is None else shown.TokenUse.model_validate(usage),
        cost_micros=answer.cost_micros,
        confidence=shown.AnswerConfidence.model_validate(answer.sureness),
        source=shown.AnswerSource.model_validate(answer.source),
        seconds=answer.seconds,
        thinking_seconds=answer.thinking_seconds,
    )


def present_part(part: AssistantPart) -> shown.Block | None:
    """A part of an answer; None for what only its provider can read."""
    match part:
        case Text(text=text):
            return shown.TextBlock(text=text)
        case Thinking(text=text):
            return shown.ThinkingBlock(text=text) if text else None
        case ToolCall():
            call = unwrapped(part)
            return shown.CallBlock(id=call.id, name=call.name, arguments=dict(call.arguments))
        case _:
            return None


def present_error(place: Place, error: Error) -> shown.ErrorEntry:
    """A failure."""
    failure: Failure = error.failure
    remedy = "" if failure.code == "folder" else REMEDIES[failure.kind]
    return shown.ErrorEntry(
        **place,
        turn_id=error.turn,
        failure=failure.kind,
        # Who gets nothing but the message needs the remedy in it; here it has a line of its own.
        message=failure.message.removesuffix(remedy).rstrip() if remedy else failure.message,
        remedy=remedy,
        can_retry=failure.kind not in ("budget", "auth", "quota"),
    )


def present_summary(place: Place, summary: Summary) -> shown.SummaryEntry:
    """A checkpoint."""
    return shown.SummaryEntry(
        **place,
        text=summary.text,
        model=summary.model,
        cost_micros=summary.cost_micros,
        missing=shown.MissingItems.model_validate(summary.missing),
    )


def present_result(result: Result) -> shown.CallResult:
    """A tool's answer."""
    content = result.result.content
    return shown.CallResult(
        call_id=result.result.call_id,
        name=result.result.name,
        text="\n".join(part.text for part in content if isinstance(part, Text)),
        images=[present_image(part) for part in content if isinstance(part, Image)],
        fact=result.fact,
        state=result.state,
        seconds=result.seconds,
        changed=list(result.changed),
        artifact=None
        if result.artifact is None
        else shown.CallArtifact.model_validate(result.artifact),
        shortened=None
        if result.shortened is None
        else shown.ShortenedOutput.model_validate(result.shortened),
    )


def present_image(image: Image) -> shown.AttachedImage:
    """A picture, by the hash of its bytes."""
    digest = hashlib.sha256(image.data).hexdigest()
    return shown.AttachedImage(media_type=image.media_type, hash=digest)


def present_event(told: WatchedEvent, pins: Collection[str]) -> events.ChatEvent | None:
    """An event for watchers; None for an entry that people don't see."""
    event = told.event
    if told.entry is not None:
        entry = present_entry(told.entry, pins)
        return None if entry is None else events.EntryAdded(seq=event.seq, entry=entry)
    if told.result is not None:
        result = present_result(told.result)
        return events.CallOver(seq=event.seq, turn_id=event.run_id or "", result=result)
    place: Place = {"seq": event.seq, **event.body}
    # What the server holds an answer to; a page shows the arguments themselves.
    place.pop("digest", None)
    if event.kind == "elicitation_answered":
        del place["content"]  # it goes to the server that asked, and to nobody else
    elif event.kind not in ("turn", "chat", "pin", "approval_answered"):
        place["turn_id"] = event.run_id
    return SHAPES[event.kind].model_validate(place)


SHAPES: dict[str, type[Any]] = {
    "turn": events.TurnChanged,
    "step": events.StepStarted,
    "reading": events.PromptRead,
    "text": events.TextAdded,
    "thinking": events.ThinkingAdded,
    "call_written": events.CallWritten,
    "call_started": events.CallBegan,
    "call_output": events.CallPrinted,
    "approval": events.ApprovalAsked,
    "approval_answered": events.ApprovalAnswered,
    "elicitation": events.ElicitationAsked,
    "elicitation_answered": events.ElicitationAnswered,
    "chat": events.ChatRenamed,
    "pin": events.EntriesPinned,
}
