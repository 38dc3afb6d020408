"""What watchers of a chat see: its end when they open it, then each event as it is committed."""

from dataclasses import dataclass

from recto.chats.codec import blob_hashes, decode_result
from recto.chats.entries import Entry, Result
from recto.chats.means import Means
from recto.chats.statistics import context_tokens
from recto.storage import Chat, ChatEvent, Run, Used

PUBLIC = frozenset(
    {
        "entry",
        "turn",
        "step",
        "text",
        "thinking",
        "call_written",
        "call_started",
        "call_output",
        "call_ended",
        "approval",
        "approval_answered",
        "chat",
        "pin",
    }
)
OF_A_STEP = PUBLIC - {"entry", "turn", "chat", "pin"}


@dataclass(frozen=True, slots=True)
class Told:
    """An event for watchers: with the entry or the tool's answer that it tells of."""

    event: ChatEvent
    entry: Entry | None = None
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A chat as it is opened."""

    chat: Chat
    is_running: bool
    entries: tuple[Entry, ...]
    has_earlier: bool
    turns: tuple[Run, ...]
    events: tuple[Told, ...]
    last_event: int
    used: Used
    context_tokens: int


async def open_view(means: Means, chat: Chat) -> View:
    """A chat's end, what goes on in it, and from where to follow it.

    The number comes first: what happens while the rest is read is told again, and nothing is lost.
    """
    storage = means.storage
    last_event = await storage.events.latest(chat.id)
    entries, has_earlier = await means.archive.end(chat.id)
    turns = await storage.runs.with_state({"running", "queued"}, chat_id=chat.id)
    running = [run for run in turns if run.state == "running"]
    events = [told for run in running for told in await since_entry(means, run, last_event)]
    return View(
        chat=chat,
        is_running=bool(running),
        entries=tuple(entries),
        has_earlier=has_earlier,
        turns=(*running, *(run for run in turns if run.state == "queued")),
        events=tuple(events),
        last_event=last_event,
        used=await storage.ledger.of_chat(chat.id),
        context_tokens=context_tokens(entries) or 0,
    )


async def since_entry(means: Means, run: Run, last_event: int) -> list[Told]:
    """What a running turn has told since its last entry."""
    events = [one for one in await means.storage.events.of_run(run.id) if one.seq <= last_event]
    last = max((at for at, one in enumerate(events) if one.kind == "entry"), default=-1)
    return [await tell(means, one) for one in events[last + 1 :] if one.kind in OF_A_STEP]


async def tell(means: Means, event: ChatEvent) -> Told:
    """An event with what it tells of."""
    if event.kind == "entry":
        return Told(event, await means.archive.at(event.chat_id, event.body["seq"]))
    if event.kind == "call_ended":
        body = event.body["result"]
        blobs = {one: await means.storage.blobs.get(one) for one in blob_hashes(body)}
        return Told(event, result=decode_result(body, blobs))
    return Told(event)
