"""What a chat costs as it grows: a message more in a chat of ten and of ten thousand.

Appends one message, with its words for the search and the row that tells pages of it, to a small
and to a large chat of the same store in turns, and prints the ratio of the medians: it must stay
under 1.2. In the same turns, the program sqlite3 inserts the bare text into a table (write-ahead
log, every commit flushed): a message may take 10 ms more, for all else that it is. One JSON file
rewritten for each message, the design of other programs, is measured beside them. Then, over HTTP,
opens the large chat and the list of ten thousand chats as the page does, both with a limit, and
reads that list to its end in pages of a thousand.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

from recto.app import AppServices, ReadyServer, ServeOptions, open_services, serve
from recto.chats import AnswerSource, Archive, Assistant, EntryConfidence, EntryContent, User
from recto.clock import SystemClock, SystemIds
from recto.config import Home, Secret, Settings
from recto.durable import replace_file
from recto.messages import Text, Usage

SMALL, LARGE, CHATS = 10, 10_000, 10_000
TRIES = 300
MOST_RATIO = 1.2
MOST_MORE_MS = 10.0
"""What a message may take beyond an insert of its text by sqlite3."""
BARE = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    " CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT);"
)
MOST_OPEN_MS, MOST_LIST_MS = 300, 100
TOKEN = "a-token-for-the-benchmark"
WORDS = "The residual is what remains after the fit, and it is not the surge alone. " * 4


def said(number: int) -> EntryContent:
    """A message of a person or a model, in turns."""
    if number % 2 == 0:
        return User(f"{number}: {WORDS}", "run")
    usage = Usage(input=900 + number, output=120)
    return Assistant(
        parts=(Text(f"{number}: {WORDS}"),),
        turn="run",
        step=1,
        model="m",
        model_name="M",
        reason="end_turn",
        usage=usage,
        cost_micros=12,
        sureness=EntryConfidence(None, "unknown"),
        source=AnswerSource("", "", "chat/1"),
    )


async def fill(working: AppServices, archive: Archive, project_id: str) -> tuple[str, str]:
    """A small chat, a large one, and many empty ones."""
    small = (await working.chats.create(project_id, "Small")).id
    large = (await working.chats.create(project_id, "Large")).id
    for chat_id, count in ((small, SMALL), (large, LARGE)):
        for start in range(0, count, 500):
            async with working.storage.write() as write:
                for number in range(start, min(count, start + 500)):
                    await archive.append(write, chat_id, said(number))
    async with working.storage.write() as write:
        for number in range(CHATS):
            await working.storage.chats.add(
                write,
                id=f"chat{number:022d}",
                project_id=project_id,
                title=f"Chat {number}",
                meta={},
            )
    return small, large


class Sqlite3:
    """The program sqlite3 with a file of its own, told one statement after the other."""

    def __init__(self, file: Path) -> None:
        argv = ["sqlite3", str(file)]
        self._program = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.tell(BARE)

    def tell(self, statements: str) -> None:
        """Wait until it has done something."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{statements} SELECT 'done';\n")
        self._program.stdin.flush()
        while self._program.stdout.readline().strip() != "done":
            pass

    def insert(self, number: int) -> None:
        """A row with a message's text."""
        self.tell(f"INSERT INTO messages(text) VALUES ('{number}: {WORDS}');")

    def close(self) -> None:
        """Let it end."""
        self._program.communicate()


async def appending(
    working: AppServices, archive: Archive, chats: tuple[str, str], bare: Sqlite3
) -> list[list[float]]:
    """How long each message took, for both chats and sqlite3 in turns."""
    took: list[list[float]] = [[], [], []]
    for number in range(TRIES):
        for place, chat_id in enumerate(chats):
            began = time.perf_counter()
            async with working.storage.write() as write:
                await archive.append(write, chat_id, said(number))
            took[place].append(time.perf_counter() - began)
        began = time.perf_counter()
        bare.insert(number)
        took[2].append(time.perf_counter() - began)
    return took


def rewriting(folder: Path, count: int) -> float:
    """How long a message takes where a chat is one JSON file, in seconds."""
    history = [{"role": "user", "content": f"{number}: {WORDS}"} for number in range(count)]
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    took: list[float] = []
    for number in range(10):
        began = time.perf_counter()
        history.append({"role": "user", "content": f"{number}: {WORDS}"})
        replace_file(folder_fd, "chat.json", json.dumps(history).encode(), mode=0o600)
        took.append(time.perf_counter() - began)
    return statistics.median(took)


async def timed(ask: Callable[[], Awaitable[httpx.Response]]) -> float:
    """The median time of a request, in milliseconds."""
    took: list[float] = []
    for _ in range(7):
        began = time.perf_counter()
        answer = await ask()
        took.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200, answer.text
    return statistics.median(took)


async def measure(folder: Path) -> bool:
    """Fill, measure, print; whether every limit was kept."""
    home, clock = Home(folder / "home"), SystemClock()
    home.folder.mkdir()
    (folder / "work").mkdir()
    ids = SystemIds(clock)
    async with open_services(home, Settings(), folder / "work", clock, ids) as working:
        project = await working.projects.current()
        archive = Archive(working.storage, ids)
        small, large = await fill(working, archive, project.id)
        bare = Sqlite3(folder / "bare.db")
        every = await appending(working, archive, (small, large), bare)
        bare.close()
        took = [statistics.median(item) for item in every]
    ratio = took[1] / took[0]
    print(f"a message in a chat of {SMALL:>6,}: {took[0] * 1000:6.2f} ms")
    print(f"a message in a chat of {LARGE:>6,}: {took[1] * 1000:6.2f} ms, ratio {ratio:.2f}")
    more = (took[1] - took[2]) * 1000
    print(
        f"  an insert of its text by sqlite3: {took[2] * 1000:.2f} ms, {more:.2f} ms less"
        f" ({took[1] / took[2]:.1f} ×; {MOST_MORE_MS:g} ms allowed)"
    )
    files = [rewriting(folder, count) * 1000 for count in (SMALL, LARGE)]
    shown = f"{files[0]:.2f} and {files[1]:.2f} ms, ratio {files[1] / files[0]:.1f}"
    print(f"  one JSON file rewritten each time: {shown}")
    opened, listed, read = await over_http(home, folder / "work", project.id, large)
    print(f"opening the chat of {LARGE:,} at its end: {opened:.0f} ms (at most {MOST_OPEN_MS})")
    print(f"the list of {CHATS:,} chats, first page: {listed:.0f} ms (at most {MOST_LIST_MS})")
    print(f"  read to its end: {read:.0f} ms")
    kept = ratio < MOST_RATIO and more <= MOST_MORE_MS
    return kept and opened < MOST_OPEN_MS and listed < MOST_LIST_MS


async def over_http(
    home: Home, folder: Path, project_id: str, chat_id: str
) -> tuple[float, float, float]:
    """How long a page waits for the large chat, for the list, and for the whole of it."""
    options = ServeOptions(folder=folder, host="127.0.0.1", port=0, token=Secret(TOKEN))
    ready: asyncio.Future[ReadyServer] = asyncio.get_running_loop().create_future()
    async with AsyncExitStack() as stack:
        task = asyncio.create_task(serve(options, home, Settings(), ready=ready.set_result))
        found = await ready
        stack.callback(found.stop)
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=found.url, headers=headers, timeout=60) as client:
            opened = await timed(lambda: client.get(f"/api/v1/chats/{chat_id}"))
            address = f"/api/v1/projects/{project_id}/chats"
            listed = await timed(lambda: client.get(address, params={"limit": 50}))
            read = await timed(lambda: to_the_end(client, address))
    await task
    return opened, listed, read


async def to_the_end(client: httpx.AsyncClient, address: str) -> httpx.Response:
    """Read a list page by page; the last page."""
    query: dict[str, str | int] = {"limit": 1000}
    while True:
        page = await client.get(address, params=query)
        query["cursor"] = page.json()["nextCursor"]
        if query["cursor"] is None:
            return page


def main() -> int:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(measure(Path(folder))) else 1


if __name__ == "__main__":
    sys.exit(main())
