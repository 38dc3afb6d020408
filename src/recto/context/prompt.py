"""Builds what a model sees from a conversation: the one function that decides it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recto.context.blocks import marked
from recto.context.conversation import Conversation, ConversationMessage, ModelFacts
from recto.context.draft import DraftMessage, PromptDraft
from recto.context.pieces import PromptPiece, SliceOrigin, hash_of
from recto.context.repair import GrowingRepair
from recto.context.tokens import tool_text
from recto.messages import Failure, Message, Part, Text

INJECTED: frozenset[SliceOrigin] = frozenset({"file", "selection", "skill", "names", "meta"})
SUMMARY_HEADING = "# Summary of the conversation so far"
SUMMARY_NOTE = (
    "The earlier messages are no longer sent; this summary stands for them. "
    "Files may have changed since."
)
KEPT_HEADING = "# Kept word for word from before the summary"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was said and is not sent. Pinning its entry puts it back."""

    entry_id: str
    what: str
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class PromptSlice:
    """One piece of what is sent: where it comes from, what it takes, and the hash of its text."""

    origin: SliceOrigin
    name: str
    tokens: int
    part: Part
    entry_id: str = ""
    refers: bool = False
    """Whether it only says where something stands that was sent before."""

    @property
    def hash(self) -> str:
        """The SHA-256 of what it says. Of a long conversation hardly any is ever asked for."""
        return hash_of(self.part)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and the account of it."""

    system: str
    messages: tuple[Message, ...]
    cache_index: int | None
    """The message after which the provider should remember; None for nowhere."""
    left_out: tuple[LeftOut, ...]
    tokens: int
    head: tuple[PromptSlice, ...]
    lines: Sequence[DraftMessage] = field(repr=False, compare=False)
    """What the messages were made of."""
    injecting: Sequence[DraftMessage] = field(repr=False, compare=False)
    """Those of them with which something went along."""

    @property
    def slices(self) -> tuple[PromptSlice, ...]:
        """Every piece of what is sent. A turn needs no account of each: it is made when asked."""
        return (*self.head, *body_slices(self.lines))

    @property
    def context_hashes(self) -> tuple[str, ...]:
        """The hashes of what was put in besides the conversation itself."""
        return tuple(
            hash_of(piece.part)
            for line in self.injecting
            if not line.is_dropped
            for piece in line.pieces
            if piece.origin in INJECTED
        )


@dataclass(frozen=True, slots=True)
class TooLong:
    """The conversation can't be made to fit without losing what must stay."""

    what: str
    """The largest thing that must stay."""
    what_tokens: int
    tokens: int
    room: int
    slices: tuple[PromptSlice, ...] = ()
    """All that would have to be sent."""

    @property
    def failure(self) -> Failure:
        """The same, as the end of a call."""
        return Failure(
            "context_length",
            f"This is too long for the model: about {self.tokens:,} tokens, and it takes "
            f"{self.room:,}. The largest part is {self.what}, with {self.what_tokens:,}. "
            "Shorten it, unpin something, or choose a model with a larger window.",
        )


def build_prompt(
    conversation: Conversation, model: ModelFacts, *, freeze_cache: bool = False
) -> Prompt | TooLong:
    """What this model gets to see of a conversation, the same bytes each time it is built.

    The summary stands in the system prompt of every request; the system prompt changes only with
    it. The workspace's state goes with the first message after a checkpoint, and again when it
    changed. A prompt only grows; earlier messages are touched when a newer copy of a file saves
    more than the broken cache costs, or when it would not fit. With `freeze_cache` the cache mark
    stays where the last answer's request put it.
    """
    head = tuple(head_slices(conversation, model))
    growing = GrowingPrompt(model, sum(item.tokens for item in head))
    growing.add(conversation.spoken)
    return growing.build(conversation, head, freeze_cache=freeze_cache)


class GrowingPrompt:
    """The prompt of a conversation that goes on: a request is made by what is new since the last.

    It is the same as one that is built from the beginning, as long as the model, the room before
    the messages and what was said stay what they are.
    """

    def __init__(self, model: ModelFacts, fixed: int) -> None:
        """`fixed`: the tokens before the messages."""
        self._model = model
        self._draft = PromptDraft(model, fixed)
        self._repair = GrowingRepair(model.origin)

    def add(self, more: Iterable[ConversationMessage]) -> None:
        """Take in what was said since."""
        for spoken in more:
            self._draft.add(spoken)

    def build(
        self,
        conversation: Conversation,
        head: tuple[PromptSlice, ...],
        *,
        freeze_cache: bool = False,
    ) -> Prompt | TooLong:
        """What is sent of a conversation, all of which was taken in."""
        draft, model = self._draft, self._model
        if draft.total > model.window.room:
            return too_long(draft, head, model)
        messages = self._repair.repaired(draft.messages())
        return Prompt(
            system=whole_system(conversation),
            messages=messages,
            cache_index=cache_index(conversation, model, len(messages) - 1, freeze=freeze_cache),
            left_out=tuple(left_out(draft)),
            tokens=draft.total,
            head=head,
            lines=tuple(draft.lines),
            injecting=tuple(draft.injecting),
        )


def whole_system(conversation: Conversation) -> str:
    """The system prompt, with the summary and what is kept under headings of their own."""
    sections = [conversation.system, summary_section(conversation), kept_section(conversation)]
    return "\n\n".join(section for section in sections if section)


def summary_section(conversation: Conversation) -> str:
    """The summary under its heading."""
    if conversation.summary is None:
        return ""
    return f"{SUMMARY_HEADING}\n{SUMMARY_NOTE}\n{marked('summary', conversation.summary)}"


def kept_section(conversation: Conversation) -> str:
    """What was said before the summary and must stay as it was said."""
    if not conversation.kept:
        return ""
    return "\n".join([KEPT_HEADING, *(marked("said", words) for words in conversation.kept)])


def head_slices(conversation: Conversation, model: ModelFacts) -> Iterator[PromptSlice]:
    """What stands before the messages."""
    tools = "\n".join(tool_text(tool) for tool in conversation.tools if not tool.deferred)
    texts: list[tuple[SliceOrigin, str, str]] = [
        ("system", "system prompt", conversation.system),
        ("summary", "summary", summary_section(conversation)),
        ("kept", "kept word for word", kept_section(conversation)),
        ("tools", "tools", tools),
    ]
    for origin, name, text in texts:
        if text:
            part = Text(text)
            yield PromptSlice(origin, name, model.count(part), part)


def body_slices(lines: Sequence[DraftMessage]) -> Iterator[PromptSlice]:
    """Every piece of the messages."""
    for line in lines:
        if line.is_dropped:
            continue
        for piece in line.pieces:
            yield PromptSlice(
                piece.origin,
                piece.name,
                piece.tokens,
                piece.part,
                line.spoken.entry_id,
                piece.refers,
            )


def cache_index(
    conversation: Conversation, model: ModelFacts, last: int, *, freeze: bool
) -> int | None:
    """Where the cache mark goes: to the end, or where the last answer's request had it."""
    if not model.cache_marks:
        return None
    if not freeze:
        return last
    return None if conversation.frozen_at is None else min(conversation.frozen_at, last)


def left_out(draft: PromptDraft) -> Iterator[LeftOut]:
    """All that was said and is not sent, with the reason."""
    for _, line in sorted(draft.lessened.items()):
        if line.is_dropped:
            yield dropped(line)
            continue
        for piece in line.gone.values():
            if not piece.refers:
                why = "a later message carries it"
                yield LeftOut(line.spoken.entry_id, piece.name, why, piece.tokens)
        for piece in line.pieces:
            yield from shortened(line, piece)


def dropped(line: DraftMessage) -> LeftOut:
    """A whole message that is not sent."""
    what = "your message" if line.spoken.message.role == "user" else "the answer"
    if line.spoken.message.results:
        what = "the tools' results"
    why = "the conversation is longer than the model's window"
    return LeftOut(line.spoken.entry_id, what, why, line.tokens)


def shortened(line: DraftMessage, piece: PromptPiece) -> Iterator[LeftOut]:
    """What a piece lost."""
    missing = piece.whole - piece.tokens
    if missing > 0:
        why = f"only its beginning and end are sent, {piece.tokens:,} of {piece.whole:,} tokens"
        yield LeftOut(line.spoken.entry_id, piece.name, why, missing)
    if piece.lost:
        yield LeftOut(line.spoken.entry_id, piece.name, piece.lost, 0)


def too_long(draft: PromptDraft, head: tuple[PromptSlice, ...], model: ModelFacts) -> TooLong:
    """Says what takes the most room of all that must stay."""
    slices = (*head, *body_slices(draft.lines))
    largest = max(slices, key=lambda one: one.tokens)
    what = f"the {largest.name}" if largest in head else largest.name
    return TooLong(what, largest.tokens, draft.total, model.window.room, slices)
