"""The library of a project for people: looked at, added to, edited, imported into.

What is changed goes into the live text of its file, so whoever has it open sees it at once.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio

from recto.documents import Documents
from recto.projects.citing_documents import CitingDocuments, FolderCitations
from recto.projects.file_operations import BY_A_PERSON
from recto.projects.source_texts import CheckedQuotation, SourceTexts
from recto.references import (
    AddedAll,
    CitedPlace,
    FileWrite,
    ImportFormat,
    Libraries,
    Library,
    Reference,
    ReferenceInvalid,
    RemovedEntry,
    bibtex_fields,
    bibtex_type,
    claim_lines,
    find_citations,
    find_quotations,
    listed_only,
    pdf_name,
    read_list,
)
from recto.research import PaperSearch, PapersFound, RecordFinder, Zotero, find_doi, read_doi
from recto.reviews import CitationChecks, MarkedCitation, WorkCheck
from recto.tools import ToolFailure, pdf_text
from recto.workspace import PathExists, Workspace, encode

FIRST_PAGES = 10_000
"""The DOI of a paper stands on its first pages; further on are those of works that it cites."""
PREPRINT_FIELDS = ("eprint", "eprinttype", "archiveprefix", "primaryclass", "publisher")
"""What only a preprint says."""
METADATA_DOI = re.compile(
    rb"(?:(?:prism|pdfx|crossmark):doi>|dc:identifier>|/(?:WPS-ARTICLE)?DOI\s*\(|/Subject\s*\("
    rb"[^()<>]{0,500}?)\s*(?:doi:\s*)?(10\.\d{4,9}/[^\s<>)]+)",
    re.IGNORECASE,
)


class ReachOutOff(Exception):
    """The user has turned off whatever reaches a third party."""

    def __init__(self) -> None:
        self.message = "Looking works up is turned off, as everything that reaches a third party."
        self.remedy = "Turn it on in the settings of tools, or import the work from a file."
        super().__init__(f"{self.message} {self.remedy}")


@dataclass(frozen=True, slots=True)
class AddedReference:
    """What became of a work that was to be added."""

    key: str
    is_new: bool
    source: str
    """Who has its record."""
    is_record: bool
    """Whether a service of record has it; otherwise a model read it out of the text."""


@dataclass(frozen=True, slots=True)
class CitationReport:
    """The citations of one document."""

    text: str
    places: tuple[CitedPlace, ...]
    known: frozenset[str]
    """The cited keys that the library has."""
    unused: tuple[str, ...]
    """Keys of the library that the document does not cite."""
    claims: tuple[int, ...]
    """The lines with claims whose source is missing."""
    checks: Mapping[str, WorkCheck]
    """What services said of cited works, by their keys; nothing of those that nobody checked."""
    marked: tuple[MarkedCitation, ...]
    """What stood where a mark of an AI's edit stands."""
    quotations: tuple[CheckedQuotation, ...]


class ProjectLibrary:
    """The libraries of projects."""

    def __init__(
        self,
        libraries: Libraries,
        records: RecordFinder,
        papers: PaperSearch,
        zotero: Zotero,
        open_workspace: Callable[[str], Awaitable[Workspace]],
        open_documents: Callable[[str], Awaitable[Documents]],
        checks: CitationChecks,
        *,
        reaches_out: Callable[[], bool],
    ) -> None:
        self._libraries = libraries
        self._records = records
        self._papers = papers
        self._zotero = zotero
        self._open_workspace = open_workspace
        self._open_documents = open_documents
        self._reaches_out = reaches_out
        self._checks = checks
        self._citing = CitingDocuments()
        self._sources = SourceTexts()

    async def open(self, project_id: str, document: str | None = None) -> Library:
        """The library as it is now, with what is typed in it and not saved yet."""
        await (await self._open_documents(project_id)).settle()
        workspace = await self._open_workspace(project_id)
        return await self._libraries.open(workspace, document=document)

    async def add(self, project_id: str, text: str, key: str) -> AddedReference:
        """Add what a text names. Raises ReachOutOff, WorkNotFound, ReferenceFailure."""
        library = await self.open(project_id)
        doi = read_doi(text)
        # One that is there needs nobody to be asked.
        known = await anyio.to_thread.run_sync(library.duplicate_of, {"DOI": doi}) if doi else None
        if known is not None:
            return AddedReference(known.key, False, "library", True)
        if not self._reaches_out():
            raise ReachOutOff
        found = await self._records.find(text)
        library = await self.open(project_id)
        known = await anyio.to_thread.run_sync(library.duplicate_of, found.item)
        if known is not None:
            return AddedReference(known.key, False, found.source, found.is_record)
        write = library.add(found.item, key=key)
        await self._write(project_id, write)
        return AddedReference(write.key, True, found.source, found.is_record)

    async def papers(self, query: str, count: int) -> PapersFound:
        """Papers that no library has to have. Raises ReachOutOff, PapersUnavailable."""
        if not self._reaches_out():
            raise ReachOutOff
        return await self._papers.search(query, count)

    async def edit(
        self,
        project_id: str,
        key: str,
        changes: Mapping[str, str | None],
        *,
        kind: str | None,
        new_key: str | None,
    ) -> str:
        """Change fields of an entry; its key afterwards. Raises ReferenceFailure."""
        if not changes and kind is None and new_key is None:
            raise ReferenceInvalid("There is nothing to change. Name fields, a type or a new key.")
        library = await self.open(project_id)
        write = library.edit(key, changes, kind=kind, new_key=new_key)
        await self._write(project_id, write)
        return write.key

    async def remove(self, project_id: str, key: str) -> RemovedEntry:
        """Take an entry out of its file; what it takes to put it back. Raises ReferenceFailure."""
        write, removed = (await self.open(project_id)).remove(key)
        await self._write(project_id, write)
        return removed

    async def put_back(self, project_id: str, removed: RemovedEntry) -> None:
        """Put an entry back where it was taken out. Raises ReferenceFailure."""
        await self._write(project_id, (await self.open(project_id)).put_back(removed))

    async def citations(self, project_id: str) -> FolderCitations:
        """What the documents of a project cite, with what is typed in them and not saved yet."""
        await (await self._open_documents(project_id)).settle()
        return await self._citing.read(await self._open_workspace(project_id))

    async def report(self, project_id: str, document: str) -> CitationReport:
        """What one document cites, what it leaves uncited, and its claims without a source."""
        library = await self.open(project_id, document)
        workspace = await self._open_workspace(project_id)
        file = await workspace.read_text(document)
        places = await anyio.to_thread.run_sync(find_citations, file.text)
        known = frozenset(entry.key for _, entry in library.entries)
        cited = frozenset(place.key for place in places)
        return CitationReport(
            file.text,
            places,
            frozenset(place.key for place in places if place.key in known),
            tuple(sorted(known - cited - {*listed_only(file.text, library)})),
            claim_lines(file.text),
            await self.checks(project_id, [library.get(key) for key in cited & known]),
            await self._checks.marked(project_id, document, file.text),
            await self._sources.check_all(workspace, library, find_quotations(file.text)),
        )

    async def quotations(
        self, project_id: str, document: str, text: str
    ) -> tuple[CheckedQuotation, ...]:
        """The quotations of a document as it is typed, each looked for in its source."""
        library = await self.open(project_id, document)
        workspace = await self._open_workspace(project_id)
        found = await anyio.to_thread.run_sync(find_quotations, text)
        return await self._sources.check_all(workspace, library, found)

    async def checks(
        self, project_id: str, references: Sequence[Reference]
    ) -> Mapping[str, WorkCheck]:
        """What services said of references, by their keys."""
        return await self._checks.known(project_id, references)

    async def merge(self, project_id: str, key: str, other: str) -> None:
        """Make two entries one: what the first lacks is taken from the other, which goes.

        Documents that cite the other cite the first. Raises ReferenceFailure.
        """
        if key == other:
            raise ReferenceInvalid("Both entries have this key. Give one another key first.")
        library = await self.open(project_id)
        kept, left = library.get(key), library.get(other)
        library.remove(other)  # refuses before anything is changed
        taken = {name: text for name, text in left.fields.items() if not kept.fields.get(name)}
        if taken:
            await self._write(project_id, library.edit(key, taken))
            library = await self.open(project_id)
        await self._write(project_id, library.remove(other)[0])
        cited = await self.citations(project_id)
        for path in dict.fromkeys(path for path, _ in cited.places(other)):
            await self._cite_instead(project_id, path, other, key)

    async def _cite_instead(self, project_id: str, path: str, old: str, new: str) -> None:
        workspace = await self._open_workspace(project_id)
        file = await workspace.read_text(path)
        text = file.text
        for place in reversed(find_citations(text)):
            if place.key == old:
                text = text[: place.start] + new + text[place.end :]
        documents = await self._open_documents(project_id)
        await documents.write(
            path,
            encode(text, file.encoding, bom=file.bom),
            expected_hash=file.hash,
            origin=BY_A_PERSON,
        )

    async def add_pdf(self, project_id: str, data: bytes, key: str) -> AddedReference:
        """Keep a PDF with its reference: the one of `key`, else the one whose DOI it names.

        Raises ReachOutOff, WorkNotFound, ReferenceFailure.
        """
        try:
            text = await pdf_text(data, "The file")
        except ToolFailure as error:
            raise ReferenceInvalid(str(error)) from error
        if key:
            library = await self.open(project_id)
            added = AddedReference(library.get(key).key, False, "", True)
        else:
            named = METADATA_DOI.search(data)
            doi = find_doi(named[1].decode("ascii", "replace") if named else text[:FIRST_PAGES])
            if doi is None:
                raise ReferenceInvalid(
                    "The PDF names no DOI. Add the work by its title, then attach the PDF to it."
                )
            added = await self.add(project_id, doi, "")
        workspace = await self._open_workspace(project_id)
        with suppress(PathExists):
            await workspace.create_folder("references")
        name = pdf_name(added.key)
        try:
            await workspace.write(f"references/{name}.pdf", data, expected_hash=None)
        except PathExists as error:
            raise ReferenceInvalid(f"{added.key} has a PDF already: {name}.pdf.") from error
        await workspace.file_names(refresh=True)
        return added

    async def verify(self, project_id: str, key: str) -> WorkCheck:
        """Compare an entry with services of record. Raises ReachOutOff, SearchFailed."""
        if not self._reaches_out():
            raise ReachOutOff
        return await self._checks.verify(project_id, (await self.open(project_id)).get(key))

    async def take_published(self, project_id: str, key: str) -> None:
        """Have the entry of a preprint say what was published.

        Raises ReachOutOff, WorkNotFound, ReferenceFailure.
        """
        if not self._reaches_out():
            raise ReachOutOff
        library = await self.open(project_id)
        reference = library.get(key)
        known = (await self._checks.known(project_id, [reference])).get(key)
        if known is None or not known.notices.published_doi:
            raise ReferenceInvalid(f"No service says where {key} was published. Check its record.")
        found = await self._records.find(known.notices.published_doi)
        changes: dict[str, str | None] = {
            name: None for name in PREPRINT_FIELDS if name in reference.fields
        }
        changes |= bibtex_fields(found.item)
        await self._write(project_id, library.edit(key, changes, kind=bibtex_type(found.item)))
        # The entry is that of a record now.
        await self._checks.verify(project_id, (await self.open(project_id)).get(key))

    async def import_zotero(self, project_id: str) -> AddedAll:
        """Add all works of Zotero's library that are new. Raises SearchFailed, ReferenceFailure."""
        return await self._add_all(project_id, await self._zotero.items())

    async def import_list(self, project_id: str, data: bytes, form: ImportFormat) -> AddedAll:
        """Add all works of a list that are new and whole. Raises ReferenceFailure."""
        keeps_keys = form in ("bibtex", "biblatex")
        items, broken = await read_list(data, form)
        told = await self._add_all(project_id, items, keeps_keys=keeps_keys)
        return told._replace(broken=broken)

    async def _add_all(
        self, project_id: str, items: Sequence[Mapping[str, Any]], *, keeps_keys: bool = False
    ) -> AddedAll:
        library = await self.open(project_id)
        add = partial(library.add_all, items, keeps_keys=keeps_keys)
        write, told = await anyio.to_thread.run_sync(add)
        if write is not None:
            await self._write(project_id, write)
        return told

    async def _write(self, project_id: str, write: FileWrite) -> None:
        if write.expected_hash is None:
            workspace = await self._open_workspace(project_id)
            folder = write.path.rpartition("/")[0]
            with suppress(PathExists):
                await workspace.create_folder(folder)
        documents = await self._open_documents(project_id)
        await documents.write(
            write.path, write.data, expected_hash=write.expected_hash, origin=BY_A_PERSON
        )
