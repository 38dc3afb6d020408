"""Chats as things, and their folders, as the API shows them."""

from recto.chats import Chat, ChatGroup, PlainMessage, SyncOutcome, model_of, pinned_of
from recto.server.schemas.chats import chat_groups as groups
from recto.server.schemas.chats import chats as shown


def present_chat(chat: Chat, *, is_running: bool) -> shown.Chat:
    """A chat without what was said."""
    pinned = pinned_of(chat)
    return shown.Chat(
        id=chat.id,
        project_id=chat.project_id,
        title=chat.title,
        model=model_of(chat),
        group_id=chat.group_id,
        context_ids=list(pinned.context_ids),
        skill_ids=list(pinned.skill_ids),
        additional_files=list(pinned.additional_files),
        additional_prompt=pinned.additional_prompt,
        is_global=chat.is_global,
        created_at=chat.created_ms,
        last_active_at=chat.last_active_ms,
        version=chat.version,
        is_running=is_running,
    )


def present_message(message: PlainMessage) -> shown.ChatMessage:
    """Something that was said."""
    return shown.ChatMessage(
        id=message.id, role=message.role, text=message.text, created_at=message.created_ms
    )


def present_group(group: ChatGroup) -> groups.ChatGroup:
    """A folder of chats."""
    return groups.ChatGroup(
        id=group.id,
        project_id=group.project_id,
        name=group.name,
        color=group.color,
        parent_id=group.parent_id,
        position=group.position,
        default_context_ids=list(group.default_context_ids),
        default_skill_ids=list(group.default_skill_ids),
        created_at=group.created_ms,
        version=group.version,
    )


def present_synced_group(synced: SyncOutcome[ChatGroup]) -> groups.SyncedGroupResult:
    """What became of a folder that a client sent."""
    return groups.SyncedGroupResult(
        id=synced.id,
        outcome=synced.outcome,
        reason=synced.reason,
        row=None if synced.row is None else present_group(synced.row),
    )
