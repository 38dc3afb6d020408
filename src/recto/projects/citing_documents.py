"""Which documents of a folder cite which references; read again only where files have changed."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from recto.references import CitedPlace, FolderPdfs, find_citations, is_pdf
from recto.references import Reference as LibraryReference
from recto.workspace import FileIdentity, TextFile, Workspace

MARKDOWN = (".md", ".markdown", ".qmd", ".rmd", ".txt")
MOST_DOCUMENTS = 2000
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class FolderCitations:
    """What the documents of a folder cite, and the PDFs that lie in it."""

    by_document: Mapping[str, tuple[CitedPlace, ...]]
    pdfs: FolderPdfs

    def counts(self) -> Counter[str]:
        """How often each key is cited."""
        return Counter(place.key for places in self.by_document.values() for place in places)

    def places(self, key: str) -> tuple[tuple[str, CitedPlace], ...]:
        """Where a key is cited."""
        return tuple(
            (path, place)
            for path, places in self.by_document.items()
            for place in places
            if place.key == key
        )

    def pdf(self, reference: LibraryReference) -> str | None:
        """The PDF of a reference."""
        return self.pdfs.of(reference)


class CitingDocuments:
    """Reads the citations of folders."""

    def __init__(self) -> None:
        self._known: defaultdict[str, dict[str, tuple[FileIdentity, tuple[CitedPlace, ...]]]] = (
            defaultdict(dict)
        )

    async def read(self, workspace: Workspace) -> FolderCitations:
        """The citations of a folder as its files are now."""
        names = (await workspace.file_names()).paths
        documents = [path for path in names if path.lower().endswith(MARKDOWN)][:MOST_DOCUMENTS]
        known = self._known[workspace.root]
        identities = {
            path: found
            for path, found in (await workspace.identify(documents)).items()
            if isinstance(found, FileIdentity)
        }
        changed = [
            path
            for path, identity in identities.items()
            if path not in known or known[path][0] != identity
        ]
        texts = await workspace.read_texts(changed)
        found = await anyio.to_thread.run_sync(citations_of, texts)
        if len(known) > MOST_KEPT:
            known.clear()
        for path, places in found.items():
            known[path] = (identities[path], places)
        by_document = {path: known[path][1] for path in identities if path in known}
        return FolderCitations(by_document, FolderPdfs([path for path in names if is_pdf(path)]))


def citations_of(texts: Mapping[str, object]) -> dict[str, tuple[CitedPlace, ...]]:
    """The citations of each text that could be read."""
    return {
        path: find_citations(file.text)
        for path, file in texts.items()
        if isinstance(file, TextFile)
    }
