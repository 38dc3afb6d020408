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


class FolderPdfs:
    """The PDFs of a folder, and those among them that are named after a key."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._by_key = {
            comparable(posixpath.basename(path)[: -len(PDF)]): path
            for path in paths
            if path.startswith(FOLDER)
        }

    def of(self, reference: Reference) -> str | None:
        """The PDF of a reference."""
        for named in reference.fields.get("file", "").split(";"):
            parts = JABREF.match(named.strip())
            path = (parts["path"] if parts else named.strip()).replace("\\:", ":")
            for candidate in (path, FOLDER + path):
                clean = posixpath.normpath(candidate) if candidate else ""
                if clean in self._paths:
                    return clean
        return self._by_key.get(comparable(pdf_name(reference.key)))


def pdf_name(key: str) -> str:
    """What the PDF of a key is called, without its ending: no sign that paths have a use for."""
    return re.sub(r"[^\w.-]", "_", key)


def is_pdf(path: str) -> bool:
    """Whether a path is one of a PDF."""
    return path.lower().endswith(PDF)
