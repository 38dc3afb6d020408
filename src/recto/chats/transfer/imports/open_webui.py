"""Open WebUI's export: chats with a tree of messages, or in older ones a plain list."""

import html
import re

from recto.chats.transfer.imports.branches import latest_leaf, path_to
from recto.chats.transfer.imports.builder import ImportedChat, ImportedChatBuilder
from recto.chats.transfer.imports.fields import (
    Record,
    a_record,
    image_at,
    key_in,
    moment_in,
    record_in,
    records,
    records_in,
    text_in,
)
from recto.messages import Image, Text, Thinking

SOURCE = "Open WebUI"
THOUGHT = re.compile(r'<details type="reasoning"[^>]{0,500}>')
THOUGHT_END = "</details>"
SUMMARY = re.compile(r"<summary>[^<]{0,500}</summary>")


def is_chat(record: Record) -> bool:
    """Whether it looks like a chat of Open WebUI."""
    chat = record_in(record, "chat")
    return isinstance(chat.get("history"), dict) or isinstance(chat.get("messages"), list)


def read_chat(record: Record) -> ImportedChat:
    """The chat along its current path.

    Raises:
        NotAChat: it has no messages.
    """
    chat = record_in(record, "chat")
    messages, others = _current(chat)
    created = moment_in(record, "created_at") or moment_in(chat, "timestamp")
    key = key_in(record, "id") or key_in(chat, "id")
    key = key or "\0".join(key_in(item, "id") for item in messages)
    builder = ImportedChatBuilder(SOURCE, key, created or 0)
    builder.left_out["message of another branch"] += others
    models = [item for item in records(chat.get("models")) if isinstance(item, str)]
    for message in messages:
        _tell(builder, message, models[0] if models else "")
    title = text_in(record, "title") or text_in(chat, "title")
    return builder.finished(title, created=created)


def _current(chat: Record) -> tuple[list[Record], int]:
    """The messages along the path, and how many are beside it."""
    history = record_in(chat, "history")
    tree = record_in(history, "messages")
    nodes = {key: node for key, value in tree.items() if (node := a_record(value))}
    if not nodes:
        return records_in(chat, "messages"), 0
    parents = {key: text_in(node, "parentId") for key, node in nodes.items()}
    leaf = text_in(history, "currentId", "current_id")
    if leaf not in nodes:
        times = {key: moment_in(node, "timestamp") or 0 for key, node in nodes.items()}
        leaf = latest_leaf(parents, times)
    path = path_to(leaf, parents)
    return [nodes[key] for key in path], len(nodes) - len(path)


def _tell(builder: ImportedChatBuilder, message: Record, default_model: str) -> None:
    builder.at(moment_in(message, "timestamp"))
    match text_in(message, "role"):
        case "user":
            text, images = _content(message)
            builder.said(text, images=images + _pictures(builder, message))
        case "assistant":
            text, _ = _content(message)
            _tell_answer(builder, text, text_in(message, "model") or default_model)
        case "system":
            builder.left_out["system prompt"] += 1
        case _:
            builder.left_out["message of an unknown role"] += 1


def _tell_answer(builder: ImportedChatBuilder, text: str, model: str) -> None:
    at = 0
    while (found := THOUGHT.search(text, at)) is not None:
        end = text.find(THOUGHT_END, found.end())
        if end < 0:
            break
        if before := text[at : found.start()].strip():
            builder.answered(Text(before), model)
        if thought := _unquoted(SUMMARY.sub("", text[found.end() : end])):
            builder.answered(Thinking(thought), model)
        at = end + len(THOUGHT_END)
    if rest := text[at:].strip():
        builder.answered(Text(rest), model)


def _unquoted(text: str) -> str:
    """A thought without the marks of a quotation, in which it is shown."""
    lines = (line.removeprefix(">").removeprefix(" ") for line in text.strip().splitlines())
    return html.unescape("\n".join(lines)).strip()


def _content(message: Record) -> tuple[str, list[Image]]:
    """The words and pictures of a message, which may be a list of parts."""
    if isinstance(message.get("content"), str):
        return text_in(message, "content"), []
    parts = records_in(message, "content")
    texts = filter(None, (text_in(part, "text") for part in parts))
    urls = (text_in(record_in(part, "image_url"), "url") for part in parts)
    images = [image for url in urls if (image := image_at(url)) is not None]
    return "\n\n".join(texts), images


def _pictures(builder: ImportedChatBuilder, message: Record) -> list[Image]:
    images: list[Image] = []
    for file in records_in(message, "files"):
        image = image_at(text_in(file, "url"))
        if image is not None:
            images.append(image)
        else:
            what = "picture" if text_in(file, "type") == "image" else "file"
            builder.left_out[what] += 1
    return images
