"""ID tokens of OpenID Connect: signed by a key that the provider publishes, meant for us, now."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

LEEWAY_S = 60
"""How far the clocks of the provider and of this machine may be apart."""
P256_BYTES = 32
LEAST_RSA_BITS = 2048

Claims = Mapping[str, Any]


class TokenRefused(Exception):
    """The token does not prove who somebody is; says why, without quoting it."""


class UnknownSigner(TokenRefused):
    """No published key has the name that the token says; there may be newer ones."""


def check_id_token(
    token: str,
    keys: Sequence[Mapping[str, Any]],
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    now_s: int,
) -> Claims:
    """What a token says of somebody, if all of it holds. Raises TokenRefused."""
    try:
        head_part, claims_part, signature_part = token.split(".")
        head, claims = _object(head_part), _object(claims_part)
        signature = decode(signature_part)
    except ValueError as error:
        raise TokenRefused("It is no token.") from error
    _check_signature(head, keys, f"{head_part}.{claims_part}".encode(), signature)
    _check_claims(claims, issuer=issuer, client_id=client_id, nonce=nonce, now_s=now_s)
    return claims


def _check_signature(
    head: Mapping[str, Any], keys: Sequence[Mapping[str, Any]], signed: bytes, signature: bytes
) -> None:
    algorithm, name = head.get("alg"), head.get("kid")
    named = [key for key in keys if name is None or key.get("kid") == name]
    wanted = {"RS256": "RSA", "ES256": "EC"}.get(str(algorithm))
    if wanted is None:
        raise TokenRefused("It is not signed in a way that is accepted here.")
    fitting = [key for key in named if key.get("kty") == wanted and key.get("use", "sig") == "sig"]
    if not fitting:
        raise UnknownSigner("Its signer is not known.")
    if not any(_is_signed_by(key, signed, signature) for key in fitting):
        raise TokenRefused("Its signature is wrong.")


def _is_signed_by(key: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
    try:
        if key["kty"] == "RSA":
            numbers = rsa.RSAPublicNumbers(_number(key["e"]), _number(key["n"]))
            public = numbers.public_key()
            if public.key_size < LEAST_RSA_BITS:
                return False
            public.verify(signature, signed, padding.PKCS1v15(), SHA256())
            return True
        if key["crv"] != "P-256" or len(signature) != 2 * P256_BYTES:
            return False
        point = ec.EllipticCurvePublicNumbers(
            _number(key["x"]), _number(key["y"]), ec.SECP256R1()
        ).public_key()
        pair = (signature[:P256_BYTES], signature[P256_BYTES:])
        encoded = encode_dss_signature(*(int.from_bytes(half, "big") for half in pair))
        point.verify(encoded, signed, ec.ECDSA(SHA256()))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return False
    return True


def _check_claims(claims: Claims, *, issuer: str, client_id: str, nonce: str, now_s: int) -> None:
    audience = claims.get("aud")
    meant_for = cast("list[object]", audience) if isinstance(audience, list) else [audience]
    wrong = (
        ("issuer", claims.get("iss") != issuer),
        ("audience", client_id not in meant_for),
        ("party", claims.get("azp", client_id) != client_id),
        ("party", len(meant_for) > 1 and "azp" not in claims),
        ("nonce", claims.get("nonce") != nonce),
        ("time", not _is_number(claims.get("exp")) or claims["exp"] + LEEWAY_S <= now_s),
        ("time", not _is_number(claims.get("iat")) or claims["iat"] - LEEWAY_S > now_s),
        ("subject", not isinstance(claims.get("sub"), str) or not claims["sub"]),
    )
    for what, is_wrong in wrong:
        if is_wrong:
            raise TokenRefused(f"Its {what} is wrong.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object(part: str) -> Mapping[str, Any]:
    found: object = json.loads(decode(part))
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return cast("dict[str, Any]", found)


def _number(text: str) -> int:
    return int.from_bytes(decode(text), "big")


def decode(part: str) -> bytes:
    """Bytes from base64 as tokens have it. Raises ValueError."""
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error


def encode(data: bytes) -> str:
    """Base64 as tokens have it."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
