"""What a year of heavy use leaves in the store: 8 chats a day, each of 25 requests that grow.

Every request, answer, message and piece of an answer is recorded as a turn records it, the rules of
keeping are applied after each simulated day, and each fourth chat is deleted after a week. Prints
what each day adds to the store once the first ones are over (the day's pieces and the chats of the
week are still there in every store, however old), beside all that was sent in it; how much more the
days of the last third add than those of the first: at most 1.1 ×, so that the store grows by the
same each day however long it is used; and the CPU time that recording a step takes at the beginning
and at the end: at most 1.5 ×. How many days may be given: `python -m benchmarks.year 60`, and what
a year comes to at that rate is said.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from recto.chats import Keeping, SentBytes
from recto.clock import SystemClock
from recto.storage import NewEvent, Storage, pack_beside, record_of

DAYS, CHATS_A_DAY, STEPS = 365, 8, 25
DELETED_AFTER_DAYS = 7
ONE_IN = 4
MOST_RATIO = 1.5
MOST_GROWN = 1.1
MOST_SHARE = 0.15
"""What the store may grow by, of the bytes that were sent and received."""
SETTLED_DAYS = 10
"""From then on as much is taken away each day as falls due."""
TOLD_DAYS = 30
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
        """CPU time: what else the computer does meanwhile is not counted."""

    async def begin(self, chat_id: str) -> None:
        """A chat, and the run that all its steps belong to."""
        async with self._storage.write() as write:
            await self._storage.chats.add(write, id=chat_id, project_id="p", title="", meta={})
            run_id = f"run-{chat_id}"
            await self._storage.runs.add(
                write, id=run_id, chat_id=chat_id, state="running", body={}
            )

    async def talk(self, chat_id: str, steps: int) -> None:
        """A chat from its beginning to its end."""
        await self.begin(chat_id)
        said: list[str] = []
        for step in range(steps):
            said.append(" ".join(f"word {chat_id} {step} {number}" for number in range(150)))
            request = json.dumps({"messages": said, "system": SYSTEM}).encode()
            began = time.process_time()
            await self._record(chat_id, step, said[-1], request)
            self.step_ms.append((time.process_time() - began) * 1000)
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


@dataclass(frozen=True)
class Lived:
    """What a number of days came to."""

    wire_bytes: int
    """What was sent and received."""
    added_bytes: int
    """What the store grew by from the settled days on."""
    added_wire_bytes: int
    first_ms: float
    last_ms: float
    sizes: tuple[int, ...]
    """The bytes of the store after each day."""

    @property
    def share(self) -> float:
        """What stays of each byte."""
        return self.added_bytes / self.added_wire_bytes

    @property
    def a_day(self) -> float:
        """What a settled day adds."""
        settled = self.sizes[SETTLED_DAYS - 1 :]
        return (settled[-1] - settled[0]) / (len(settled) - 1)

    @property
    def grown(self) -> float:
        """What the last third of the settled days added, to what the first third did."""
        settled = self.sizes[SETTLED_DAYS - 1 :]
        third = max(1, (len(settled) - 1) // 3)
        return (settled[-1] - settled[-1 - third]) / (settled[third] - settled[0])


async def live(
    file: Path, clock: DayClock, days: int, *, chats_a_day: int = CHATS_A_DAY, steps: int = STEPS
) -> Lived:
    """Every day of the year."""
    storage = await Storage.open(file, clock=clock)
    year = Year(storage)
    keeping = Keeping(storage, clock, request_days=365, save_days=90)
    settled = (0, 0)
    sizes: list[int] = []
    async with storage.write() as write:
        await storage.projects.add(write, id="p", name="p", path="/p", settings={})
    for day in range(days):
        clock.days = day
        for number in range(chats_a_day):
            await year.talk(f"c{day}-{number}", steps)
        async with storage.write() as write:
            for number in range(0, chats_a_day if day >= DELETED_AFTER_DAYS else 0, ONE_IN):
                await storage.chats.tombstone(write, f"c{day - DELETED_AFTER_DAYS}-{number}")
        await keeping.sweep()
        sizes.append(size_of(file.parent))
        if (day + 1) % TOLD_DAYS == 0:
            # A year takes an hour: one that is cut off has told how far it came.
            kept, wire = sizes[-1] / 1e6, year.bytes / 1e6
            print(f"day {day + 1}: {kept:,.0f} MB kept of {wire:,.0f} MB", flush=True)
        if day + 1 == SETTLED_DAYS:
            settled = sizes[-1], year.bytes
    size = size_of(file.parent)
    await storage.close()
    a_day = chats_a_day * steps
    # From the settled days on: before, nothing is taken away.
    middle = SETTLED_DAYS * a_day
    first, last = (
        statistics.median(some)
        for some in (year.step_ms[middle : middle + a_day], year.step_ms[-a_day:])
    )
    return Lived(year.bytes, size - settled[0], year.bytes - settled[1], first, last, tuple(sizes))


def size_of(folder: Path) -> int:
    """The bytes of the records; the log beside them is emptied now and again."""
    return sum(file.stat().st_size for file in folder.iterdir() if not file.name.endswith("-wal"))


async def measure(folder: Path, days: int) -> bool:
    """Live, print; whether the store is small and quick."""
    clock = DayClock()
    file = folder / "recto.db"
    lived = await live(file, clock, days)
    began = time.perf_counter()
    await (await Storage.open(file, clock=clock)).close()
    opened_ms = (time.perf_counter() - began) * 1000
    times = lived.last_ms / lived.first_ms
    print(
        f"{days} days: {size_of(folder) / 1e6:,.0f} MB kept of {lived.wire_bytes / 1e6:,.0f} MB on"
        f" the wire; of what each day after the {SETTLED_DAYS}th sent {lived.share:.1%} stay (at"
        f" most {MOST_SHARE:.0%}); a step takes {lived.first_ms:.1f} ms of CPU on that day and"
        f" {lived.last_ms:.1f} ms on the last ({times:.2f} ×, at most {MOST_RATIO}); opened in"
        f" {opened_ms:.0f} ms; a day adds {lived.a_day / 1e6:.2f} MB, in the last third"
        f" {lived.grown:.2f} × what it adds in the first (at most {MOST_GROWN}); {DAYS} days: "
        f"{(size_of(folder) + (DAYS - days) * lived.a_day) / 1e6:,.0f} MB"
    )
    return lived.share <= MOST_SHARE and times <= MOST_RATIO and lived.grown <= MOST_GROWN


def main() -> None:
    """Live a year, measure, and judge."""
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    if days <= SETTLED_DAYS:
        sys.exit(f"year: more than {SETTLED_DAYS} days, please.")
    with tempfile.TemporaryDirectory() as folder:
        if not asyncio.run(measure(Path(folder), days)):
            sys.exit("year: the store is larger or slower than it may be.")


if __name__ == "__main__":
    main()
