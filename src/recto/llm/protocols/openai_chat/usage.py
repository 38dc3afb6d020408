"""Token counts, both ways. The API counts what came from or went into a cache as prompt, too."""

from math import isfinite
from typing import Any, Literal, cast

from recto.messages import Usage


def read_usage(found: Any, source: Literal["final", "partial"]) -> Usage | None:
    """What was used; None if the server names no numbers."""
    if not isinstance(found, dict):
        return None
    usage = cast(dict[str, Any], found)
    if usage.get("prompt_tokens") is None and usage.get("completion_tokens") is None:
        return None
    prompt = count(usage, "prompt_tokens")
    cached = count(usage.get("prompt_tokens_details"), "cached_tokens")
    # Moonshot tells it without the details.
    cache_read = min(cached or count(usage, "cached_tokens"), prompt)
    cache_write = count(usage.get("prompt_tokens_details"), "cache_write_tokens")
    cache_write = min(cache_write, prompt - cache_read)
    # Some leave thoughts out of `completion_tokens` (xAI, Gemini), none out of the total.
    output = max(count(usage, "completion_tokens"), count(usage, "total_tokens") - prompt)
    reasoning = count(usage.get("completion_tokens_details"), "reasoning_tokens")
    return Usage(
        input=prompt - cache_read - cache_write,
        cache_read=cache_read,
        cache_write=cache_write,
        output=output,
        reasoning=min(reasoning, output),
        source=source,
    )


def groq_usage(found: Any) -> Any:
    """What Groq says was used, in the field of its own."""
    return cast(dict[str, Any], found).get("usage") if isinstance(found, dict) else None


def count(found: Any, name: str) -> int:
    """A number of tokens; what is no such number is none."""
    value = cast(dict[str, Any], found).get(name) if isinstance(found, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return 0
    return max(int(value), 0)


def write_usage(usage: Usage) -> dict[str, Any]:
    """What was used, as the API tells it."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.context,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
