"""Fetches a model's file: in pieces that are kept, held to its size and its SHA-256.

What came before a break stays beside the place as a `.part`, and the next attempt asks only for the
rest. Only a whole file that is the right one gets its name.
"""

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import BinaryIO

import anyio.to_thread
from yarl import URL

from recto.durable import put_in_place
from recto.llm.download_request import DownloadFailed, DownloadRequest, part_of
from recto.llm.endpoint import check_address
from recto.llm.http.http_faults import FAULTS
from recto.llm.http.transport import Response, Transport, is_loopback

PIECE = 1024 * 1024
IDLE_S = 60.0
MOST_REDIRECTS = 5
MOST_IN_VAIN = 3
"""How many attempts in a row may bring nothing."""
SPARE_BYTES = 200 * 1024 * 1024
"""What must stay free on the disk."""
RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
AGAIN = "What has come is kept. Start it again to go on from there."
OnProgress = Callable[[int], None]
"""Is told how many bytes there are."""


class NotTheRest(Exception):
    """An answer does not go on where the file ends."""


async def fetch_file(
    transport: Transport, wanted: DownloadRequest, place: Path, on_progress: OnProgress
) -> None:
    """Put the file at its place, from where an earlier attempt broke off. Raises DownloadFailed."""
    await anyio.to_thread.run_sync(make_room, wanted, place)
    with opened_part(place) as part:
        fetch = Fetch(transport, wanted, part, on_progress)
        await anyio.to_thread.run_sync(fetch.take_up)
        await fetch.run()
        await anyio.to_thread.run_sync(fetch.check, place)
        await anyio.to_thread.run_sync(finish, place)


def make_room(wanted: DownloadRequest, place: Path) -> None:
    """Make the folder, and see that the disk has room. Raises DownloadFailed."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = part_of(place)
    have = part.stat().st_size if part.exists() else 0
    lacks = wanted.bytes - have + SPARE_BYTES - shutil.disk_usage(place.parent).free
    if lacks > 0:
        raise DownloadFailed(
            f"The disk is too full: {lacks / 1e9:.1f} GB more are needed.", "Free some space."
        )


@contextmanager
def opened_part(place: Path) -> Generator[BinaryIO]:
    """The unfinished file, for nobody else meanwhile. Raises DownloadFailed."""
    fd = os.open(part_of(place), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "r+b") as part:
        try:
            fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            words = "This model is being downloaded already."
            raise DownloadFailed(words, "Wait for it to end.") from error
        yield part


def finish(place: Path) -> None:
    """The whole file gets its name."""
    folder_fd = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        put_in_place(folder_fd, part_of(place).name, place.name)
    finally:
        os.close(folder_fd)


class Fetch:
    """One attempt; a connection that breaks is taken up again while something comes."""

    def __init__(
        self, transport: Transport, wanted: DownloadRequest, part: BinaryIO, on_progress: OnProgress
    ) -> None:
        self._transport = transport
        self._wanted = wanted
        self._part = part
        self._tell = on_progress
        self._have = 0
        self._hash = hashlib.sha256()
        self._began_anew = False
        """Whether what there was did not fit; a second time would go on for ever."""

    def take_up(self) -> None:
        """Read what there is already."""
        self._part.seek(0)
        while piece := self._part.read(PIECE):
            self._hash.update(piece)
            self._have += len(piece)
        if self._have > self._wanted.bytes:
            self._begin_anew()
        self._tell(self._have)

    async def run(self) -> None:
        """Ask for the rest, until there is none. Raises DownloadFailed."""
        in_vain = 0
        while self._have < self._wanted.bytes:
            before, fault = self._have, None
            try:
                await self._ask()
            except NotTheRest:
                continue
            except FAULTS as broken:
                fault = broken
            in_vain = 0 if self._have > before else in_vain + 1
            if in_vain == MOST_IN_VAIN:
                words = "sent nothing more" if fault is None else "does not answer"
                raise DownloadFailed(f"{self._host()} {words}.", AGAIN) from fault

    def check(self, place: Path) -> None:
        """Hold the file to its SHA-256; a wrong one is thrown away. Raises DownloadFailed."""
        self._part.flush()
        if self._hash.hexdigest() == self._wanted.sha256:
            return
        part_of(place).unlink()
        raise DownloadFailed(
            "The downloaded file is not the one in the list: its SHA-256 differs.",
            "It was deleted. Try again; if that does not help, choose another model.",
        )

    async def _ask(self) -> None:
        headers = {"accept-encoding": "identity", "user-agent": "recto"}
        if self._have:
            headers["range"] = f"bytes={self._have}-"
        response = await self._follow(headers)
        try:
            await anyio.to_thread.run_sync(self._fit, response)
            async with aclosing(pieces(response)) as coming:
                async for piece in coming:
                    await anyio.to_thread.run_sync(self._keep, piece)
                    self._tell(self._have)
        finally:
            response.close()

    async def _follow(self, headers: dict[str, str]) -> Response:
        """The answer, wherever the address leads."""
        url = checked(self._wanted.url, None)
        for _ in range(MOST_REDIRECTS):
            response = await self._transport.send("GET", url, headers, b"")
            if not 300 <= response.status < 400:
                return response
            target = response.headers.get("location", "")
            response.close()
            url = checked(target, url)
        raise DownloadFailed(f"{self._host()} redirects in circles.", "Try again later.")

    def _fit(self, response: Response) -> None:
        """See that the answer goes on where the file ends. Raises DownloadFailed."""
        if response.status == 206:
            found = RANGE.fullmatch(response.headers.get("content-range", ""))
            if found and int(found[1]) == self._have and found[2] in ("*", str(self._wanted.bytes)):
                return
        if response.status in (206, 416):
            if not self._have or self._began_anew:
                words = f"{self._host()} has another file there."
                raise DownloadFailed(words, "Choose another model.")
            self._began_anew = True
            self._begin_anew()
            raise NotTheRest
        if response.status != 200:
            words = f"{self._host()} answered with {response.status}."
            raise DownloadFailed(words, "The file may have moved. Choose another model.")
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._part.seek(0)
        self._part.truncate()
        self._hash = hashlib.sha256()
        self._have = 0

    def _keep(self, piece: bytes) -> None:
        if self._have + len(piece) > self._wanted.bytes:
            self._begin_anew()
            words = f"{self._host()} sent more than the list says."
            raise DownloadFailed(words, "Choose another model.")
        self._part.write(piece)
        self._hash.update(piece)
        self._have += len(piece)

    def _host(self) -> str:
        return URL(self._wanted.url).host or "The server"


async def pieces(response: Response) -> AsyncGenerator[bytes]:
    """The bytes of an answer as they come. Raises one of FAULTS."""
    while True:
        async with asyncio.timeout(IDLE_S):
            piece = await response.content.read(PIECE)
        if not piece:
            return
        yield piece


def checked(address: str, before: URL | None) -> URL:
    """An address that may be asked: encrypted, or on this machine. Raises DownloadFailed."""
    # What a server redirects to is signed, and must stay letter for letter as it is.
    url = URL(address, encoded=True) if before is None else before.join(URL(address, encoded=True))
    check_address(str(url.with_query(None).with_fragment(None)))
    if url.scheme != "https" and not is_loopback(url.host or ""):
        words = f"{url.host} is not reached over an encrypted connection."
        raise DownloadFailed(words, "Use an https address.")
    return url
