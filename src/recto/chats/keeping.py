"""Chats as things: begun, found in their project, changed, moved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recto.chats.elsewhere import check_no_turn
from recto.chats.failures import Known, Misplaced
from recto.chats.means import Means
from recto.chats.pinned import Pinned, check_new, pinned_of, there
from recto.chats.wanted import Beginning, WantedChat
from recto.storage import Chat, JsonObject, NewEvent, NotFound, Storage, Write
from recto.workspace import NameRefused, OutsideWorkspace

MODEL = "model"
MOVES = "moves"
"""Where a chat was before it was moved, and until when: [[milliseconds, project id], …]."""


async def begin(
    means: Means, project_id: str, title: str, model: str | None, wish: Beginning
) -> Chat:
    """Begin a chat. Raises NotFound, Known, Misplaced."""
    storage = means.storage
    await check_files(means, project_id, wish.additional_files)
    async with storage.write() as write:
        project = await storage.projects.get(project_id, within=write)
        if wish.id is not None and await known(storage, wish.id, within=write) is not None:
            raise Known("chat", wish.id)
        await check_group(storage, project_id, wish.group_id, within=write)
        pinned = await first_pinned(storage, project.id, project.settings, wish, within=write)
        chat = await storage.chats.add(
            write,
            id=wish.id or means.ids.new(),
            project_id=project_id,
            title=title,
            meta={MODEL: model, **pinned.meta()},
            group_id=wish.group_id,
            is_global=wish.is_global,
        )
        if title:
            await storage.search.name(write, chat.id, title)
        return chat


async def first_pinned(
    storage: Storage, project_id: str, settings: JsonObject, wish: Beginning, *, within: Write
) -> Pinned:
    """What a new chat has pinned: what was asked for, else its folder's, else the project's."""
    contexts: tuple[str, ...] = tuple(settings.get("default_context_ids", ()))
    skills: tuple[str, ...] = tuple(settings.get("default_skill_ids", ()))
    if wish.group_id is not None:
        group = await storage.groups.get(wish.group_id, within=within)
        contexts = group.default_context_ids or contexts
        skills = group.default_skill_ids or skills
    contexts, skills = await there(storage, project_id, contexts, skills, within=within)
    usual = Pinned(contexts, skills, wish.additional_files, wish.additional_prompt)
    pinned = replace(
        usual,
        context_ids=contexts if wish.context_ids is None else wish.context_ids,
        skill_ids=skills if wish.skill_ids is None else wish.skill_ids,
    )
    await check_new(storage, None if wish.is_global else project_id, pinned, usual, within=within)
    return pinned


async def find(
    storage: Storage, project_id: str, chat_id: str, *, within: Write | None = None
) -> Chat:
    """A chat that a project shows: its own, or a global one. Raises NotFound."""
    await storage.projects.get(project_id, within=within)
    chat = await storage.chats.get(chat_id, within=within)
    if chat.deleted_ms is not None or not is_shown_in(chat, project_id):
        raise NotFound("chat", chat_id)
    return chat


async def some(storage: Storage, project_id: str, chat_ids: Collection[str]) -> tuple[Chat, ...]:
    """Those of some chats that a project lists, the most recently active first."""
    found = [
        chat
        for chat in await storage.chats.some(chat_ids)
        if chat.deleted_ms is None and not chat.is_thread and is_shown_in(chat, project_id)
    ]
    return tuple(sorted(found, key=lambda chat: (chat.last_active_ms, chat.id), reverse=True))


def is_shown_in(chat: Chat, project_id: str) -> bool:
    """Whether a project may have to do with a chat."""
    return chat.is_global or chat.project_id == project_id


async def known(storage: Storage, chat_id: str, *, within: Write | None = None) -> Chat | None:
    """The chat with an id, also a deleted one; None when there never was any."""
    try:
        return await storage.chats.get(chat_id, within=within)
    except NotFound:
        return None


async def check_group(
    storage: Storage, project_id: str, group_id: str | None, *, within: Write
) -> None:
    """Refuse a folder that the project does not have. Raises Misplaced."""
    if group_id is None:
        return
    groups = await storage.groups.list(project_id, within=within)
    if all(group.id != group_id for group in groups):
        raise Misplaced(
            f"There is no folder {group_id} in this project.", "Reload the list and choose again."
        )


async def check_files(means: Means, project_id: str, paths: Sequence[str]) -> None:
    """Refuse files outside a project's folder; they need not be there. Raises Misplaced."""
    if not paths:
        return
    workspace = await means.open_workspace(project_id)
    for found in (await workspace.identify(paths)).values():
        if isinstance(found, OutsideWorkspace | NameRefused):
            raise Misplaced(found.message, found.remedy)


async def change(
    means: Means, project_id: str, chat_id: str, wanted: WantedChat, version: int
) -> Chat:
    """Have a chat be as it is wanted, if the caller saw it as it is.

    Raises NotFound, StaleVersion, Misplaced, Busy.
    """
    storage = means.storage

    async def work(write: Write) -> Chat:
        chat = await find(storage, project_id, chat_id, within=write)
        moves = wanted.project_id != chat.project_id
        if moves:
            await storage.projects.get(wanted.project_id, within=write)
            await check_no_turn(means, write, chat_id)
        if chat.is_thread and (moves or wanted.group_id is not None or wanted.is_global):
            raise Misplaced(
                "The conversation of a thread stays with its passage.", "Begin a chat instead."
            )
        group_id, pinned = await places(storage, chat, wanted, within=write)
        await storage.search.name(write, chat_id, wanted.title)
        meta = {**chat.meta, MODEL: wanted.model, **pinned.meta(), **moved(chat, wanted, write)}
        return await storage.chats.update(
            write,
            chat_id,
            title=wanted.title,
            meta=meta,
            group_id=group_id,
            is_global=wanted.is_global,
            project_id=wanted.project_id,
            expected_version=version,
        )

    return await means.journals.of(chat_id).commit_with(work, lambda chat: [renamed(chat)])


async def places(
    storage: Storage, chat: Chat, wanted: WantedChat, *, within: Write
) -> tuple[str | None, Pinned]:
    """The folder and what is pinned. What the project has not that a chat moves to stays behind."""
    was, pinned, group_id = pinned_of(chat), wanted.pinned, wanted.group_id
    project_id = None if wanted.is_global else wanted.project_id
    if wanted.project_id != chat.project_id:
        group_id = None if group_id == chat.group_id else group_id
        contexts, skills = await there(
            storage, project_id, pinned.context_ids, pinned.skill_ids, within=within
        )
        pinned = replace(pinned, context_ids=contexts, skill_ids=skills)
    else:
        await check_new(storage, project_id, pinned, was, within=within)
    if group_id != chat.group_id:
        await check_group(storage, wanted.project_id, group_id, within=within)
    return group_id, pinned


def moved(chat: Chat, wanted: WantedChat, write: Write) -> Mapping[str, Any]:
    """Where a chat was until now, if it moves: what its turns did to files, they did there."""
    if wanted.project_id == chat.project_id:
        return {}
    return {MOVES: [*chat.meta.get(MOVES, ()), [write.now_ms, chat.project_id]]}


def as_it_was(chat: Chat, at_ms: int) -> Chat:
    """A chat in the project that it belonged to at a time: there its turns changed files then."""
    for until_ms, project_id in chat.meta.get(MOVES, ()):
        if at_ms <= until_ms:
            return replace(chat, project_id=project_id)
    return chat


def renamed(chat: Chat) -> NewEvent:
    """What those who watch a chat are told of its title and model."""
    return NewEvent("chat", {"title": chat.title, "model": chat.meta.get(MODEL)})
