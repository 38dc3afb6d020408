"""All references of a folder, or of one document: files that are one library."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from recto.references.bibtex.edits import CITATION_KEY
from recto.references.citation_keys import comparable, make_key
from recto.references.duplicates import Duplicate, KnownWorks, find_duplicates
from recto.references.failures import ReferenceInvalid, ReferenceNotFound
from recto.references.imports import BrokenWork
from recto.references.latex import fold
from recto.references.library_file import (
    AnyEntry,
    FileWrite,
    LibraryFile,
    RemovedEntry,
    new_library_file,
)
from recto.references.names import spellings
from recto.references.reference import (
    CSL_TYPES,
    Reference,
    build,
    csl_fields,
    csl_people,
    reference_of,
    search_text,
    with_parent,
)

OWN_FILE = "references/library.bib"
OWN_FILES = (OWN_FILE, "references/library.json")
END = "\x00"
MOST_NEAR = 3


class LibraryEntry(NamedTuple):
    """An entry, and the file it stands in."""

    file: LibraryFile
    entry: AnyEntry


class Found(NamedTuple):
    """What a search found."""

    references: tuple[Reference, ...]
    total: int


class AddedAll(NamedTuple):
    """What became of a list of works."""

    added: tuple[str, ...]
    """The keys of those that were new."""
    known: tuple[str, ...]
    """The keys under which the others are in the library."""
    untitled: int
    """How many had no title, and were left out."""
    broken: tuple[BrokenWork, ...] = ()
    """What could not be read of the list."""


class Library:
    """The entries of some files; the first of a key counts."""

    def __init__(self, files: Sequence[LibraryFile]) -> None:
        self.files = tuple(files)
        self.entries = [LibraryEntry(file, entry) for file in files for entry in file.entries]
        self._references: list[Reference | None] = [None] * len(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def _places(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for at, (_, entry) in enumerate(self.entries):
            places.setdefault(entry.key, at)
        return places

    @cached_property
    def _works(self) -> KnownWorks:
        return KnownWorks(self.references())

    @cached_property
    def _keys_taken(self) -> frozenset[str]:
        return frozenset(comparable(key) for key in self._places)

    @cached_property
    def _index(self) -> tuple[str, list[int]]:
        """Everything that searches look through, as one text, and where each entry begins."""
        texts = [search_text(entry) for _, entry in self.entries]
        starts: list[int] = []
        at = 0
        for text in texts:
            starts.append(at)
            at += len(text) + 1
        return END.join(texts), starts

    def reference(self, at: int) -> Reference:
        """The reference at a place."""
        found = self._references[at]
        if found is None:
            found = reference_of(self.entries[at].entry)
            above = self._places.get(found.fields.get("crossref", "").strip())
            if above is not None and above != at:
                found = with_parent(found, reference_of(self.entries[above].entry))
            self._references[at] = found
        return found

    def references(self) -> Iterator[Reference]:
        """All references, in the order of the files."""
        return (self.reference(at) for at in range(len(self.entries)))

    def get(self, key: str) -> Reference:
        """The reference of a key. Raises ReferenceNotFound, with keys that are like it."""
        return self.reference(self._place(key))

    def find(self, key: str) -> Reference | None:
        """The reference of a key, if there is one."""
        at = self._places.get(key)
        return None if at is None else self.reference(at)

    def keys_of(self, family: str, year: str) -> tuple[str, ...]:
        """The keys of works by their first author's family name and their year."""
        meant = spellings(family)
        return tuple(
            reference.key
            for reference in self.references()
            if reference.year == year
            and reference.authors
            and meant
            & (
                spellings(reference.authors[0].family)
                | spellings(reference.authors[0].whole_family)
            )
        )

    def entry(self, key: str) -> LibraryEntry:
        """The entry of a key. Raises ReferenceNotFound."""
        return self.entries[self._place(key)]

    def _place(self, key: str) -> int:
        at = self._places.get(key)
        if at is None:
            near = [known for known in self._places if is_near(known, key)][:MOST_NEAR]
            words = f" Did you mean {' or '.join(near)}?" if near else " Search for it first."
            raise ReferenceNotFound(f"The library has no reference {key}.{words}")
        return at

    def search(self, query: str, *, limit: int) -> Found:
        """The references that have all words of a query; those with them in the title first."""
        hits = self.matches(query)
        return Found(tuple(self.reference(at) for at in hits[:limit]), len(hits))

    def matches(self, query: str) -> list[int]:
        """The places of what a query finds, best first."""
        words = sorted(set(fold(query).split()), key=len, reverse=True)
        text, starts = self._index
        if not words or not starts:
            return list(range(len(starts)))
        found: list[tuple[int, int]] = []
        at = text.find(words[0])
        while at >= 0:
            place = bisect_right(starts, at) - 1
            start = starts[place]
            end = starts[place + 1] if place + 1 < len(starts) else len(text) + 1
            others = [text.find(word, start, end - 1) for word in words[1:]]
            if all(other >= 0 for other in others):
                # Key and title stand first, the abstract last.
                found.append((max([at, *others]) - start, place))
            at = text.find(words[0], end)
        hits = [place for _, place in sorted(found)]
        # Who types a whole key means that work, wherever else its letters stand.
        exact = self._places.get(query.strip().removeprefix("@"))
        if exact is not None and exact in hits:
            hits.remove(exact)
            hits.insert(0, exact)
        return hits

    def duplicates(self) -> tuple[Duplicate, ...]:
        """Works that are in it twice, and keys that are."""
        counts = Counter(entry.key for _, entry in self.entries)
        same = [Duplicate(key, key, "both have this key") for key, n in counts.items() if n > 1]
        return (*same, *find_duplicates([*self.references()]))

    def duplicate_of(self, item: Mapping[str, Any]) -> Reference | None:
        """The reference that an item of CSL-JSON is the same work as."""
        return self._works.find(reference_of_item(item))

    def new_key(self, item: Mapping[str, Any]) -> str:
        """A key for an item, which no entry has."""
        new = reference_of_item(item)
        return make_key(new.authors, new.year, new.title, self._keys_taken)

    def add(self, item: Mapping[str, Any], *, key: str = "") -> FileWrite:
        """The file that a new entry goes to, with it. Raises ReferenceInvalid."""
        if not str(item.get("title") or "").strip():
            raise ReferenceInvalid("A reference needs a title at least.")
        if key and comparable(key) in self._keys_taken:
            raise ReferenceInvalid(f"There is a reference {key} already. Choose another key.")
        return self.own_file().add(item, key or self.new_key(item))

    def add_all(
        self, items: Sequence[Mapping[str, Any]], *, keeps_keys: bool = False
    ) -> tuple[FileWrite | None, AddedAll]:
        """The file with all items that are new, and what became of each.

        With `keeps_keys` an item keeps the key it has, if nobody else has it: texts cite by it.
        Raises ReferenceFailure.
        """
        taken = set(self._keys_taken)
        added: list[tuple[str, Mapping[str, Any]]] = []
        fresh = KnownWorks()
        known: list[str] = []
        untitled = 0
        for item in items:
            new = reference_of_item(item)
            same = self._works.find(new) or fresh.find(new)
            if not new.title:
                untitled += 1
            elif same is not None:
                known.append(same.key)
            else:
                key = new.key if keeps_keys and is_free(new.key, taken) else ""
                key = key or make_key(new.authors, new.year, new.title, taken)
                taken.add(comparable(key))
                fresh.add(replace(new, key=key))
                added.append((key, item))
        told = AddedAll(tuple(key for key, _ in added), tuple(known), untitled)
        return (self.own_file().add_all(added) if added else None), told

    def edit(
        self,
        key: str,
        changes: Mapping[str, str | None],
        *,
        kind: str | None = None,
        new_key: str | None = None,
    ) -> FileWrite:
        """The file of an entry, with it changed. Raises ReferenceFailure."""
        file, entry = self.entry(key)
        if new_key is not None and new_key != key and comparable(new_key) in self._keys_taken:
            raise ReferenceInvalid(f"There is a reference {new_key} already. Choose another key.")
        return file.edit(entry, changes, kind=kind, key=new_key)

    def remove(self, key: str) -> tuple[FileWrite, RemovedEntry]:
        """The file of an entry without it, and what it takes to put it back.

        Raises ReferenceFailure.
        """
        file, entry = self.entry(key)
        return file.remove(entry)

    def put_back(self, removed: RemovedEntry) -> FileWrite:
        """The file of an entry that was taken out, with it. Raises ReferenceFailure."""
        if comparable(removed.key) in self._keys_taken:
            raise ReferenceInvalid(f"There is a reference {removed.key} again.")
        file = next((file for file in self.files if file.path == removed.path), None)
        if file is None:
            raise ReferenceInvalid(f'"{removed.path}" is no file of the library any more.')
        return file.put_back(removed)

    def own_file(self) -> LibraryFile:
        """Where new entries go: our own file, else the first that is nobody else's."""
        own = {file.path: file for file in self.files if not file.read_only}
        for path in OWN_FILES:
            if path in own:
                return own[path]
        return next(iter(own.values()), None) or new_library_file(OWN_FILE)


def bibtex_fields(item: Mapping[str, Any]) -> dict[str, str]:
    """What an item of CSL-JSON says, by BibTeX's names, as people read it."""
    return dict(reference_of_item(item).fields)


def bibtex_type(item: Mapping[str, Any]) -> str:
    """The type of an item of CSL-JSON, as BibTeX calls it."""
    return CSL_TYPES.get(str(item.get("type", "")), "misc")


def reference_of_item(item: Mapping[str, Any]) -> Reference:
    """An item of CSL-JSON that is in no file yet."""
    people = csl_people(item, "author") or csl_people(item, "editor")
    kind = bibtex_type(item)
    return build(str(item.get("id", "")), kind, people, csl_fields(item))


def is_free(key: str, taken: Collection[str]) -> bool:
    """Whether a key can be cited by, and is nobody's."""
    return CITATION_KEY.fullmatch(key) is not None and comparable(key) not in taken


def is_near(known: str, key: str) -> bool:
    """Whether somebody may have meant this key."""
    one, other = fold(known), fold(key)
    return one == other or (len(other) > 3 and (one.startswith(other) or other.startswith(one)))
