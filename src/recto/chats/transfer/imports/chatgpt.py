"""ChatGPT's `conversations.json`: for each chat a tree of nodes, and the node shown last."""

from recto.chats.transfer.imports.branches import latest_leaf, path_to
from recto.chats.transfer.imports.builder import ImportedChat, ImportedChatBuilder, NotAChat
from recto.chats.transfer.imports.fields import (
    Record,
    a_record,
    key_in,
    moment_in,
    object_in,
    record_in,
    records,
    records_in,
    text_in,
)
from recto.messages import Text, Thinking

SOURCE = "ChatGPT"
# What the program told the model by itself; nobody said it.
UNSPOKEN = {"user_editable_context", "model_editable_context", "reasoning_recap"}


def is_chat(record: Record) -> bool:
    """Whether it looks like a chat of ChatGPT."""
    return isinstance(record.get("mapping"), dict)


def read_chat(record: Record) -> ImportedChat:
    """The chat along its current path.

    Raises:
        NotAChat: it has no messages.
    """
    nodes = {key: node for key, value in record["mapping"].items() if (node := a_record(value))}
    key = key_in(record, "conversation_id", "id") or "\0".join(nodes)
    if not nodes:
        raise NotAChat("it has no messages.")
    parents = {name: text_in(node, "parent") for name, node in nodes.items()}
    leaf = text_in(record, "current_node")
    if leaf not in nodes:
        leaf = latest_leaf(parents, _times(nodes))
    path = path_to(leaf, parents)
    created = moment_in(record, "create_time")
    builder = ImportedChatBuilder(SOURCE, key, created or 0)
    model = text_in(record, "default_model_slug")
    for name in path:
        _tell(builder, record_in(nodes[name], "message"), model)
    shown = set(path)
    others = sum(_is_shown(nodes[name]) for name in nodes if name not in shown)
    builder.left_out["message of another branch"] += others
    return builder.finished(text_in(record, "title"), created=created)


def _times(nodes: dict[str, Record]) -> dict[str, int]:
    times = {
        key: moment_in(record_in(node, "message"), "create_time") for key, node in nodes.items()
    }
    return {key: time for key, time in times.items() if time is not None}


def _role(message: Record) -> str:
    return text_in(record_in(message, "author"), "role")


def _is_hidden(message: Record) -> bool:
    hidden = record_in(message, "metadata").get("is_visually_hidden_from_conversation") is True
    unspoken = text_in(record_in(message, "content"), "content_type") in UNSPOKEN
    return hidden or unspoken or _role(message) == "system"


def _is_shown(node: Record) -> bool:
    message = record_in(node, "message")
    return bool(_role(message)) and not _is_hidden(message)


def _tell(builder: ImportedChatBuilder, message: Record, default_model: str) -> None:
    if not message or _is_hidden(message):
        return
    builder.at(moment_in(message, "create_time"))
    content = record_in(message, "content")
    text = _text(builder, content)
    match _role(message):
        case "user":
            builder.said(text)
        case "assistant":
            model = text_in(record_in(message, "metadata"), "model_slug") or default_model
            _tell_answer(builder, message, text, model)
        case "tool":
            failed = text_in(content, "content_type") == "system_error"
            builder.settled(text_in(record_in(message, "author"), "name"), text, failed=failed)
        case _:
            builder.left_out["message of an unknown role"] += 1


def _tell_answer(builder: ImportedChatBuilder, message: Record, text: str, model: str) -> None:
    if not text:
        return
    recipient = text_in(message, "recipient") or "all"
    if recipient != "all":
        builder.called(recipient, _arguments(text), model)
    elif text_in(record_in(message, "content"), "content_type") == "thoughts":
        builder.answered(Thinking(text), model)
    else:
        builder.answered(Text(text), model)


def _arguments(text: str) -> Record:
    """What a tool was given: an object if it is one, else the text as it is."""
    found = object_in(text)
    return {"input": text} if found is None else found


def _text(builder: ImportedChatBuilder, content: Record) -> str:
    match text_in(content, "content_type"):
        case "thoughts":
            thoughts = records_in(content, "thoughts")
            return "\n\n".join(
                filter(None, (text_in(thought, "content", "summary") for thought in thoughts))
            )
        case "tether_quote":
            title, url = text_in(content, "title", "domain"), text_in(content, "url")
            return f"[{title}]({url})\n\n{text_in(content, 'text')}".strip()
        case _ if "parts" in content:
            parts = (_part(builder, part) for part in records(content.get("parts")))
            return "\n\n".join(filter(None, parts))
        case _:
            return text_in(content, "text", "result", "content")


def _part(builder: ImportedChatBuilder, part: object) -> str:
    if isinstance(part, str):
        return part
    record = a_record(part) or {}
    kind = text_in(record, "content_type")
    if text := text_in(record, "text"):
        return text
    if "image" in kind:
        builder.left_out["picture"] += 1
    elif record:
        builder.left_out["attachment"] += 1
    return ""
