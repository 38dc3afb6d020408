"""Chats as things: begun, found in their project, changed, moved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recto.chats.failures import IdTaken, InvalidPlacement
from recto.chats.library.pinned import PinnedItems, check_new, existing_items, pinned_of
from recto.chats.library.requests import ChatChange, NewChatOptions
from recto.chats.services import ChatServices
from recto.chats.turns.remote_runs import check_no_remote_run
from recto.storage import Chat, JsonObject, NewEvent, RecordNotFound, Storage, WriteTransaction
from recto.workspace import NameRefused, OutsideWorkspace

MODEL = "model"
MOVES = "moves"
"""Where a chat was before it was moved, and until when: [[milliseconds, project id], …]."""


async def begin_chat(
    services: ChatServices, project_id: str, title: str, model: str | None, options: NewChatOptions
) -> Chat:
    """Begin a chat. Raises RecordNotFound, IdTaken, InvalidPlacement."""
    storage = services.storage
    await check_files(services, project_id, options.additional_files)
    async with storage.write() as write:
        project = await storage.projects.get(project_id, within=write)
        if (
            options.id is not None
            and await known_chats(storage, options.id, within=write) is not None
        ):
            raise IdTaken("chat", options.id)
        await check_group(storage, project_id, options.group_id, within=write)
        pinned = await first_pinned(storage, project.id, project.settings, options, within=write)
        chat = await storage.chats.add(
            write,
            id=options.id or services.ids.new(),
            project_id=project_id,
            title=title,
            meta={MODEL: model, **pinned.meta()},
            group_id=options.group_id,
            is_global=options.is_global,
        )
        if title:
            await storage.search.name(write, chat.id, title)
        return chat


async def first_pinned(
    storage: Storage,
    project_id: str,
    settings: JsonObject,
    options: NewChatOptions,
    *,
    within: WriteTransaction,
) -> PinnedItems:
    """What a new chat has pinned: what was asked for, else its folder's, else the project's."""
    contexts: tuple[str, ...] = tuple(settings.get("default_context_ids", ()))
    skills: tuple[str, ...] = tuple(settings.get("default_skill_ids", ()))
    if options.group_id is not None:
        group = await storage.groups.get(options.group_id, within=within)
        contexts = group.default_context_ids or contexts
        skills = group.default_skill_ids or skills
    contexts, skills = await existing_items(storage, project_id, contexts, skills, within=within)
    usual = PinnedItems(contexts, skills, options.additional_files, options.additional_prompt)
    pinned = replace(
        usual,
        context_ids=contexts if options.context_ids is None else options.context_ids,
        skill_ids=skills if options.skill_ids is None else options.skill_ids,
    )
    await check_new(
        storage, None if options.is_global else project_id, pinned, usual, within=within
    )
    return pinned


async def find_chat(
    storage: Storage, project_id: str, chat_id: str, *, within: WriteTransaction | None = None
) -> Chat:
    """A chat that a project shows: its own, or a global one. Raises RecordNotFound."""
    await storage.projects.get(project_id, within=within)
    chat = await storage.chats.get(chat_id, within=within)
    if chat.deleted_ms is not None or not is_shown_in(chat, project_id):
        raise RecordNotFound("chat", chat_id)
    return chat


async def list_chats(
    storage: Storage, project_id: str, chat_ids: Collection[str]
) -> tuple[Chat, ...]:
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


async def known_chats(
    storage: Storage, chat_id: str, *, within: WriteTransaction | None = None
) -> Chat | None:
    """The chat with an id, also a deleted one; None when there never was any."""
    try:
        return await storage.chats.get(chat_id, within=within)
    except RecordNotFound:
        return None


async def check_group(
    storage: Storage, project_id: str, group_id: str | None, *, within: WriteTransaction
) -> None:
    """Refuse a folder that the project does not have. Raises InvalidPlacement."""
    if group_id is None:
        return
    groups = await storage.groups.list(project_id, within=within)
    if all(group.id != group_id for group in groups):
        raise InvalidPlacement(
            f"There is no folder {group_id} in this project.", "Reload the list and choose again."
        )


async def check_files(services: ChatServices, project_id: str, paths: Sequence[str]) -> None:
    """Refuse files outside a project's folder; they need not be there. Raises InvalidPlacement."""
    if not paths:
        return
    workspace = await services.open_workspace(project_id)
    for found in (await workspace.identify(paths)).values():
        if isinstance(found, OutsideWorkspace | NameRefused):
            raise InvalidPlacement(found.message, found.remedy)


async def change_chat(
    services: ChatServices, project_id: str, chat_id: str, wanted: ChatChange, version: int
) -> Chat:
    """Have a chat be as it is wanted, if the caller saw it as it is.

    Raises RecordNotFound, StaleVersion, InvalidPlacement, Busy.
    """
    storage = services.storage

    async def work(write: WriteTransaction) -> Chat:
        chat = await find_chat(storage, project_id, chat_id, within=write)
        moves = wanted.project_id != chat.project_id
        if moves:
            await storage.projects.get(wanted.project_id, within=write)
            await check_no_remote_run(services, write, chat_id)
        if chat.is_thread and (moves or wanted.group_id is not None or wanted.is_global):
            raise InvalidPlacement(
                "The conversation of a thread stays with its passage.", "Begin a chat instead."
            )
        group_id, pinned = await list_places(storage, chat, wanted, within=write)
        await storage.search.name(write, chat_id, wanted.title)
        meta = {**chat.meta, MODEL: wanted.model, **pinned.meta(), **move_chat(chat, wanted, write)}
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

    return await services.journals.of(chat_id).commit_with(work, lambda chat: [renamed(chat)])


async def list_places(
    storage: Storage, chat: Chat, wanted: ChatChange, *, within: WriteTransaction
) -> tuple[str | None, PinnedItems]:
    """The folder and what is pinned. What the project has not that a chat moves to stays behind."""
    was, pinned, group_id = pinned_of(chat), wanted.pinned, wanted.group_id
    project_id = None if wanted.is_global else wanted.project_id
    if wanted.project_id != chat.project_id:
        group_id = None if group_id == chat.group_id else group_id
        contexts, skills = await existing_items(
            storage, project_id, pinned.context_ids, pinned.skill_ids, within=within
        )
        pinned = replace(pinned, context_ids=contexts, skill_ids=skills)
    else:
        await check_new(storage, project_id, pinned, was, within=within)
    if group_id != chat.group_id:
        await check_group(storage, wanted.project_id, group_id, within=within)
    return group_id, pinned


def move_chat(chat: Chat, wanted: ChatChange, write: WriteTransaction) -> Mapping[str, Any]:
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
