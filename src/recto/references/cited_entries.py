"""The entries that a document cites, and nothing else, in files that pandoc reads."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from recto.references.bibtex.source import BibEntry
from recto.references.citations import find_citations
from recto.references.conversion import balanced
from recto.references.failures import ReferenceNotFound
from recto.references.front_matter import front_matter
from recto.references.library import Library

PARENTS = ("crossref", "xdata", "xref")
LOCAL = frozenset({"file", "abstract", "note-internal"})
"""What no citation shows, and what tells of this computer."""
EVERY_KEY = "*"
"""What pandoc takes `@*` for, in `nocite`."""
NAMES_OF_HOUSES = frozenset(
    {"publisher", "institution", "organization", "school", "address", "location", "origpublisher"}
)
"""Where "and" belongs to a name, such as John Wiley and Sons: BibLaTeX takes it for two of them."""


@dataclass(frozen=True, slots=True)
class CitedEntries:
    """What a bibliography is made of."""

    bibtex: str
    csl: str
    """A list of CSL-JSON."""
    unknown: tuple[str, ...]
    """Keys that the library does not have."""


def cited_entries(library: Library, keys: Iterable[str]) -> CitedEntries:
    """The entries of some keys, and the parents that they name; `*` is every key."""
    wanted = list(dict.fromkeys(keys))
    if EVERY_KEY in wanted:
        wanted.remove(EVERY_KEY)
        known = (entry.key for _, entry in library.entries)
        wanted = list(dict.fromkeys((*wanted, *known)))
    asked = frozenset(wanted)
    entries: list[str] = []
    items: list[object] = []
    unknown: list[str] = []
    for key in wanted:  # parents are added to it meanwhile
        try:
            entry = library.entry(key).entry
        except ReferenceNotFound:
            if key in asked:
                unknown.append(key)
            continue
        if isinstance(entry, BibEntry):
            values = entry.values()
            entries.append(written_entry(entry.type, key, values))
            parents = [
                name.strip() for field in PARENTS for name in values.get(field, "").split(",")
            ]
            wanted += [name for name in parents if name and name not in wanted]
        else:
            items.append({**entry.item, "id": key})
    return CitedEntries("\n".join(entries), json.dumps(items, ensure_ascii=False), tuple(unknown))


def listed_only(text: str, library: Library) -> list[str]:
    """The keys of works that a front matter has listed without a citation."""
    told = " ".join(front_matter(text, "nocite"))
    if f"@{EVERY_KEY}" in told:
        return [entry.key for _, entry in library.entries]
    return list(dict.fromkeys(place.key for place in find_citations(told)))


def written_entry(kind: str, key: str, values: dict[str, str]) -> str:
    """An entry with its macros written out."""
    lines = [
        f"  {name} = {{{kept_whole(name, balanced(value))}}},\n"
        for name, value in values.items()
        if name not in LOCAL
    ]
    return f"@{kind}{{{key},\n{''.join(lines)}}}\n"


def kept_whole(name: str, value: str) -> str:
    """A value whose "and" is a word of it, where pandoc would read a list."""
    return f"{{{value}}}" if name.casefold() in NAMES_OF_HOUSES and " and " in value else value
