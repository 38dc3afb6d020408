"""No spelling of an address, no redirect and no change of a name reaches one's own network."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from recto.research import PageFetcher, SearchFailed, is_public
from recto.research.fetch import read_text
from tests.fakes.record_services import RecordWorld

pytestmark = pytest.mark.anyio

FORMS = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1",
    "017700000001", "127.0.0.1.", "localhost", "LOCALHOST.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]",
    "0.0.0.0", "0", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    "10.0.0.1", "172.16.5.4", "192.168.0.1", "100.64.0.1", "169.254.169.254", "0xa9fea9fe",
    "2852039166", "[fe80::1]", "[fd00:ec2::254]", "[fc00::1]", "[fec0::1]", "224.0.0.1",
    "255.255.255.255", "①②⑦.⓪.⓪.①", "１２７.0.0.1", "[::127.0.0.1]",
]  # fmt: skip


@dataclass
class CountingListener:
    """Counts whoever connects."""

    port: int = 0
    connections: int = 0

    async def note(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()


@asynccontextmanager
async def listening() -> AsyncGenerator[CountingListener]:
    """On every address of this computer that a test may use, at one port."""
    listener = CountingListener()
    first = await asyncio.start_server(listener.note, "127.0.0.1", 0)
    listener.port = first.sockets[0].getsockname()[1]
    servers = [first]
    if socket.has_ipv6:
        with suppress(OSError):  # a computer without IPv6 on loopback
            servers.append(await asyncio.start_server(listener.note, "::1", listener.port))
    try:
        yield listener
    finally:
        for server in servers:
            server.close()
            await server.wait_closed()


class Names(AbstractResolver):
    """Answers a name with one address after the other."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self.asked = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked += 1
        found = self.addresses.pop(0) if len(self.addresses) > 1 else self.addresses[0]
        kind = socket.AF_INET6 if ":" in found else socket.AF_INET
        return [ResolveResult(hostname=host, host=found, port=port, family=kind, proto=0, flags=0)]

    async def close(self) -> None:
        pass


def own_name() -> Names:
    """Some forms are names for aiohttp: of this computer, whoever is asked."""
    return Names("127.0.0.1")


async def test_no_form_of_an_own_address_is_connected_to() -> None:
    async with listening() as listener:
        for form in FORMS:
            with pytest.raises(SearchFailed):
                await PageFetcher(is_public, own_name).fetch(f"http://{form}:{listener.port}/")
        assert listener.connections == 0


async def test_a_name_that_means_an_own_address_is_not_connected_to() -> None:
    own = ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "fe80::1")
    async with listening() as listener:
        for address in own:
            names = Names(address)
            with pytest.raises(SearchFailed, match="not on the public internet"):
                await PageFetcher(is_public, lambda names=names: names).fetch(
                    f"http://rebound.example:{listener.port}/"
                )
            assert names.asked == 1
        assert listener.connections == 0


async def test_a_redirect_and_a_second_answer_are_checked_like_the_first() -> None:
    """The first address stands for the public internet; the listener is one's own network."""
    async with listening() as listener:

        async def move(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = await reader.readline()
            target = line.decode().split()[1].removeprefix("/?to=")
            writer.write(f"HTTP/1.1 302 Found\r\nLocation: {target}\r\n\r\n".encode())
            await writer.drain()
            writer.close()

        public = await asyncio.start_server(move, "127.0.0.1", 0)
        port = public.sockets[0].getsockname()[1]
        opened: list[str] = []

        def allows(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
            # Only the first connection goes to the "public" server.
            opened.append(str(address))
            return len(opened) == 1 or is_public(address)

        async with public:
            for form in FORMS:
                opened.clear()
                url = f"http://127.0.0.1:{port}/?to=http://{form}:{listener.port}/"
                with pytest.raises(SearchFailed):
                    await PageFetcher(allows, own_name).fetch(url)
            opened.clear()
            names = Names("127.0.0.1", "127.0.0.1")
            again = f"http://twice.example:{port}/?to=http://twice.example:{listener.port}/"
            with pytest.raises(SearchFailed, match="not on the public internet"):
                await PageFetcher(allows, lambda: names).fetch(again)
            assert names.asked == 2
        assert listener.connections == 0


@pytest.mark.parametrize(
    ("data", "kind", "charset", "text"),
    [
        ("Größe".encode(), "text/html", None, "Größe"),
        ("Größe".encode("latin-1"), "text/html", None, "Größe"),
        ("Größe – so".encode("cp1252"), "text/html", "iso-8859-1", "Größe – so"),
        ('<meta charset="koi8-r">Море'.encode("koi8-r"), "text/html", None, "Море"),
        (
            '<meta http-equiv="x" content="text/html; charset=gb2312">潮位'.encode("gb18030"),
            *("text/html", None, "潮位"),
        ),
        ("Größe".encode() + b"\xff", "text/html", "utf-8", "Größe\ufffd"),
        (b"\xff\xfe" + "Größe".encode("utf-16-le"), "text/plain", "utf-8", "Größe"),
        ("Größe".encode(), "text/html", "hex", "Größe"),
        ("Größe".encode("latin-1"), "text/plain", None, None),
        (b"", "text/plain", None, ""),
    ],
)
def test_a_page_is_read_in_the_characters_that_it_is_written_in(
    data: bytes, kind: str, charset: str | None, text: str | None
) -> None:
    found = read_text(data, kind, charset)
    assert (found or "").rpartition(">")[2] == (text or "")
    assert (found is None) == (text is None)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://x/", "gopher://x/", "javascript:1", "//x/", "x", "", "http://",
     "http://ann:secret@example.org/", "http://[::1"],
)  # fmt: skip
async def test_only_plain_web_addresses_are_fetched(url: str) -> None:
    with pytest.raises(SearchFailed):
        await PageFetcher(is_public).fetch(url)


async def test_a_page_that_does_not_come_is_given_up(world: RecordWorld) -> None:
    world.failing["page"] = "silence"
    fetcher = PageFetcher(lambda address: True, timeout_s=0.05)
    with pytest.raises(SearchFailed, match="did not come within 0.05 seconds") as failed:
        await fetcher.fetch(f"{world.url}/page")
    assert (failed.value.status, PageFetcher(is_public).timeout_s) == (504, 20)
    assert PageFetcher(is_public).most_bytes == 10 * 1024 * 1024
