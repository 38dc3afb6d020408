"""Signing in through another service: OpenID Connect, by authorization code with PKCE."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from recto.clock import Clock, Ids
from recto.config import OpenIdSettings, Secret
from recto.gateway.credentials import hash_of
from recto.gateway.id_tokens import Claims, TokenRefused, UnknownSigner, check_id_token, encode
from recto.gateway.openid_connection import OpenIdConnection, ServiceSilent
from recto.storage import AccountRecord, ProviderSignIn, Storage

DISCOVERY = "/.well-known/openid-configuration"
CALLBACK = "/sign-in/provider/callback"
AWAITED_MS = 10 * 60 * 1000
KEPT_S = 3600.0
"""How long the service's addresses and keys are known without asking again."""


class OpenIdRefused(Exception):
    """Nobody is signed in; says why, for the person."""


@dataclass(frozen=True, slots=True)
class OpenIdService:
    """What the service says of itself."""

    authorize: str
    token: str
    takes_login: bool
    """Whether the secret goes into the header, or into the form."""
    keys: Sequence[Mapping[str, Any]]
    read_at: float


@dataclass(frozen=True, slots=True)
class ProviderVisit:
    """Where a browser is sent to sign in, and what it must come back with."""

    url: str
    state: str


class OpenIdSignIns:
    """Sends people to the service, and knows who comes back."""

    def __init__(
        self,
        settings: OpenIdSettings,
        connection: OpenIdConnection,
        storage: Storage,
        *,
        url: str,
        secret: Secret | None,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """`url` is where people reach the gateway."""
        self._settings = settings
        self._connection = connection
        self._storage = storage
        self._callback = url + CALLBACK
        self._secret = secret
        self._clock = clock
        self._ids = ids
        self._service: OpenIdService | None = None

    async def begin(self) -> ProviderVisit:
        """Send somebody there. Raises OpenIdRefused: the service does not answer."""
        service = await self._known_service()
        state, nonce, verifier = (self._ids.secret() for _ in range(3))
        ends_ms = self._clock.now_ms() + AWAITED_MS
        async with self._storage.write() as write:
            await self._storage.sign_ins.expect(
                write, ProviderSignIn(hash_of(state), nonce, verifier, ends_ms)
            )
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._callback,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": encode(hashlib.sha256(verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
        mark = "&" if urlsplit(service.authorize).query else "?"
        return ProviderVisit(f"{service.authorize}{mark}{urlencode(query)}", state)

    async def finish(self, *, state: str, code: str) -> AccountRecord:
        """Who came back with a code. Raises OpenIdRefused: nobody whom we know or may know."""
        async with self._storage.write() as write:
            awaited = await self._storage.sign_ins.come_back(write, hash_of(state))
        if awaited is None:
            raise OpenIdRefused("This sign-in took too long, or was used already. Begin again.")
        service = await self._known_service()
        try:
            answer = await self._trade(service, code, awaited.verifier)
            claims = await self._claims(service, str(answer.get("id_token", "")), awaited.nonce)
        except ServiceSilent as error:
            raise OpenIdRefused(f"The service that signs you in failed. {error}") from error
        except TokenRefused as error:
            raise OpenIdRefused(f"What the service says can't be trusted. {error}") from error
        return await self._account(claims)

    async def _trade(self, service: OpenIdService, code: str, verifier: str) -> Mapping[str, Any]:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback,
            "client_id": self._settings.client_id,
            "code_verifier": verifier,
        }
        login = None
        if self._secret is not None and service.takes_login:
            # As a form would write them: so says OAuth of what stands in this header.
            pair = (self._settings.client_id, self._secret.reveal())
            login = (quote(pair[0], safe=""), quote(pair[1], safe=""))
        elif self._secret is not None:
            fields["client_secret"] = self._secret.reveal()
        return await self._connection.post(service.token, fields, login=login)

    async def _claims(self, service: OpenIdService, token: str, nonce: str) -> Claims:
        def check(keys: Sequence[Mapping[str, Any]]) -> Claims:
            return check_id_token(
                token,
                keys,
                issuer=self._settings.issuer,
                client_id=self._settings.client_id,
                nonce=nonce,
                now_s=self._clock.now_ms() // 1000,
            )

        try:
            return check(service.keys)
        except UnknownSigner:
            # The service may have begun to sign with another key since we looked.
            return check((await self._read_service()).keys)

    async def _account(self, claims: Claims) -> AccountRecord:
        subject = f"{self._settings.issuer} {claims['sub']}"
        accounts = self._storage.accounts
        async with self._storage.write() as write:
            found = await accounts.with_subject(subject, within=write)
            if found is not None:
                if found.is_disabled:
                    raise OpenIdRefused("This account is disabled.")
                return found
            if not self._may_join(claims):
                raise OpenIdRefused("You have no account here. Ask an admin for an invitation.")
            name = str(claims.get("email") or claims["sub"])
            # Whoever has this name chose a password for it: the service does not give it away.
            if await accounts.named(name, within=write) is not None:
                raise OpenIdRefused(f"There is an account {name} with a password. Use that.")
            return await accounts.add(write, id=self._ids.new(), name=name, subject=subject)

    def _may_join(self, claims: Claims) -> bool:
        """Whether the operator lets somebody have an account at their first sign-in."""
        if claims["sub"] in self._settings.subjects:
            return True
        email = claims.get("email")
        if claims.get("email_verified") is not True or not isinstance(email, str):
            return False
        domain = email.rpartition("@")[2].lower()
        return domain in {allowed.lower() for allowed in self._settings.domains}

    async def _known_service(self) -> OpenIdService:
        known = self._service
        if known is not None and self._clock.monotonic() - known.read_at < KEPT_S:
            return known
        try:
            return await self._read_service()
        except ServiceSilent as error:
            raise OpenIdRefused(
                f"The service that signs you in does not answer. {error}"
            ) from error

    async def _read_service(self) -> OpenIdService:
        now, issuer = self._clock.monotonic(), self._settings.issuer
        found = await self._connection.get(issuer.rstrip("/") + DISCOVERY)
        if found.get("issuer") != issuer:
            raise ServiceSilent("It names itself otherwise than the settings do.")
        keys_url = self._address(found, "jwks_uri")
        ways = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        keys = (await self._connection.get(keys_url)).get("keys", [])
        self._service = OpenIdService(
            authorize=self._address(found, "authorization_endpoint"),
            token=self._address(found, "token_endpoint"),
            takes_login="client_secret_basic" in ways,
            keys=read_keys(keys),
            read_at=now,
        )
        return self._service

    def _address(self, found: Mapping[str, Any], name: str) -> str:
        """An address of the service, at least as well encrypted as the one in the settings."""
        url = found.get(name)
        scheme = urlsplit(self._settings.issuer).scheme
        if not isinstance(url, str) or urlsplit(url).scheme not in ("https", scheme):
            raise ServiceSilent(f"It says no {name} that can be used.")
        return url


def read_keys(found: object) -> Sequence[Mapping[str, Any]]:
    """The keys that a service publishes; what is none is left out."""
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("dict[str, Any]", key) for key in listed if isinstance(key, dict)]
