"""Talking to models: wire protocols, providers, one HTTP transport, the built-in model.

The types are cheap to import. What is heavy (the HTTP client, a protocol) loads on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recto.llm.download_request import DownloadFailed, DownloadRequest, part_of
from recto.llm.endpoint import (
    AddressRefused,
    Endpoint,
    HiddenKey,
    KeyHeader,
    Timeouts,
    check_address,
)
from recto.llm.framing import Frame, FrameTooLarge, SseDecoder
from recto.llm.model_list import ListedModel, read_model_list
from recto.llm.protocol_loader import PACKAGES, least_output, load_protocol
from recto.llm.providers import PROVIDERS, Provider, compatible
from recto.llm.server_detection import FoundServer, look_at
from recto.llm.traits import EFFORTS, Traits, snap
from recto.llm.wire import (
    REDIRECT,
    OfferBytes,
    OfferEvents,
    Record,
    RelayedPiece,
    WireProtocol,
    WireReader,
    WireRequest,
    WireWriter,
)

if TYPE_CHECKING:
    from recto.llm.answers import AnswerDecoder, UnreadableAnswer, first_events
    from recto.llm.builtin import (
        BUILTIN_PROTOCOL,
        BuiltinModel,
        InvalidModelFile,
        find_missing_requirement,
        lower_builtin,
        read_model_file,
    )
    from recto.llm.client_answers import (
        client_writer,
        error_frame,
        write_answer,
        write_client_failure,
    )
    from recto.llm.downloads import fetch_file
    from recto.llm.http.at_once import (
        ReadyRequest,
        RequestsAtOnce,
        RequestUnderWay,
        SentRequest,
    )
    from recto.llm.http.transport import Transport
    from recto.llm.relayed_answers import RelayReader, relay, shows_words
    from recto.llm.sent import SentParameters, read_sent

__all__ = [
    "BUILTIN_PROTOCOL",
    "AnswerDecoder",
    "UnreadableAnswer",
    "lower_builtin",
    "EFFORTS",
    "PROTOCOL_IDS",
    "PROVIDERS",
    "REDIRECT",
    "AddressRefused",
    "BuiltinModel",
    "DownloadFailed",
    "Endpoint",
    "FoundServer",
    "Frame",
    "FrameTooLarge",
    "HiddenKey",
    "KeyHeader",
    "ListedModel",
    "InvalidModelFile",
    "OfferBytes",
    "OfferEvents",
    "Provider",
    "WireReader",
    "Record",
    "RelayReader",
    "RelayedPiece",
    "SentParameters",
    "SseDecoder",
    "Timeouts",
    "Traits",
    "ReadyRequest",
    "RequestUnderWay",
    "SentRequest",
    "first_events",
    "RequestsAtOnce",
    "Transport",
    "DownloadRequest",
    "WireProtocol",
    "WireRequest",
    "WireWriter",
    "check_address",
    "client_writer",
    "compatible",
    "error_frame",
    "fetch_file",
    "find_missing_requirement",
    "least_output",
    "load_protocol",
    "look_at",
    "part_of",
    "read_model_file",
    "read_model_list",
    "read_sent",
    "relay",
    "shows_words",
    "snap",
    "write_answer",
    "write_client_failure",
]

PROTOCOL_IDS = tuple(PACKAGES)
LATER = {
    "AnswerDecoder": "recto.llm.answers",
    "UnreadableAnswer": "recto.llm.answers",
    "BUILTIN_PROTOCOL": "recto.llm.builtin",
    "lower_builtin": "recto.llm.builtin",
    "BuiltinModel": "recto.llm.builtin",
    "InvalidModelFile": "recto.llm.builtin",
    "find_missing_requirement": "recto.llm.builtin",
    "SentParameters": "recto.llm.sent",
    "read_sent": "recto.llm.sent",
    "read_model_file": "recto.llm.builtin",
    "fetch_file": "recto.llm.downloads",
    "first_events": "recto.llm.answers",
    "ReadyRequest": "recto.llm.http.at_once",
    "RequestUnderWay": "recto.llm.http.at_once",
    "SentRequest": "recto.llm.http.at_once",
    "RequestsAtOnce": "recto.llm.http.at_once",
    "Transport": "recto.llm.http.transport",
    "client_writer": "recto.llm.client_answers",
    "error_frame": "recto.llm.client_answers",
    "RelayReader": "recto.llm.relayed_answers",
    "relay": "recto.llm.relayed_answers",
    "shows_words": "recto.llm.relayed_answers",
    "write_answer": "recto.llm.client_answers",
    "write_client_failure": "recto.llm.client_answers",
}


def __getattr__(name: str) -> Any:
    """Load what is heavy when it is first asked for."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(LATER[name]), name)
