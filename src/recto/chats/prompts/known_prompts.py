"""The prompts of the chats that were talked in last: a request is made by what is new in it.

Everything is worked out from the beginning again when what a prompt depends on has changed: the
model, how its tokens are counted, what stands before the messages, what is pinned, what counts.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from recto.chats.history.entries import Accounting, ChatEntry, Summary
from recto.chats.prompts.base import PromptBase
from recto.context import (
    Checkpoint,
    Conversation,
    ConversationMessage,
    GrowingPrompt,
    ModelFacts,
    Prompt,
    TooLong,
    head_slices,
    since_checkpoint,
)
from recto.messages import Part

MOST_CHATS = 16

Spoken = Callable[[ChatEntry, PromptBase, Collection[str]], ConversationMessage | Checkpoint | None]


@dataclass(frozen=True, slots=True)
class PromptSetting:
    """What a prompt depends on besides the history."""

    base: PromptBase
    pins: frozenset[str]
    facts: ModelFacts
    factors: tuple[float, float] | None
    """How the model's tokens are counted."""

    @property
    def of_messages(self) -> object:
        """What each message depends on."""
        facts = replace(self.facts, count=uncounted)
        return facts, self.factors, self.pins, self.base.tells_meta, self.base.thoughts_from


@dataclass(slots=True)
class KnownPrompt:
    """The prompt of a chat as it was built last."""

    of_messages: object
    fixed: int
    """The tokens before the messages."""
    entries: list[ChatEntry]
    conversation: Conversation
    """The summary and what stands before it; the messages are in `growing`."""
    growing: GrowingPrompt


class KnownPrompts:
    """Builds prompts, each on the last one of its chat."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, KnownPrompt] = OrderedDict()

    def build(
        self, chat_id: str, entries: Sequence[ChatEntry], setting: PromptSetting, spoken: Spoken
    ) -> Prompt | TooLong:
        """What is sent of these entries."""
        # Taken out meanwhile: what fails half-way is not built upon.
        known = self._known.pop(chat_id, None)
        base, facts = setting.base, setting.facts
        if known is not None:
            conversation = replace(known.conversation, system=base.system.text, tools=base.tools)
            head = tuple(head_slices(conversation, facts))
            new = entries[len(known.entries) :]
            if self._goes_on(known, entries, new, setting, sum(item.tokens for item in head)):
                known.growing.add(self._said(new, setting, spoken))
                # The very entries of now: those of a later history are the same objects.
                known.entries = list(entries)
                return self._kept(chat_id, known).growing.build(conversation, head)
        history = [one for e in entries if (one := spoken(e, base, setting.pins)) is not None]
        conversation = since_checkpoint(base.system.text, history, tools=base.tools)
        head = tuple(head_slices(conversation, facts))
        fixed = sum(item.tokens for item in head)
        growing = GrowingPrompt(facts, fixed)
        growing.add(conversation.spoken)
        conversation = replace(conversation, spoken=())
        known = KnownPrompt(setting.of_messages, fixed, list(entries), conversation, growing)
        return self._kept(chat_id, known).growing.build(conversation, head)

    def _goes_on(
        self,
        known: KnownPrompt,
        entries: Sequence[ChatEntry],
        new: Sequence[ChatEntry],
        setting: PromptSetting,
        fixed: int,
    ) -> bool:
        """Whether a history is the one that is known, and more."""
        return (
            known.fixed == fixed
            and known.of_messages == setting.of_messages
            and not any(isinstance(entry.content, Accounting | Summary) for entry in new)
            # Hardly anything is compared: nearly all entries are the same objects.
            and known.entries == list(entries[: len(known.entries)])
        )

    def _said(
        self, entries: Sequence[ChatEntry], setting: PromptSetting, spoken: Spoken
    ) -> list[ConversationMessage]:
        said = (spoken(entry, setting.base, setting.pins) for entry in entries)
        return [one for one in said if isinstance(one, ConversationMessage)]

    def _kept(self, chat_id: str, known: KnownPrompt) -> KnownPrompt:
        self._known[chat_id] = known
        if len(self._known) > MOST_CHATS:
            self._known.popitem(last=False)
        return known


def uncounted(part: Part) -> int:
    """Stands for a count where settings are compared."""
    raise AssertionError(part)
