"""Signatures that only their issuer can check, as providers put on thinking.

A token tells who made what, for which conversation, under a keyed hash; a client sees noise.
"""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from typing import Any

from tests.fakes.providers.shapes import is_array, is_object

SECRET = b"a secret of the fake providers"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token vouches for. `content` and `prefix` are digests."""

    provider: str
    kind: str
    model: str
    account: str
    content: str
    prefix: str = ""


def digest(value: object) -> str:
    """A short fingerprint of JSON, whatever the order of keys."""
    told = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()[:24]


def issue(claim: Claim) -> str:
    """A token for a claim."""
    told = json.dumps(list(asdict(claim).values()), separators=(",", ":")).encode()
    return base64.b64encode(_seal(told) + told).decode()


def open_token(token: str) -> Claim | None:
    """The claim of a token; None if it was made up or changed."""
    try:
        raw = base64.b64decode(token.translate(str.maketrans("-_", "+/")), validate=True)
    except (binascii.Error, ValueError):
        return None
    seal, told = raw[:32], raw[32:]
    if not hmac.compare_digest(seal, _seal(told)):
        return None
    fields: list[str] = json.loads(told)
    return Claim(*fields)


def without_key(value: Any, key: str) -> Any:
    """JSON with every occurrence of a key left out."""
    if is_object(value):
        return {k: without_key(v, key) for k, v in value.items() if k != key}
    return [without_key(item, key) for item in value] if is_array(value) else value


def _seal(told: bytes) -> bytes:
    return hmac.digest(SECRET, told, "sha256")
