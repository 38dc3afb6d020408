"""What it costs to count ten thousand files, a hundred megabytes, before anything is sent.

Over HTTP, as the page asks: cold (every file is read and cut into tokens), warm (nothing changed),
and after a restart (files are read again, their counts are in the store). The alternative is the
bare tokenizer on the same texts, in memory already, in one thread. Recto counts in processes, so it
may be quicker. Both take turns for a few rounds, and the quickest of each are compared: machines
have better and worse moments. Processor time is that of Recto and of the processes it started.
Fails when cold takes 1.3 times as long or more, or warm a second. Beside it: how far a count of
four characters a token is off, and how long the event loop stood still.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx

from benchmarks.counting import CJK, KINDS, read
from recto.tokenizer import encoding
from tests.served import Served, served

FILES, BYTES = 10_000, 100_000_000
SHARES = {"prose": 45, "code": 40, "data": 10, "CJK": 5}
FOLDERS = 200
MOST_RATIO = 1.3
MOST_S = 1.0
ROUNDS = 4
WARM_ROUNDS = 5
TICK_S = 0.01


@dataclass(frozen=True, slots=True)
class File:
    """A file of the sample."""

    path: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took: on the wall, of processor time, and the loop's longest pause."""

    wall: float
    processor: float
    pause: float = 0.0

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s, {self.processor:6.2f} s of processor time"


def sample() -> list[File]:
    """Ten thousand different texts of every kind and of many lengths, always the same."""
    chance = Random(20261116)
    sources = {kind: "".join(map(read, patterns)) for kind, patterns in KINDS.items()}
    sources["CJK"] = "".join(chance.choices(CJK, k=20_000))
    kinds = chance.choices(list(SHARES), weights=list(SHARES.values()), k=FILES)
    files: list[File] = []
    for number, kind in enumerate(kinds):
        source = sources[kind]
        size = round(BYTES / FILES * chance.uniform(0.2, 1.8) / (3 if kind == "CJK" else 1))
        at = chance.randrange(max(len(source) - size, 1))
        text = f"{number}\n{source[at : at + size]}"
        files.append(File(f"folder {number % FOLDERS}/{number}.txt", kind, text))
    return files


def write_down(files: list[File], folder: Path) -> int:
    """Put the sample on disk; how many bytes it is."""
    for number in range(FOLDERS):
        (folder / f"folder {number}").mkdir(parents=True)
    return sum((folder / file.path).write_bytes(file.text.encode()) for file in files)


def bare(files: list[File]) -> tuple[Took, dict[str, int]]:
    """The tokenizer alone, on texts that are in memory, in one thread."""
    count = encoding().count
    began, began_processor = time.perf_counter(), processor_time()
    found = {file.path: count(file.text) for file in files}
    return Took(time.perf_counter() - began, processor_time() - began_processor), found


def processor_time() -> float:
    """What this process and those that it started and that ended have worked."""
    return sum(os.times()[:4])


async def timed(ask: Callable[[], Awaitable[httpx.Response]]) -> tuple[Took, Mapping[str, int]]:
    """How long a request took, and the tokens of each file that it answered."""
    pauses: list[float] = []

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            pauses.append(time.perf_counter() - began - TICK_S)

    ticking = asyncio.create_task(tick())
    began, began_processor = time.perf_counter(), processor_time()
    answer = await ask()
    took = time.perf_counter() - began, processor_time() - began_processor
    ticking.cancel()
    assert answer.status_code == 200, answer.text
    return Took(*took, pause=max(pauses)), answer.json()["fileTokens"]


@asynccontextmanager
async def asking(
    home: Path, folder: Path, files: list[File]
) -> AsyncGenerator[Callable[[], Awaitable[httpx.Response]]]:
    """A running Recto, and the request that counts every file."""
    async with served(home, folder) as recto, client_of(recto) as client:
        project = (await client.get("/api/v1/projects/current")).json()
        address = f"/api/v1/projects/{project['id']}/tokens/calculate"
        body = {"files": [file.path for file in files]}
        yield lambda: client.post(address, json=body)


def client_of(recto: Served) -> httpx.AsyncClient:
    """A client with patience."""
    client = recto.script()
    client.timeout = httpx.Timeout(600)
    return client


def naive_errors(files: list[File], tokens: Mapping[str, int]) -> dict[str, float]:
    """The mean error of four characters a token, for each kind and for all."""
    off = {
        file.path: abs(len(file.text) / 4 - tokens[file.path]) / tokens[file.path] for file in files
    }
    kinds = {kind: [off[file.path] for file in files if file.kind == kind] for kind in SHARES}
    return {"all": statistics.fmean(off.values())} | {
        kind: statistics.fmean(errors) for kind, errors in kinds.items()
    }


async def measure(around: Path) -> bool:
    """Measure, print, and judge."""
    files = sample()
    folder = around / "folder"
    size = write_down(files, folder)
    tokens: Mapping[str, int] = {}
    alone: list[Took] = []
    colds: list[Took] = []
    for number in range(ROUNDS):
        took, tokens = bare(files)
        alone.append(took)
        async with asking(around / f"home {number}", folder, files) as ask:
            took, counted = await timed(ask)
            colds.append(took)
            assert counted == tokens
    async with asking(around / "home 0", folder, files) as ask:
        restarted, recounted = await timed(ask)
        warm = [(await timed(ask))[0] for _ in range(WARM_ROUNDS)]
    assert recounted == tokens
    usual = statistics.median(item.wall for item in warm)
    print(f"{len(files):,} files, {size / 1e6:.0f} MB, {sum(tokens.values()):,} tokens")
    for item, cold in zip(alone, colds, strict=True):
        print(f"bare tokenizer   {item}")
        print(f"cold             {cold}, the loop paused for at most {cold.pause * 1000:.0f} ms")
    print(f"after a restart  {restarted}")
    print(f"warm             {min(warm, key=lambda one: one.wall)}, median {usual:.2f} s")
    ratio = min(item.wall for item in colds) / min(item.wall for item in alone)
    by_processor = min(item.processor for item in colds) / min(item.processor for item in alone)
    print(f"cold is {ratio:.2f} × the bare tokenizer ({by_processor:.2f} × its processor time)")
    errors = naive_errors(files, tokens).items()
    told = ", ".join(f"{kind} {error:.1%}" for kind, error in errors)
    print(f"four characters a token are off by: {told}", flush=True)
    return ratio < MOST_RATIO and usual < MOST_S


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder:
        is_fast = asyncio.run(measure(Path(folder)))
    if not is_fast:
        sys.exit("tokens: counting takes longer than it may.")


if __name__ == "__main__":
    main()
