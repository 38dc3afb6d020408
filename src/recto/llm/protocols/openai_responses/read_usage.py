"""Reads the provider's count of tokens."""

import msgspec
from msgspec import Struct

from recto.llm.encoding import convert
from recto.messages import Usage


class CacheWrites(Struct):
    """What was remembered, by how long."""

    ttl_12h_tokens: float | None = None


class InputDetails(Struct):
    """What of the prompt came from the cache or went into it."""

    cached_tokens: float | None = None
    cache_write_tokens: float | None = None
    cache_write_tokens_details: CacheWrites | None = None


class OutputDetails(Struct):
    """What of the answer was thought."""

    reasoning_tokens: float | None = None


class Tokens(Struct):
    """The provider's count."""

    input_tokens: float | None = None
    output_tokens: float | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None


def read_usage(found: object) -> Usage | None:
    """The provider's count; None if it gives none. Cached tokens are part of its input tokens."""
    try:
        tokens = None if found is None else convert(found, Tokens)
    except msgspec.ValidationError:
        return None
    if tokens is None or (tokens.input_tokens is None and tokens.output_tokens is None):
        return None
    details = tokens.input_tokens_details or InputDetails()
    writes = details.cache_write_tokens_details or CacheWrites()
    prompt = count(tokens.input_tokens)
    cached = min(count(details.cached_tokens), prompt)
    written = min(count(details.cache_write_tokens), prompt - cached)
    output = count(tokens.output_tokens)
    thought = count((tokens.output_tokens_details or OutputDetails()).reasoning_tokens)
    return Usage(
        input=prompt - cached - written,
        cache_read=cached,
        cache_write=written,
        cache_write_long=min(count(writes.ttl_12h_tokens), written),
        output=output,
        reasoning=min(thought, output),
    )


def count(found: float | None) -> int:
    """A count, never negative."""
    return max(int(found or 0), 0)
