"""CrossRef: the records of most DOIs, free for everybody."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, cast
from urllib.parse import quote

from recto.research.connection import SearchConnection
from recto.research.openalex import ABSTRACT_CHARACTERS, listed, part, read_doi

SERVICE = "CrossRef"
MOST_AUTHORS = 20
MARKUP = re.compile(r"<[^<>]*+>")
TYPES = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book": "book",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
    "posted-content": "article",
}
"""CrossRef's types, and those of CSL."""
SAME = ("volume", "issue", "page", "publisher", "DOI", "URL", "language", "edition-number")


class CrossRef:
    """Asks CrossRef."""

    def __init__(self, connection: SearchConnection, url: str, *, mailto: str = "") -> None:
        """`mailto` is an address that CrossRef may write to, for which it answers sooner."""
        self._connection = connection
        self._url = url.rstrip("/")
        self._polite = {"mailto": mailto} if mailto else {}

    async def look_up(self, doi: str) -> dict[str, Any] | None:
        """The item of a DOI; None: CrossRef does not have it. Raises SearchFailed."""
        found = await self.record(doi)
        return None if found is None else item_of(found)

    async def record(self, doi: str) -> dict[str, Any] | None:
        """All that CrossRef says of a DOI. Raises SearchFailed."""
        url = f"{self._url}/works/{quote(doi, safe='')}"
        found = await self._connection.get(SERVICE, url, self._polite, {})
        return part((found or {}).get("message")) or None

    async def find(self, words: str, count: int) -> list[dict[str, Any]]:
        """The items that fit a title or a citation best. Raises SearchFailed."""
        return [item_of(row) for row in await self._rows(words, count)]

    async def search(self, query: str, count: int) -> list[dict[str, Any]]:
        """The papers that fit some words best, as a list shows them. Raises SearchFailed."""
        return [paper_of(row) for row in await self._rows(query, count)]

    async def _rows(self, words: str, count: int) -> list[dict[str, Any]]:
        asked = {"query.bibliographic": words, "rows": str(count), **self._polite}
        found = await self._connection.get(SERVICE, f"{self._url}/works", asked, {})
        return listed(part((found or {}).get("message")).get("items"))


def item_of(work: Mapping[str, Any]) -> dict[str, Any]:
    """A work of CrossRef as an item of CSL-JSON."""
    item: dict[str, Any] = {
        "type": TYPES.get(str(work.get("type")), "article"),
        "title": clean(first(work.get("title"))),
        "container-title": clean(first(work.get("container-title"))),
        "author": people(work.get("author")),
        "editor": people(work.get("editor")),
        "issued": date(work),
        "abstract": clean(work.get("abstract")),
        "ISBN": first(work.get("ISBN")),
        "ISSN": first(work.get("ISSN")),
    }
    item |= {name: str(work[name]) for name in SAME if isinstance(work.get(name), str | int)}
    subtitle = clean(first(work.get("subtitle")))
    if subtitle and item["title"] and subtitle.lower() not in item["title"].lower():
        item["title"] = f"{item['title']}: {subtitle}"
    return {name: value for name, value in item.items() if value}


def paper_of(work: Mapping[str, Any]) -> dict[str, Any]:
    """A work of CrossRef as a list of papers shows it."""
    item = item_of(work)
    abstract = item.get("abstract")
    names = [
        " ".join(filter(None, (row.get("given"), row.get("family") or row.get("literal"))))
        for row in item.get("author", [])[:MOST_AUTHORS]
    ]
    year = item.get("issued", {}).get("date-parts", [[None]])[0][0]
    count = work.get("is-referenced-by-count")
    return {
        "id": item.get("URL"),
        "title": item.get("title"),
        "authors": names,
        "year": year,
        "doi": read_doi(str(work.get("DOI") or "")),
        "citations": count if isinstance(count, int) else None,
        "type": work.get("type"),
        "journal": item.get("container-title"),
        "abstract": None if abstract is None else shortened(abstract),
        "openAccess": None,
        "openAccessUrl": None,
        "volume": item.get("volume"),
        "issue": item.get("issue"),
        "pages": item.get("page"),
        "isRetracted": any(
            row.get("type") == "retraction" for row in listed(work.get("updated-by"))
        ),
    }


def shortened(text: str) -> str:
    """The beginning of an abstract, in whole words."""
    if len(text) <= ABSTRACT_CHARACTERS:
        return text
    return f"{text[:ABSTRACT_CHARACTERS].rpartition(' ')[0]} …"


def people(value: object) -> list[dict[str, str]]:
    """The people of a work; organisations have one name."""
    found: list[dict[str, str]] = []
    for row in listed(value):
        family, given, name = row.get("family"), row.get("given"), row.get("name")
        if isinstance(family, str) and family:
            person = {"family": family}
            if isinstance(given, str) and given:
                person["given"] = given
            if isinstance(row.get("suffix"), str):
                person["suffix"] = row["suffix"]
            found.append(person)
        elif isinstance(name, str) and name:
            found.append({"literal": name})
    return found


def date(work: Mapping[str, Any]) -> dict[str, Any] | None:
    """When it appeared: in print before online, as far as anybody says."""
    for name in ("published-print", "issued", "published", "published-online", "posted", "created"):
        rows: object = part(work.get(name)).get("date-parts")
        days = cast("list[object]", rows)[0] if isinstance(rows, list) and rows else None
        numbers = cast("list[object]", days) if isinstance(days, list) else []
        found = [number for number in numbers if isinstance(number, int)]
        if found:
            return {"date-parts": [found]}
    return None


def first(value: object) -> str | None:
    """The first of a list of texts."""
    found: object = value
    if isinstance(value, list) and value:
        found = cast("list[object]", value)[0]
    return found if isinstance(found, str) else None


def clean(text: object) -> str | None:
    """A text without its markup."""
    if not isinstance(text, str):
        return None
    return re.sub(r"\s+", " ", unescape(MARKUP.sub("", text))).strip() or None
