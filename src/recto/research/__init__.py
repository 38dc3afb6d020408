"""Services that find papers, records and pages: OpenAlex, Exa, Brave, CrossRef and others.

What they tell is read into plain values; a work is an item of CSL-JSON, whoever tells of it.
"""

from recto.research.connection import SearchConnection, SearchFailed
from recto.research.crossref import CrossRef
from recto.research.fetch import PageFetcher, is_public
from recto.research.notices import WorkNotices
from recto.research.openalex import OPENALEX_KEY, OpenAlex, read_doi
from recto.research.papers import (
    GatewaySearch,
    PaperSearch,
    PapersFound,
    PapersUnavailable,
    SearchKeys,
)
from recto.research.records import (
    FoundRecord,
    ParseCitation,
    RecordFinder,
    RecordServices,
    WorkNotFound,
    find_doi,
)
from recto.research.registries import ArXiv, DataCite, OpenLibrary, PubMed
from recto.research.verification import CitedWork, Verdict, Verification
from recto.research.web import Brave, Exa, WebSearch
from recto.research.zotero import REFUSED as ZOTERO_REFUSED
from recto.research.zotero import Zotero

__all__ = [
    "OPENALEX_KEY",
    "ArXiv",
    "Brave",
    "CitedWork",
    "CrossRef",
    "DataCite",
    "Exa",
    "FoundRecord",
    "GatewaySearch",
    "OpenAlex",
    "OpenLibrary",
    "PageFetcher",
    "PaperSearch",
    "PapersFound",
    "PapersUnavailable",
    "ParseCitation",
    "PubMed",
    "RecordFinder",
    "WorkNotFound",
    "RecordServices",
    "SearchConnection",
    "SearchFailed",
    "SearchKeys",
    "Verdict",
    "Verification",
    "WebSearch",
    "WorkNotices",
    "ZOTERO_REFUSED",
    "Zotero",
    "find_doi",
    "is_public",
    "read_doi",
]
