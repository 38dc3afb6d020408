"""What a year of heavy use leaves in the store: 8 chats a day, each of 25 requests that grow.

Every request, answer, message and piece of an answer is recorded as a turn records it, the rules of
keeping are applied after each simulated day, and each fourth chat is deleted after a week. Prints
the size of the store beside all that was sent, and what recording a step takes at the beginning and
at the end: at most 1.5 ×. How many days may be given: `python -m benchmarks.year 10`.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from recto.chats import Keeping, SentBytes
from recto.clock import SystemClock
from recto.storage import NewEvent, Storage, pack_beside, record_of

DAYS, CHATS_A_DAY, STEPS = 365, 8, 25
DELETED_AFTER_DAYS = 7
ONE_IN = 4
MOST_RATIO = 1.5
MOST_SHARE = 0.2
"""What the store may take of the bytes that were sent and received."""
DAY_MS = 24 * 60 * 60 * 1000
SYSTEM = " ".join(f"rule {number} of this folder says what is to be done;" for number in range(900))


class DayClock(SystemClock):
    """A clock that is put forward by days."""

    days = 0

    def now_ms(self) -> int:
        """The time, so many days later."""
        return super().now_ms() + self.days * DAY_MS


class Year:
    """The store, and what was put into it."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._sent = SentBytes(storage)
        self.bytes = 0
        self.step_ms: list[float] = []

    async def begin(self, chat_id: str) -> None:
        """A chat, and the run that all its steps belong to."""
        async with self._storage.write() as write:
            await self._storage.chats.add(write, id=chat_id, project_id="p", title="", meta={})
            run_id = f"run-{chat_id}"
            await self._storage.runs.add(
                write, id=run_id, chat_id=chat_id, state="running", body={}
            )

    async def talk(self, chat_id: str) -> None:
        """A chat from its beginning to its end."""
        await self.begin(chat_id)
        said: list[str] = []
        for step in range(STEPS):
            said.append(" ".join(f"word {chat_id} {step} {number}" for number in range(150)))
            request = json.dumps({"messages": said, "system": SYSTEM}).encode()
            began = time.perf_counter()
            await self._record(chat_id, step, said[-1], request)
            self.step_ms.append((time.perf_counter() - began) * 1000)
        async with self._storage.write() as write:
            await self._storage.runs.end(write, f"run-{chat_id}", "finished")
            await self._storage.events.append(
                write, chat_id, [NewEvent("turn", {"state": "finished"}, f"run-{chat_id}")]
            )

    async def _record(self, chat_id: str, step: int, words: str, request: bytes) -> None:
        storage, run_id = self._storage, f"run-{chat_id}"
        answer = b"".join(b'data: {"delta": "%s"}\n\n' % part.encode() for part in words.split())
        self.bytes += len(request) + len(answer)
        packed = await self._sent.pack(chat_id, "exchange", request)
        packed_answer = await pack_beside(answer)
        async with storage.write() as write:
            owner = record_of(run_id)
            tried = {
                "request": await storage.blobs.put_packed(write, packed, request, owner),
                "answer": await storage.blobs.put_packed(write, packed_answer, answer, owner),
            }
            entry_id = f"{chat_id}-{step}"
            entry = await storage.chats.append(
                write, chat_id, id=entry_id, kind="assistant", body={"text": words}
            )
            await storage.search.add(
                write, chat_id=chat_id, seq=entry.seq, entry_id=entry_id, text=words
            )
            pieces = [words[at : at + 200] for at in range(0, len(words), 200)]
            texts = [NewEvent("text", {"step": step, "text": piece}, run_id) for piece in pieces]
            exchange = NewEvent("exchange", {"step": step, "tries": [tried]}, run_id)
            await storage.events.append(write, chat_id, [*texts, exchange])


async def live(storage: Storage, clock: DayClock, days: int) -> Year:
    """Every day of the year."""
    year = Year(storage)
    keeping = Keeping(storage, clock, 365)
    async with storage.write() as write:
        await storage.projects.add(write, id="p", name="p", path="/p", settings={})
    for day in range(days):
        clock.days = day
        for number in range(CHATS_A_DAY):
            await year.talk(f"c{day}-{number}")
        async with storage.write() as write:
            for number in range(0, CHATS_A_DAY if day >= DELETED_AFTER_DAYS else 0, ONE_IN):
                await storage.chats.tombstone(write, f"c{day - DELETED_AFTER_DAYS}-{number}")
        await keeping.sweep()
    return year


def size_of(folder: Path) -> int:
    """The bytes of the files in a folder."""
    return sum(file.stat().st_size for file in folder.iterdir())


async def measure(folder: Path, days: int) -> bool:
    """Live, print; whether the store is small and quick."""
    clock = DayClock()
    storage = await Storage.open(folder / "recto.db", clock=clock)
    year = await live(storage, clock, days)
    await storage.close()
    size = size_of(folder)
    a_day = CHATS_A_DAY * STEPS
    first, last = (
        statistics.median(some) for some in (year.step_ms[:a_day], year.step_ms[-a_day:])
    )
    began = time.perf_counter()
    await (await Storage.open(folder / "recto.db", clock=clock)).close()
    print(
        f"{days} days: {size / 1e6:,.0f} MB kept of {year.bytes / 1e6:,.0f} MB on the wire"
        f" ({size / year.bytes:.1%}, at most {MOST_SHARE:.0%}); a step takes {first:.1f} ms on the"
        f" first day and {last:.1f} ms on the last ({last / first:.2f} ×, at most {MOST_RATIO});"
        f" opened in {(time.perf_counter() - began) * 1000:.0f} ms"
    )
    return size <= year.bytes * MOST_SHARE and last <= first * MOST_RATIO


def main() -> None:
    """Live a year, measure, and judge."""
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    with tempfile.TemporaryDirectory() as folder:
        if not asyncio.run(measure(Path(folder), days)):
            sys.exit("year: the store is larger or slower than it may be.")


if __name__ == "__main__":
    main()
