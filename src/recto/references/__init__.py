"""The library of a folder: BibTeX and CSL-JSON, searched, cited, and edited one entry at a time.

Nothing here writes a file: a change is answered as what the file shall hold (`FileWrite`), for the
room that may change files.
"""

from recto.references.attachments import FolderPdfs, is_pdf, pdf_name
from recto.references.citations import (
    CLAIM,
    CROSS_REFERENCE,
    CitedPlace,
    claim_lines,
    find_citations,
)
from recto.references.cited_entries import CitedEntries, cited_entries, listed_only
from recto.references.claims import (
    Claim,
    brought_citations,
    claim_sentences,
    context_of,
    find_claims,
    is_bracketed,
    mark,
)
from recto.references.duplicates import Duplicate
from recto.references.failures import (
    LibraryReadOnly,
    LibraryUnreadable,
    ReferenceFailure,
    ReferenceInvalid,
    ReferenceNotFound,
)
from recto.references.front_matter import front_matter
from recto.references.imports import BrokenWork, read_list
from recto.references.libraries import Libraries
from recto.references.library import AddedAll, Library, LibraryEntry, bibtex_fields, bibtex_type
from recto.references.library_file import (
    FileWrite,
    LibraryFile,
    RemovedEntry,
    entries_in,
    is_library_name,
)
from recto.references.names import PersonName
from recto.references.pandoc import ImportFormat
from recto.references.quotations import Quotation, find_in_pages, find_quotations
from recto.references.reference import Reference, reference_of
from recto.references.written_references import (
    WrittenReference,
    brought_references,
    find_written_references,
    lists_author,
)

__all__ = [
    "CLAIM",
    "CROSS_REFERENCE",
    "AddedAll",
    "BrokenWork",
    "CitedEntries",
    "CitedPlace",
    "Claim",
    "Duplicate",
    "FolderPdfs",
    "FileWrite",
    "ImportFormat",
    "Libraries",
    "Library",
    "LibraryEntry",
    "LibraryFile",
    "LibraryReadOnly",
    "LibraryUnreadable",
    "PersonName",
    "Quotation",
    "Reference",
    "ReferenceFailure",
    "ReferenceInvalid",
    "ReferenceNotFound",
    "RemovedEntry",
    "WrittenReference",
    "bibtex_fields",
    "bibtex_type",
    "brought_citations",
    "brought_references",
    "cited_entries",
    "claim_lines",
    "claim_sentences",
    "context_of",
    "entries_in",
    "find_citations",
    "find_claims",
    "find_in_pages",
    "find_quotations",
    "find_written_references",
    "front_matter",
    "is_bracketed",
    "is_library_name",
    "is_pdf",
    "listed_only",
    "lists_author",
    "mark",
    "pdf_name",
    "read_list",
    "reference_of",
]
