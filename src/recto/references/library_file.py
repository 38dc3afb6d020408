"""One file of a library: read once for each content, and changed one entry at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from recto.references import csl_json
from recto.references.bibtex import edits
from recto.references.bibtex.source import BibEntry, BibSource, parse_bibtex
from recto.references.conversion import bibtex_of, csl_changes
from recto.references.csl_json import (
    CslEntry,
    CslSource,
    parse_csl,
    set_members,
)
from recto.references.failures import LibraryReadOnly, LibraryUnreadable, ReferenceInvalid
from recto.references.latex import to_latex
from recto.references.reference import VERBATIM
from recto.workspace import Encoding, FileIdentity, content_hash, decode, encode

Format = Literal["bibtex", "csl"]
AnyEntry = BibEntry | CslEntry
JSON = ".json"
BIBTEX = (".bib", ".bibtex", ".biblatex")


@dataclass(frozen=True, slots=True)
class FileWrite:
    """What a file shall hold; whoever changes files writes it."""

    path: str
    data: bytes
    expected_hash: str | None
    """What it is based on; None for a new file."""
    key: str


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """An entry that was taken out, so that it can be put back byte for byte."""

    path: str
    key: str
    start: int
    """Where its text began."""
    text: str
    hash: str
    """What the file held without it."""


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file, and its entries."""

    path: str
    format: Format
    source: BibSource | CslSource
    encoding: Encoding
    bom: bool
    hash: str | None
    """None for a file that is not there yet."""
    modified_ns: int
    read_only: bool
    """Whether another program owns it, so that a change here would be lost."""
    problems: tuple[str, ...]

    @property
    def entries(self) -> Sequence[AnyEntry]:
        """Its entries in their order."""
        return self.source.entries

    def add(self, item: Mapping[str, Any], key: str) -> FileWrite:
        """The file with one more entry. Raises ReferenceInvalid, LibraryReadOnly."""
        self._check_writable()
        if isinstance(self.source, CslSource):
            edits.check_key(key)
            text = csl_json.add_item(self.source, {**item, "id": key})
        else:
            kind, fields = bibtex_of(item)
            text = edits.add_entry(self.source, kind, key, fields)
        return self._written(text, key)

    def add_all(self, items: Sequence[tuple[str, Mapping[str, Any]]]) -> FileWrite:
        """The file with more entries, each with its key. Raises ReferenceFailure."""
        self._check_writable()
        source = self.source
        if isinstance(source, BibSource):
            entries = [edits.new_entry(source, *named(key, item)) for key, item in items]
            return self._written(edits.with_entries(source, entries), items[0][0])
        for key, _ in items:
            edits.check_key(key)
        text = csl_json.add_items(source, [{**item, "id": key} for key, item in items])
        return self._written(text, items[0][0])

    def edit(
        self,
        entry: AnyEntry,
        changes: Mapping[str, str | None],
        *,
        kind: str | None = None,
        key: str | None = None,
    ) -> FileWrite:
        """The file with some fields of an entry changed; None takes a field away.

        Raises ReferenceInvalid, LibraryReadOnly.
        """
        self._check_writable()
        if isinstance(entry, CslEntry):
            told = csl_changes(changes, kind)
            if key is not None:
                edits.check_key(key)
                told["id"] = key
            return self._written(set_members(entry, told), key or entry.key)
        latex = {
            name: value if value is None or name.lower() in VERBATIM else to_latex(value)
            for name, value in changes.items()
        }
        text = edits.set_fields(entry, latex)
        # The entry begins where it did, so it can be found again without reading the whole file.
        end = len(text) - (len(entry.source.text) - entry.end)
        piece = text[entry.start : end]
        if kind is not None:
            piece = edits.set_type(parse_bibtex(piece).entries[0], kind)
        if key is not None:
            piece = edits.set_key(parse_bibtex(piece).entries[0], key)
        return self._written(text[: entry.start] + piece + text[end:], key or entry.key)

    def remove(self, entry: AnyEntry) -> tuple[FileWrite, RemovedEntry]:
        """The file without an entry, and what it takes to put it back. Raises LibraryReadOnly."""
        self._check_writable()
        is_csl = isinstance(entry, CslEntry)
        start, end = csl_json.span_of_removal(entry) if is_csl else edits.span_of_removal(entry)
        text = self.source.text
        write = self._written(text[:start] + text[end:], entry.key)
        gone = text[start:end]
        return write, RemovedEntry(self.path, entry.key, start, gone, content_hash(write.data))

    def put_back(self, removed: RemovedEntry) -> FileWrite:
        """The file with an entry that was taken out; at its end if the file is another by now.

        Raises ReferenceInvalid, LibraryReadOnly.
        """
        self._check_writable()
        text, start = self.source.text, removed.start
        alone = entries_in(self.path, in_a_list(self.path, removed.text).encode())
        if [entry.key for entry in alone] != [removed.key]:
            raise ReferenceInvalid("This is not the entry that was taken out.")
        if self.hash == removed.hash:
            text = text[:start] + removed.text + text[start:]
        elif isinstance(self.source, CslSource):
            items = [entry.item for entry in alone if isinstance(entry, CslEntry)]
            text = csl_json.add_items(self.source, items)
        else:
            text = edits.with_entries(self.source, [f"{removed.text.strip()}\n"])
        return self._written(text, removed.key)

    def _check_writable(self) -> None:
        if self.read_only:
            words = (
                f'"{self.path}" is written by another program, so changes here would be lost.'
                " Change the entry there."
            )
            raise LibraryReadOnly(words)

    def _written(self, text: str, key: str) -> FileWrite:
        data = encode(text, self.encoding, bom=self.bom)
        return FileWrite(self.path, data, self.hash, key)


def named(key: str, item: Mapping[str, Any]) -> tuple[str, str, dict[str, str]]:
    """An item as type, key and fields of BibTeX."""
    kind, fields = bibtex_of(item)
    return kind, key, fields


def is_library_name(path: str) -> bool:
    """Whether a file can be part of a library, by its name."""
    return path.lower().endswith((*BIBTEX, JSON))


def entries_in(path: str, data: bytes) -> tuple[AnyEntry, ...]:
    """The entries of a file by its name and content; none in what is no library."""
    decoded = decode(data)
    if decoded is None:
        return ()
    if not path.lower().endswith(JSON):
        return tuple(parse_bibtex(decoded[0]).entries)
    try:
        return tuple(parse_csl(decoded[0]).entries)
    except LibraryUnreadable:
        return ()


def read_library_file(
    path: str, data: bytes, identity: FileIdentity, read_only: Sequence[str]
) -> LibraryFile:
    """A file as part of a library; what can't be understood is one of its problems."""
    decoded = decode(data)
    text, encoding, bom = decoded if decoded is not None else ("", "utf-8", False)
    problems: list[str] = [] if decoded is not None else ["it is not a text"]
    is_json = path.lower().endswith(JSON)
    source: BibSource | CslSource = CslSource("[]", 0, 1) if is_json else BibSource("")
    if decoded is not None and is_json:
        try:
            source = parse_csl(text)
        except LibraryUnreadable as failure:
            problems.append(str(failure))
    elif decoded is not None:
        source = parse_bibtex(text)
        problems += [
            f"line {text.count(NEWLINE, 0, item.start) + 1}: {item.why}"
            for item in source.broken[:MOST_PROBLEMS]
        ]
    name = path.rpartition("/")[2].lower()
    return LibraryFile(
        path,
        "csl" if is_json else "bibtex",
        source,
        encoding,
        bom,
        content_hash(data),
        identity.modified_ns,
        # What was not understood must not be written over.
        any(fnmatchcase(name, pattern.lower()) for pattern in read_only)
        or decoded is None
        or (is_json and bool(problems)),
        tuple(problems),
    )


def in_a_list(path: str, text: str) -> str:
    """An entry's text as a file that holds nothing else."""
    return f"[{text.strip().strip(',')}]" if path.lower().endswith(JSON) else text


NEWLINE = "\n"
MOST_PROBLEMS = 20


def new_library_file(path: str) -> LibraryFile:
    """A library that is not there yet."""
    return LibraryFile(path, "bibtex", BibSource(""), "utf-8", False, None, 0, False, ())
