"""Messages to turns, in an order that the API never refuses, whatever the history.

Turns alternate and begin with the user. Each call is answered in the very next turn, answers come
first in it, and ids are unique. Words and thoughts that the API would refuse are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import msgspec

from recto.llm.encoding import encode
from recto.llm.names import free_id, wire_id
from recto.llm.natives import has_natives
from recto.llm.protocols.anthropic_messages.body import (
    Block,
    CacheControl,
    MarkableBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Turn,
)
from recto.llm.protocols.anthropic_messages.lower_parts import (
    lower_call,
    lower_content,
    lower_result,
    lower_text,
    lower_thinking,
    native_block,
)
from recto.llm.traits import Traits
from recto.messages import (
    Document,
    Image,
    Json,
    Message,
    Native,
    Origin,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    folded,
)

Placed = tuple[int, Block | Json]
"""A block, and the index of the message it came from."""
OURS = -1
"""The index of blocks that came from no message."""
BEGINNING = "[The beginning of the conversation was left out.]"
NOT_RUN = "No result: this call was not run."
CONTINUE = "Continue."


@dataclass(slots=True)
class OpenTurn:
    """A turn that is being put together: results apart, because they come first."""

    role: Literal["user", "assistant"]
    results: list[Placed] = field(default_factory=list[Placed])
    others: list[Placed] = field(default_factory=list[Placed])


class History:
    """Puts turns together, message by message."""

    def __init__(self, traits: Traits, origin: Origin, natives: Sequence[Json] = ()) -> None:
        """`natives`: all blocks of the provider's own, whose calls and results go together."""
        self._traits = traits
        self._origin = origin
        self._count = 0
        self._done: list[msgspec.Raw] = []
        """The first turns, as JSON: nothing is added to them any more."""
        self._turns: list[OpenTurn] = []
        self._used: dict[str, int] = {}
        self._waiting: list[tuple[str, str]] = []
        self._asked = {block.get("id") for block in natives}
        self._answered = {block.get("tool_use_id") for block in natives}

    def take(self, message: Message, *, is_last: bool = False) -> None:
        """Take in the next message."""
        if message.role == "user":
            self._add_user(self._count, message)
        else:
            self._add_assistant(self._count, message, is_last=is_last)
        self._count += 1

    def copy(self) -> "History":
        """The same so far. What is copied is settled: all turns but the last are made JSON once."""
        self._done += [msgspec.Raw(encode(written(turn))) for turn in self._turns[:-1]]
        del self._turns[:-1]
        made = History(self._traits, self._origin)
        made._count, made._done = self._count, [*self._done]
        made._turns = [OpenTurn(turn.role, [*turn.results], [*turn.others]) for turn in self._turns]
        made._used, made._waiting = {**self._used}, [*self._waiting]
        return made

    def turns(self, marks: Mapping[int, CacheControl]) -> list[Turn]:
        """The turns, which alternate and begin with the user's, with their marks."""
        self._close()
        last_of: dict[int, MarkableBlock] = {
            index: block
            for turn in self._turns
            for index, block in placed(turn)
            if isinstance(block, MarkableBlock)
        }
        for index, mark in marks.items():
            if index in last_of:
                last_of[index].cache_control = mark
        # What is JSON already is written as it is.
        return [*cast(list[Turn], self._done), *map(written, self._turns)]

    def _turn(self, role: Literal["user", "assistant"]) -> OpenTurn:
        if not self._turns and role == "assistant":
            self._turns.append(OpenTurn("user", others=[(OURS, TextBlock(BEGINNING))]))
        if not self._turns or self._turns[-1].role != role:
            self._turns.append(OpenTurn(role))
        return self._turns[-1]

    def _add_user(self, index: int, message: Message) -> None:
        for part in message.parts:
            match part:
                case ToolResult():
                    self._add_result(index, part)
                case Native():
                    block = native_block(part, self._origin)
                    self._add_others(index, [block] if block else [])
                case Text() | Image() | Document():
                    self._add_others(index, lower_content([part], self._traits))
                case Thinking() | ToolCall():
                    # Only the model thinks and calls.
                    pass

    def _add_others(self, index: int, blocks: Iterable[Block | Json]) -> None:
        for block in blocks:
            self._turn("user").others.append((index, block))

    def _add_result(self, index: int, result: ToolResult) -> None:
        found = next((item for item in self._waiting if item[0] == result.call_id), None)
        if found is None:
            note = f"[Result of {result.name or 'a tool'}, whose call was left out:]"
            content = lower_content(result.content, self._traits)
            self._add_others(index, [TextBlock(note), *content])
            return
        self._waiting.remove(found)
        block, moved = lower_result(found[1], result, self._traits)
        self._turn("user").results.append((index, block))
        self._add_others(index, moved)

    def _add_assistant(self, index: int, message: Message, *, is_last: bool) -> None:
        blocks = [
            (part, block)
            for part in message.parts
            if (block := self._assistant_block(part, is_last=is_last)) is not None
        ]
        # A turn of thoughts alone is refused; so are thoughts at its end.
        if all(is_thinking(block) for _, block in blocks):
            return
        if self._turns and self._turns[-1].role == "user":
            self._answer_missing()
        self._turn("assistant").others.extend((index, block) for _, block in blocks)
        self._waiting += [
            (part.id, block.id)
            for part, block in blocks
            if isinstance(part, ToolCall) and isinstance(block, ToolUseBlock)
        ]

    def _assistant_block(self, part: Part, *, is_last: bool) -> Block | Json | None:
        match part:
            case Text():
                return lower_text(part, self._origin)
            case Thinking():
                return lower_thinking(part, self._origin)
            case ToolCall():
                call_id = free_id(wire_id(part.id), self._used)
                return lower_call(call_id, part, self._origin)
            case Native():
                block = native_block(part, self._origin)
                return block if block and self._is_paired(block, is_last=is_last) else None
            case Image() | Document():
                # The model can't show pictures: a note says that there was one.
                return next(iter(lower_content([part], Traits(images=False))), None)
            case ToolResult():
                return None

    def _is_paired(self, block: Json, *, is_last: bool) -> bool:
        """A provider's own call and its result go together; at the tail the result may lack."""
        kind = str(block.get("type"))
        if kind == "server_tool_use":
            return is_last or block.get("id") in self._answered
        return not kind.endswith("_tool_result") or block.get("tool_use_id") in self._asked

    def _answer_missing(self) -> None:
        for _, call_id in self._waiting:
            block = ToolResultBlock(call_id, [TextBlock(NOT_RUN)], is_error=True)
            self._turn("user").results.append((OURS, block))
        self._waiting = []

    def _close(self) -> None:
        self._answer_missing()
        if self._turns and self._turns[-1].role == "user":
            return
        if self._turns and isinstance(self._turns[-1].others[-1][1], dict):
            # A pause ends in the provider's own blocks and goes on from there by itself. Any other
            # last turn of the model would be a beginning put into its mouth, which is refused.
            return
        self._turn("user").others.append((OURS, TextBlock(CONTINUE)))


def in_order(turn: OpenTurn) -> list[Placed]:
    """A model's turn with its words before its calls, and without thoughts at the end."""
    if turn.role == "user":
        return turn.others
    placed = words_first(turn.others)
    while is_thinking(placed[-1][1]):
        placed = placed[:-1]
    return placed


def words_first(placed: list[Placed]) -> list[Placed]:
    """The same blocks, with the words that came after a call before the first of the calls."""
    calls = [at for at, (_, block) in enumerate(placed) if isinstance(block, ToolUseBlock)]
    if not calls:
        return placed
    before, after = placed[: calls[0]], placed[calls[0] :]
    words = [item for item in after if isinstance(item[1], TextBlock)]
    return [*before, *words, *(item for item in after if not isinstance(item[1], TextBlock))]


def is_thinking(block: Block | Json) -> bool:
    """Whether a block holds thoughts."""
    return isinstance(block, ThinkingBlock | RedactedThinkingBlock)


def placed(turn: OpenTurn) -> list[Placed]:
    """The blocks of a turn in their order."""
    return [*turn.results, *in_order(turn)]


def written(turn: OpenTurn) -> Turn:
    """A turn as it is sent."""
    return Turn(turn.role, cast(list[Any], [block for _, block in placed(turn)]))


def lower_messages(
    messages: tuple[Message, ...],
    marks: Mapping[int, CacheControl],
    traits: Traits,
    origin: Origin,
) -> list[Turn]:
    """The turns, with a cache mark after each message in `marks` that left something to mark."""
    history, done = begun(messages, marks, traits, origin)
    last = len(messages) - 1
    for index, message in enumerate(messages[done:], done):
        history.take(message, is_last=index == last)
    return history.turns(marks)


def begun(
    messages: tuple[Message, ...],
    marks: Mapping[int, CacheControl],
    traits: Traits,
    origin: Origin,
) -> tuple[History, int]:
    """What is written of the messages already, and how many these are."""
    if has_natives(messages):
        natives = (
            native_block(part, origin)
            for message in messages
            for part in message.parts
            if isinstance(part, Native)
        )
        return History(traits, origin, [block for block in natives if block]), 0
    key = "anthropic-messages", traits, origin
    history, done = folded(messages, key, lambda: History(traits, origin))
    is_marked = any(index < done for index in marks)
    return (History(traits, origin), 0) if is_marked else (history, done)
