"""A turn's request: the history as `context` wants it, built for the model that is asked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recto.access import Access
from recto.chats.history.entries import Assistant, ChatEntry, Summary, ToolResults, User
from recto.chats.prompts.base import PromptBase, is_small
from recto.chats.prompts.known_prompts import KnownPrompts, PromptSetting
from recto.context import (
    WHOLE_MODES,
    Attachment,
    CacheRates,
    Checkpoint,
    ConversationMessage,
    LeftOut,
    ModelFacts,
    Prompt,
    TokenCounter,
    TooLong,
    Window,
    build_prompt,
    since_checkpoint,
    without_calls,
)
from recto.messages import Message, Part, Request, Text, Thinking

PINS = "pins"
"""Where a chat keeps the entries that are sent whole whatever happens."""
LARGEST_RESERVE = 4
"""The part of the window that an answer may claim for itself: one in so many."""
STEADY = 0.2
"""The temperature of a small model: at its own it soon leaves what it was given."""
ECHOES = ("</",)
"""What a small model makes up after the blocks it was given, such as </file> or </sentence>: where
one begins, its answer is over."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request that is ready, and the account of it."""

    request: Request
    prompt: Prompt
    cache_at: int | None = None


def prepare_request(
    entries: Sequence[ChatEntry],
    base: PromptBase,
    access: Access,
    counter: TokenCounter,
    *,
    chat_id: str,
    pins: Collection[str] = (),
    request: Message | None = None,
    known: KnownPrompts | None = None,
) -> PreparedRequest | TooLong:
    """The request for the next answer; with `request`, for a side question at its end.

    A side question must not pay to write the provider's cache anew: the mark stays where it was.
    With the prompts that are `known`, only what is new since the last request is worked out; a
    side question is no part of what goes on.
    """
    facts = facts_of(access, counter)
    if known is not None and request is None and base.inclusion.mode in WHOLE_MODES:
        factors = counter.calibration.factors.get(access.id)
        setting = PromptSetting(base, frozenset(pins), facts, factors)
        prompt = known.build(chat_id, entries, setting, spoken)
    else:
        spoken_so_far = [one for entry in entries if (one := spoken(entry, base, pins)) is not None]
        history = without_calls(spoken_so_far, base.inclusion)
        if request is not None:
            history.append(ConversationMessage("", request))
        conversation = since_checkpoint(base.system.text, history, tools=base.tools)
        prompt = build_prompt(conversation, facts)
    if isinstance(prompt, TooLong):
        return prompt
    small = is_small(access, base.tools)
    return PreparedRequest(
        Request(
            model=access.model,
            messages=prompt.messages,
            max_output=max(1, min(access.max_output, access.window - prompt.tokens)),
            system=prompt.system,
            tools=base.tools,
            stop=ECHOES if small else (),
            temperature=STEADY if small else None,
            cache_key=chat_id,
        ),
        prompt,
        None if request is None else last_mark(prompt.messages),
    )


def last_mark(messages: Sequence[Message]) -> int | None:
    """Where the request of the last answer had its cache mark: at the message before it."""
    answers = [at for at, message in enumerate(messages) if message.role == "assistant"]
    return answers[-1] - 1 if answers else None


def facts_of(access: Access, counter: TokenCounter) -> ModelFacts:
    """What a prompt has to know of a model."""
    reserve = min(access.max_output, access.window // LARGEST_RESERVE)
    rates = CacheRates()
    if access.price is not None and (paid := access.price.rates).input:
        share_read, share_write = paid.cache_read / paid.input, paid.cache_write / paid.input
        rates = CacheRates(float(share_read), float(share_write))

    def count(part: Part) -> int:
        return counter.part(part, access.id)

    return ModelFacts(
        origin=access.origin,
        window=Window(access.window, reserve),
        count=count,
        binds_prefix=access.traits.binds_prefix,
        sees_images=access.traits.images,
        reads_documents=access.traits.documents,
        cache_marks=access.traits.cache_marks,
        cache=rates,
    )


def spoken(
    entry: ChatEntry, base: PromptBase, pins: Collection[str]
) -> ConversationMessage | Checkpoint | None:
    """An entry as part of a conversation; None for those that are never sent."""
    match entry.content:
        case User() as said:
            return ConversationMessage(
                entry.id,
                Message("user", (*((Text(said.text),) if said.text else ()), *said.images)),
                tuple(
                    Attachment(
                        attachment.path,
                        attachment.text,
                        attachment.hash,
                        attachment.cut,
                        attachment.origin,
                    )
                    for attachment in said.attached
                ),
                said.meta if base.tells_meta else "",
                entry.id in pins,
            )
        case Assistant(parts=parts):
            kept = parts
            if entry.seq < base.thoughts_from:
                kept = tuple(part for part in parts if not isinstance(part, Thinking))
            return ConversationMessage(
                entry.id, Message("assistant", kept), pinned=entry.id in pins
            )
        case ToolResults(results=results):
            message = Message("user", tuple(result.result for result in results))
            return ConversationMessage(entry.id, message, pinned=entry.id in pins)
        case Summary(text=text, kept=kept_ids):
            return Checkpoint(text, kept_ids)
        case _:
            return None


def words_left_out(left_out: Sequence[LeftOut]) -> str:
    """What was left out of a request, for people."""
    named = list(dict.fromkeys(f"{item.what}: {item.why}" for item in left_out))
    shown = "; ".join(named[:3])
    more = f"; and {len(named) - 3} more" if len(named) > 3 else ""
    tokens = sum(item.tokens for item in left_out)
    return f"Not all of this chat fits, so some was left out ({tokens:,} tokens). {shown}{more}."
