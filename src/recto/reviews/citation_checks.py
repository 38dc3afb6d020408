"""What AI edits cite, checked before it is written: verified, or marked.

A key must be in the library. An entry that an AI put there must be what services of record know.
What can't be verified becomes a visible mark in the text, and is kept for the report.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from recto.clock import Ids
from recto.references import (
    CLAIM,
    Libraries,
    Library,
    Reference,
    WrittenReference,
    brought_citations,
    brought_references,
    claim_sentences,
    entries_in,
    find_claims,
    find_written_references,
    front_matter,
    is_bracketed,
    is_library_name,
    lists_author,
    mark,
    reference_of,
)
from recto.research import CitedWork, RecordFinder, SearchFailed, Verification, WorkNotices
from recto.storage import CitationMark, Storage
from recto.workspace import Workspace, decode, encode

MARKDOWN = (".md", ".markdown", ".qmd", ".rmd", ".txt")
CITING = ("bibliography", "csl")
LONGEST = 5_000_000
MOST_LOOKED_UP = 40
CheckVerdict = Literal["verified", "mismatch", "not-found", "unchecked"]
NO_LOOK_UPS = "Looking works up is turned off in the settings of tools."
NOT_THERE = "It is not in the library."
REMEDY = (
    "Use search_references to find a work of the library, or search_papers and add_reference to add"
    " one, then cite its key. Do not make up references."
)


@dataclass(frozen=True, slots=True)
class WorkCheck:
    """What is known of a work: the verdict of services of record, and what became of it."""

    verdict: CheckVerdict
    faults: tuple[str, ...] = ()
    source: str = ""
    """Who has its record."""
    record: dict[str, Any] | None = None
    notices: WorkNotices = field(default_factory=WorkNotices)
    at_ms: int = 0


@dataclass(frozen=True, slots=True)
class CheckedEdit:
    """What shall be written, and what the model is told."""

    data: bytes
    remarks: tuple[str, ...] = ()


class HeldPassage(NamedTuple):
    """A passage that must be accepted by itself, and where in it the reason stands."""

    start: int
    end: int
    cause_start: int
    cause_end: int


@dataclass(frozen=True, slots=True)
class MarkedCitation:
    """A citation that stands in a text no more, and why."""

    cited: str
    """Its key, or its words."""
    verdict: CheckVerdict
    why: str
    line: int
    by: str
    """The model that wrote it."""
    record: dict[str, Any] | None
    """The work that may be meant."""


class CitationChecks:
    """Checks what edits cite, and remembers what came of it."""

    def __init__(
        self,
        storage: Storage,
        ids: Ids,
        libraries: Libraries,
        records: RecordFinder,
        *,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        reaches_out: Callable[[], bool],
    ) -> None:
        self._store = storage.citations
        self._storage = storage
        self._ids = ids
        self._libraries = libraries
        self._records = records
        self._open_workspace = open_workspace
        self._reaches_out = reaches_out

    async def check(
        self, project_id: str, path: str, before: bytes | None, data: bytes, *, by: str
    ) -> CheckedEdit:
        """What an edit shall write, with marks where it cites what could not be verified."""
        if len(data) > LONGEST or data == before:
            return CheckedEdit(data)
        if is_library_name(path):
            return await self._check_entries(project_id, path, before or b"", data)
        if path.lower().endswith(MARKDOWN):
            return await self._check_text(project_id, path, before or b"", data, by)
        return CheckedEdit(data)

    async def verify(self, project_id: str, reference: Reference) -> WorkCheck:
        """Ask services about a work now, and remember what they say. Raises SearchFailed."""
        found = await self._records.verify(work_of(reference))
        notices = WorkNotices()
        doi = reference.doi or str((found.record or {}).get("DOI") or "")
        if doi and found.verdict != "not-found":
            with suppress(SearchFailed):  # the notices have no source then, and it is said so
                notices = await self._records.notices(doi)
        return await self._keep(project_id, reference, checked(found, notices))

    async def known(self, project_id: str, references: Sequence[Reference]) -> dict[str, WorkCheck]:
        """What is known of references, by their keys; nothing of those that nobody checked."""
        works = {reference.key: digest_of(reference) for reference in references}
        rows = await self._store.checks(project_id, set(works.values()))
        return {
            key: read_check(rows[work].body, rows[work].at_ms)
            for key, work in works.items()
            if work in rows
        }

    async def marked(self, project_id: str, path: str, text: str) -> tuple[MarkedCitation, ...]:
        """What stood where a text has marks, as far as an AI's edit put them there."""
        rows: dict[str, dict[str, CitationMark]] = {}
        for row in await self._store.marks(project_id, path):
            rows.setdefault(row.body["context"], {})[row.body["cited"]] = row
        return tuple(
            marked_citation(row.body, claim.line)
            for claim in find_claims(text)
            for row in rows.pop(claim.context, {}).values()
        )

    async def held_back(self, project_id: str, path: str, text: str) -> tuple[HeldPassage, ...]:
        """What "accept all" leaves out: sentences with a mark, and unverified entries."""
        if path.lower().endswith(MARKDOWN):
            return tuple(
                HeldPassage(start, end, claim.start, claim.end)
                for claim in find_claims(text)
                for start, end in claim_sentences(text)
                if start <= claim.start < end
            )
        if not is_library_name(path):
            return ()
        entries = entries_in(path, text.encode("utf-8", "replace"))
        known = await self.known(project_id, [reference_of(entry) for entry in entries])
        return tuple(
            HeldPassage(entry.start, entry.end, entry.start, entry.end)
            for entry in entries
            if entry.key in known and known[entry.key].verdict != "verified"
        )

    async def _check_entries(
        self, project_id: str, path: str, before: bytes, data: bytes
    ) -> CheckedEdit:
        """Look up the entries that an edit brings or changes."""
        had = {digest_of(reference_of(entry)) for entry in entries_in(path, before)}
        new = [reference_of(entry) for entry in entries_in(path, data)]
        new = [one for one in new if one.title and digest_of(one) not in had]
        if not new:
            return CheckedEdit(data)
        library = await self._libraries.open(await self._workspace(project_id))
        there = {digest_of(reference) for reference in library.references()}
        remarks: list[str] = []
        for number, reference in enumerate(new):
            if digest_of(reference) in there:
                continue  # an entry that another file has, or had a moment ago
            found = await self._look_up(project_id, reference, is_over=number >= MOST_LOOKED_UP)
            if found.verdict != "verified":
                remarks.append(f"@{reference.key} is not verified. {' '.join(found.faults)}")
        if remarks:
            remarks.append(f"A citation of it becomes {CLAIM}. {REMEDY}")
        return CheckedEdit(data, tuple(remarks))

    async def _check_text(
        self, project_id: str, path: str, before: bytes, data: bytes, by: str
    ) -> CheckedEdit:
        """Mark what a text newly cites and nobody could verify."""
        decoded, old = decode(data), decode(before)
        if decoded is None:
            return CheckedEdit(data)
        text, encoding, bom = decoded
        was = "" if old is None else old[0]
        written = brought_references(was, text)
        places = brought_citations(was, text)
        if not written and not places:
            return CheckedEdit(data)
        library = await self._libraries.open(
            await self._workspace(project_id), document=path, text=text
        )
        # Where nobody keeps a library, `@ann` is a person and no key.
        has_keys = bool(library.entries) or any(front_matter(text, name) for name in CITING)
        cited = [
            (place, found)
            for place in places
            if (has_keys or is_bracketed(text, place))
            and (found := await self._check_key(project_id, library, place.key)).verdict
            != "verified"
        ]
        named = await self._unverified_references(project_id, library, text, written)
        if not cited and not named:
            return CheckedEdit(data)
        marked = mark(text, [one for one, _ in cited], [(one.start, one.end) for one, _ in named])
        unverified = [
            *((f"@{place.key}", found) for place, found in cited),
            *((text[one.start : one.end], found) for one, found in named),
        ]
        await self._keep_marks(project_id, path, unverified, marked.contexts, by)
        remarks = [
            f"{CLAIM} stands in place of {words}: {' '.join(found.faults)}"
            for words, found in unverified
        ]
        return CheckedEdit(encode(marked.text, encoding, bom=bom), (*remarks, REMEDY))

    async def _check_key(self, project_id: str, library: Library, key: str) -> WorkCheck:
        """Whether a key may be cited: its entry is a person's, or verified."""
        entry = library.find(key)
        if entry is None:
            return WorkCheck("not-found", (NOT_THERE,))
        found = (await self.known(project_id, [entry])).get(key)
        if found is None:
            return WorkCheck("verified", source="library")
        if found.verdict == "unchecked":
            return await self._look_up(project_id, entry)
        return found

    async def _unverified_references(
        self, project_id: str, library: Library, text: str, written: Sequence[WrittenReference]
    ) -> list[tuple[WrittenReference, WorkCheck]]:
        """The references in words that nobody could verify.

        "(Munk, 1966)" may mean a work that the text itself lists: a person's, or a verified one.
        """
        listed = [one for one in find_written_references(text) if one.kind == "listed"]
        unverified: list[tuple[WrittenReference, WorkCheck]] = []
        # What the text lists comes first.
        for one in sorted(written, key=lambda one: one.kind == "author-year"):
            found = await self._check_written(project_id, library, one)
            if found.verdict == "verified" or any(lists_author(entry, one) for entry in listed):
                continue
            unverified.append((one, found))
            if one in listed:
                listed.remove(one)
        return sorted(unverified, key=lambda item: item[0].start)

    async def _check_written(
        self, project_id: str, library: Library, one: WrittenReference
    ) -> WorkCheck:
        """Whether a reference in words names a work of the library, or one that services know."""
        if one.kind == "author-year":
            words = one.family.split()
            # The first words may belong to the sentence, or to the name: "Le Bras".
            names = [" ".join(words[at:]) for at in range(len(words))]
            for key in (key for name in names for key in library.keys_of(name, one.year)):
                found = await self._check_key(project_id, library, key)
                if found.verdict == "verified":
                    return found
            return WorkCheck("not-found", ("The library has no such author and year.",))
        for reference in library.references():
            if is_numbered(reference, one):
                found = await self._check_key(project_id, library, reference.key)
                if found.verdict == "verified":
                    return found
        if not self._reaches_out():
            return WorkCheck("unchecked", (NO_LOOK_UPS,))
        try:
            found = await self._records.verify_words(
                one.text, one.doi, one.pmid, is_entry=one.kind == "listed"
            )
        except SearchFailed as failed:
            return WorkCheck("unchecked", (failed.message,))
        return checked(found, WorkNotices())

    async def _look_up(
        self, project_id: str, reference: Reference, *, is_over: bool = False
    ) -> WorkCheck:
        """What services say of an AI's entry; that they can't be asked is remembered, too."""
        if is_over:
            words = f"At most {MOST_LOOKED_UP} works are looked up at once."
            return await self._keep(project_id, reference, WorkCheck("unchecked", (words,)))
        if not self._reaches_out():
            return await self._keep(project_id, reference, WorkCheck("unchecked", (NO_LOOK_UPS,)))
        try:
            return await self.verify(project_id, reference)
        except SearchFailed as failed:
            unchecked = WorkCheck("unchecked", (failed.message,))
            return await self._keep(project_id, reference, unchecked)

    async def _keep(self, project_id: str, reference: Reference, found: WorkCheck) -> WorkCheck:
        body = asdict(found)
        async with self._storage.write() as write:
            await self._store.put_check(write, project_id, digest_of(reference), body)
        return found

    async def _keep_marks(
        self,
        project_id: str,
        path: str,
        unverified: Sequence[tuple[str, WorkCheck]],
        contexts: Sequence[str],
        by: str,
    ) -> None:
        async with self._storage.write() as write:
            marks = [
                CitationMark(
                    self._ids.new(),
                    project_id,
                    path,
                    {
                        "cited": cited,
                        "verdict": found.verdict,
                        "why": " ".join(found.faults),
                        "record": found.record,
                        "context": context,
                        "by": by,
                    },
                    write.now_ms,
                )
                for (cited, found), context in zip(unverified, contexts, strict=True)
            ]
            await self._store.add_marks(write, marks)

    async def _workspace(self, project_id: str) -> Workspace:
        return (await self._open_workspace(project_id)).for_tools()


def is_numbered(reference: Reference, one: WrittenReference) -> bool:
    """Whether an entry has the number that a text names."""
    if one.doi:
        return reference.doi == one.doi.lower()
    return bool(one.pmid) and reference.fields.get("pmid", "").strip() == one.pmid


def work_of(reference: Reference) -> CitedWork:
    """What services are asked about a reference."""
    family = reference.authors[0].whole_family if reference.authors else ""
    return CitedWork(reference.title, family, reference.year, reference.doi)


def digest_of(reference: Reference) -> str:
    """A name for what a reference says of its work; tags and notes change nothing in it."""
    work = work_of(reference)
    told = "\0".join((work.title, work.family, work.year, work.doi))
    return sha256(told.encode("utf-8", "replace")).hexdigest()[:32]


def checked(found: Verification, notices: WorkNotices) -> WorkCheck:
    """What services said, to be remembered."""
    return WorkCheck(found.verdict, found.faults, found.source, found.record, notices)


def read_check(body: dict[str, Any], at_ms: int) -> WorkCheck:
    """A check that was remembered."""
    return WorkCheck(
        body["verdict"],
        tuple(body["faults"]),
        body["source"],
        body["record"],
        WorkNotices(**body["notices"]),
        at_ms,
    )


def marked_citation(body: dict[str, Any], line: int) -> MarkedCitation:
    """A mark that was remembered, where it stands now."""
    return MarkedCitation(
        body["cited"], body["verdict"], body["why"], line, body["by"], body["record"]
    )
