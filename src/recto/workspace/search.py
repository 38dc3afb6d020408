"""Finding text in the folder's files, with ripgrep; what is left out is said, never silent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from recto.processes import ProcessFailure, RunningProgram, start
from recto.workspace.failures import SearchRefused, SearchUnavailable
from recto.workspace.ignore import IgnoreLookup
from recto.workspace.jail import Jail
from recto.workspace.ripgrep import (
    COMMON,
    MAX_FILE_SIZE,
    OutputSplitter,
    RgMatch,
    RgMessage,
    complaint,
    program,
)
from recto.workspace.search_scope import SearchScope, prunings

BEFORE = 100  # how much of a long line is kept before its first match
MAX_QUERY = 1000


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """A line with matches. `ranges` count characters in `text`, `column` in the whole line."""

    path: str
    line: int
    column: int
    text: str
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found; `truncated` when there may be more."""

    matches: tuple[SearchMatch, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Where a search stops."""

    max_matches: int = 1000
    max_line: int = 500
    max_bytes: int = 50_000_000
    deadline_s: float = 5.0


class Search:
    """One search: collects until a limit is met."""

    def __init__(self, lookup: IgnoreLookup, scope: SearchScope, limits: SearchLimits) -> None:
        self._lookup = lookup
        self._scope = scope
        self._limits = limits
        self._hidden: dict[str, bool] = {}
        self._lines = OutputSplitter(b"\n")
        self.matches: list[SearchMatch] = []
        self.cut = False
        self.finished = False

    @property
    def found(self) -> SearchResult:
        """What there is so far, in the order of paths and lines."""
        ordered = sorted(self.matches, key=lambda match: (match.path, match.line))
        return SearchResult(
            tuple(ordered), self.cut or not self.finished or self._lines.dropped > 0
        )

    async def collect(self, running: RunningProgram) -> None:
        """Read matches until the end or a limit."""
        async for chunk in running.chunks():
            for line in self._lines.feed(chunk):
                await self._take(line)
                if self.cut:
                    return
            if self._lines.total_bytes > self._limits.max_bytes:
                self.cut = True
                return

    async def _take(self, line: bytes) -> None:
        if line.endswith(b'"type":"summary"}'):
            self.finished = True
        if not line.startswith(b'{"type":"match"'):
            return
        match = read_match(RgMessage.model_validate_json(line).data, self._limits.max_line)
        if match is None or not self._scope.has(match.path) or await self._hides(match.path):
            return
        if len(self.matches) == self._limits.max_matches:
            self.cut = True
            return
        self.matches.append(match)

    async def _hides(self, path: str) -> bool:
        if path not in self._hidden:
            self._hidden[path] = await anyio.to_thread.run_sync(self._lookup.hides, path)
        return self._hidden[path]


async def search(
    jail: Jail,
    lookup: IgnoreLookup,
    query: str,
    *,
    regex: bool = False,
    case_sensitive: bool = False,
    scope: SearchScope | None = None,
    limits: SearchLimits | None = None,
) -> SearchResult:
    """Search every text file that is not ignored. Raises SearchRefused, SearchUnavailable."""
    limits = limits or SearchLimits()
    scope = scope or SearchScope()
    await anyio.to_thread.run_sync(jail.check_root)
    pruned = await anyio.to_thread.run_sync(prunings, jail, scope)
    argv = arguments(query, pruned, regex=regex, case_sensitive=case_sensitive)
    work = Search(lookup, scope, limits)
    try:
        with anyio.move_on_after(limits.deadline_s):
            async with start(argv, cwd=jail.root) as running:
                await work.collect(running)
                if not work.cut and not work.finished:
                    raise SearchRefused(await complaint(running))
    except ProcessFailure as failure:
        raise SearchUnavailable(failure.message) from failure
    return work.found


def arguments(
    query: str, pruned: Sequence[str] = (), *, regex: bool, case_sensitive: bool
) -> list[str]:
    """The command. The query is always the value of an option, never an option."""
    if not query or len(query) > MAX_QUERY:
        raise SearchRefused(f"the text must have 1 to {MAX_QUERY} characters")
    if re.search(r"[\0\n\ud800-\udfff]", query):
        raise SearchRefused("the text must be one line of valid Unicode")
    return [
        program(),
        *COMMON,
        "--json",
        "--engine=default",
        f"--max-filesize={MAX_FILE_SIZE}",
        "--case-sensitive" if case_sensitive else "--ignore-case",
        *([] if regex else ["--fixed-strings"]),
        *pruned,
        f"--regexp={query}",
        "--",
        "./",
    ]


def read_match(found: RgMatch, max_line: int) -> SearchMatch | None:
    """A match as the page shows it; None when the path is not UTF-8 and so can't be opened."""
    if found.path.text is None:
        return None
    raw = found.lines.raw.rstrip(b"\r\n")
    first = found.submatches[0].start if found.submatches else 0
    start_at, end_at = window(raw, first, max_line)
    ranges = tuple(
        (count(raw[start_at : span.start]), count(raw[start_at : min(span.end, end_at)]))
        for span in found.submatches
        if start_at <= span.start < end_at
    )
    return SearchMatch(
        path=found.path.text.removeprefix("./"),
        line=found.line_number,
        column=count(raw[:first]) + 1,
        text=raw[start_at:end_at].decode("utf-8", "replace"),
        ranges=ranges,
    )


def window(raw: bytes, first: int, size: int) -> tuple[int, int]:
    """Which bytes of a line are shown: all of a short one, else around the first match."""
    if len(raw) <= size:
        return 0, len(raw)
    start_at = boundary(raw, max(0, first - BEFORE))
    return start_at, boundary(raw, min(len(raw), start_at + size))


def boundary(raw: bytes, place: int) -> int:
    """The place, or the next one before it where a UTF-8 character begins."""
    while 0 < place < len(raw) and raw[place] & 0xC0 == 0x80:
        place -= 1
    return place


def count(raw: bytes) -> int:
    """How many characters the bytes are when shown."""
    return len(raw.decode("utf-8", "replace"))
