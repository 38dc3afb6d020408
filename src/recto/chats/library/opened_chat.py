"""What watchers of a chat see: its end when they open it, then each event as it is committed."""

from dataclasses import dataclass

from recto.chats.history.codec import blob_hashes, decode_result
from recto.chats.history.entries import ChatEntry, Result, Totals
from recto.chats.history.statistics import context_tokens, totals_of
from recto.chats.services import ChatServices
from recto.storage import Chat, ChatEvent, Run

PUBLIC = frozenset(
    {
        "entry",
        "turn",
        "step",
        "reading",
        "text",
        "thinking",
        "call_written",
        "call_started",
        "call_output",
        "call_ended",
        "approval",
        "approval_answered",
        "elicitation",
        "elicitation_answered",
        "chat",
        "pin",
    }
)
OF_A_STEP = PUBLIC - {"entry", "turn", "chat", "pin"}


@dataclass(frozen=True, slots=True)
class WatchedEvent:
    """An event for watchers: with the entry or the tool's answer that it tells of."""

    event: ChatEvent
    entry: ChatEntry | None = None
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class OpenedChat:
    """A chat as it is opened."""

    chat: Chat
    is_running: bool
    entries: tuple[ChatEntry, ...]
    has_earlier: bool
    turns: tuple[Run, ...]
    events: tuple[WatchedEvent, ...]
    last_event: int
    totals: Totals
    context_tokens: int


async def open_view(services: ChatServices, chat: Chat) -> OpenedChat:
    """A chat's end, what goes on in it, and from where to follow it.

    The number comes first: what happens while the rest is read is told again, and nothing is lost.
    """
    storage = services.storage
    last_event = await storage.events.latest(chat.id)
    entries, has_earlier = await services.archive.end(chat.id)
    turns = await storage.runs.with_state({"running", "queued"}, chat_id=chat.id)
    running = [run for run in turns if run.state == "running"]
    events = [told for run in running for told in await since_entry(services, run, last_event)]
    return OpenedChat(
        chat=chat,
        is_running=bool(running),
        entries=tuple(entries),
        has_earlier=has_earlier,
        turns=(*running, *(run for run in turns if run.state == "queued")),
        events=tuple(events),
        last_event=last_event,
        totals=await totals_of(storage, chat.id),
        context_tokens=context_tokens(entries) or 0,
    )


async def since_entry(services: ChatServices, run: Run, last_event: int) -> list[WatchedEvent]:
    """What a running turn has told since its last entry."""
    events = [
        item for item in await services.storage.events.of_run(run.id) if item.seq <= last_event
    ]
    last = max((at for at, event in enumerate(events) if event.kind == "entry"), default=-1)
    return [await tell(services, event) for event in events[last + 1 :] if event.kind in OF_A_STEP]


async def tell(services: ChatServices, event: ChatEvent) -> WatchedEvent:
    """An event with what it tells of."""
    if event.kind == "entry":
        return WatchedEvent(event, await services.archive.at(event.chat_id, event.body["seq"]))
    if event.kind == "call_ended":
        body = event.body["result"]
        blobs = {
            blob_hash: await services.storage.blobs.get(blob_hash)
            for blob_hash in blob_hashes(body)
        }
        return WatchedEvent(event, result=decode_result(body, blobs))
    return WatchedEvent(event)
