"""Answers that paused and go on: sent back as they are, they continue where they stopped.

Such an answer ends in data that only its provider reads: a call to one of the provider's own tools
that still has no result, or a token to continue by.
"""

from dataclasses import replace

from recto.messages import Message, Native, Part, ProviderData, Text

TOKEN = "continuation"


def goes_on(message: Message) -> bool:
    """Whether this is an answer that paused: no user speaks before it goes on."""
    if message.role != "assistant" or message.calls:
        return False
    match message.parts[-1:]:
        case (Native(provider=data),):
            return TOKEN in data.payload or is_open_call(data)
        case _:
            return False


def is_open_call(data: ProviderData) -> bool:
    """Whether a provider's block is a call to one of its own tools."""
    match data.payload.get("block"):
        case {"type": "server_tool_use"}:
            return True
        case _:
            return False


def joined(paused: Message, more: Message) -> Message:
    """An answer with what it went on with. A token is spent once something came after it."""
    if not more.parts:
        return paused
    kept = [part for part in paused.parts if not is_token(part)]
    rest = list(more.parts)
    if kept and is_plain(kept[-1]) and is_plain(rest[0]):
        before, after = kept.pop(), rest.pop(0)
        assert isinstance(before, Text)
        assert isinstance(after, Text)
        kept.append(Text(before.text + after.text))
    return replace(paused, parts=(*kept, *rest))


def is_token(part: Part) -> bool:
    """Whether a part is a token to continue by."""
    return isinstance(part, Native) and TOKEN in part.provider.payload


def is_plain(part: Part) -> bool:
    """Whether a part is words that nobody signed."""
    return isinstance(part, Text) and part.provider is None
