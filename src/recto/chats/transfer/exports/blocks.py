"""A history as people read it: who spoke, and what was said, thought and done. No format yet."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import assert_never

from recto.chats.history.entries import (
    Accounting,
    Assistant,
    ChatEntry,
    Error,
    Notice,
    Result,
    SideQuestion,
    Summary,
    System,
    Title,
    ToolResults,
    Totals,
    User,
)
from recto.messages import AssistantPart, Image, Native, Text, Thinking, ToolCall, encodable


@dataclass(frozen=True, slots=True)
class SpeakerHeading:
    """Somebody begins to speak."""

    name: str
    when: str
    is_user: bool


@dataclass(frozen=True, slots=True)
class TypedText:
    """A person's words, as they were typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """A model's words, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """What a model thought, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class CodeListing:
    """What went into a tool or came out of it."""

    label: str
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture."""

    image: Image


@dataclass(frozen=True, slots=True)
class Annotation:
    """Something of ours about the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class SummaryHeading:
    """A summary, from which the conversation goes on."""

    text: str


Block = (
    SpeakerHeading
    | TypedText
    | Prose
    | Thought
    | CodeListing
    | Picture
    | Annotation
    | SummaryHeading
)


def blocks_of(entries: Sequence[ChatEntry]) -> Iterator[Block]:
    """The blocks of a history, in order. Our own side questions and prompts are left out."""
    turn: tuple[str, str] | None = None
    for entry in entries:
        match entry.content:
            case Assistant(turn=of, model_name=name):
                if turn != (of, name):
                    yield SpeakerHeading(plain(name), when(entry), is_user=False)
                turn = (of, name)
            case User():
                turn = None
                yield SpeakerHeading("You", when(entry), is_user=True)
            case _:
                pass
        yield from _blocks(entry)


def _blocks(entry: ChatEntry) -> Iterator[Block]:
    match entry.content:
        case User() as user:
            yield from _said(user)
        case Assistant(parts=parts):
            for part in parts:
                yield from _part(part)
        case ToolResults(results=results):
            for result in results:
                yield from _result(result)
        case Error(failure=failure):
            yield Annotation(f"Error: {plain(failure.message)}")
        case Notice(words=words):
            yield Annotation(plain(words))
        case Summary(text=text):
            yield SummaryHeading(plain(text))
        case Accounting() as accounting:
            yield Annotation(_discarded(accounting))
        case System() | SideQuestion() | Title():
            pass
        case _:
            assert_never(entry.content)


def _said(user: User) -> Iterator[Block]:
    if user.text:
        yield TypedText(plain(user.text))
    for attachment in user.attached:
        yield Annotation(
            f"With {plain(attachment.path)}"
            + (f" ({plain(attachment.cut)})" if attachment.cut else "")
        )
    yield from (Picture(image) for image in user.images)


def _part(part: AssistantPart) -> Iterator[Block]:
    match part:
        case Text(text=text):
            yield Prose(plain(text))
        case Thinking(text=text):
            if text:
                yield Thought(plain(text))
        case ToolCall(name=name, arguments=arguments):
            shown = json.dumps(dict(arguments), ensure_ascii=False, indent=2)
            yield CodeListing(f"Tool: {plain(name)}", plain(shown), "json")
        case Native():
            yield Annotation("A block that only its provider can read; the JSON export holds it.")
        case _:
            assert_never(part)


def _result(result: Result) -> Iterator[Block]:
    answer = result.result
    state = "" if result.state == "done" else f", {result.state}"
    fact = f": {plain(result.fact)}" if result.fact else ""
    text = "".join(part.text for part in answer.content if isinstance(part, Text))
    yield CodeListing(f"Result of {plain(answer.name)}{state}{fact}", plain(text))
    yield from (Picture(part) for part in answer.content if isinstance(part, Image))


def _discarded(accounting: Accounting) -> str:
    if accounting.reason == "checkpoint_removed":
        return "A summary was taken off here."
    why = "an edit" if accounting.reason == "edit" else "a new try"
    some = "One entry" if accounting.discarded == 1 else f"{accounting.discarded} entries"
    return f"{some} gave way to {why} here. The JSON export holds what was there."


def spent(used: Totals) -> str:
    """What a chat used, in words."""
    sent = used.input + used.cache_read + used.cache_write
    dollars = f"${used.cost_micros / 1_000_000:,.4f}"
    requests = "one request" if used.unpriced == 1 else f"{used.unpriced:,} requests"
    unknown = f", and {requests} of unknown price" if used.unpriced else ""
    return f"{sent:,} tokens in, {used.output:,} out; {dollars}{unknown}."


def when(entry: ChatEntry) -> str:
    """When an entry was made, the same for every reader."""
    return datetime.fromtimestamp(entry.created_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def plain(text: str) -> str:
    """Text that every file can hold."""
    return encodable(text).replace("\0", "\ufffd")
