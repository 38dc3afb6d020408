"""Lists of works that somebody pastes or chooses: whole works are read, all others are named."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import anyio

from recto.references.bibtex.source import (
    LINE_START,
    MONTHS,
    NO_KEY,
    BibEntry,
    BibSource,
    parse_bibtex,
)
from recto.references.failures import LibraryUnreadable, ListNotInFormat
from recto.references.pandoc import ImportFormat, read_items
from recto.references.reference import VERBATIM, reference_of

KEYLESS = re.compile(r"@[^{(]*[{(]")
NO_LINE_END = re.compile(r"[^\r\n]")
PLACE = re.compile(r"^Error at \([^)]*\):\s*")
EARLY_END = re.compile(r"[\s,]*+[A-Za-z][\w:-]*+\s*+=")
TYPE = re.compile(r"[A-Za-z]+")
FIELD = re.compile(r"[A-Za-z][\w-]*")
LOOSE_PERCENT = re.compile(r"(?<!\\)%")
PARENTS = ("crossref", "xref", "xdata")
ENDS_EARLY = "it ends before its last fields, by a } too many"
NO_TITLE = "it has no title"
NEVER_CLOSED = "its { is never closed"
MOST_RUNS = 100
"""How often a list is read again, to find what is broken in it."""


class BrokenWork(NamedTuple):
    """What could not be read of a list."""

    line: int
    why: str
    text: str


class ReadList(NamedTuple):
    """The works of a list, and what is none."""

    items: list[dict[str, Any]]
    """As CSL-JSON; a work without a key has an empty id."""
    broken: tuple[BrokenWork, ...]


@dataclass(frozen=True, slots=True)
class PastedEntry:
    """An entry of a text, and where it stands in it."""

    entry: BibEntry
    key: str
    line: int
    text: str

    def broken(self, why: str) -> BrokenWork:
        """It as one that could not be read."""
        return BrokenWork(self.line, why, self.text)


async def read_list(data: bytes, form: ImportFormat) -> ReadList:
    """The works of a list. Raises LibraryUnreadable."""
    if form not in ("bibtex", "biblatex"):
        return ReadList(await read_items(data, form), ())
    text = data.decode("utf-8-sig", "replace")
    entries, broken = await anyio.to_thread.run_sync(pasted_entries, text)
    if not entries and not broken:
        raise LibraryUnreadable("There is no entry in this list, such as @book{pugh1987, …}.")
    places = {one.key: place for place, one in reversed([*enumerate(entries)])}
    written = {place: written_anew(place, one.entry, places) for place, one in enumerate(entries)}
    try:
        works = await read_items(joined(written.values()), form)
    except ListNotInFormat:
        # The others are read together once more: one may take fields from another.
        for place, why in (await stumbles(written, form)).items():
            broken.append(entries[place].broken(why))
            del written[place]
        works = await read_items(joined(written.values()), form)
    items: list[dict[str, Any]] = []
    for work in works:
        one = entries[int(work["id"].removeprefix("r"))]
        # One odd command of LaTeX costs pandoc the whole title.
        title = work.get("title") or reference_of(one.entry).title
        if title:
            items.append({**work, "id": one.key, "title": title})
        else:
            broken.append(one.broken(NO_TITLE))
    return ReadList(items, tuple(sorted(broken)))


def pasted_entries(text: str) -> tuple[list[PastedEntry], list[BrokenWork]]:
    """The whole entries of a text, with those that only lack a key; and what is none."""
    source, broken = parse_bibtex(text), list[BrokenWork]()
    for _ in range(MOST_RUNS):
        start, end = swallowing(source)
        if start == end:
            break
        broken.append(BrokenWork(line_of(text, start), NEVER_CLOSED, text[start:end].rstrip()))
        # Every place stays what it is.
        blank = NO_LINE_END.sub(" ", source.text[start:end])
        source = parse_bibtex(source.text[:start] + blank + source.text[end:])
    entries = {entry.start: entry for entry in source.entries}
    damages = {damage.start: damage.why for damage in source.broken}
    starts = [*(block.start for block in source.blocks), len(text)]
    found: list[PastedEntry] = []
    for block, end in zip(source.blocks, starts[1:], strict=True):
        entry, why = entries.get(block.start), damages.get(block.start, "")
        key = entry.key if entry else ""
        if why == NO_KEY:
            entry = with_a_key(source, text[block.start : block.end])
        if entry is not None:
            is_early = EARLY_END.match(text, block.end, end)
            why = problem_of(entry) or (ENDS_EARLY if is_early else "")
        piece = text[block.start : end if why else block.end].rstrip()
        if why:
            broken.append(BrokenWork(line_of(text, block.start), why, piece))
        elif entry is not None:
            found.append(PastedEntry(entry, key, line_of(text, block.start), piece))
    return found, broken


def swallowing(source: BibSource) -> tuple[int, int]:
    """The first entry that never closes and goes on in others, up to these; (0, 0): none does."""
    for entry in source.entries:
        if problem_of(entry):
            other = LINE_START.search(source.text, entry.start + 1, entry.end)
            if other is not None:
                return entry.start, other.start()
    return 0, 0


def line_of(text: str, at: int) -> int:
    """The number of a place's line."""
    return text.count("\n", 0, at) + 1


def with_a_key(source: BibSource, piece: str) -> BibEntry | None:
    """An entry that lacks nothing but its key, with some key."""
    opening = KEYLESS.match(piece)
    assert opening is not None
    read = parse_bibtex(f"{opening[0]}key,{piece[opening.end() :]}")
    read.macros.update(source.macros)
    return read.entries[0] if read.entries else None


def problem_of(entry: BibEntry) -> str:
    """Why not all fields of an entry can be read."""
    _ = entry.fields  # only reading them tells
    return entry.problem


def written_anew(place: int, entry: BibEntry, places: Mapping[str, int]) -> str:
    """An entry as pandoc surely understands it, under the number of its place."""
    lines: list[str] = []
    text = entry.source.text
    plain = {item.name: text[item.value_start : item.value_end].lower() for item in entry.fields}
    for name, value in entry.values().items():
        if FIELD.fullmatch(name) is None:
            continue
        if name == "month" and plain[name] in MONTHS:
            lines.append(f"month = {plain[name]},")
            continue
        if name in PARENTS:
            above = (places.get(key.strip()) for key in value.split(","))
            value = ",".join(f"r{at}" for at in above if at is not None)
        elif name not in VERBATIM:
            value = LOOSE_PERCENT.sub(r"\\%", value)
        lines.append(f"{name} = {{{value}}},")
    kind = entry.type if TYPE.fullmatch(entry.type) else "misc"
    return "\n".join([f"@{kind}{{r{place},", *lines, "}"])


async def stumbles(written: Mapping[int, str], form: ImportFormat) -> dict[int, str]:
    """The entries that pandoc gives up at, found by halves, and why. Raises LibraryUnreadable."""
    found: dict[int, str] = {}
    parts = [[*written]]
    for _ in range(MOST_RUNS):
        if not parts:
            return found
        part = parts.pop()
        try:
            await read_items(joined([written[place] for place in part]), form)
        except ListNotInFormat as failure:
            middle = len(part) // 2
            if middle:
                parts += [part[:middle], part[middle:]]
            else:
                why = PLACE.sub("", failure.why)
                found[part[0]] = f"pandoc can’t read it ({why})"
    raise LibraryUnreadable("Too much of this list can't be read. Import it in parts.")


def joined(written: Collection[str]) -> bytes:
    """Entries as one list."""
    return "\n\n".join(written).encode("utf-8", "replace")
