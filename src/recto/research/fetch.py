"""Fetching a page of the web for somebody, and never anything of one's own network.

What is checked is the address that is connected to, at each redirect: neither another spelling of
an address nor a name that is answered differently a moment later gets around that.
"""

import asyncio
import base64
import ipaddress
import re
import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from recto.research.connection import SearchFailed

MOST_BYTES = 10 * 1024 * 1024
MOST_REDIRECTS = 5
TIMEOUT_S = 20.0
TEXTS = ("text/", "application/json", "application/xml", "application/xhtml")
HTML = ("text/html", "application/xhtml")
MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]*?\b(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.I
)
FIRST_BYTES = 4096
OLD = "windows-1252"
KNOWN = re.compile(
    r"utf-?8|utf-?16(?:-?[bl]e)?|windows-(?:125\d|874)|iso-8859-\d+|koi8-[ru]|mac-?roman|gb18030"
    r"|big5(?:-?hkscs)?|euc-?jp|iso-2022-jp|cp932|cp949|tis-620"
)
AS_BROWSERS_DO = {
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "ascii", "us-ascii"), OLD),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
}
"""What pages mean by these names."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")
SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Ranges for protocols, relays and documents, which older Pythons take for public ones."""
GZIP_OR_ZLIB = 47
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressNotPublic(OSError):
    """The address is not one of the public internet."""


@dataclass(frozen=True, slots=True)
class PageFetcher:
    """Fetches pages; each by a connection of its own."""

    allows: Callable[[IpAddress], bool]
    """Which addresses may be connected to."""
    resolver: Callable[[], AbstractResolver] | None = None
    """Looks names up; the system's way if none is given."""
    timeout_s: float = TIMEOUT_S
    most_bytes: int = MOST_BYTES

    async def fetch(self, url: str) -> dict[str, Any]:
        """What stands at an address. Raises SearchFailed."""
        try:
            async with asyncio.timeout(self.timeout_s):
                for _ in range(MOST_REDIRECTS + 1):
                    found = await self._visit(checked(url))
                    if isinstance(found, dict):
                        return found
                    url = found
        except TimeoutError as error:
            words = f"The page did not come within {self.timeout_s:g} seconds."
            raise SearchFailed(words, 504) from error
        raise SearchFailed(f"The page was moved more than {MOST_REDIRECTS} times.", 502)

    async def _visit(self, url: URL) -> dict[str, Any] | str:
        """The page, or the address that it was moved to."""
        is_refused = False

        def open_socket(found: Any) -> socket.socket:
            family, kind, protocol, _, place = found
            if not self.allows(ipaddress.ip_address(place[0].partition("%")[0])):
                nonlocal is_refused
                is_refused = True
                raise AddressNotPublic
            return socket.socket(family=family, type=kind, proto=protocol)

        connector = aiohttp.TCPConnector(
            use_dns_cache=False,
            resolver=None if self.resolver is None else self.resolver(),
            force_close=True,
            socket_factory=open_socket,
        )
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    auto_decompress=False,
                ) as session,
                session.get(url, allow_redirects=False, headers=HEADERS) as answer,
            ):
                if answer.status in (301, 302, 303, 307, 308) and "location" in answer.headers:
                    return urljoin(str(url), answer.headers["location"])
                return await self._read(url, answer)
        except (aiohttp.ClientError, OSError, zlib.error) as error:
            if is_refused:
                words = "This address is not on the public internet, and is not fetched."
                raise SearchFailed(words, 403) from error
            raise SearchFailed("The page can't be reached, or breaks off.", 502) from error

    async def _read(self, url: URL, answer: aiohttp.ClientResponse) -> dict[str, Any]:
        body = bytearray()
        async for chunk in answer.content.iter_any():
            body += chunk
            self._check_size(len(body))
        data = bytes(body)
        match answer.headers.get("content-encoding", "").strip().lower():
            case "" | "identity":
                pass
            case "gzip" | "x-gzip" | "deflate":
                data = zlib.decompressobj(GZIP_OR_ZLIB).decompress(data, self.most_bytes + 1)
                self._check_size(len(data))
            case _:
                raise SearchFailed("The page is packed in a way that is not understood.", 502)
        kind = answer.content_type
        found = {"url": str(url), "status": answer.status, "contentType": kind}
        text = read_text(data, kind, answer.charset) if kind.startswith(TEXTS) else None
        if text is None:
            return {**found, "data": base64.b64encode(data).decode()}
        return {**found, "text": text}

    def _check_size(self, size: int) -> None:
        if size > self.most_bytes:
            words = f"The page is larger than {self.most_bytes // 1024 // 1024} MB."
            raise SearchFailed(words, 502)


HEADERS = {
    "user-agent": "Mozilla/5.0 (compatible; Recto)",
    "accept": "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8",
    "accept-encoding": "identity",
}


def checked(url: str) -> URL:
    """An address that may be asked for. Raises SearchFailed."""
    try:
        parts = urlsplit(url)
        found = URL(url)
        if parts.scheme not in ("http", "https") or not found.host:
            raise SearchFailed("Only addresses with http:// or https:// are fetched.", 422)
    except ValueError as error:
        raise SearchFailed("This is not an address.", 422) from error
    if parts.username is not None or parts.password is not None:
        raise SearchFailed("An address with a user name is not fetched.", 422)
    try:
        # Decimal, octal and short forms: systems take them for addresses, too.
        return found.with_host(socket.inet_ntoa(socket.inet_aton(found.host)))
    except OSError:
        return found


def read_text(data: bytes, kind: str, charset: str | None) -> str | None:
    """The words of a page; None: nobody knows in which characters they are written."""
    is_html = kind.startswith(HTML)
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if charset is None and is_html and (said := CHARSET.search(data[:FIRST_BYTES])):
        charset = said[1].decode("ascii", "replace")
    named = (charset or "").lower()
    named = AS_BROWSERS_DO.get(named, named)
    is_known = KNOWN.fullmatch(named) is not None
    text = decoded(data, named if is_known else "utf-8")
    if text is None and is_html:
        # A page has words, whatever one letter of it may be; who says nothing is as old as the web.
        return data.decode(named if is_known else OLD, "replace")
    return text


def decoded(data: bytes, name: str) -> str | None:
    """A text in these characters; None: it is not in them."""
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def is_public(address: IpAddress) -> bool:
    """Whether an address, and one that it carries inside, is of the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if carried is not None:
            return is_public(carried)
        if address.is_site_local or address.teredo is not None:
            return False
    if any(address in network for network in SPECIAL):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)
