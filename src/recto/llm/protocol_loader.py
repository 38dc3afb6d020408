"""Finds a wire protocol by its id. Its package loads on first use: most runs speak one or two."""

from importlib import import_module

from recto.llm.wire import WireProtocol

PACKAGES = {
    "anthropic-messages": "anthropic_messages",
    "openai-responses": "openai_responses",
    "openai-chat": "openai_chat",
    "gemini": "gemini",
}


def load_protocol(protocol_id: str) -> WireProtocol:
    """The protocol with that id. Raises KeyError for an id that is not in `PACKAGES`."""
    package = import_module(f"recto.llm.protocols.{PACKAGES[protocol_id]}")
    protocol: WireProtocol = package.PROTOCOL
    return protocol
