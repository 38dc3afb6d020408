"""The PDF of a reference: the file that its entry names, or the one that is named after its key."""

import posixpath
import re
from collections.abc import Collection

from recto.references.citation_keys import comparable
from recto.references.reference import Reference

PDF = ".pdf"
FOLDER = "references/"
JABREF = re.compile(r"^[^:]*:(?P<path>.+):[^:]*$")
"""JabRef and Better BibTeX write `description:path:type`."""


def attached_pdf(reference: Reference, pdfs: Collection[str]) -> str | None:
    """Its PDF among those of the folder."""
    for named in reference.fields.get("file", "").split(";"):
        parts = JABREF.match(named.strip())
        path = (parts["path"] if parts else named.strip()).replace("\\:", ":")
        for candidate in (path, FOLDER + path):
            clean = posixpath.normpath(candidate) if candidate else ""
            if clean in pdfs:
                return clean
    key = comparable(reference.key)
    for path in pdfs:
        name = posixpath.basename(path)
        if path.startswith(FOLDER) and comparable(name[: -len(PDF)]) == key:
            return path
    return None


def is_pdf(path: str) -> bool:
    """Whether a path is one of a PDF."""
    return path.lower().endswith(PDF)
