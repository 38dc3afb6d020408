import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from recto.llm import DownloadFailed, DownloadRequest, Transport, fetch_file, part_of
from tests.fakes.file_server import FileServer

pytestmark = pytest.mark.anyio

DATA = bytes(range(256)) * 8192


def wanted(server: FileServer, **other: str) -> DownloadRequest:
    right = hashlib.sha256(DATA).hexdigest()
    return DownloadRequest(server.url, len(DATA), other.get("sha256", right))


async def fetch(server: FileServer, place: Path, **other: str) -> list[int]:
    """Fetch the file; what was told on the way."""
    told: list[int] = []
    transport = Transport()
    try:
        await fetch_file(transport, wanted(server, **other), place, told.append)
    finally:
        await transport.close()
    return told


@pytest.mark.parametrize("redirects", [False, True])
async def test_a_file_comes_whole_and_tells_how_far_it_is(tmp_path: Path, redirects: bool) -> None:
    place = tmp_path / "models" / "small.gguf"
    async with FileServer(DATA, redirects=redirects) as server:
        told = await fetch(server, place)
    assert place.read_bytes() == DATA
    assert (told[0], told[-1]) == (0, len(DATA))
    assert told == sorted(told)
    assert list(place.parent.iterdir()) == [place]


@dataclass
class Reached:
    """Notes what is told, and when so many bytes are there."""

    bytes: int
    told: list[int] = field(default_factory=list[int])
    event: anyio.Event = field(default_factory=anyio.Event)

    def tell(self, done: int) -> None:
        self.told.append(done)
        if done >= self.bytes:
            self.event.set()


async def test_a_connection_that_breaks_is_taken_up_where_it_broke(tmp_path: Path) -> None:
    place, half = tmp_path / "small.gguf", Reached(2**20)
    transport = Transport()
    async with FileServer(DATA, holds_at=2**20, breaks=True) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fetch_file, transport, wanted(server), place, half.tell)
            with anyio.fail_after(60):
                await half.event.wait()
            server.go_on.set()
        await transport.close()
    assert place.read_bytes() == DATA
    assert server.asked == ["", f"bytes={2**20}-"]


async def test_what_had_come_before_a_stop_is_not_asked_for_again(tmp_path: Path) -> None:
    place, half = tmp_path / "small.gguf", Reached(2**20)
    transport = Transport()
    async with FileServer(DATA, holds_at=2**20) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fetch_file, transport, wanted(server), place, half.tell)
            with anyio.fail_after(60):
                await half.event.wait()
            tasks.cancel_scope.cancel()
        await transport.close()
        assert not place.exists()
        told = await fetch(server, place)
    assert server.asked == ["", f"bytes={2**20}-"]
    assert told[0] == 2**20
    assert place.read_bytes() == DATA


async def test_a_server_without_ranges_sends_all_of_it_again(tmp_path: Path) -> None:
    place = tmp_path / "small.gguf"
    part_of(place).write_bytes(DATA[:1000])
    async with FileServer(DATA, takes_ranges=False) as server:
        await fetch(server, place)
    assert place.read_bytes() == DATA


@pytest.mark.parametrize("begun", [0, 1000])
async def test_a_file_that_is_another_one_is_thrown_away(tmp_path: Path, begun: int) -> None:
    place = tmp_path / "small.gguf"
    part_of(place).write_bytes(b"x" * begun)
    async with FileServer(DATA) as server:
        with pytest.raises(DownloadFailed, match="SHA-256"):
            await fetch(server, place, sha256="0" * 64)
    assert (place.exists(), part_of(place).exists()) == (False, False)


async def test_more_or_fewer_bytes_than_listed_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "small.gguf"
    for data, words in ((DATA + b"x", "more than"), (DATA[:-1], "another file")):
        async with FileServer(data) as server:
            with pytest.raises(DownloadFailed, match=words):
                await fetch(server, place)
        assert not place.exists()
        part_of(place).unlink()


async def test_a_second_fetch_of_the_same_file_waits_for_nobody(tmp_path: Path) -> None:
    place = tmp_path / "small.gguf"
    async with FileServer(DATA, holds_at=1000) as server, anyio.create_task_group() as tasks:
        tasks.start_soon(fetch, server, place)
        with anyio.fail_after(60):
            await server.held.wait()
        with pytest.raises(DownloadFailed, match="already"):
            await fetch(server, place)
        server.go_on.set()


@pytest.mark.parametrize("url", ["http://models.example/a.gguf", "file:///etc/passwd"])
async def test_a_file_comes_encrypted_or_from_this_machine(tmp_path: Path, url: str) -> None:
    transport = Transport()
    with pytest.raises((DownloadFailed, ValueError)):
        await fetch_file(
            transport, DownloadRequest(url, 1, "0" * 64), tmp_path / "a", lambda _: None
        )
    await transport.close()


async def test_a_full_disk_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    async with FileServer(DATA) as server:
        transport = Transport()
        large = DownloadRequest(server.url, 10**18, "0" * 64)
        with pytest.raises(DownloadFailed, match="too full"):
            await fetch_file(transport, large, tmp_path / "a", lambda _: None)
        await transport.close()
    assert server.asked == []
