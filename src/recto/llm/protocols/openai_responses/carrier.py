"""Sealed thoughts, carried through a client of this API and back.

Such a client echoes `encrypted_content` without reading it. `gw1.` and base64 of JSON in it bring
back any provider's data with its origin; the item around it has an id that is only ours.
"""

import binascii
from base64 import b64decode, urlsafe_b64encode

import msgspec

from recto.messages import Origin, ProviderData

PREFIX = "gw1."


class Cargo(msgspec.Struct, array_like=True):
    """What is inside: where it came from, and the payload."""

    protocol: str
    account: str
    model: str
    payload: dict[str, object]


def carry(data: ProviderData) -> str:
    """Provider data as a seal that a client will give back."""
    made = data.origin
    cargo = Cargo(made.protocol, made.account, made.model, dict(data.payload))
    packed = urlsafe_b64encode(msgspec.json.encode(cargo, order="deterministic"))
    return PREFIX + packed.decode().rstrip("=")


def is_carrier(seal: str) -> bool:
    """Whether this is ours, and so nothing for the real API."""
    return seal.startswith(PREFIX)


def carried(seal: str) -> ProviderData | None:
    """What a seal brought back; None if it is damaged."""
    packed = seal.removeprefix(PREFIX)
    try:
        raw = b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        cargo = msgspec.json.decode(raw, type=Cargo)
    except (binascii.Error, ValueError, RecursionError):
        return None
    return ProviderData(Origin(cargo.protocol, cargo.account, cargo.model), cargo.payload)
