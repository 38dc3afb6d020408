"""Calls to providers over HTTP: one pool of connections, every call bounded.

Keys go into headers and nowhere else. Redirects are not followed. Whatever goes wrong ends the
stream in one `Finished` with a failure that names the host and no more of the address.
"""

import asyncio
import io
import ipaddress
import ssl
from collections.abc import AsyncGenerator, Hashable, Mapping
from dataclasses import replace
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from recto.llm.answers import AnswerDecoder, UnreadableAnswer
from recto.llm.endpoint import Endpoint, Timeouts
from recto.llm.http.at_once import ReadyRequest, RequestsAtOnce, SentRequest
from recto.llm.http.direct_connection import DirectConnections
from recto.llm.http.http_answers import HttpAnswer, SessionAnswer
from recto.llm.http.http_call import HttpCall, Method
from recto.llm.http.request_head import (
    BadHeader,
    BadKey,
    Place,
    sent_headers,
    target_of,
    write_head,
    write_start,
)
from recto.llm.names import CutNames
from recto.llm.traits import Traits
from recto.llm.wire import OfferEvents, Record, WireRequest
from recto.messages import Failure, Origin, Request, StreamEvent

DIRECT_BODY_BYTES = 64 * 1024
MOST_LINES = 1000
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
        self._lines: dict[Hashable, tuple[Endpoint, RequestsAtOnce]] = {}
        """What requests begin with, for each endpoint, path and headers."""
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
        offer: OfferEvents | None = None,
        sent: SentRequest | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """The events of an answer, also of one not streamed; the last is the one `Finished`.

        Words are offered at the moment they come; what `offer` takes is not told again. A request
        that was `sent` is not sent again.

        Closing the generator, or cancelling the task that waits for it, closes the connection.
        """
        wire = written(endpoint, request, traits, origin) if sent is None else sent.wire
        waits = self.waits(is_streamed=request.stream)
        call = HttpCall(
            self if sent is None else sent.under_way, endpoint, wire, timeouts=waits, record=record
        )
        answer = AnswerDecoder(call, endpoint.protocol, origin, pass_on=call.pass_on, offer=offer)
        names = CutNames(request)
        try:
            while events := await answer.next():
                for event in events:
                    yield names.restore(event)
            await call.drain()
        finally:
            call.close()

    def at_once(
        self, endpoint: Endpoint, path: str, headers: Mapping[str, str]
    ) -> RequestsAtOnce | None:
        """A way to send requests without waiting; None: there is none, or only with an error."""
        if self._direct is None:
            return None
        target = target_of(endpoint.address(path))
        if self._has_proxy.get(target.place, True):
            return None  # or nobody has asked there yet
        try:
            start = write_start("POST", target, sent_headers(endpoint, headers))
        except (BadHeader, BadKey):
            return None
        return RequestsAtOnce(self._direct, target.place, start)

    def ready(
        self, endpoint: Endpoint, request: Request, traits: Traits, origin: Origin
    ) -> ReadyRequest | None:
        """A request that can be sent without waiting; None: it can't, or only with an error."""
        if self._direct is None:
            return None
        wire = written(endpoint, request, traits, origin)
        key = id(endpoint), wire.path, tuple(wire.headers.items())
        known = self._lines.get(key)
        if known is None or known[0] is not endpoint:
            lines = self.at_once(endpoint, wire.path, wire.headers)
            if lines is None:
                return None
            if len(self._lines) >= MOST_LINES:
                self._lines.clear()  # most are of endpoints that are gone
            known = self._lines[key] = endpoint, lines
        return ReadyRequest(wire, known[1]) if known[1].may_ask(len(wire.body)) else None

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


def written(endpoint: Endpoint, request: Request, traits: Traits, origin: Origin) -> WireRequest:
    """A request in its provider's dialect, with the headers that say what it is."""
    wire = endpoint.protocol.lower(request, traits, origin)
    accept = "text/event-stream" if request.stream else "application/json"
    headers = {"accept": accept, "content-type": "application/json", **wire.headers}
    return WireRequest(wire.path, wire.body, headers)


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
