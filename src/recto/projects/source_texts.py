"""The stored texts of sources, page by page, against which quotations are checked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import anyio

from recto.references import FolderPdfs, Library, Quotation, find_in_pages, is_pdf
from recto.tools import ToolFailure, pdf_text
from recto.workspace import FileIdentity, Workspace, WorkspaceFailure

PAGE = re.compile(r"^# Page \d+\n", re.MULTILINE)
MOST_KEPT = 32
LONGEST = 100_000_000
QuotationVerdict = Literal["verified", "not-found", "no-text"]


@dataclass(frozen=True, slots=True)
class CheckedQuotation:
    """A quotation, and whether its source says so."""

    quotation: Quotation
    verdict: QuotationVerdict
    page: int | None
    """The page of the PDF on which it begins."""
    why: str = ""
    """Why there is no text."""


class SourceTexts:
    """Reads the PDFs of references; what was read is kept while its file is the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[FileIdentity, tuple[str, ...] | str]] = {}
        self._reading = anyio.Lock()

    async def check_all(
        self, workspace: Workspace, library: Library, quotations: Sequence[Quotation]
    ) -> tuple[CheckedQuotation, ...]:
        """Look for each quotation in the abstract and the PDF of its source."""
        if not quotations:
            return ()
        pdfs = FolderPdfs([path for path in (await workspace.file_names()).paths if is_pdf(path)])
        return tuple([await self._check(workspace, library, pdfs, one) for one in quotations])

    async def _check(
        self, workspace: Workspace, library: Library, pdfs: FolderPdfs, quotation: Quotation
    ) -> CheckedQuotation:
        reference = library.find(quotation.key)
        if reference is None:
            return CheckedQuotation(quotation, "no-text", None, "It is not in the library.")
        if reference.abstract and find_in_pages(quotation.words, [reference.abstract]):
            return CheckedQuotation(quotation, "verified", None)
        path = pdfs.of(reference)
        if path is None:
            return CheckedQuotation(quotation, "no-text", None, "It has no PDF in the folder.")
        pages = await self._pages(workspace, path)
        if isinstance(pages, str):
            return CheckedQuotation(quotation, "no-text", None, pages)
        found = await anyio.to_thread.run_sync(partial(find_in_pages, quotation.words, pages))
        return CheckedQuotation(quotation, "not-found" if found is None else "verified", found)

    async def _pages(self, workspace: Workspace, path: str) -> tuple[str, ...] | str:
        """The pages of a PDF, or why there are none."""
        async with self._reading:  # one after the other: each takes a process and its memory
            identity = (await workspace.identify([path])).get(path)
            if not isinstance(identity, FileIdentity):
                return "Its PDF is gone."
            known = self._known.get((workspace.root, path))
            if known is not None and known[0] == identity:
                return known[1]
            try:
                data = await workspace.read_bytes(path, max_bytes=LONGEST)
                pages: tuple[str, ...] | str = tuple(PAGE.split(await pdf_text(data, path))[1:])
            except (ToolFailure, WorkspaceFailure) as failure:
                pages = str(failure)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[workspace.root, path] = (identity, pages)
            return pages
