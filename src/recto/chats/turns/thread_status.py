"""How threads and comments stand: what goes on in them, and whether an edit came of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recto.chats.prompts.thread import NEVER_RAN, NOT_OVER, reply_to
from recto.chats.prompts.turn_input import input_of
from recto.chats.services import ChatServices
from recto.storage import Note, Run

Status = Literal["idle", "streaming", "error", "resolved"]
FAILED = frozenset({"failed", "interrupted"})


@dataclass(frozen=True, slots=True)
class ThreadStatus:
    """How one thread or comment stands."""

    status: Status
    messages: int
    """How often somebody has spoken in its own conversation."""
    is_sent: bool
    """Whether it was sent with others; a message that was taken back was not."""
    reply: str | None
    """The answer to a comment that was sent."""
    has_applied_edit: bool


async def thread_statuses(services: ChatServices, notes: Sequence[Note]) -> dict[str, ThreadStatus]:
    """How notes stand, by their ids."""
    runs = await runs_of(services, notes)
    ids = [run.id for some in runs.values() for run in some]
    edited = await services.storage.edits.runs_with_standing(ids)
    return {note.id: await thread_status(services, note, runs, edited) for note in notes}


async def thread_status(
    services: ChatServices, note: Note, runs: Mapping[str, Sequence[Run]], edited: frozenset[str]
) -> ThreadStatus:
    """How a note stands, given the runs of its chats and those whose edits stand."""
    own = runs.get(note.chat_id or "", ())
    sent = sent_run(note, runs)
    reply = await reply_to(services, note) if sent is not None else None
    return ThreadStatus(
        status=status_of(note, own, sent, is_answered=reply is not None),
        messages=sum(map(spoken, own)),
        is_sent=sent is not None,
        reply=reply,
        has_applied_edit=any(run.id in edited for run in own),
    )


async def runs_of(services: ChatServices, notes: Sequence[Note]) -> dict[str, list[Run]]:
    """The turns of every chat that notes are in, by chat."""
    chats = {note.chat_id for note in notes} | {
        note.sent["chatId"] for note in notes if note.sent is not None
    }
    found: dict[str, list[Run]] = {}
    for run in await services.storage.runs.of_chats([chat for chat in chats if chat is not None]):
        if input_of(run.body).purpose in ("turn", "outside"):
            found.setdefault(run.chat_id, []).append(run)
    return found


def sent_run(note: Note, runs: Mapping[str, Sequence[Run]]) -> Run | None:
    """The turn that a comment was sent with, unless that was taken back."""
    if note.sent is None:
        return None
    known = runs.get(note.sent["chatId"], ())
    turn = next((run for run in known if run.id == note.sent["turnId"]), None)
    return None if turn is None or turn.state == "removed" else turn


def status_of(note: Note, own: Sequence[Run], sent: Run | None, *, is_answered: bool) -> Status:
    """What a dot beside the text shows."""
    if note.resolved_ms is not None:
        return "resolved"
    ran = [run for run in own if run.state not in NEVER_RAN]
    # A comment without a conversation of its own shows how the turn does that answers it.
    if not ran and sent is not None and not is_answered:
        ran = [sent]
    if any(run.state in NOT_OVER for run in ran):
        return "streaming"
    return "error" if ran and ran[-1].state in FAILED else "idle"


def spoken(run: Run) -> int:
    """How often somebody spoke in a turn: a person, if it has words, and a model, if it ran."""
    by_person = bool(input_of(run.body).text) and run.state != "removed"
    by_model = run.state not in NEVER_RAN and run.state != "queued"
    return by_person + by_model
