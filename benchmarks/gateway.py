"""What a gateway adds to a stream: against LiteLLM's proxy, nginx and a bare relay, in one run.

The same server for all, in turns: the time to the first word beyond what the server itself takes,
the CPU time for each word of streams at 50 words a second, and how many of these a core carries,
measured with so many of them that it has something to do. Then Recto alone: two workers on
PostgreSQL against one, and the memory of 1,000 idle streams. CPU time is of the relay's own
processes. The bare relay (`relays/bare.py`) is what Python itself costs. nginx is left out where
there is none; it must be as `scripts/bench.py` unpacks it, or be installed.

A machine on which nginx or the bare relay takes longer than we may is too slow to tell: then 1.3
times of what that one adds counts.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import uvloop

from benchmarks.relays.rivals import (
    Relay,
    bare,
    cpu_seconds,
    family,
    litellm,
    nginx,
    recto,
    resident_kb,
    upstream,
)
from benchmarks.relays.streams import Stream, Way, begun, connected, first_word_ms
from tests.storage.server import running_server, url

ROUNDS = 400
SLOW_ROUNDS = 40
WARM_UP = 40
STREAMS = {"nginx": 100, "bare": 100, "recto": 100, "litellm": 4}
"""As many as each carries with ease, so that CPU and not waiting is measured."""
BUSY_STREAMS = {"recto": 300, "litellm": 4}
"""As many as give a core something to do: what comes together is read and written together."""
SPELL_S = 3.0
SPELLS = 3
WORDS_A_SECOND = 50
IDLE = 1000
SETTLED_S = 2.0
RELAYED_MS, TRANSLATED_MS, TIMES_NGINX, TIMES_BARE = 0.3, 0.4, 3.0, 1.3
CPU_SHARE, STREAMS_TIMES, WORKERS_TIMES, IDLE_KB = 1 / 20, 40, 1.8, 100

Figures = dict[str, float]


async def first_words(ways: list[Way]) -> dict[str, list[float]]:
    """Milliseconds to the first word, in turns, each over a connection that is kept."""
    streams = {way.name: await connected(way) for way in ways}
    taken: dict[str, list[float]] = {way.name: [] for way in ways}
    for number in range(WARM_UP + ROUNDS):
        for way in ways:
            if way.relay.name == "litellm" and number % (ROUNDS // SLOW_ROUNDS):
                continue
            if not streams[way.name].is_open:
                # It was closed for want of use, which is not what is measured.
                streams[way.name] = await connected(way)
            found = await first_word_ms(way, streams[way.name])
            if number >= WARM_UP:
                taken[way.name].append(found)
    for stream in streams.values():
        stream.close()
    return taken


async def cpu_a_word(way: Way, count: int) -> float:
    """Microseconds of the relay's CPU for each word that came through, in the middle of streams."""
    streams = await begun(way, "paced", count)
    found = [(await spell(way.relay.process, streams))[0] for _ in range(SPELLS)]
    close(streams)
    await asyncio.sleep(0.5)
    return statistics.median(found)


async def spell(process: int, streams: list[Stream]) -> tuple[float, dict[int, float]]:
    """CPU for each word in the next seconds, in microseconds, of all processes and of each."""
    before = {pid: cpu_seconds(pid) for pid in family(process)}
    words = sum(stream.words for stream in streams)
    await asyncio.sleep(SPELL_S)
    words = sum(stream.words for stream in streams) - words
    used = {pid: (cpu_seconds(pid) - start) / words * 1e6 for pid, start in before.items()}
    return sum(used.values()), used


def close(streams: list[Stream]) -> None:
    """Leave, all of them."""
    for stream in streams:
        stream.close()


async def against_rivals(
    folder: Path, port: int
) -> tuple[dict[str, list[float]], Figures, Figures]:
    """Everybody in one run: first words, CPU a word, and how many streams a core carries."""
    with ExitStack() as running:
        relays = [running.enter_context(recto(folder, port))]
        plain = running.enter_context(nginx(folder, port))
        relays += [] if plain is None else [plain]
        relays.append(running.enter_context(bare(port)))
        relays.append(running.enter_context(litellm(folder, port)))
        straight = Way(Relay("straight", port, "none", 0), "chat")
        ways = [Way(relay, "chat") for relay in relays]
        ways += [Way(relay, "messages") for relay in relays if relay.name in BUSY_STREAMS]
        taken = await first_words([straight, *ways])
        cpu = {way.name: await cpu_a_word(way, STREAMS[way.relay.name]) for way in ways}
        busy = [way for way in ways if way.relay.name in BUSY_STREAMS]
        carried = {
            way.name: 1e6 / WORDS_A_SECOND / await cpu_a_word(way, BUSY_STREAMS[way.relay.name])
            for way in busy
        }
    return taken, cpu, carried


async def two_workers(folder: Path, port: int) -> float:
    """How much more two workers carry than one: the CPU of one, and of the busier of two.

    Each has the same load: with fewer streams, less of what comes is read and written together.
    """
    busiest: list[float] = []
    with running_server() as database:
        for workers in (1, 2):
            address = url(database)
            with recto(folder / f"w{workers}", port, workers=workers, database=address) as relay:
                way = Way(relay, "chat")
                streams = await begun(way, "paced", STREAMS["recto"] * workers)
                each = [(await spell(relay.process, streams))[1] for _ in range(SPELLS)]
                close(streams)
            busiest.append(statistics.median(max(used.values()) for used in each))
    return busiest[0] / busiest[1]


async def settled_kb(process: int) -> int:
    """Memory of a process once it has been the same for a while."""
    found, since = resident_kb(process), time.monotonic()
    while time.monotonic() - since < SETTLED_S:
        await asyncio.sleep(0.1)
        now = resident_kb(process)
        if now != found:
            found, since = now, time.monotonic()
    return found


async def idle_kb(folder: Path, port: int) -> float:
    """Memory that an idle stream takes."""
    with recto(folder / "idle", port) as relay:
        way = Way(relay, "chat")
        close(await begun(way, "idle", 20))
        # Who leaves early has to be counted for: the vocabulary for that is loaded now, once.
        before = await settled_kb(relay.process)
        streams = await begun(way, "idle", IDLE)
        after = await settled_kb(relay.process)
        close(streams)
    return (after - before) / IDLE


def most_ms(limit: float, added: Figures) -> float:
    """How much may be added on this machine, which may be too slow for anybody."""
    nginx, least = added.get("nginx, relayed"), added["bare, relayed"]
    slowest = least if nginx is None else max(least, nginx)
    if slowest > limit:
        return TIMES_BARE * slowest
    return limit if nginx is None else min(limit, TIMES_NGINX * nginx)


def judge(added: Figures, cpu: Figures, carried: Figures, workers: float, idle: float) -> list[str]:
    """What is not as it must be."""
    found: list[str] = []
    for name, limit in (("relayed", RELAYED_MS), ("translated", TRANSLATED_MS)):
        most = most_ms(limit, added)
        share = cpu[f"recto, {name}"] / cpu[f"litellm, {name}"]
        times = carried[f"recto, {name}"] / carried[f"litellm, {name}"]
        print(
            f"{name}: {added[f'recto, {name}']:.2f} ms added (at most {most:.2f}); "
            f"1/{1 / share:.0f} of LiteLLM's CPU a word, {times:.0f} × its streams on a core"
        )
        if added[f"recto, {name}"] > most:
            found.append(f"the first word comes too late when {name}")
        if share > CPU_SHARE:
            found.append(f"a word takes too much CPU when {name}")
        if times < STREAMS_TIMES:
            found.append(f"a core carries too few streams when {name}")
    print(f"two workers carry {workers:.2f} × one (at least {WORKERS_TIMES})")
    print(f"an idle stream takes {idle:.0f} KB (at most {IDLE_KB})")
    if workers < WORKERS_TIMES:
        found.append("two workers carry too little")
    if idle > IDLE_KB:
        found.append("an idle stream takes too much memory")
    return found


async def measure(folder: Path) -> list[str]:
    """Measure and print."""
    for name in ("w1", "w2", "idle"):
        (folder / name).mkdir()
    with upstream() as port:
        taken, cpu, carried = await against_rivals(folder, port)
        middle = {name: statistics.median(found) for name, found in taken.items()}
        added = {name: found - middle["straight, relayed"] for name, found in middle.items()}
        tell(middle, added, cpu, carried)
        workers = await two_workers(folder, port)
        idle = await idle_kb(folder, port)
    return judge(added, cpu, carried, workers, idle)


def tell(middle: Figures, added: Figures, cpu: Figures, carried: Figures) -> None:
    """The table."""
    print(f"{'':24}{'first word':>12}{'added':>8}{'CPU a word':>12}{'streams a core':>16}")
    for name, found in middle.items():
        words = "" if name not in cpu else f"{cpu[name]:9.0f} µs"
        streams = "" if name not in carried else f"{carried[name]:16.0f}"
        print(f"{name:24}{found:9.2f} ms{added[name]:8.2f}{words:>12}{streams}", flush=True)
    if "nginx, relayed" not in middle:
        print("nginx is not there: it is left out")


def main() -> None:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        problems = uvloop.run(measure(Path(folder)))
    if problems:
        sys.exit(f"gateway: {'; '.join(problems)}.")


if __name__ == "__main__":
    main()
