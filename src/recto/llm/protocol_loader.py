"""Finds a wire protocol by its id. Its package loads on first use: most runs speak one or two."""

from functools import cache
from importlib import import_module

from recto.llm.wire import WireProtocol

PACKAGES = {
    "anthropic-messages": "anthropic_messages",
    "openai-responses": "openai_responses",
    "openai-chat": "openai_chat",
    "gemini": "gemini",
}
LEAST_OUTPUT = {"openai-responses": 16}
"""The fewest tokens that an answer can be limited to, where a protocol refuses to go lower."""


def least_output(protocol_id: str) -> int:
    """The fewest tokens of output that can be asked for."""
    return LEAST_OUTPUT.get(protocol_id, 1)


@cache
def load_protocol(protocol_id: str) -> WireProtocol:
    """The protocol with that id. Raises KeyError for an id that is not in `PACKAGES`."""
    package = import_module(f"recto.llm.protocols.{PACKAGES[protocol_id]}")
    protocol: WireProtocol = package.PROTOCOL
    return protocol
