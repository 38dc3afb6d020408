"""What the API answers, as far as we read it. Everything else in it is passed over.

Token counts are cumulative: a newer report replaces what it tells, and what it leaves out stays.
"""

from typing import Any, TypeVar

import msgspec

from recto.llm.encoding import convert
from recto.messages import Usage

T = TypeVar("T")


class Delta(msgspec.Struct):
    """Every kind of piece in one: only the fields of its kind are there."""

    type: str = ""
    text: str = ""
    partial_json: str = ""
    thinking: str = ""
    signature: str = ""
    citation: Any = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Any = None


class Event(msgspec.Struct):
    """Every kind of event in one."""

    type: str = ""
    index: int = 0
    delta: Delta | None = None
    content_block: Any = None
    message: Any = None
    usage: Any = None
    error: Any = None
    request_id: str | None = None


class BlockStart(msgspec.Struct):
    """What a block begins with: of some kinds, all of it."""

    type: str = ""
    id: str = ""
    name: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    data: str = ""
    input: Any = None
    citations: Any = None
    caller: Any = None
    toolset_name: str | None = None


class Answer(msgspec.Struct):
    """A whole answer, or the beginning of a streamed one."""

    type: str = ""
    id: str = ""
    model: str = ""
    content: list[Any] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Any = None
    usage: Any = None
    error: Any = None
    request_id: str | None = None


class StopDetails(msgspec.Struct):
    """Why the model declined; either may be missing."""

    category: str | None = None
    explanation: str | None = None


decode_event = msgspec.json.Decoder(Event).decode


def converted(value: Any, kind: type[T]) -> T:
    """The fields we need of a value; the defaults if they are of other types."""
    try:
        return convert(value, kind)
    except msgspec.ValidationError:
        return kind()


def read_explanation(details: Any) -> str | None:
    """Why the model declined, in the provider's words, or at least by which of its rules."""
    found = converted(details, StopDetails)
    if found.explanation:
        return found.explanation
    return f"category {found.category}" if found.category else None


class CacheCreation(msgspec.Struct):
    """How long what went into the cache is kept."""

    ephemeral_1h_input_tokens: int | None = None


class OutputDetails(msgspec.Struct):
    """What part of the output was thought."""

    thinking_tokens: int | None = None


class WireUsage(msgspec.Struct):
    """The counts; input_tokens leaves out what came from or went into a cache."""

    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    output_tokens: int | None = None
    output_tokens_details: OutputDetails | None = None

    def updated(self, newer: "WireUsage") -> "WireUsage":
        """These counts, with those of a newer report in their place."""
        told = {
            name: value
            for name in self.__struct_fields__
            if (value := getattr(newer, name)) is not None
        }
        return msgspec.structs.replace(self, **told)


def read_usage(wire: WireUsage, *, is_final: bool) -> Usage:
    """Neutral counts, never negative."""
    long = wire.cache_creation.ephemeral_1h_input_tokens if wire.cache_creation else 0
    thought = wire.output_tokens_details.thinking_tokens if wire.output_tokens_details else 0
    write, output = count(wire.cache_creation_input_tokens), count(wire.output_tokens)
    return Usage(
        input=count(wire.input_tokens),
        cache_read=count(wire.cache_read_input_tokens),
        cache_write=write,
        cache_write_long=min(count(long), write),
        output=output,
        reasoning=min(count(thought), output),
        source="final" if is_final else "partial",
    )


def count(reported: int | None) -> int:
    """A count that can be added to others."""
    return max(reported or 0, 0)
