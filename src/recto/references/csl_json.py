"""CSL-JSON files: a list of items, edited one member at a time; every other byte stays.

Items lie in a list, or in the list "items" of an object, as some programs write them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from recto.references.failures import LibraryUnreadable, ReferenceInvalid

SPACE = re.compile(r"[ \t\r\n]*+")
DECODER = json.JSONDecoder()
WRAPPER = "items"


@dataclass(slots=True)
class CslEntry:
    """One item, and where it stands."""

    source: "CslSource"
    item: dict[str, Any]
    start: int
    end: int

    @property
    def key(self) -> str:
        """The id by which it is cited."""
        return str(self.item.get("id", ""))

    @property
    def text(self) -> str:
        """The item as it stands in the file."""
        return self.source.text[self.start : self.end]


@dataclass(slots=True)
class CslSource:
    """A file's text, and where its items are."""

    text: str
    list_start: int = 0
    list_end: int = 0
    entries: list[CslEntry] = field(default_factory=list[CslEntry])

    def entry(self, key: str) -> CslEntry | None:
        """The first item of an id."""
        return next((entry for entry in self.entries if entry.key == key), None)


def parse_csl(text: str) -> CslSource:
    """Find the items of a file. Raises LibraryUnreadable: it is none."""
    try:
        return read_source(text)
    except json.JSONDecodeError as error:
        words = f"it is not JSON: {error.msg}, line {error.lineno}"
        raise LibraryUnreadable(words) from error
    except RecursionError as error:
        raise LibraryUnreadable("it is nested too deeply") from error


def read_source(text: str) -> CslSource:
    """Find the items. Raises ValueError, LibraryUnreadable, RecursionError."""
    at = skip(text, 1 if text.startswith("\ufeff") else 0)
    if text.startswith("{", at):
        found = next((member for member in members(text, at) if member.name == WRAPPER), None)
        if found is None or not text.startswith("[", found.value_start):
            raise LibraryUnreadable('it has no list of items, nor one that is called "items"')
        at = found.value_start
        # The rest must be JSON, too: what is cut off could be more items.
        DECODER.decode(text.removeprefix("\ufeff"))
    elif not text.startswith("[", at):
        raise LibraryUnreadable("it is no list of items")
    source = CslSource(text, at)
    at = skip(text, at + 1)
    while not text.startswith("]", at):
        item, end = DECODER.raw_decode(text, at)
        if isinstance(item, dict):
            source.entries.append(CslEntry(source, cast("dict[str, Any]", item), at, end))
        at = skip(text, end)
        if text.startswith(",", at):
            at = skip(text, at + 1)
        elif not text.startswith("]", at):
            raise json.JSONDecodeError("a comma or ] is expected", text, at)
    source.list_end = at
    return source


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, as places in the text."""

    name: str
    start: int
    value_start: int
    end: int


def members(text: str, at: int) -> list[Member]:
    """The members of the object at a place. Raises ValueError."""
    found: list[Member] = []
    at = skip(text, at + 1)
    while not text.startswith("}", at):
        start = at
        name, at = DECODER.raw_decode(text, at)
        at = skip(text, at)
        if not isinstance(name, str) or not text.startswith(":", at):
            raise json.JSONDecodeError("a name and a colon are expected", text, at)
        value_start = skip(text, at + 1)
        _, end = DECODER.raw_decode(text, value_start)
        found.append(Member(name, start, value_start, end))
        at = skip(text, end)
        if text.startswith(",", at):
            at = skip(text, at + 1)
        elif not text.startswith("}", at):
            raise json.JSONDecodeError("a comma or } is expected", text, at)
    return found


def set_members(entry: CslEntry, changes: Mapping[str, Any]) -> str:
    """The whole text with other values for some members of an item; None takes one away."""
    text = entry.text
    for name, value in changes.items():
        text = with_member(text, name, value)
    whole = entry.source.text
    return whole[: entry.start] + text + whole[entry.end :]


def with_member(text: str, name: str, value: Any) -> str:
    """An object with one member as it shall be."""
    found = members(text, 0)
    # The last of a name is the one that readers of JSON take.
    same = next((member for member in reversed(found) if member.name == name), None)
    if value is not None:
        new = json.dumps(value, ensure_ascii=False)
        if same is not None:
            return text[: same.value_start] + new + text[same.end :]
        if not found:
            return f"{{{json.dumps(name)}: {new}}}"
        last = found[-1]
        lead = text[(found[-2].end if len(found) > 1 else 0) + 1 : last.start]
        colon = ": " if text[last.value_start - 1].isspace() else ":"
        added = f",{lead}{json.dumps(name, ensure_ascii=False)}{colon}{new}"
        return text[: last.end] + added + text[last.end :]
    if same is None:
        return text
    at = found.index(same)
    if at + 1 < len(found):
        return text[: same.start] + text[found[at + 1].start :]
    start = found[at - 1].end if at else same.start
    return text[:start] + text[same.end :]


def add_item(source: CslSource, item: Mapping[str, Any]) -> str:
    """The whole text with one more item at the end of its list."""
    return add_items(source, [item])


def add_items(source: CslSource, items: Sequence[Mapping[str, Any]]) -> str:
    """The whole text with more items at the end of its list. Raises ReferenceInvalid."""
    if not all(item.get("id") for item in items):
        raise ReferenceInvalid("An item needs an id to be cited by.")
    text = source.text
    lead, indent = "\n  ", 2
    if source.entries:
        before = text[source.list_start + 1 : source.entries[0].start]
        lead = before if not before.strip() else lead
        indent = len(lead.rpartition("\n")[2]) if "\n" in lead else 0
    written = [json.dumps(item, ensure_ascii=False, indent=indent or None) for item in items]
    if "\n" in lead:
        line = lead.rpartition("\n")[0] + "\n" + " " * indent
        written = [new.replace("\n", line) for new in written]
    added = f",{lead}".join(written)
    # Something that is no item may be the last of the list: after it, then.
    at = len(text[: source.list_end].rstrip())
    if at > source.list_start + 1:
        return text[:at] + f",{lead}{added}" + text[at:]
    return text[:at] + f"{lead}{added}\n" + text[source.list_end :]


def span_of_removal(entry: CslEntry) -> tuple[int, int]:
    """What goes with an item: itself, and the comma that it would leave."""
    text = entry.source.text
    after = skip(text, entry.end)
    if text.startswith(",", after):
        return entry.start, skip(text, after + 1)
    before = text[: entry.start].rstrip()
    start = len(before) - 1 if before.endswith(",") else entry.start
    return start, entry.end


def skip(text: str, at: int) -> int:
    """Where white space ends."""
    found = SPACE.match(text, at)
    return at if found is None else found.end()
