"""Calls to providers over HTTP: one pool of connections, every call bounded.

Keys go into headers and nowhere else. Redirects are not followed. Whatever goes wrong ends the
stream in one `Finished` with a failure that names the host and no more of the address.
"""

import asyncio
import contextlib
import io
import ipaddress
import json
import socket
import ssl
import zlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Literal
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from recto.llm.answers import (
    MAX_FAILURE_BYTES,
    MAX_WHOLE_BYTES,
    AnswerDecoder,
    UnreadableAnswer,
)
from recto.llm.direct_connection import (
    BadHeader,
    ConnectTimeout,
    DirectConnections,
    NotConnected,
    NotHttp,
    Place,
    target_of,
    write_head,
)
from recto.llm.endpoint import Endpoint, Limit, Timeouts
from recto.llm.http_answers import HttpAnswer, SessionAnswer
from recto.llm.names import CutNames
from recto.llm.traits import Traits
from recto.llm.unpacking import Unpacker
from recto.llm.wire import REDIRECT, Record, WireRequest
from recto.messages import Failure, FailureKind, Origin, Request, StreamEvent

MAX_ANSWER_BYTES = 256 * 1024 * 1024
DIRECT_BODY_BYTES = 64 * 1024
SHORTEST_SECRET = 8
DRAIN_S = 0.1
REQUEST_ID_HEADERS = ("request-id", "x-request-id")
UNRECORDED_HEADERS = frozenset(
    ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-goog-api-key"]
)
FAULTS = (aiohttp.ClientError, HttpProcessingError, NotHttp, BadHeader, OSError, zlib.error)
Method = Literal["GET", "POST", "DELETE"]
Response = aiohttp.ClientResponse
"""An answer whose body is still to come."""


class Transport:
    """Calls providers. Belongs to one event loop; `close` ends its connections.

    Names are looked up as the system does, unless a `resolver` is given. One that `makes_many`
    calls keeps its own connections wherever no proxy stands between.
    """

    def __init__(
        self,
        timeouts: Timeouts | None = None,
        *,
        resolver: AbstractResolver | None = None,
        makes_many: bool = False,
    ) -> None:
        self._timeouts = timeouts or Timeouts()
        self._resolver = resolver
        self._direct = DirectConnections(self._timeouts.connect_s) if makes_many else None
        self._has_proxy: dict[Place, bool] = {}
        self._session: aiohttp.ClientSession | None = None
        self._tls: ssl.SSLContext | None = None

    async def stream(
        self,
        endpoint: Endpoint,
        request: Request,
        traits: Traits,
        origin: Origin,
        *,
        record: Record | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """The events of an answer, also of one not streamed; the last is the one `Finished`.

        Closing the generator, or cancelling the task that waits for it, closes the connection.
        """
        wire = endpoint.protocol.lower(request, traits, origin)
        accept = "text/event-stream" if request.stream else "application/json"
        headers = {"accept": accept, "content-type": "application/json", **wire.headers}
        wire = replace(wire, headers=headers)
        call = HttpCall(
            self, endpoint, wire, timeouts=self.waits(is_streamed=request.stream), record=record
        )
        answer = AnswerDecoder(call, endpoint.protocol, origin)
        names = CutNames(request)
        try:
            while events := await answer.next():
                for event in events:
                    yield names.restore(event)
            await call.drain()
        finally:
            call.close()

    async def get(
        self, endpoint: Endpoint, path: str, timeouts: Timeouts | None = None
    ) -> bytes | Failure:
        """What stands at a path of the provider, such as its list of models."""
        found = await self.ask(endpoint, "GET", path, timeouts=timeouts)
        return found if isinstance(found, Failure) else found[1]

    async def ask(
        self,
        endpoint: Endpoint,
        method: Method,
        path: str,
        body: bytes = b"",
        *,
        timeouts: Timeouts | None = None,
    ) -> tuple[int, bytes] | Failure:
        """The status and the body of an answer that tells of success."""
        kind = {"content-type": "application/json"} if body else {}
        wire = WireRequest(path, body, {"accept": "application/json", **kind})
        waits = timeouts or self._timeouts
        call = HttpCall(self, endpoint, wire, timeouts=waits, method=method)
        try:
            await call.open()
            found = await call.read_all()
        except UnreadableAnswer as broken:
            return call.sign(broken.failure)
        finally:
            call.close()
        status = call.status or 0
        if 200 <= status < 300:
            return status, found
        return call.sign(endpoint.protocol.read_failure(status, call.headers, found))

    async def close(self) -> None:
        """End every connection."""
        if self._direct is not None:
            self._direct.close()
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def open(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes, deadline: float
    ) -> HttpAnswer:
        """One request, until its answer begins. Raises one of FAULTS."""
        if self._direct is not None:
            target = target_of(address)
            place = target.place
            has_proxy = self._has_proxy.get(place)
            if has_proxy is None:
                has_proxy = self._has_proxy[place] = proxy_for(URL(address)) is not None
            if not has_proxy:
                head = write_head(method, target, headers, len(body))
                tls = self._trusted() if place.scheme == "https" else None
                return await self._direct.ask(target, head, body, deadline=deadline, tls=tls)
        async with asyncio.timeout_at(deadline):
            url = URL(address, encoded=True)
            return SessionAnswer(await self.send(method, url, headers, body))

    async def send(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes
    ) -> aiohttp.ClientResponse:
        """One request; the answer's body is still to come. Raises one of FAULTS."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0, keepalive_timeout=60, resolver=self._resolver
                ),
                # Providers set cookies; sent back, they would tie calls of different keys together.
                cookie_jar=aiohttp.DummyCookieJar(),
                # Unpacked here, within a limit: a small answer must not become gigabytes.
                auto_decompress=False,
            )
        connect_s = self._timeouts.connect_s
        return await self._session.request(
            method,
            url,
            headers=headers,
            # aiohttp writes bytes in one go; a large body must not hold everything else up.
            data=body if len(body) <= DIRECT_BODY_BYTES else io.BytesIO(body),
            # A redirect would take the key along to another host.
            allow_redirects=False,
            # aiohttp's own reading of the environment would send passwords from .netrc, too.
            proxy=proxy_for(url),
            ssl=self._trusted() if url.scheme == "https" else True,
            timeout=aiohttp.ClientTimeout(total=None, connect=connect_s, sock_connect=connect_s),
        )

    def _trusted(self) -> ssl.SSLContext:
        """The system's certificates, or those that SSL_CERT_FILE and SSL_CERT_DIR name."""
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    def waits(self, *, is_streamed: bool) -> Timeouts:
        """How long to wait; an answer that is not streamed begins when it is complete."""
        waits = self._timeouts
        return waits if is_streamed else replace(waits, first_s=waits.total_s)


class HttpCall:
    """One request and the bytes of its answer, within the time allowed."""

    def __init__(
        self,
        transport: Transport,
        endpoint: Endpoint,
        wire: WireRequest,
        *,
        timeouts: Timeouts,
        record: Record | None = None,
        method: Method = "POST",
    ) -> None:
        self._transport = transport
        self._endpoint = endpoint
        self._wire = wire
        self._timeouts = timeouts
        self._record = record
        self._method = method
        self._secret = endpoint.key.reveal() if endpoint.key else ""
        self._answer: HttpAnswer | None = None
        self._held = b""
        self._unpacker: Unpacker | None = None
        self._size = 0
        self._now = asyncio.get_running_loop().time
        self._began = self._told_at = self._now()
        self._limit: Limit = "total"

    @property
    def host(self) -> str:
        """All of the address that may be told."""
        return self._endpoint.host

    @property
    def status(self) -> int | None:
        """The HTTP status, once there is one."""
        return self._answer.status if self._answer else None

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers, with names in lower case."""
        return self._answer.headers if self._answer else {}

    async def open(self) -> None:
        """Send the request and wait until the answer begins. Raises UnreadableAnswer."""
        if self._record:
            self._record("request", self._wire.body)
        address = self._endpoint.address(self._wire.path)
        headers = self._sent_headers()
        try:
            answer = self._answer = await self._transport.open(
                self._method, address, headers, self._wire.body, self._deadline()
            )
        except FAULTS as fault:
            raise self._broken(*self._words(fault), fault=fault) from fault
        if self._record:
            self._record("head", self._head())
        if 300 <= answer.status < 400:
            raise self._broken("not_found", self._redirect_words(), code=REDIRECT)
        if self._record and (request_id := self._request_id()):
            self._record("request_id", request_id.encode())
        packing = answer.headers.get("content-encoding", "").strip().lower()
        if packing in {"gzip", "x-gzip", "deflate"}:
            self._unpacker = Unpacker()
        elif packing not in {"", "identity"}:
            raise self._broken("upstream", f"{self.host} packed its answer in an unknown way.")

    def _sent_headers(self) -> dict[str, str]:
        headers = {
            # A packed stream comes in lumps: words should show as they are written.
            "accept-encoding": "identity",
            "user-agent": "recto",
            **self._endpoint.headers,
            **self._wire.headers,
        }
        if self._secret:
            # A line break in a key would begin a header of its own.
            if not (self._secret.isascii() and self._secret.isprintable()):
                raise self._broken("auth", "The key holds signs that no key has. Set it again.")
            place = self._endpoint.key_header
            headers[place.name] = place.prefix + self._secret
        return headers

    async def read(self) -> bytes | None:
        """Some more bytes, possibly none yet; None at the end. Raises UnreadableAnswer."""
        try:
            if self._unpacker and self._unpacker.has_more:
                return self._taken(self._unpacker.unpack())
            assert self._answer is not None
            found = await self._answer.read(self._deadline())
            # Whole, if it tells of a failure: a key in it may come in two pieces.
            while found and not self._is_success() and len(self._held) < MAX_FAILURE_BYTES:
                self._held += found
                found = await self._answer.read(self._deadline())
            found, self._held = self._held + found, b""
            if not found:
                return None
            return self._taken(self._unpacker.unpack(found) if self._unpacker else found)
        except (*FAULTS, RuntimeError) as fault:
            # A RuntimeError is how aiohttp tells of a connection that ended while nobody read.
            raise self._broken(*self._words(fault), fault=fault) from fault

    async def read_all(self) -> bytes:
        """The whole body. Raises UnreadableAnswer."""
        body = bytearray()
        while (piece := await self.read()) is not None:
            body += piece
            if len(body) > MAX_WHOLE_BYTES:
                raise self._broken("upstream", self._too_much())
        return bytes(body)

    def left_over(self) -> bytes:
        """What had come before a break and was not read yet."""
        if self._answer is None:
            return b""
        found, self._held = self._held + self._answer.left_over(), b""
        with contextlib.suppress(zlib.error, UnreadableAnswer):
            return self._taken(self._unpacker.unpack(found) if self._unpacker else found)
        return b""

    def told(self) -> None:
        """Something of the answer could be shown."""
        self._told_at = self._now()

    def _taken(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size > MAX_ANSWER_BYTES:
            raise self._broken("upstream", self._too_much())
        if not self._is_success():
            piece = self._without_key(piece)
        if self._record and piece:
            self._record("answer", piece)
        return piece

    def _is_success(self) -> bool:
        return 200 <= (self.status or 0) < 300

    def _without_key(self, piece: bytes) -> bytes:
        """An error's body without the key, which some providers repeat.

        What is recorded is kept: the key must be gone before.
        """
        key = self._secret.encode()
        return piece.replace(key, "…".encode()) if len(key) >= SHORTEST_SECRET else piece

    def _deadline(self) -> float:
        """When the wait that begins now must end; remembers by which limit."""
        waits = self._timeouts
        next_s = waits.idle_s if self._size else waits.first_s
        when, self._limit = min(
            (self._now() + next_s, "idle" if self._size else "first"),
            (self._told_at + waits.content_s, "content"),
            (self._began + waits.total_s, "total"),
        )
        return when

    async def drain(self) -> None:
        """Take what follows the last event, so that the connection can be used again."""
        deadline = self._now() + DRAIN_S
        with contextlib.suppress(*FAULTS):
            # Some servers keep the connection open after the last event.
            while self._answer and await self._answer.read(deadline):
                pass

    def close(self) -> None:
        """Cut the connection, unless the answer came to its end: then it went back to the pool."""
        if self._answer is not None:
            self._answer.close()

    def sign(self, failure: Failure) -> Failure:
        """The failure with provider and request id, and without the key."""
        signed = replace(
            failure,
            provider=failure.provider or self._endpoint.provider,
            request_id=failure.request_id or self._request_id(),
        )
        words = (signed.message, signed.code, signed.request_id)
        message, code, request_id = (word and self._bare(word) for word in words)
        return replace(signed, message=message or "", code=code, request_id=request_id)

    def _head(self) -> bytes:
        """The answer's status and headers, as they may be recorded."""
        hidden = UNRECORDED_HEADERS | {self._endpoint.key_header.name.lower()}
        headers = {
            name: self._bare(value) for name, value in self.headers.items() if name not in hidden
        }
        return json.dumps({"status": self.status, "headers": headers}).encode()

    def _bare(self, words: str) -> str:
        """The words without the key, which some providers repeat."""
        # A very short key would be "found" in ordinary words.
        return words.replace(self._secret, "…") if len(self._secret) >= SHORTEST_SECRET else words

    def _request_id(self) -> str | None:
        headers = self.headers
        return next((headers[name] for name in REQUEST_ID_HEADERS if name in headers), None)

    def _broken(
        self,
        kind: FailureKind,
        message: str,
        *,
        code: str | None = None,
        fault: BaseException | None = None,
    ) -> UnreadableAnswer:
        # A certificate that is not trusted now will not be in a moment.
        retry = False if isinstance(fault, aiohttp.ClientSSLError | ssl.SSLError) else None
        status = None if self.status == 200 else self.status
        return UnreadableAnswer(Failure(kind, message, status=status, code=code, may_retry=retry))

    def _words(self, fault: BaseException) -> tuple[FailureKind, str]:
        """What a fault means. Its own words may hold the address, and are never told."""
        host = self.host
        match fault:
            case zlib.error():
                return "upstream", f"{host} sent an answer that can't be unpacked."
            case aiohttp.ServerTimeoutError() | ConnectTimeout():
                return "timeout", f"No connection to {host} within {self._timeouts.connect_s:g} s."
            case TimeoutError():
                return "timeout", f"{host} {self._timeouts.words(self._limit)}"
            case aiohttp.ClientHttpProxyError() | aiohttp.ClientProxyConnectionError():
                return "network", f"The proxy did not connect to {host}. Check HTTPS_PROXY."
            case aiohttp.ClientSSLError() | ssl.SSLError():
                return "network", (
                    f"The certificate of {host} is not trusted. If your network has its own, "
                    "name its file in SSL_CERT_FILE."
                )
            case aiohttp.ClientConnectorDNSError() | socket.gaierror():
                return "network", f"The name {host} can't be found. Check your connection."
            case aiohttp.ClientConnectorError() | NotConnected():
                return "network", f"Nothing answers at {host}. Check that it runs."
            case aiohttp.ClientResponseError() | HttpProcessingError() | NotHttp():
                return "upstream", f"{host} answered with something that is not HTTP."
            case BadHeader():
                return "invalid_request", "A header holds signs that no header may hold."
            case _:
                return "network", f"The connection to {host} was lost."

    def _redirect_words(self) -> str:
        return (
            f"{self.host} sends calls on to another address, which Recto does not follow. "
            "Name the right address in models.json."
        )

    def _too_much(self) -> str:
        return f"{self.host} answered with more data than Recto takes."


def proxy_for(url: URL) -> str | None:
    """The proxy that the environment names for an address; none for this machine itself."""
    host = url.host or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(url.scheme)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
