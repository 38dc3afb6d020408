"""Claude's `conversations.json`: for each chat a list of messages made of blocks."""

from recto.chats.history.entries import AttachedText
from recto.chats.transfer.imports.branches import path_to
from recto.chats.transfer.imports.builder import ImportedChat, ImportedChatBuilder, derived
from recto.chats.transfer.imports.fields import (
    Record,
    key_in,
    moment_in,
    record_in,
    records_in,
    text_in,
)
from recto.messages import Text, Thinking

SOURCE = "Claude"
PARENT = "parent_message_uuid"


def is_chat(record: Record) -> bool:
    """Whether it looks like a chat of Claude."""
    return isinstance(record.get("chat_messages"), list)


def read_chat(record: Record) -> ImportedChat:
    """The chat along its current path.

    Raises:
        NotAChat: it has no messages.
    """
    messages = records_in(record, "chat_messages")
    shown = _current(messages, text_in(record, "current_leaf_message_uuid"))
    created = moment_in(record, "created_at")
    key = key_in(record, "uuid") or "\0".join(key_in(item, "uuid") for item in messages)
    builder = ImportedChatBuilder(SOURCE, key, created or 0)
    builder.left_out["message of another branch"] += len(messages) - len(shown)
    for message in shown:
        _tell(builder, message, text_in(record, "model"))
    return builder.finished(text_in(record, "name"), created=created)


def _current(messages: list[Record], leaf: str) -> list[Record]:
    """The messages along the path, where the export says what follows what; else all."""
    by_key = {text_in(message, "uuid"): message for message in messages if text_in(message, "uuid")}
    parents = {key: text_in(value, PARENT) for key, value in by_key.items()}
    if not any(parent in by_key for parent in parents.values()):
        return messages
    path = path_to(leaf if leaf in parents else next(reversed(parents)), parents)
    return [by_key[key] for key in path]


def _tell(builder: ImportedChatBuilder, message: Record, model: str) -> None:
    builder.at(moment_in(message, "created_at"))
    blocks = records_in(message, "content")
    if text_in(message, "sender") == "assistant":
        for block in blocks or [{"type": "text", "text": text_in(message, "text")}]:
            _tell_block(builder, block, model)
        return
    texts = (text_in(block, "text") for block in blocks if text_in(block, "type") == "text")
    said = "\n\n".join(filter(None, texts)) or text_in(message, "text")
    attached = [item for item in map(_attached, records_in(message, "attachments")) if item]
    builder.said(said, attached)
    builder.left_out["file"] += len(records_in(message, "files"))


def _attached(attachment: Record) -> AttachedText | None:
    text = text_in(attachment, "extracted_content")
    path = text_in(attachment, "file_name") or "attachment"
    return AttachedText(path, text, derived(text)) if text else None


def _tell_block(builder: ImportedChatBuilder, block: Record, model: str) -> None:
    match text_in(block, "type"):
        case "text":
            if text := text_in(block, "text"):
                builder.answered(Text(text), model)
        case "thinking":
            if text := text_in(block, "thinking"):
                builder.answered(Thinking(text), model)
        case "tool_use":
            name, key = text_in(block, "name"), key_in(block, "id")
            builder.called(name, dict(record_in(block, "input")), model, key)
        case "tool_result":
            builder.settled(
                text_in(block, "name"),
                _result(builder, block),
                failed=block.get("is_error") is True,
                call_key=key_in(block, "tool_use_id"),
            )
        case "token_budget":
            pass
        case _:
            builder.left_out["block of an unknown kind"] += 1


def _result(builder: ImportedChatBuilder, block: Record) -> str:
    if isinstance(block.get("content"), str):
        return text_in(block, "content")
    texts: list[str] = []
    for inner in records_in(block, "content"):
        if text_in(inner, "type") == "image":
            builder.left_out["picture"] += 1
        texts.append(text_in(inner, "text", "title", "url"))
    return "\n\n".join(filter(None, texts))
