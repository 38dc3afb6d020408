"""Finding a file by a few letters of its name: all names of the folder, and their ranking."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import anyio

from recto.processes import ProcessFailure, start
from recto.workspace.failures import SearchUnavailable
from recto.workspace.ignore import IgnoreLookup
from recto.workspace.jail import Jail
from recto.workspace.ripgrep import COMMON, OutputSplitter, program

MAX_NAMES = 2_000_000
DEADLINE_S = 120.0
ENOUGH = 400  # candidates of a better kind that make worse kinds unnecessary
WORD_START = re.compile(r"(?:^|(?<=[/_\-. ]))[^/_\-. ]|(?<=[a-z])[A-Z]|(?<=[^0-9])[0-9]")


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A path and which of its characters were asked for."""

    path: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The paths of all files that are not ignored, in order, with what ranking needs."""

    paths: tuple[str, ...]
    truncated: bool
    lowered: tuple[str, ...]
    basenames: tuple[str, ...]

    def inside(self, folder: str) -> "NameIndex":
        """Those that lie in a folder, at any depth; the empty path is the whole folder."""
        if not folder:
            return self
        # Being in order, they stand together: from "folder/" up to the sign after the stroke.
        first = bisect_left(self.paths, f"{folder}/")
        end = bisect_left(self.paths, f"{folder}0", lo=first)
        return NameIndex(
            self.paths[first:end],
            self.truncated,
            self.lowered[first:end],
            self.basenames[first:end],
        )


def index_names(paths: Sequence[str], *, truncated: bool = False) -> NameIndex:
    """Prepare paths for ranking."""
    return index_of(tuple(sorted(paths)), truncated=truncated)


def index_of(ordered: tuple[str, ...], *, truncated: bool = False) -> NameIndex:
    """Prepare paths that are in order."""
    lowered = tuple(lower(path) for path in ordered)
    basenames = tuple(path.rpartition("/")[2] for path in lowered)
    return NameIndex(ordered, truncated, lowered, basenames)


def lower(text: str) -> str:
    """Lower case that keeps every position: letters that would grow stay as they are."""
    plain = text.lower()
    if len(plain) == len(text):
        # The very same text, mostly: a million paths need not be in memory twice.
        return text if plain == text else plain
    return "".join(one if len(one := letter.lower()) == 1 else letter for letter in text)


async def read_names(jail: Jail, lookup: IgnoreLookup, *, max_names: int = MAX_NAMES) -> NameIndex:
    """The names of all files that are not ignored. Raises SearchUnavailable."""
    await anyio.to_thread.run_sync(jail.check_root)
    found: list[bytes] = []
    lines = OutputSplitter(b"\0")
    argv = [program(), *COMMON, "--files", "--null", "--", "./"]
    complete = False
    try:
        with anyio.move_on_after(DEADLINE_S):
            async with start(argv, cwd=jail.root) as running:
                async for chunk in running.chunks():
                    found += lines.feed(chunk)
                    if len(found) > max_names:
                        break
                else:
                    complete = True
    except ProcessFailure as failure:
        raise SearchUnavailable(failure.message) from failure
    keep = partial(visible, found[:max_names], lookup)
    paths = await anyio.to_thread.run_sync(keep)
    return await anyio.to_thread.run_sync(partial(index_names, paths, truncated=not complete))


def visible(found: Sequence[bytes], lookup: IgnoreLookup) -> list[str]:
    """The paths that can be opened and are not kept back."""
    paths: list[str] = []
    for raw in found:
        try:
            path = raw.decode("utf-8").removeprefix("./")
        except UnicodeDecodeError:
            continue  # the tree shows it; it can't be opened by name
        if not lookup.hides(path):
            paths.append(path)
    return paths


def match_names(query: str, names: NameIndex, limit: int) -> tuple[NameMatch, ...]:
    """The paths that have the letters of the query in order, best first."""
    wanted = lower("".join(query.split()))
    if not wanted:
        shortest = sorted(names.paths, key=lambda path: (path.count("/"), path))
        return tuple(NameMatch(path, ()) for path in shortest[:limit])
    ranked: list[tuple[float, str, tuple[int, ...]]] = []
    for place in candidates(wanted, names, max(limit, ENOUGH)):
        path = names.paths[place]
        positions, score = align(wanted, path, names.lowered[place])
        ranked.append((-score, path, positions))
    ranked.sort()
    return tuple(NameMatch(path, positions) for _, path, positions in ranked[:limit])


def candidates(wanted: str, names: NameIndex, enough: int) -> list[int]:
    """Places worth a close look: kinds of match from good to fair, until there are enough.

    Every kind is one pass at the speed of `str` or `re`; within a kind, short paths first.
    """
    in_order = re.compile(
        "".join(f"[^{re.escape(item)}]*{re.escape(item)}" for item in wanted)
    ).match
    chosen: dict[int, None] = {}
    for kind in range(5):
        match kind:
            case 0:
                fits = [at for at, name in enumerate(names.basenames) if name.startswith(wanted)]
            case 1:
                fits = [at for at, name in enumerate(names.basenames) if wanted in name]
            case 2:
                fits = [at for at, name in enumerate(names.basenames) if in_order(name)]
            case 3:
                fits = [at for at, path in enumerate(names.lowered) if wanted in path]
            case _:
                fits = [at for at, path in enumerate(names.lowered) if in_order(path)]
        fits.sort(key=lambda at: len(names.paths[at]))
        chosen.update(dict.fromkeys(fits[:enough]))
        if len(chosen) >= enough:
            break
    return list(chosen)


def align(wanted: str, path: str, lowered: str) -> tuple[tuple[int, ...], float]:
    """The best of a few ways to lay the letters over the path, with its score."""
    base = lowered.rfind("/") + 1
    starts = {found.start() for found in WORD_START.finditer(path)}
    ways = {
        way
        for begin in (0, base)
        for way in (
            together(wanted, lowered, begin, starts),
            by_words(wanted, lowered, begin, starts),
        )
        if way
    }
    ways.add(from_the_end(wanted, lowered))
    scored = [(score(way, base, starts, path), way) for way in ways]
    best_score, best = max(scored)
    return best, best_score


def together(wanted: str, text: str, begin: int, starts: set[int]) -> tuple[int, ...] | None:
    """The letters in one run, at the start of a word if there is one."""
    first = at = text.find(wanted, begin)
    while at >= 0 and at not in starts:
        at = text.find(wanted, at + 1)
    at = at if at >= 0 else first
    return tuple(range(at, at + len(wanted))) if at >= 0 else None


def by_words(wanted: str, text: str, begin: int, starts: set[int]) -> tuple[int, ...] | None:
    """Each letter right after the one before, else at the next word, else anywhere."""
    positions: list[int] = []
    at = begin
    for letter in wanted:
        if not (positions and text.startswith(letter, at)):
            words = (place for place in sorted(starts) if place >= at and text[place] == letter)
            at = next(words, text.find(letter, at))
        if at < 0:
            return None
        positions.append(at)
        at += 1
    return tuple(positions)


def from_the_end(wanted: str, text: str) -> tuple[int, ...]:
    """Each letter as late as possible; the caller knows that they are all there."""
    positions: list[int] = []
    end = len(text)
    for letter in reversed(wanted):
        end = text.rfind(letter, 0, end)
        positions.append(end)
    return tuple(reversed(positions))


def score(positions: tuple[int, ...], base: int, starts: set[int], path: str) -> float:
    """How well the letters lie: in runs, by whole words, in the file's own name; short is good."""
    runs = sum(after == before + 1 for before, after in zip(positions, positions[1:], strict=False))
    at_starts = sum(place in starts for place in positions)
    in_base = sum(place >= base for place in positions)
    at_front = positions[0] == base
    after = path[positions[-1] + 1 : positions[-1] + 2]
    at_end = not after.isalnum()
    return 8 * runs + 6 * at_starts + 5 * in_base + 10 * at_front + 8 * at_end - 0.1 * len(path)
