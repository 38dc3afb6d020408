"""A request of a chat, built and not sent: the next one, and from the record the one before."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from recto.access import Access
from recto.chats.history.codec import decode
from recto.chats.history.entries import Assistant, ChatEntry
from recto.chats.prompts.base import SMALL_WINDOW, PromptBase
from recto.chats.prompts.request import facts_of, prepare_request
from recto.chats.prompts.surroundings import THOUGHTS_FROM
from recto.chats.prompts.transform import bare_request
from recto.chats.prompts.turn_input import TurnInput, input_of
from recto.chats.services import ChatServices
from recto.chats.turns.clock_readings import RecordedReadings
from recto.chats.turns.snapshot import TurnSnapshot, read_snapshot
from recto.context import (
    LeftOut,
    SentPart,
    TokenCalibration,
    TokenCounter,
    TooLong,
    sent_parts,
    unsent_parts,
)
from recto.messages import Request
from recto.storage import Chat, RecordNotFound

PAGE = 20
FAR = 1 << 62


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """A request, and the account of it."""

    access: Access
    ground: PromptBase
    parts: tuple[SentPart, ...]
    left_out: tuple[LeftOut, ...] = ()
    request: Request | None = None
    """As it leaves; None when it is too long to be sent."""
    too_long: TooLong | None = None

    @property
    def tokens(self) -> int:
        """What all of it takes."""
        return sum(part.slice.tokens for part in self.parts)


def build_request(
    services: ChatServices,
    chat: Chat,
    entries: Sequence[ChatEntry],
    base: PromptBase,
    access: Access,
    given: TurnInput,
    *,
    counter: TokenCounter,
    pins: Collection[str],
) -> BuiltRequest:
    """The request that a turn would send for these entries."""
    asking = prepare_request(
        history_for(entries, base, access, given),
        base,
        access,
        counter,
        chat_id=chat.id,
        pins=pins,
    )
    if isinstance(asking, TooLong):
        return BuiltRequest(access, base, unsent_parts(asking.slices), too_long=asking)
    request = services.questions.ready(access, asking.request)
    parts = sent_parts(request, asking.prompt.slices, facts_of(access, counter))
    return BuiltRequest(access, base, parts, asking.prompt.left_out, request)


def history_for(
    entries: Sequence[ChatEntry], base: PromptBase, access: Access, given: TurnInput
) -> Sequence[ChatEntry]:
    """What the first request of a turn is built from: for a small model's transform, little."""
    passage = given.document.passage if given.document is not None else ""
    # The same choice as `TurnRunner._history` makes, or the preview would show another request.
    is_bare = passage and not base.tools and access.window <= SMALL_WINDOW
    return bare_request(entries, passage) if is_bare else entries


async def last_answer(services: ChatServices, chat_id: str) -> ChatEntry | None:
    """The last answer of a chat, whether it still counts or not: its request was sent."""
    before = FAR
    while records := await services.storage.chats.entries_before(chat_id, before, PAGE):
        for record in records:
            if record.kind == "assistant":
                # An answer holds words and calls only: nothing of it is kept as a blob.
                content = decode(record.kind, record.body, {})
                return ChatEntry(record.id, record.seq, record.created_ms, content)
        before = records[-1].seq
    return None


async def setting_of(services: ChatServices, answer: ChatEntry) -> TurnSnapshot | None:
    """What the turn of an answer stood on; None for an answer that came from elsewhere."""
    assert isinstance(answer.content, Assistant)
    try:
        run = await services.storage.runs.get(answer.content.turn)
    except RecordNotFound:
        return None
    events = await services.storage.events.of_run(run.id, {"setting"})
    return await read_snapshot(services.storage, events[0]) if events else None


async def request_of(services: ChatServices, chat: Chat, answer: ChatEntry) -> BuiltRequest | None:
    """The request that was answered, built anew from what its turn stood on and drew.

    None for an answer that came from elsewhere: nothing is recorded of its request.
    """
    assert isinstance(answer.content, Assistant)
    snapshot = await setting_of(services, answer)
    if snapshot is None:
        return None
    run = await services.storage.runs.get(answer.content.turn)
    events = await services.storage.events.of_run(run.id, {"draws"})
    access = snapshot.access
    # What a provider refused during the turn is noted with the chat.
    base = replace(snapshot.ground, thoughts_from=chat.meta.get(THOUGHTS_FROM, 0))
    factors = RecordedReadings(events).factors(answer.content.step, None)
    counter = TokenCounter(TokenCalibration({access.id: factors} if factors else {}))
    # As the history was then: a later edit or summary must not change what was sent.
    entries = await services.archive.since_checkpoint(chat.id, before=answer.seq)
    return build_request(
        services,
        chat,
        entries,
        base,
        access,
        input_of(run.body),
        counter=counter,
        pins=snapshot.pins,
    )
