"""The library of a folder: BibTeX and CSL-JSON, searched, cited, and edited one entry at a time.

Nothing here writes a file: a change is answered as what the file shall hold (`FileWrite`), for the
room that may change files.
"""

from recto.references.duplicates import Duplicate
from recto.references.failures import (
    LibraryReadOnly,
    LibraryUnreadable,
    ReferenceFailure,
    ReferenceInvalid,
    ReferenceNotFound,
)
from recto.references.libraries import Libraries
from recto.references.library import AddedAll, Library, LibraryEntry
from recto.references.library_file import FileWrite, LibraryFile
from recto.references.names import PersonName
from recto.references.pandoc import ImportFormat, read_items
from recto.references.reference import Reference

__all__ = [
    "AddedAll",
    "Duplicate",
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
    "read_items",
]
