"""Records by a number: arXiv, PubMed, Open Library (ISBN) and DataCite (other DOIs)."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from recto.research.connection import SearchConnection, SearchFailed
from recto.research.crossref import clean
from recto.research.openalex import listed, part

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV_TAGS = "{http://arxiv.org/schemas/atom}"
YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d{2}(?!\d)")


class ArXiv:
    """Preprints of arXiv, which answers in Atom."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def look_up(self, number: str) -> dict[str, Any] | None:
        """The item of a number such as 1706.03762; None: there is none. Raises SearchFailed."""
        url = f"{self._url}/api/query"
        data = await self._connection.read("arXiv", url, {"id_list": number}, {})
        # Atom has no document type; one could only make the reader work for nothing.
        if data is None or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            return None
        try:
            entry = ElementTree.fromstring(data).find(f"{ATOM}entry")
        except ElementTree.ParseError as error:
            raise SearchFailed("arXiv did not answer as it must.", 502) from error
        if entry is None or entry.find(f"{ATOM}author") is None:
            return None  # an unknown number is answered with an entry that tells of an error

        def text(name: str) -> str:
            return clean(entry.findtext(name)) or ""

        names = [clean(item.findtext(f"{ATOM}name")) for item in entry.iter(f"{ATOM}author")]
        found = {
            "type": "article",
            "title": text(f"{ATOM}title"),
            "author": [split_name(name) for name in names if name],
            "issued": issued(text(f"{ATOM}published")),
            "abstract": text(f"{ATOM}summary"),
            "DOI": text(f"{ARXIV_TAGS}doi"),
            "URL": f"https://arxiv.org/abs/{number}",
            "publisher": "arXiv",
            "eprint": number,
            "eprinttype": "arxiv",
        }
        return {name: value for name, value in found.items() if value}


class PubMed:
    """PubMed's summaries."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def look_up(self, number: str) -> dict[str, Any] | None:
        """The item of a PMID; None: there is none. Raises SearchFailed."""
        asked = {"db": "pubmed", "id": number, "retmode": "json"}
        url = f"{self._url}/entrez/eutils/esummary.fcgi"
        found = await self._connection.get("PubMed", url, asked, {})
        row = part(part((found or {}).get("result")).get(number))
        if not row or "error" in row or not row.get("title"):
            return None
        ids = {str(item.get("idtype")): item.get("value") for item in listed(row.get("articleids"))}
        item = {
            "type": "article-journal",
            "title": (clean(row.get("title")) or "").rstrip("."),
            "author": [
                initials_last(str(author["name"]))
                for author in listed(row.get("authors"))
                if author.get("name")
            ],
            "container-title": clean(row.get("fulljournalname")),
            "issued": issued(str(row.get("pubdate") or "")),
            "volume": row.get("volume"),
            "issue": row.get("issue"),
            "page": row.get("pages"),
            "DOI": ids.get("doi"),
            "PMID": number,
        }
        return {name: value for name, value in item.items() if value}


class OpenLibrary:
    """Books by their ISBN."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def look_up(self, isbn: str) -> dict[str, Any] | None:
        """The item of an ISBN; None: there is none. Raises SearchFailed."""
        name = f"ISBN:{isbn}"
        asked = {"bibkeys": name, "format": "json", "jscmd": "data"}
        url = f"{self._url}/api/books"
        found = await self._connection.get("Open Library", url, asked, {})
        row = part((found or {}).get(name))
        if not row.get("title"):
            return None
        title, subtitle = clean(row.get("title")), clean(row.get("subtitle"))
        item = {
            "type": "book",
            "title": f"{title}: {subtitle}" if subtitle else title,
            "author": [
                split_name(str(author["name"]))
                for author in listed(row.get("authors"))
                if author.get("name")
            ],
            "publisher": next((item.get("name") for item in listed(row.get("publishers"))), None),
            "issued": issued(str(row.get("publish_date") or "")),
            "ISBN": isbn,
        }
        return {key: value for key, value in item.items() if value}


class DataCite:
    """The DOIs of data sets, programs and preprints that CrossRef does not have."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def look_up(self, doi: str) -> dict[str, Any] | None:
        """The item of a DOI; None: there is none. Raises SearchFailed."""
        url = f"{self._url}/dois/{quote(doi, safe='')}"
        found = await self._connection.get("DataCite", url, {}, {})
        row = part(part((found or {}).get("data")).get("attributes"))
        titles = listed(row.get("titles"))
        if not titles or not titles[0].get("title"):
            return None
        publisher: object = row.get("publisher")
        # An object since 2024, a text before.
        name = publisher if isinstance(publisher, str) else part(publisher).get("name")
        item = {
            "type": str(part(row.get("types")).get("citeproc") or "article"),
            "title": clean(titles[0].get("title")),
            "author": [
                person for maker in listed(row.get("creators")) if (person := creator(maker))
            ],
            "issued": issued(str(row.get("publicationYear") or "")),
            "publisher": name,
            "DOI": doi,
            "URL": row.get("url"),
            "version": row.get("version"),
        }
        return {name: value for name, value in item.items() if value}


def creator(row: Mapping[str, Any]) -> dict[str, str] | None:
    """Somebody who made what a DOI of DataCite names."""
    family, given, name = row.get("familyName"), row.get("givenName"), row.get("name")
    if isinstance(family, str) and family:
        return {"family": family, **({"given": given} if isinstance(given, str) else {})}
    if not isinstance(name, str) or not name:
        return None
    if row.get("nameType") == "Organizational":
        return {"literal": name}
    return split_name(name)


def split_name(name: str) -> dict[str, str]:
    """A name in one piece: "Ashish Vaswani" or "Vaswani, Ashish"."""
    if "," in name:
        family, _, given = name.partition(",")
    else:
        given, _, family = name.strip().rpartition(" ")
    found = {"family": family.strip(), "given": given.strip()}
    return {part_name: text for part_name, text in found.items() if text}


def initials_last(name: str) -> dict[str, str]:
    """A name as PubMed writes it: "Haigh ID"."""
    family, _, initials = name.strip().rpartition(" ")
    if not family or not initials.isupper():
        return {"literal": name.strip()}
    return {"family": family, "given": " ".join(f"{letter}." for letter in initials)}


def issued(text: str) -> dict[str, Any] | None:
    """The year in a date, however it is written."""
    year = YEAR.search(text)
    return None if year is None else {"date-parts": [[int(year[0])]]}
