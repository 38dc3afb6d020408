"""Shows what would be sent: a message is taken as if it were said, and everything but sent."""

from collections.abc import Sequence
from dataclasses import replace

from recto.access import Access
from recto.chats.history.entries import ChatEntry, User
from recto.chats.preview.account import Preview, PreviewLeftOut, preview_of
from recto.chats.preview.inclusion_view import (
    InclusionView,
    ModeEffect,
    mode_effect,
    tool_sizes,
)
from recto.chats.prompts.base import FolderInstruction, find_folder_instructions
from recto.chats.prompts.inclusion import inclusion_meta, inclusion_of
from recto.chats.prompts.request import PINS
from recto.chats.prompts.surroundings import find_surroundings, prompt_base_of
from recto.chats.prompts.turn_input import TurnInput
from recto.chats.services import ChatServices
from recto.chats.turns.built_request import BuiltRequest, build_request, last_answer, request_of
from recto.chats.turns.permissions import already_followed
from recto.context import MODES
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

    def __init__(self, services: ChatServices) -> None:
        self._services = services
        self._known: dict[str, tuple[str, BuiltRequest | None]] = {}
        """The last requests of some chats, each with the answer it got."""

    async def of(
        self, chat: Chat, given: TurnInput, user: User, *, edits: ChatEntry | None = None
    ) -> Preview:
        """The request that saying this would send, now or instead of an earlier message."""
        services = self._services
        surroundings = await find_surroundings(services, chat, given, is_preview=True)
        brought = await find_folder_instructions(surroundings.workspace)
        follow = already_followed(services, surroundings.workspace.root, chat, brought)
        base = await prompt_base_of(services, chat, surroundings, given, follow)
        entries = await self._entries(chat, user, edits)
        pins = chat.meta.get(PINS, ())
        now = build_request(
            services,
            chat,
            entries,
            base,
            surroundings.access,
            given,
            counter=services.counter,
            pins=pins,
        )
        before = await self._before(chat)
        unread = [instruction for instruction in brought if instruction not in follow]
        return preview_of(now, before, entries, pins, self._unagreed(unread, surroundings.access))

    async def inclusion(self, chat: Chat, model: str | None) -> InclusionView:
        """What each way to send tools along would send and cost, beside the last request."""
        services = self._services
        given = TurnInput(model=model)
        surroundings = await find_surroundings(services, chat, given)
        brought = await find_folder_instructions(surroundings.workspace)
        follow = already_followed(services, surroundings.workspace.root, chat, brought)
        entries = await self._entries(chat, User("", ""), None)
        pins, before = chat.meta.get(PINS, ()), await self._before(chat)
        chosen = inclusion_of(chat)
        effects: list[ModeEffect] = []
        for mode in MODES:
            wanted = replace(chosen, mode=mode)
            as_wanted = replace(chat, meta={**chat.meta, **inclusion_meta(wanted)})
            base = await prompt_base_of(services, as_wanted, surroundings, given, follow)
            now = build_request(
                services,
                chat,
                entries,
                base,
                surroundings.access,
                given,
                counter=services.counter,
                pins=pins,
            )
            effects.append(mode_effect(mode, now, preview_of(now, before, entries, pins, ())))
        offered = surroundings.toolbox.offered() if surroundings.access.traits.tools else ()
        tools = tool_sizes(offered, services.counter, surroundings.access.id)
        return InclusionView(chosen, tools, tuple(effects))

    async def _entries(self, chat: Chat, user: User, edits: ChatEntry | None) -> list[ChatEntry]:
        """The history as it would be."""
        if edits is not None:
            entries = await self._services.archive.since_checkpoint(chat.id, before=edits.seq)
            return [*entries, ChatEntry(edits.id, edits.seq, 0, user)]
        entries = await self._services.archive.since_checkpoint(chat.id)
        return [*entries, ChatEntry("", entries[-1].seq + 1 if entries else 1, 0, user)]

    async def _before(self, chat: Chat) -> BuiltRequest | None:
        """The last request of a chat."""
        answer = await last_answer(self._services, chat.id)
        if answer is None:
            return None
        known = self._known.pop(chat.id, None)
        if known is None or known[0] != answer.id:
            known = answer.id, await request_of(self._services, chat, answer)
        self._known[chat.id] = known
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        return known[1]

    def _unagreed(
        self, texts: Sequence[FolderInstruction], access: Access
    ) -> tuple[PreviewLeftOut, ...]:
        """The folder's own words that nobody has agreed to."""
        count = self._services.counter.text
        return tuple(
            PreviewLeftOut(text.path, NOT_AGREED, count(text.text, access.id), None)
            for text in texts
        )
