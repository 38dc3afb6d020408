"""The rules of Anthropic conversations: turns, tool results, ids, cache marks, content."""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.providers.models import Claude
from tests.fakes.providers.provider import Refusal, Refused
from tests.fakes.providers.shapes import is_array, is_object, objects

MAGIC = {
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
MAX_IMAGE_BYTES = 5 * 1024 * 1024


def refused(status: int, kind: str, message: str) -> Refused:
    """An error as this API tells it."""
    return Refused(Refusal(status, {"type": "error", "error": {"type": kind, "message": message}}))


def bad(message: str) -> Refused:
    """A bad request."""
    return refused(400, "invalid_request_error", message)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn after neighbours of the same role were merged, each block with its path."""

    role: str
    index: int
    blocks: tuple[tuple[str, dict[str, Any]], ...]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [block for _, block in self.blocks if block["type"] == kind]


def turns_of(messages: list[dict[str, Any]]) -> list[Turn]:
    """The conversation as the API sees it."""
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        blocks = tuple(_blocks(message["content"], f"messages.{index}.content"))
        if turns and turns[-1].role == message["role"]:
            turns[-1] = Turn(message["role"], turns[-1].index, turns[-1].blocks + blocks)
        else:
            turns.append(Turn(message["role"], index, blocks))
    return turns


def _blocks(content: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(content, str):
        yield path, {"type": "text", "text": content}
    else:
        for index, block in enumerate(objects(content)):
            yield f"{path}.{index}", block


def check_turns(messages: list[dict[str, Any]], model: Claude, version: str) -> list[Turn]:
    """Refuse what the API refuses about the order of a conversation."""
    for index, message in enumerate(messages):
        last_assistant = index == len(messages) - 1 and message["role"] == "assistant"
        if not message["content"] and not last_assistant:
            raise bad(
                f"messages.{index}: all messages must have non-empty content"
                " except for the optional final assistant message"
            )
        _check_role(messages, index, model)
    turns = turns_of(messages)
    if turns[0].role != "user":
        raise bad("messages: first message must use the user role")
    _check_last(turns[-1], model)
    for turn in turns:
        for path, block in turn.blocks:
            _check_place(turn.role, path, block, version)
            check_content(path, block)
        if turn.blocks and turn.blocks[-1][1]["type"] in {"thinking", "redacted_thinking"}:
            raise bad("The final block in an assistant message cannot be `thinking`.")
    _check_results(turns)
    return turns


def _check_role(messages: list[dict[str, Any]], index: int, model: Claude) -> None:
    if messages[index]["role"] != "system":
        return
    if model.system_turns == "no":
        raise bad(f"messages.{index}.role: role 'system' is not supported on this model")
    before = messages[index - 1]["role"] if index else None
    after = messages[index + 1]["role"] if index + 1 < len(messages) else "assistant"
    if before != "user" or after != "assistant":
        raise bad(
            f"messages.{index}: a system message must follow a user turn and precede an"
            " assistant turn or end the conversation"
        )


def _check_last(turn: Turn, model: Claude) -> None:
    if turn.role != "assistant":
        return
    if turn.blocks and turn.blocks[-1][1]["type"] in {"server_tool_use", "web_search_tool_result"}:
        return
    if turn.of("tool_use"):
        return  # told by the rule on missing results
    if not model.prefill:
        raise bad(
            "This model does not support assistant message prefill."
            " The conversation must end with a user message."
        )
    if turn.blocks and str(turn.blocks[-1][1].get("text", "")).endswith((" ", "\n", "\t")):
        raise bad("messages: final assistant content cannot end with trailing whitespace")


def _check_place(role: str, path: str, block: dict[str, Any], version: str) -> None:
    kind = block["type"]
    if role != "assistant" and kind in {"tool_use", "thinking", "redacted_thinking"}:
        raise bad(f"{path}: `{kind}` blocks can only be in `assistant` messages")
    if role != "user" and kind in {"tool_result", "image"}:
        raise bad(f"{path}: `{kind}` blocks can only be in `user` messages")
    if version != "2023-06-01":
        if role == "assistant" and kind == "document":
            raise bad(f"{path}: `document` blocks are not permitted in `assistant` messages")
        if role == "user" and kind == "text" and block.get("citations"):
            raise bad(f"{path}.citations: citations are not permitted in `user` messages")


def check_content(path: str, block: dict[str, Any]) -> None:
    """Refuse empty words and pictures that are none."""
    match block["type"]:
        case "text":
            if not block["text"]:
                raise bad("messages: text content blocks must be non-empty")
            if not block["text"].strip():
                raise bad("messages: text content blocks must contain non-whitespace text")
        case "image":
            _check_image(path, block["source"])
        case "tool_result" if is_array(block.get("content")):
            for index, inner in enumerate(objects(block["content"])):
                check_content(f"{path}.content.{index}", inner)
        case _:
            pass


def _check_image(path: str, source: dict[str, Any]) -> None:
    if source["type"] != "base64":
        return
    try:
        data = base64.b64decode(source["data"], validate=True)
    except (binascii.Error, ValueError):
        raise bad(f"{path}.source.base64.data: invalid base64 data") from None
    if not data:
        raise bad(f"{path}.source.base64: image cannot be empty")
    if len(data) > MAX_IMAGE_BYTES:
        raise bad(
            f"{path}.source.base64: image exceeds 5 MB maximum:"
            f" {len(data)} bytes > {MAX_IMAGE_BYTES} bytes"
        )
    seen = next((kind for kind, magic in MAGIC.items() if data.startswith(magic)), None)
    if seen is None:
        raise bad("Could not process image")
    if seen != source["media_type"]:
        raise bad(
            f"{path}.source.base64.data: The image was specified using the"
            f" {source['media_type']} media type, but the image appears to be a {seen} image"
        )


def _check_results(turns: list[Turn]) -> None:
    seen: set[str] = set()
    for position, turn in enumerate(turns):
        wanted = [block["id"] for block in turn.of("tool_use")]
        if len(set(wanted)) < len(wanted) or seen & set(wanted):
            raise bad("messages: `tool_use` ids must be unique")
        seen |= set(wanted)
        following = turns[position + 1] if position + 1 < len(turns) else None
        if wanted:
            _check_answered(turn, wanted, following)
        before = turns[position - 1] if position else None
        asked = {block["id"] for block in before.of("tool_use")} if before else set[str]()
        for path, block in turn.blocks:
            if block["type"] == "tool_result" and block["tool_use_id"] not in asked:
                raise bad(
                    f"{path}: unexpected `tool_use_id` found in `tool_result` blocks:"
                    f" {block['tool_use_id']}. Each `tool_result` block must have a corresponding"
                    " `tool_use` block in the previous message."
                )


def _check_answered(turn: Turn, wanted: list[str], following: Turn | None) -> None:
    leading: list[str] = []
    for _, block in following.blocks if following and following.role == "user" else ():
        if block["type"] != "tool_result":
            break
        leading.append(block["tool_use_id"])
    missing = [item for item in wanted if item not in leading]
    if missing:
        raise bad(
            f"messages.{turn.index}: `tool_use` ids were found without `tool_result` blocks"
            f" immediately after: {', '.join(missing)}. Each `tool_use` block must have a"
            " corresponding `tool_result` block in the next message."
        )
    given = [block["tool_use_id"] for block in following.of("tool_result")] if following else []
    twice = next((item for item in given if given.count(item) > 1), None)
    if twice:
        raise bad(
            "each tool_use must have a single result. Found multiple `tool_result` blocks"
            f" with id: {twice}"
        )


def check_cache(body: dict[str, Any]) -> None:
    """Refuse too many cache marks, and a longer life after a shorter one."""
    marks = list(_marks(body))
    automatic = body.get("cache_control")
    total = len(marks) + (automatic is not None)
    if total > 4:
        raise bad(f"A maximum of 4 blocks with cache_control may be provided. Found {total}.")
    lives = [(path, mark.get("ttl", "5m")) for path, mark, _ in marks]
    if automatic is not None:
        last = list(_cacheable(body))[-1:]
        explicit = last[0][1].get("cache_control") if last else None
        if explicit and explicit.get("ttl", "5m") != automatic.get("ttl", "5m"):
            raise bad("cache_control: conflicts with the explicit marker of the last block")
        lives.append(("cache_control", automatic.get("ttl", "5m")))
    for (_, earlier), (path, later) in zip(lives, lives[1:], strict=False):
        if earlier == "5m" and later == "1h":
            raise bad(
                f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a"
                " ttl='5m' cache_control block. Note that blocks are processed in the following"
                " order: `tools`, `system`, `messages`."
            )
    for path, _, block in marks:
        if block.get("type") == "text" and not block.get("text"):
            raise bad(f"{path}: cache_control cannot be set for empty text blocks")
        if block.get("defer_loading"):
            raise bad(f"{path}: tools with defer_loading cannot have cache_control")


def _marks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for path, block in _cacheable(body):
        mark = block.get("cache_control")
        if is_object(mark):
            yield path, mark, block


def _cacheable(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for index, tool in enumerate(objects(body.get("tools"))):
        yield f"tools.{index}", tool
    for index, block in enumerate(objects(body.get("system"))):
        yield f"system.{index}", block
    for index, message in enumerate(objects(body.get("messages"))):
        for path, block in _blocks(message["content"], f"messages.{index}.content"):
            for inner, item in enumerate(objects(block.get("content"))):
                yield f"{path}.content.{inner}", item
            yield path, block
