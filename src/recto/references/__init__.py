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
from recto.references.cited_entries import CitedEntries, cited_entries
from recto.references.duplicates import Duplicate
from recto.references.failures import (
    LibraryReadOnly,
    LibraryUnreadable,
    ReferenceFailure,
    ReferenceInvalid,
    ReferenceNotFound,
)
from recto.references.front_matter import front_matter
from recto.references.libraries import Libraries
from recto.references.library import AddedAll, Library, LibraryEntry, bibtex_fields
from recto.references.library_file import FileWrite, LibraryFile
from recto.references.names import PersonName
from recto.references.pandoc import ImportFormat, read_items
from recto.references.reference import Reference

__all__ = [
    "CLAIM",
    "CROSS_REFERENCE",
    "AddedAll",
    "CitedEntries",
    "CitedPlace",
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
    "Reference",
    "ReferenceFailure",
    "ReferenceInvalid",
    "ReferenceNotFound",
    "bibtex_fields",
    "cited_entries",
    "claim_lines",
    "find_citations",
    "front_matter",
    "is_pdf",
    "pdf_name",
    "read_items",
]
