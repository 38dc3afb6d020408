"""Finding text in the folder's files, with ripgrep; what is left out is said, never silent."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import anyio

from recto.processes import ProcessFailure, RunningProgram, start
from recto.workspace.failures import SearchRefused, SearchUnavailable
from recto.workspace.ignore import IgnoreLookup
from recto.workspace.jail import Jail
from recto.workspace.replacing import (
    ReplacementLine,
    ReplacementLines,
    ReplacementQuery,
    in_order,
    read_line,
    replacing_arguments,
)
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


Found = TypeVar("Found", SearchMatch, ReplacementLine)


class Search(Generic[Found]):
    """One search: collects until a limit is met."""

    def __init__(
        self,
        lookup: IgnoreLookup,
        scope: SearchScope,
        limits: SearchLimits,
        read: Callable[[RgMatch], Found | None],
    ) -> None:
        self._lookup = lookup
        self._read = read
        self.scope = scope
        self.limits = limits
        self._hidden: dict[str, bool] = {}
        self._lines = OutputSplitter(b"\n")
        self.matches: list[Found] = []
        self.cut = False
        self.finished = False

    @property
    def truncated(self) -> bool:
        """Whether there may be more."""
        return self.cut or not self.finished or self._lines.dropped > 0

    async def collect(self, running: RunningProgram) -> None:
        """Read matches until the end or a limit."""
        async for chunk in running.chunks():
            for line in self._lines.feed(chunk):
                await self._take(line)
                if self.cut:
                    return
            if self._lines.total_bytes > self.limits.max_bytes:
                self.cut = True
                return

    async def _take(self, line: bytes) -> None:
        if line.endswith(b'"type":"summary"}'):
            self.finished = True
        if not line.startswith(b'{"type":"match"'):
            return
        match = self._read(RgMessage.model_validate_json(line).data)
        if match is None or not self.scope.has(match.path) or await self._hides(match.path):
            return
        if len(self.matches) == self.limits.max_matches:
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
    read = partial(read_match, max_line=limits.max_line)
    work = Search(lookup, scope or SearchScope(), limits, read)
    flags = mode(regex=regex, case_sensitive=case_sensitive)
    await look(jail, work, query, flags)
    ordered = sorted(work.matches, key=lambda match: (match.path, match.line))
    return SearchResult(tuple(ordered), work.truncated)


async def find_replacements(
    jail: Jail, lookup: IgnoreLookup, query: ReplacementQuery, limits: SearchLimits
) -> ReplacementLines:
    """What would be replaced in files that are not ignored. Raises as `search` does."""
    if re.search(r"[\0\ud800-\udfff]", query.replacement) or len(query.replacement) > MAX_QUERY:
        raise SearchRefused(f"what comes in its place must be Unicode, at most {MAX_QUERY} long")
    work = Search(lookup, query.scope, limits, read_line)
    flags = mode(regex=query.regex, case_sensitive=query.case_sensitive)
    whole = ["--word-regexp"] if query.whole_word else []
    words = replacing_arguments(query.replacement, regex=query.regex)
    await look(jail, work, query.query, [*flags, *whole, *words])
    return ReplacementLines(in_order(work.matches), work.truncated)


async def look(jail: Jail, work: Search[Found], query: str, flags: Sequence[str]) -> None:
    """Run ripgrep until it ends or a limit is met. Raises SearchRefused, SearchUnavailable."""
    await anyio.to_thread.run_sync(jail.check_root)
    pruned = await anyio.to_thread.run_sync(prunings, jail, work.scope)
    argv = arguments(query, [*flags, *pruned])
    try:
        with anyio.move_on_after(work.limits.deadline_s):
            async with start(argv, cwd=jail.root) as running:
                await work.collect(running)
                if not work.cut and not work.finished:
                    raise SearchRefused(await complaint(running))
    except ProcessFailure as failure:
        raise SearchUnavailable(failure.message) from failure


def mode(*, regex: bool, case_sensitive: bool) -> list[str]:
    """How ripgrep takes the query."""
    case = "--case-sensitive" if case_sensitive else "--ignore-case"
    return [case] if regex else [case, "--fixed-strings"]


def arguments(query: str, flags: Sequence[str] = ()) -> list[str]:
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
        *flags,
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
