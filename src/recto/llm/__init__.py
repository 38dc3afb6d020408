"""Talking to models: wire protocols, providers, one HTTP transport, the built-in model.

The types are cheap to import. What is heavy (the HTTP client, a protocol) loads on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recto.llm.endpoint import AddressRefused, Endpoint, Hidden, KeyHeader, Timeouts, check_address
from recto.llm.framing import Frame, FrameTooLarge, SseDecoder
from recto.llm.loading import PACKAGES, load_protocol
from recto.llm.model_list import read_model_list
from recto.llm.providers import PROVIDERS, Provider, compatible
from recto.llm.traits import EFFORTS, Traits, snap
from recto.llm.wire import REDIRECT, Reader, Record, WireProtocol, WireRequest, Writer

if TYPE_CHECKING:
    from recto.llm.builtin import BuiltinModel, find_lack
    from recto.llm.transport import Transport

__all__ = [
    "EFFORTS",
    "PROTOCOL_IDS",
    "PROVIDERS",
    "REDIRECT",
    "AddressRefused",
    "BuiltinModel",
    "Endpoint",
    "Frame",
    "FrameTooLarge",
    "Hidden",
    "KeyHeader",
    "Provider",
    "Reader",
    "Record",
    "SseDecoder",
    "Timeouts",
    "Traits",
    "Transport",
    "WireProtocol",
    "WireRequest",
    "Writer",
    "check_address",
    "compatible",
    "find_lack",
    "load_protocol",
    "read_model_list",
    "snap",
]

PROTOCOL_IDS = tuple(PACKAGES)
LATER = {
    "BuiltinModel": "recto.llm.builtin",
    "find_lack": "recto.llm.builtin",
    "Transport": "recto.llm.transport",
}


def __getattr__(name: str) -> Any:
    """Load what is heavy when it is first asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)
