"""Shows what would be sent: a message is taken as if it were said, and everything but sent."""

from collections.abc import Sequence

from recto.access import Access
from recto.chats.entries import Entry, User
from recto.chats.ground import Brought, brought_by
from recto.chats.inputs import Input
from recto.chats.means import Means
from recto.chats.permits import already_followed
from recto.chats.preview.account import Preview, PreviewLeftOut, preview_of
from recto.chats.preview.built import Built, build, last_answer, request_of
from recto.chats.prompting import PINS
from recto.chats.scene import ground_of, look_around
from recto.storage import Chat

MOST_KNOWN = 8
"""Of how many chats the request before is kept: people type into few at a time."""
NOT_AGREED = "you have not agreed to it yet; Recto asks when you send"


def not_begun(project_id: str) -> Chat:
    """A chat in which nothing was said yet, as it would begin."""
    return Chat(
        id="",
        project_id=project_id,
        title="",
        group_id=None,
        meta={},
        is_global=False,
        created_ms=0,
        last_active_ms=0,
        version=0,
        deleted_ms=None,
    )


class Previews:
    """Shows what would be sent, and sends nothing."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._known: dict[str, tuple[str, Built | None]] = {}
        """The last requests of some chats, each with the answer it got."""

    async def of(
        self, chat: Chat, given: Input, user: User, *, edits: Entry | None = None
    ) -> Preview:
        """The request that saying this would send, now or instead of an earlier message."""
        means = self._means
        scene = await look_around(means, chat, given)
        brought = await brought_by(scene.workspace)
        follow = already_followed(means, scene.workspace.root, chat, brought)
        ground = await ground_of(means, chat, scene, given, follow)
        entries = await self._entries(chat, user, edits)
        pins = chat.meta.get(PINS, ())
        now = build(
            means, chat, entries, ground, scene.access, given, counter=means.counter, pins=pins
        )
        before = await self._before(chat)
        unread = [one for one in brought if one not in follow]
        return preview_of(now, before, entries, pins, self._unagreed(unread, scene.access))

    async def _entries(self, chat: Chat, user: User, edits: Entry | None) -> list[Entry]:
        """The history as it would be."""
        if edits is not None:
            entries = await self._means.archive.since_checkpoint(chat.id, before=edits.seq)
            return [*entries, Entry(edits.id, edits.seq, 0, user)]
        entries = await self._means.archive.since_checkpoint(chat.id)
        return [*entries, Entry("", entries[-1].seq + 1 if entries else 1, 0, user)]

    async def _before(self, chat: Chat) -> Built | None:
        """The last request of a chat."""
        answer = await last_answer(self._means, chat.id)
        if answer is None:
            return None
        known = self._known.pop(chat.id, None)
        if known is None or known[0] != answer.id:
            known = answer.id, await request_of(self._means, chat, answer)
        self._known[chat.id] = known
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return known[1]

    def _unagreed(self, texts: Sequence[Brought], access: Access) -> tuple[PreviewLeftOut, ...]:
        """The folder's own words that nobody has agreed to."""
        count = self._means.counter.text
        return tuple(
            PreviewLeftOut(one.path, NOT_AGREED, count(one.text, access.id), None) for one in texts
        )
