"""Models to build prompts for: a token is a word, so that sizes can be read off."""

from dataclasses import replace
from functools import lru_cache, partial

from recto.context import ModelFacts, Window
from recto.context.conversation import Attachment, ConversationMessage
from recto.messages import Message, Origin, Part, Text, Thinking, ToolCall, ToolResult, user

HERE = Origin("anthropic-messages", "a", "claude")


@lru_cache(maxsize=10_000)
def word_count(text: str) -> int:
    """How many words there are."""
    return len(text.split())


def count_words(part: Part) -> int:
    """Words stand for tokens."""
    match part:
        case Text() | Thinking():
            return word_count(part.text)
        case ToolCall():
            return 1 + len(str(dict(part.arguments)).split())
        case ToolResult():
            return 1 + sum(count_words(item) for item in part.content)
        case _:
            return 50


PLAIN = ModelFacts(HERE, Window(1_000_000, 0), count_words)
BOUND = replace(PLAIN, binds_prefix=True)
UNCACHED = replace(PLAIN, cache=None)


def with_room(tokens: int, model: ModelFacts = PLAIN) -> ModelFacts:
    """A model that takes so many tokens."""
    return replace(model, window=Window(tokens + 10, 10))


def words(count: int, word: str = "word") -> str:
    """A text of so many tokens."""
    return " ".join([word] * count)


def attached(path: str, text: str, *, hash: str | None = None) -> Attachment:
    """A file whose hash is its text, unless told otherwise."""
    return Attachment(path, text, hash or text)


class Story:
    """Numbers messages as they are told."""

    def __init__(self) -> None:
        self.spoken: list[ConversationMessage] = []

    def say(
        self,
        message: Message | str,
        *attachments: Attachment,
        meta: str = "",
        pinned: bool = False,
    ) -> "Story":
        """Add a message; a string is the user's."""
        told = user(message) if isinstance(message, str) else message
        entry = partial(ConversationMessage, str(len(self.spoken)), told, attachments)
        self.spoken.append(entry(meta=meta, pinned=pinned))
        return self
