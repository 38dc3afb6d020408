"""What one protocol has and another lacks: refused with words where its effect matters.

What is only dropped is written down here, with why that changes nothing of the answer. Everything
else that a protocol's `serve` does not know, it refuses or translates by itself.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from recto.access import Access, ProtocolId
from recto.messages import Request

DROPPED: Mapping[ProtocolId, Mapping[str, str]] = {
    "anthropic-messages": {
        "metadata": "names the user to Anthropic, for its own records",
        "service_tier": "Anthropic's queue",
        "speed": "Anthropic's faster machines",
        "inference_geo": "where Anthropic computes",
        "diagnostics": "told about, not answered by",
    },
    "openai-responses": {
        "store": "nothing is stored here",
        "metadata": "for OpenAI's own records",
        "safety_identifier": "names the user to OpenAI",
        "user": "names the user to OpenAI",
        "service_tier": "OpenAI's queue",
        "prompt_cache_key": "where OpenAI remembers; others remember without it",
        "prompt_cache_options": "as above",
        "prompt_cache_retention": "as above",
        "stream_options": "padding of OpenAI's own frames",
        "truncation": "what does not fit is refused with words instead",
    },
    "openai-chat": {
        "store": "nothing is stored here",
        "metadata": "for OpenAI's own records",
        "safety_identifier": "names the user to OpenAI",
        "user": "names the user to OpenAI",
        "service_tier": "OpenAI's queue",
        "prompt_cache_options": "where OpenAI remembers; others remember without it",
        "prediction": "makes the same answer faster",
    },
    "gemini": {
        "safetySettings": "thresholds of Google's own filters",
        "labels": "for Google's own bills",
        "serviceTier": "Google's queue",
        "store": "nothing is stored here",
    },
}
"""Fields without an effect on what another provider's model answers."""

REFUSED: Mapping[ProtocolId, Mapping[str, str]] = {
    "anthropic-messages": {
        "mcp_servers": "MCP servers are called by Anthropic alone",
        "container": "containers run at Anthropic alone",
        "top_p": "this model takes no sampling but a temperature",
        "top_k": "this model takes no sampling but a temperature",
        "fallbacks": "the gateway has its own deployments to fall back on",
    },
    "openai-responses": {
        "context_management": "a compaction by the server is OpenAI's own",
        "moderation": "moderation runs at OpenAI alone",
        "max_tool_calls": "it limits tools that run at OpenAI alone",
        "top_p": "this model takes no sampling but a temperature",
        "access_programs": "it is OpenAI's own",
        "image": "this model makes no images",
    },
    "openai-chat": {
        "modalities": "this model answers in words alone",
        "logit_bias": "tokens are numbered otherwise there",
        "moderation": "moderation runs at OpenAI alone",
    },
    "gemini": {},
}
"""Fields without which the answer would be another, and that only their own provider can serve."""

HARMLESS: Mapping[str, tuple[Any, ...]] = {
    "modalities": (["text"],),
    "top_p": (1, 1.0),
    "logit_bias": ({},),
}
"""Values of such fields that change nothing."""
_WISHES = {
    protocol: msgspec.json.Decoder(
        msgspec.defstruct("_Wishes", [(name, Any, None) for name in names])
    )
    for protocol, names in REFUSED.items()
}
"""Read these fields, and make nothing of the others, which may be a long conversation."""
MOST_STOPS = {"openai-chat": 4, "gemini": 5}


def check_wishes(protocol: ProtocolId, body: bytes) -> None:
    """Refuse fields that another provider can't serve. Raises ValueError with words."""
    try:
        asked = _WISHES[protocol].decode(body)
    except msgspec.ValidationError as error:
        raise ValueError("The body must be a JSON object.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"The body is no JSON: {error}.") from error
    for name, why in REFUSED[protocol].items():
        value = getattr(asked, name)
        if value in (None, [], {}) or value in HARMLESS.get(name, ()):
            continue
        raise ValueError(f"`{name}` can't be served by this model: {why}. Leave it out.")


def refuse_untranslatable(request: Request, access: Access) -> None:
    """Refuse what a model's own protocol has no word for. Raises ValueError with words."""
    protocol, traits = access.provider.protocol, access.traits
    thinks = traits.thinking == "effort" and request.effort != "off"
    if request.stop and (protocol == "openai-responses" or (protocol == "openai-chat" and thinks)):
        raise ValueError("Stop sequences can't be served by this model. Leave them out.")
    most = MOST_STOPS.get(protocol)
    if most is not None and len(request.stop) > most:
        raise ValueError(f"This model takes at most {most} stop sequences. Leave some out.")
    if request.logprobs and not traits.logprobs:
        raise ValueError("This model tells no probabilities of its words. Don't ask for them.")
