"""A server at an address: what it answers is bounded, and a failed request fails alone."""

import ipaddress
import json
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.client.streamable_http import streamable_http_client

from recto.mcp.framing import MAX_MESSAGE

MAX_STREAM = 64_000_000
"""What one streamed answer may bring in all."""
CONNECT_S = 10.0
READ_S = 300.0
BODY_S = 600.0
FAILED = -32094
"""What a request fails with whose answer did not come, or was too much."""
NEEDS_SIGN_IN = -32093
"""What a request fails with that nobody is signed in for, or not for enough."""
UNAUTHORIZED, FORBIDDEN = 401, 403
TIMEOUT = httpx2.Timeout(CONNECT_S, read=READ_S)


class BoundedStream(httpx2.AsyncByteStream):
    """A streamed answer that ends when it brings too much."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The bytes, as long as there are not too many."""
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > MAX_STREAM:
                raise httpx2.SSEError(f"it brought more than {MAX_STREAM:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close what it reads from."""
        await self._inner.aclose()


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests; trouble becomes an answer that says so, to that request alone."""

    def __init__(self, url: str, tls: ssl.SSLContext) -> None:
        self._own = httpx2.URL(url)
        limits = httpx2.Limits(max_connections=20)
        self._inner = httpx2.AsyncHTTPTransport(verify=tls, limits=limits)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request."""
        if not await self._may_be_asked(request.url):
            return refused(request, f"{request.url.host} is not a public address")
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TransportError as error:
            return refused(request, f"it can't be reached: {trouble_words(error)}")
        return await self._bounded(request, response)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def _bounded(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)
        if response.headers.get("content-encoding", "identity") != "identity":
            await stream.aclose()
            return refused(request, "it sent a compressed answer, which nobody asked for")
        if response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=BoundedStream(stream),
                extensions=response.extensions,
            )
        try:
            with anyio.fail_after(BODY_S):
                body = await read_bounded(stream)
        except (httpx2.TransportError, TimeoutError) as error:
            return refused(request, f"its answer broke off: {trouble_words(error)}")
        finally:
            await stream.aclose()
        if body is None:
            return refused(request, f"its answer has more than {MAX_MESSAGE:,} bytes")
        headers = [(k, v) for k, v in response.headers.multi_items() if k != "transfer-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def _may_be_asked(self, url: httpx2.URL) -> bool:
        """Whether an address may be connected to: the one the user named, or a public one.

        A server names others for its sign-in; those must not lead into this computer's network.
        """
        if url.host == self._own.host:
            return True
        if url.scheme != "https" and not is_loopback(self._own.host):
            return False
        found = await anyio.to_thread.run_sync(addresses_of, url.host, url.port or 443)
        local = is_loopback(self._own.host)
        return bool(found) and all(item.is_global or (local and item.is_loopback) for item in found)


def is_loopback(host: str) -> bool:
    """Whether a name means this computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def may_be_opened(address: str) -> bool:
    """Whether a browser may be sent there: the web alone, never a program of this computer."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if parts.scheme == "http":
        return is_loopback(parts.hostname or "")
    return parts.scheme == "https" and bool(parts.hostname)


def addresses_of(host: str, port: int) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """What a name resolves to; nothing when it can't be."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    plain = [ipaddress.ip_address(str(item[4][0]).partition("%")[0]) for item in found]
    return [getattr(item, "ipv4_mapped", None) or item for item in plain]


async def read_bounded(stream: httpx2.AsyncByteStream) -> bytes | None:
    """A whole answer; None when it is too long."""
    kept = bytearray()
    async for chunk in stream:
        kept += chunk
        if len(kept) > MAX_MESSAGE:
            return None
    return bytes(kept)


@cache
def tls_context() -> ssl.SSLContext:
    """Whom to trust. Reading all of it takes a while, so it is read once, and in a thread."""
    return httpx2.create_ssl_context()


class ServerHttpClient(httpx2.AsyncClient):
    """Sends requests; one that wants a sign-in fails in a way that says so.

    Here and not in the transport: only behind it is known that renewing a token did not help.
    """

    on_refused: Callable[[str], None] | None = None

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send one request."""
        response = await super().send(request, **options)
        if self.on_refused is None or not wants_sign_in(response):
            return response
        await response.aclose()
        scope = extract_field_from_www_auth(response, "scope") or ""
        self.on_refused(scope)
        return error_answer(
            request, UNAUTHORIZED, NEEDS_SIGN_IN, "It wants you to sign in.", {"scope": scope}
        )


def wants_sign_in(response: httpx2.Response) -> bool:
    """Whether a server wants somebody to sign in, or for more than they did."""
    if response.status_code == FORBIDDEN:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == UNAUTHORIZED


def refused(request: httpx2.Request, why: str) -> httpx2.Response:
    """An answer in the place of one that did not come."""
    return error_answer(request, 502, FAILED, why)


def trouble_words(error: Exception) -> str:
    """Why a request failed on the way, without what a server could have put into it."""
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return "it took too long"
    if "CERTIFICATE" in str(error):
        return "its certificate is not trusted"
    return "nobody answers there" if isinstance(error, httpx2.ConnectError) else "it was cut off"


def error_answer(
    request: httpx2.Request, status: int, code: int, message: str, data: Any = None
) -> httpx2.Response:
    """An answer of ours to a request, by which it fails."""
    error = {"code": code, "message": message, "data": data}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = {"content-type": "application/json"}
    return httpx2.Response(status, headers=headers, content=body, request=request)


@asynccontextmanager
async def http_client(
    url: str,
    headers: Mapping[str, str],
    auth: httpx2.Auth,
    on_refused: Callable[[str], None] | None = None,
) -> AsyncGenerator[httpx2.AsyncClient]:
    """What requests to a server go through."""
    sent = {"accept-encoding": "identity", "user-agent": "recto", **headers}
    tls = await anyio.to_thread.run_sync(tls_context)
    async with ServerHttpClient(
        transport=GuardedTransport(url, tls), headers=sent, timeout=TIMEOUT, auth=auth
    ) as client:
        client.on_refused = on_refused
        yield client


async def read_small(address: str, own: str, most: int) -> bytes | None:
    """Something small of a server's own host, asked for without its keys; None when it fails."""
    tls = await anyio.to_thread.run_sync(tls_context)
    headers = {"accept-encoding": "identity", "user-agent": "recto"}
    async with httpx2.AsyncClient(
        transport=GuardedTransport(own, tls), headers=headers, timeout=CONNECT_S
    ) as client:
        response = await client.get(address)
    return response.content if response.is_success and len(response.content) <= most else None


@asynccontextmanager
async def http_streams(url: str, client: httpx2.AsyncClient) -> AsyncGenerator[object]:
    """A server's two directions, as the SDK wants them."""
    async with streamable_http_client(
        url, http_client=client, max_sse_event_size=MAX_MESSAGE
    ) as streams:
        yield streams
