"""Papers by OpenAlex: found by words, or looked up by their DOI."""

import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from recto.config import Secret
from recto.research.connection import SearchConnection

SERVICE = "OpenAlex"
OPENALEX_KEY = "OPENALEX_API_KEY"
ABSTRACT_CHARACTERS = 300
MOST_AUTHORS = 20
FIELDS = (
    "id,doi,title,publication_year,type,cited_by_count,authorships,primary_location,open_access,"
    "biblio,abstract_inverted_index,is_retracted"
)
DOI = re.compile(r"10\.\d{4,9}/\S+")


class OpenAlex:
    """Asks OpenAlex. Without a key it has a free share each day."""

    def __init__(self, connection: SearchConnection, url: str) -> None:
        self._connection = connection
        self._url = url.rstrip("/")

    async def search(self, query: str, count: int, key: Secret | None) -> list[dict[str, Any]]:
        """The papers that fit some words best. Raises SearchFailed."""
        asked = {"search": query, "per-page": str(count), "select": FIELDS, **paid_by(key)}
        found = await self._connection.get(SERVICE, f"{self._url}/works", asked, {})
        rows = (found or {}).get("results")
        return [read_work(row) for row in listed(rows)]

    async def look_up(self, doi: str, key: Secret | None) -> list[dict[str, Any]]:
        """The paper of a DOI, or none. Raises SearchFailed."""
        url = f"{self._url}/works/doi:{quote(doi, safe='/')}"
        asked = {"select": FIELDS, **paid_by(key)}
        found = await self._connection.get(SERVICE, url, asked, {})
        return [] if found is None else [read_work(found)]


def read_doi(text: str) -> str | None:
    """The DOI in what somebody gives as one; None: there is none."""
    found = DOI.fullmatch(
        re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", text.strip(), flags=re.I)
    )
    return None if found is None else found[0]


def paid_by(key: Secret | None) -> dict[str, str]:
    """How OpenAlex wants its key."""
    return {} if key is None else {"api_key": key.reveal()}


def read_work(work: Mapping[str, Any]) -> dict[str, Any]:
    """What serves to find a paper and to cite it, of the much that OpenAlex says."""
    place = part(work.get("primary_location"))
    open_access, biblio = part(work.get("open_access")), part(work.get("biblio"))
    pages = [page for page in (biblio.get("first_page"), biblio.get("last_page")) if page]
    return {
        "id": work.get("id"),
        "title": work.get("title"),
        "authors": [
            name
            for row in listed(work.get("authorships"))[:MOST_AUTHORS]
            if (name := part(row.get("author")).get("display_name"))
        ],
        "year": work.get("publication_year"),
        "doi": read_doi(str(work.get("doi") or "")),
        "citations": work.get("cited_by_count"),
        "type": work.get("type"),
        "journal": part(place.get("source")).get("display_name"),
        "abstract": read_abstract(work.get("abstract_inverted_index")),
        "openAccess": open_access.get("oa_status"),
        "openAccessUrl": open_access.get("oa_url"),
        "volume": biblio.get("volume"),
        "issue": biblio.get("issue"),
        "pages": "-".join(dict.fromkeys(str(page) for page in pages)) or None,
        "isRetracted": bool(work.get("is_retracted")),
    }


def read_abstract(index: object) -> str | None:
    """The beginning of an abstract, from the list of where each of its words stands."""
    words: dict[int, str] = {}
    for word, places in part(index).items():
        if isinstance(places, list):
            numbers = cast("list[object]", places)
            words |= {place: word for place in numbers if isinstance(place, int)}
    text = " ".join(words[place] for place in sorted(words))
    if len(text) > ABSTRACT_CHARACTERS:
        return f"{text[:ABSTRACT_CHARACTERS].rpartition(' ')[0]} …"
    return text or None


def part(value: object) -> dict[str, Any]:
    """An object of the answer; what is none is empty."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def listed(value: object) -> list[dict[str, Any]]:
    """The objects of a list of the answer."""
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]
