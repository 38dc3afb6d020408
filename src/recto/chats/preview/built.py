"""A request of a chat, built and not sent: the next one, and from the record the one before."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from recto.access import Access
from recto.chats.applying import bare_request
from recto.chats.codec import decode
from recto.chats.entries import Assistant, Entry
from recto.chats.ground import SMALL_WINDOW, Ground
from recto.chats.inputs import Input, input_of
from recto.chats.means import Means
from recto.chats.prompting import ask_for, facts_of
from recto.chats.record.draws import RecordedDraws
from recto.chats.record.setting import read_setting
from recto.chats.scene import THOUGHTS_FROM
from recto.context import (
    Calibration,
    LeftOut,
    Sent,
    TokenCounter,
    TooLong,
    sent_parts,
    unsent_parts,
)
from recto.messages import Request
from recto.storage import Chat, NotFound

PAGE = 20
FAR = 1 << 62


@dataclass(frozen=True, slots=True)
class Built:
    """A request, and the account of it."""

    access: Access
    ground: Ground
    parts: tuple[Sent, ...]
    left_out: tuple[LeftOut, ...] = ()
    request: Request | None = None
    """As it leaves; None when it is too long to be sent."""
    too_long: TooLong | None = None

    @property
    def tokens(self) -> int:
        """What all of it takes."""
        return sum(one.slice.tokens for one in self.parts)


def build(
    means: Means,
    chat: Chat,
    entries: Sequence[Entry],
    ground: Ground,
    access: Access,
    given: Input,
    *,
    counter: TokenCounter,
    pins: Collection[str],
) -> Built:
    """The request that a turn would send for these entries."""
    asking = ask_for(
        history_for(entries, ground, access, given),
        ground,
        access,
        counter,
        chat_id=chat.id,
        pins=pins,
    )
    if isinstance(asking, TooLong):
        return Built(access, ground, unsent_parts(asking.slices), too_long=asking)
    request = means.questions.ready(access, asking.request)
    parts = sent_parts(request, asking.prompt.slices, facts_of(access, counter))
    return Built(access, ground, parts, asking.prompt.left_out, request)


def history_for(
    entries: Sequence[Entry], ground: Ground, access: Access, given: Input
) -> Sequence[Entry]:
    """What the first request of a turn is built from: for a small model's transform, little."""
    passage = given.document.passage if given.document is not None else ""
    is_bare = passage and not ground.tools and access.window <= SMALL_WINDOW
    return bare_request(entries, passage) if is_bare else entries


async def last_answer(means: Means, chat_id: str) -> Entry | None:
    """The last answer of a chat, whether it still counts or not: its request was sent."""
    before = FAR
    while records := await means.storage.chats.entries_before(chat_id, before, PAGE):
        for record in records:
            if record.kind == "assistant":
                content = decode(record.kind, record.body, {})
                return Entry(record.id, record.seq, record.created_ms, content)
        before = records[-1].seq
    return None


async def request_of(means: Means, chat: Chat, answer: Entry) -> Built | None:
    """The request that was answered, built anew from what its turn stood on and drew.

    None for an answer that came from elsewhere: nothing is recorded of its request.
    """
    assert isinstance(answer.content, Assistant)
    try:
        run = await means.storage.runs.get(answer.content.turn)
    except NotFound:
        return None
    events = await means.storage.events.of_run(run.id, {"setting", "draws"})
    begun = next((one for one in events if one.kind == "setting"), None)
    if begun is None:
        return None
    setting = await read_setting(means.storage, begun)
    access = setting.access
    # What a provider refused during the turn is noted with the chat.
    ground = replace(setting.ground, thoughts_from=chat.meta.get(THOUGHTS_FROM, 0))
    factors = RecordedDraws(events).factors(answer.content.step, None)
    counter = TokenCounter(Calibration({access.id: factors} if factors else {}))
    entries = await means.archive.since_checkpoint(chat.id, before=answer.seq)
    return build(
        means,
        chat,
        entries,
        ground,
        access,
        input_of(run.body),
        counter=counter,
        pins=setting.pins,
    )
