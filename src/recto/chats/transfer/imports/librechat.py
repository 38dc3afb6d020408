"""LibreChat's export of one conversation: messages in a list or nested in each other."""

from recto.chats.transfer.imports.branches import latest_leaf, path_to
from recto.chats.transfer.imports.builder import ImportedChat, ImportedChatBuilder
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

SOURCE = "LibreChat"


def is_chat(record: Record) -> bool:
    """Whether it looks like a conversation of LibreChat."""
    return "conversationId" in record and ("messages" in record or "messagesTree" in record)


def read_chat(record: Record) -> ImportedChat:
    """The conversation along its latest path: the export does not say which one was shown.

    Raises:
        NotAChat: it has no messages.
    """
    messages, parents = _flattened(record)
    times = {key: moment_in(message, "createdAt") or 0 for key, message in messages.items()}
    path = path_to(latest_leaf(parents, times), parents)
    created = min((time for time in times.values() if time), default=None)
    builder = ImportedChatBuilder(
        SOURCE, key_in(record, "conversationId") or "\0".join(messages), created or 0
    )
    builder.left_out["message of another branch"] += len(messages) - len(path)
    options = record_in(record, "options")
    for key in path:
        model = text_in(messages[key], "model") or text_in(options, "model")
        _tell(builder, messages[key], model)
    return builder.finished(text_in(record, "title"), created=created)


def _flattened(record: Record) -> tuple[dict[str, Record], dict[str, str]]:
    """Every message by its key, and what each one follows."""
    found = record.get("messagesTree", record.get("messages"))
    root = a_record(found)
    waiting = [(item, "") for item in ([root] if root else records(found))][::-1]
    messages: dict[str, Record] = {}
    parents: dict[str, str] = {}
    while waiting:
        one, above = waiting.pop()
        message = a_record(one)
        if message is None:
            continue
        key = key_in(message, "messageId", "id") or f"#{len(messages)}"
        children = records(message.get("children"))
        waiting += [(child, key) for child in reversed(children)]
        if key not in messages and _is_message(message):
            messages[key] = message
            parents[key] = text_in(message, "parentMessageId") or above
    return messages, _chained(parents)


def _is_message(message: Record) -> bool:
    """A tree's root may be a mere holder of the messages below it."""
    return bool(message.keys() & {"text", "content", "isCreatedByUser"})


def _chained(parents: dict[str, str]) -> dict[str, str]:
    """Where nothing says what follows what, the order of the list does."""
    if any(parent in parents for parent in parents.values()):
        return parents
    keys = list(parents)
    return dict(zip(keys, ["", *keys], strict=False))


def _tell(builder: ImportedChatBuilder, message: Record, model: str) -> None:
    builder.at(moment_in(message, "createdAt"))
    builder.left_out["file"] += len(records_in(message, "files"))
    parts = records_in(message, "content")
    by_user = message.get("isCreatedByUser") is True or text_in(message, "sender") == "User"
    if by_user:
        said = "\n\n".join(filter(None, map(_text, parts)))
        builder.said(text_in(message, "text") or said)
        return
    if not parts and (text := text_in(message, "text")):
        builder.answered(Text(text), model)
    for part in parts:
        _tell_part(builder, part, model)


def _tell_part(builder: ImportedChatBuilder, part: Record, model: str) -> None:
    match text_in(part, "type"):
        case "text" | "error":
            if text := _text(part):
                builder.answered(Text(text), model)
        case "think":
            if text := text_in(part, "think") or text_in(record_in(part, "think"), "value"):
                builder.answered(Thinking(text), model)
        case "tool_call":
            _tell_call(builder, record_in(part, "tool_call"), model)
        case "image_file" | "image_url":
            builder.left_out["picture"] += 1
        case _:
            builder.left_out["block of an unknown kind"] += 1


def _tell_call(builder: ImportedChatBuilder, call: Record, model: str) -> None:
    function = record_in(call, "function")
    name = text_in(call, "name") or text_in(function, "name") or text_in(call, "type")
    raw = call.get("args", function.get("arguments"))
    key = key_in(call, "id")
    builder.called(name, _arguments(raw), model, key)
    output = text_in(call, "output") or text_in(function, "output")
    if output:
        builder.settled(name, output, call_key=key)


def _arguments(raw: object) -> Record:
    if isinstance(raw, str):
        found = object_in(raw)
        return {"input": raw} if found is None else found
    return a_record(raw) or {}


def _text(part: Record) -> str:
    return text_in(part, "text") or text_in(record_in(part, "text"), "value")
