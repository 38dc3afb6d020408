"""Provider data of other protocols, carried through a foreign client and back.

Such a client echoes signatures and sealed thoughts without reading them. `gw1.` and base64 of JSON
in their place brings any provider's data back to us, with its origin.
"""

from base64 import b64decode, urlsafe_b64encode
from dataclasses import dataclass

import msgspec

from recto.llm.encoding import encode
from recto.messages import Origin, ProviderData

PREFIX = "gw1."


class CarriedPayload(msgspec.Struct, array_like=True):
    """What is inside: where it came from, the payload, and the call it belongs to, if any."""

    protocol: str
    account: str
    model: str
    payload: dict[str, object]
    call_id: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class CarriedData:
    """Provider data that came back, and the call it belongs to, if any."""

    data: ProviderData
    call_id: str | None
    text: str | None = None
    """The thoughts themselves, where a client would bring them back in pieces."""


def is_carrier(text: str) -> bool:
    """Whether this is ours, and so nothing for the real API."""
    return text.startswith(PREFIX)


def carry(data: ProviderData, call_id: str | None = None, text: str | None = None) -> str:
    """Provider data as a text that a client will give back."""
    made, payload = data.origin, dict(data.payload)
    cargo = CarriedPayload(made.protocol, made.account, made.model, payload, call_id, text)
    return PREFIX + urlsafe_b64encode(encode(cargo)).decode().rstrip("=")


def carried(text: str) -> CarriedData | None:
    """What a text brought back; None if it is damaged."""
    packed = text.removeprefix(PREFIX)
    try:
        raw = b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        cargo = msgspec.json.decode(raw, type=CarriedPayload)
    except (ValueError, RecursionError):
        return None
    origin = Origin(cargo.protocol, cargo.account, cargo.model)
    return CarriedData(ProviderData(origin, cargo.payload), cargo.call_id, cargo.text)
