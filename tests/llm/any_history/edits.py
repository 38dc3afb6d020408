"""What happens to a stored history between two turns: edits, cuts, losses, copies."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from recto.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from tests.llm.any_history.draws import CALL_IDS, words

History = list[Message]


def edit_words(history: History, chance: Random) -> History:
    """Somebody rewrites a message; what its provider signed on the words is gone with them."""
    at = chance.randrange(len(history))
    parts = [Text(words(chance)) if isinstance(part, Text) else part for part in history[at].parts]
    return [*history[:at], replace(history[at], parts=tuple(parts)), *history[at + 1 :]]


def cut_front(history: History, chance: Random) -> History:
    """The beginning no longer fits."""
    return history[chance.randrange(len(history)) :]


def cut_middle(history: History, chance: Random) -> History:
    """Something in between is left out."""
    first, last = sorted((chance.randrange(len(history)), chance.randrange(len(history))))
    return [*history[:first], *history[last:]]


def cut_end(history: History, chance: Random) -> History:
    """The user goes back to an earlier message."""
    return history[: chance.randrange(len(history)) + 1]


def drop_message(history: History, chance: Random) -> History:
    """One message is deleted."""
    at = chance.randrange(len(history))
    return [*history[:at], *history[at + 1 :]]


def drop_parts(history: History, chance: Random) -> History:
    """Results, thoughts or calls are lost."""
    kind = chance.choice((ToolResult, Thinking, ToolCall, Text))
    return [
        replace(message, parts=tuple(part for part in message.parts if kept(part, kind, chance)))
        for message in history
    ]


def kept(part: Part, kind: type[Part], chance: Random) -> bool:
    """Whether a part stays."""
    return not isinstance(part, kind) or chance.random() < 0.6


def orphan_result(history: History, chance: Random) -> History:
    """A result comes for a call that nobody made."""
    result = ToolResult(chance.choice(CALL_IDS), "run", (Text(words(chance)),))
    at = chance.randrange(len(history) + 1)
    return [*history[:at], user(result, words(chance)), *history[at:]]


def same_ids(history: History, chance: Random) -> History:
    """Another program numbered all calls alike."""
    same = chance.choice(CALL_IDS)

    def renamed(part: Part) -> Part:
        if isinstance(part, ToolCall):
            return replace(part, id=same)
        return replace(part, call_id=same) if isinstance(part, ToolResult) else part

    return [replace(item, parts=tuple(renamed(part) for part in item.parts)) for item in history]


def copy_message(history: History, chance: Random) -> History:
    """A message stands there twice."""
    at = chance.randrange(len(history))
    again = chance.randrange(len(history) + 1)
    return [*history[:again], history[at], *history[again:]]


def swap(history: History, chance: Random) -> History:
    """Two messages change places."""
    at, other = chance.randrange(len(history)), chance.randrange(len(history))
    changed = list(history)
    changed[at], changed[other] = changed[other], changed[at]
    return changed


def forget_providers(history: History, chance: Random) -> History:
    """The history was exported and imported, without what only providers read."""

    def plain(part: Part) -> Part:
        match part:
            case Text() | Thinking() | ToolCall():
                return replace(part, provider=None)
            case _:
                return part

    return [replace(item, parts=tuple(plain(part) for part in item.parts)) for item in history]


def move_part(history: History, chance: Random) -> History:
    """A part ends up in another message."""
    source, target = chance.randrange(len(history)), chance.randrange(len(history))
    if not history[source].parts or source == target:
        return history
    part = chance.choice(history[source].parts)
    changed = list(history)
    changed[target] = replace(changed[target], parts=(*changed[target].parts, part))
    left = tuple(item for item in changed[source].parts if item is not part)
    changed[source] = replace(changed[source], parts=left)
    return changed


def put_words(history: History, chance: Random) -> History:
    """Words are put into somebody's mouth."""
    at = chance.randrange(len(history) + 1)
    made = chance.choice((assistant, user))(words(chance))
    return [*history[:at], made, *history[at:]]


EDITS: tuple[Callable[[History, Random], History], ...] = (
    edit_words,
    cut_front,
    cut_middle,
    cut_end,
    drop_message,
    drop_parts,
    orphan_result,
    same_ids,
    copy_message,
    swap,
    forget_providers,
    move_part,
    put_words,
)
