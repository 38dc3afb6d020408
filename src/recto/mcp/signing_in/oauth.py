"""Tokens on the way to a server: sent, renewed before they end and on 401, never asked for anew.

A person signs in (`sign_in.py`); what happens in the background registers nothing and opens
nothing.
"""

import base64
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import quote

import anyio
import httpx2
import msgspec
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import union_scopes

from recto.mcp.signing_in.sign_ins import KeptSignIn, McpSignIns

RENEW_BEFORE_MS = 60_000
RENEWAL = httpx2.Timeout(20.0)
"""How long an issuer may take for each part of its answer."""
UNAUTHORIZED = 401
BY_METADATA = "by metadata"
"""How a client that was registered by hand shows its secret: as the issuer wants it."""


class RenewingAuth(httpx2.Auth):
    """Adds the token of a sign-in to each request for its server."""

    requires_response_body = False

    def __init__(self, url: str, sign_ins: McpSignIns, now_ms: Callable[[], int]) -> None:
        self._url = url
        self._sign_ins = sign_ins
        self._now_ms = now_ms

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send with a token that holds; a refused one is renewed once."""
        kept = self._sign_ins.get(self._url)
        if kept is None or not kept.access_token:
            yield request
            return
        if self._ends_soon(kept):
            async with self._sign_ins.renewing(self._url):
                kept = self._sign_ins.get(self._url) or kept
                if self._ends_soon(kept):
                    kept = await self._take(kept, (yield renewal(kept)))
        put_token(request, kept)
        response = yield request
        if response.status_code != UNAUTHORIZED or not kept.refresh_token:
            return
        async with self._sign_ins.renewing(self._url):
            # Another request, also of another Recto, may have renewed it meanwhile.
            now = self._sign_ins.get(self._url) or kept
            if now.access_token == kept.access_token:
                now = await self._take(kept, (yield renewal(kept)))
        # Also where renewing failed: what is asked last is what the caller gets to see.
        put_token(request, now)
        yield request

    def _ends_soon(self, kept: KeptSignIn) -> bool:
        ends = kept.ends_ms is not None and kept.ends_ms - self._now_ms() < RENEW_BEFORE_MS
        return ends and bool(kept.refresh_token)

    async def _take(self, kept: KeptSignIn, response: httpx2.Response) -> KeptSignIn:
        """Keep what a renewal brought. A refusal ends the sign-in; no answer changes nothing."""
        body = await response.aread()
        if response.status_code in (400, 401):
            new = msgspec.structs.replace(kept, access_token="", refresh_token="", ends_ms=None)
        elif response.status_code == 200:
            new = with_tokens(kept, body, self._now_ms())
        else:
            return kept
        with anyio.CancelScope(shield=True):
            await self._sign_ins.put(new)
        return new


class SteppingUpProvider(OAuthClientProvider):
    """The SDK's flow, also for more than the server says at first."""

    more_scope: str | None = None

    async def _perform_authorization(self) -> httpx2.Request:
        context = self.context
        if self.more_scope is not None:
            asked = union_scopes(context.client_metadata.scope, self.more_scope)
            context.client_metadata.scope = asked
        client, metadata = context.client_info, context.oauth_metadata
        if client is not None and client.token_endpoint_auth_method == BY_METADATA:
            methods = metadata.token_endpoint_auth_methods_supported if metadata else None
            is_basic = methods is None or "client_secret_basic" in methods
            client.token_endpoint_auth_method = (
                "client_secret_basic" if is_basic else "client_secret_post"
            )
        return await super()._perform_authorization()


def put_token(request: httpx2.Request, kept: KeptSignIn) -> None:
    """Send a request with a token, or without where there is none any more."""
    request.headers.pop("authorization", None)
    if kept.access_token:
        request.headers["authorization"] = f"Bearer {kept.access_token}"


def renewal(kept: KeptSignIn) -> httpx2.Request:
    """Asks the issuer for another token."""
    data = {"grant_type": "refresh_token", "refresh_token": kept.refresh_token}
    if kept.resource:
        data["resource"] = kept.resource
    client_id, secret = str(kept.client["client_id"]), kept.client.get("client_secret")
    headers = {"accept": "application/json"}
    if secret and kept.client.get("token_endpoint_auth_method") == "client_secret_basic":
        pair = f"{quote(client_id, safe='')}:{quote(str(secret), safe='')}".encode()
        headers["authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    else:
        data["client_id"] = client_id
        if secret:
            data["client_secret"] = str(secret)
    # Not made by the client, so it has none of its time limits.
    limits = {"timeout": RENEWAL.as_dict()}
    return httpx2.Request(
        "POST", kept.token_endpoint, data=data, headers=headers, extensions=limits
    )


def with_tokens(kept: KeptSignIn, body: bytes, now_ms: int) -> KeptSignIn:
    """The sign-in with the tokens of an answer; as it was when the answer has none."""
    try:
        found: Any = json.loads(body)
        token = found["access_token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return kept
    if not isinstance(token, str) or not token:
        return kept
    lasts = found.get("expires_in")
    return msgspec.structs.replace(
        kept,
        access_token=token,
        refresh_token=str(found.get("refresh_token") or kept.refresh_token),
        scope=str(found.get("scope") or kept.scope),
        ends_ms=now_ms + int(lasts * 1000) if isinstance(lasts, int | float) else None,
    )
