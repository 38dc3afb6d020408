"""A service that signs people in by OpenID Connect, strict about what it is asked."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import unquote_plus, urlencode

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from recto.clock import SystemClock

CLIENT_ID = "recto-gateway"
CLIENT_SECRET = "a-secret:with/odd&letters+%"

Claims = dict[str, Any]


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def number(value: int) -> str:
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


@dataclass
class OpenIdProvider:
    """Knows one person; what it says of them can be made wrong."""

    person: Claims = field(default_factory=dict[str, Any])
    change: Callable[[Claims], None] = lambda claims: None
    """Spoils what the next token says."""
    sign: str = "RS256"
    shown_issuer: str | None = None
    takes_form: bool = False
    """Whether the secret must stand in the form, not in the header."""
    url: str = ""
    asked_for_keys: int = 0

    async def __aenter__(self) -> Self:
        self._codes: dict[str, dict[str, str]] = {}
        self.new_keys("first")
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._discovery)
        app.router.add_get("/authorize", self._authorize)
        app.router.add_get("/keys", self._keys)
        app.router.add_post("/token", self._token)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port: int = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def new_keys(self, name: str) -> None:
        """Sign with other keys from now on."""
        self._name = name
        self._rsa = rsa.generate_private_key(65537, 2048)
        self._ec = ec.generate_private_key(ec.SECP256R1())

    async def _discovery(self, request: web.Request) -> web.Response:
        way = "client_secret_post" if self.takes_form else "client_secret_basic"
        return web.json_response(
            {
                "issuer": self.shown_issuer or self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": [way],
            }
        )

    async def _authorize(self, request: web.Request) -> web.Response:
        """Sign the person in at once, and send the browser back."""
        asked = dict(request.query)
        wanted = {"response_type": "code", "client_id": CLIENT_ID, "code_challenge_method": "S256"}
        if {name: asked.get(name) for name in wanted} != wanted:
            raise web.HTTPBadRequest
        if "openid" not in asked["scope"].split() or not asked["nonce"]:
            raise web.HTTPBadRequest
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        query = urlencode({"code": code, "state": asked["state"]})
        raise web.HTTPFound(f"{asked['redirect_uri']}?{query}")

    async def _keys(self, request: web.Request) -> web.Response:
        self.asked_for_keys += 1
        numbers = self._rsa.public_key().public_numbers()
        point = self._ec.public_key().public_numbers()
        keys = [
            {"kty": "RSA", "kid": self._name, "n": number(numbers.n), "e": number(numbers.e)},
            {
                "kty": "EC",
                "crv": "P-256",
                "kid": self._name,
                "use": "sig",
                "x": b64(point.x.to_bytes(32, "big")),
                "y": b64(point.y.to_bytes(32, "big")),
            },
        ]
        return web.json_response({"keys": keys})

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        asked = self._codes.pop(form["code"], None)
        if asked is None or not self._is_client(request, form):
            raise web.HTTPUnauthorized
        challenge = b64(hashlib.sha256(form["code_verifier"].encode()).digest())
        if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            raise web.HTTPBadRequest
        now = SystemClock().now_ms() // 1000
        claims: Claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
            **self.person,
        }
        self.change(claims)
        return web.json_response({"id_token": self._signed(claims), "token_type": "Bearer"})

    def _is_client(self, request: web.Request, form: dict[str, str]) -> bool:
        if self.takes_form:
            return form.get("client_secret") == CLIENT_SECRET
        kind, _, coded = request.headers.get("authorization", "").partition(" ")
        name, _, secret = base64.b64decode(coded).decode().partition(":")
        found = (kind, unquote_plus(name), unquote_plus(secret))
        return found == ("Basic", CLIENT_ID, CLIENT_SECRET)

    def _signed(self, claims: Claims) -> str:
        head = {"alg": self.sign, "kid": self._name, "typ": "JWT"}
        signed = ".".join(b64(json.dumps(part).encode()) for part in (head, claims)).encode()
        match self.sign:
            case "RS256":
                signature = self._rsa.sign(signed, padding.PKCS1v15(), SHA256())
            case "ES256":
                pair = decode_dss_signature(self._ec.sign(signed, ec.ECDSA(SHA256())))
                signature = b"".join(half.to_bytes(32, "big") for half in pair)
            case "HS256":
                # The old trick: the public key, which everybody knows, taken for a secret.
                public = number(self._rsa.public_key().public_numbers().n).encode()
                signature = hmac.digest(public, signed, "sha256")
            case _:
                signature = b""
        return f"{signed.decode()}.{b64(signature)}"
