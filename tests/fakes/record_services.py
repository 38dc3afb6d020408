"""CrossRef, DataCite, arXiv, PubMed, Open Library, OpenAlex and Exa, as they answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from heapq import nlargest
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from tests.fakes.search_services import EXA_PAGE, WORK

DOI = "10.1098/rsta.1966.0024"
CROSSREF_WORK: dict[str, Any] = {
    "DOI": DOI,
    "type": "journal-article",
    "title": ["Tidal spectroscopy and prediction"],
    "subtitle": [],
    "container-title": ["Philosophical Transactions of the Royal Society of London. Series A"],
    "author": [
        {"given": "W. H.", "family": "Munk", "sequence": "first", "affiliation": []},
        {"given": "D. E.", "family": "Cartwright", "sequence": "additional", "affiliation": []},
    ],
    "published-print": {"date-parts": [[1966, 5, 19]]},
    "issued": {"date-parts": [[1966, 5, 19]]},
    "volume": "259",
    "issue": "1105",
    "page": "533-581",
    "publisher": "The Royal Society",
    "abstract": "<jats:p>A new &amp; general method.</jats:p>",
    "ISSN": ["0080-4614", "2053-9258"],
    "URL": f"https://doi.org/{DOI}",
    "is-referenced-by-count": 587,
}
ODD_WORK: dict[str, Any] = {
    "DOI": "10.5555/odd",
    "type": "posted-content",
    "title": [],
    "author": [{"name": "A consortium"}, {"sequence": "first"}, "no object"],
    "issued": {"date-parts": [[None]]},
    "container-title": None,
    "abstract": 7,
}
DATACITE = {
    "data": {
        "attributes": {
            "doi": "10.5281/zenodo.1",
            "titles": [{"title": "Hourly levels at Brest"}],
            "creators": [
                {"name": "Pons, Frédéric", "givenName": "Frédéric", "familyName": "Pons"},
                {"name": "SHOM", "nameType": "Organizational"},
            ],
            "publicationYear": 2021,
            "publisher": {"name": "Zenodo"},
            "types": {"citeproc": "dataset"},
            "url": "https://zenodo.org/record/1",
        }
    }
}
ARXIV = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry>
<id>http://arxiv.org/abs/1706.03762v7</id><published>2017-06-12T17:57:34Z</published>
<title>Attention Is All
  You Need</title><summary>  The dominant models. </summary>
<author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author>
</entry></feed>"""
ARXIV_ERROR = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Error</title>
<summary>incorrect id format for 9999.99999</summary></entry></feed>"""
PUBMED = {
    "uid": "27922630",
    "title": "Spatial and temporal analysis of extreme sea level.",
    "authors": [{"name": "Haigh ID", "authtype": "Author"}, {"name": "WASA Group"}],
    "fulljournalname": "Scientific data",
    "pubdate": "2016 Dec 6",
    "volume": "3",
    "pages": "160107",
    "articleids": [{"idtype": "pubmed", "value": "27922630"}],
}
BOOK = {
    "title": "Tides, Surges and Mean Sea-Level",
    "authors": [{"name": "David T. Pugh", "url": "…"}],
    "publishers": [{"name": "John Wiley & Sons"}],
    "publish_date": "December 1987",
}
PAGE = (
    '<html><head><meta name="citation_title" content="x"><meta content="doi:{doi}"'
    ' name="citation_doi"></head><body><p>Words.</p></body></html>'
)


@dataclass
class RecordWorld:
    """All services at one address, and what was asked of them."""

    url: str = ""
    asked: list[str] = field(default_factory=list[str])
    failing: dict[str, int | str] = field(default_factory=dict[str, "int | str"])
    """What a service answers instead: a status, or "silence", or a body."""
    silence: asyncio.Event = field(default_factory=asyncio.Event)
    page_text: str = PAGE.format(doi=DOI)
    items: list[Any] = field(default_factory=lambda: [CROSSREF_WORK])
    works_by_doi: dict[str, Any] = field(default_factory=dict[str, Any])
    """More works of CrossRef, found by their DOI and by the words of their titles."""
    works_by_pmid: dict[str, Any] = field(default_factory=dict[str, Any])
    """More works of PubMed."""

    pdf: bytes = b""
    """What a publisher has as a file."""
    zotero_items: list[Any] = field(default_factory=list[Any])
    papers_by_doi: dict[str, Any] = field(default_factory=dict[str, Any])
    """Works of OpenAlex, found by the DOI of any of their versions."""

    async def serve(self, service: str, request: web.Request, body: Any) -> web.StreamResponse:
        """Note the request, then answer, or fail as it is told to."""
        self.asked.append(f"{service} {request.path_qs}")
        match self.failing.get(service):
            case None:
                pass
            case "silence":
                await self.silence.wait()
            case int() as status:
                return web.Response(
                    status=status, text="Resource not found.", headers={"retry-after": "9"}
                )
            case str() as text:
                return web.Response(text=text)
        if body is None:
            return web.Response(status=404, text="Resource not found.")
        if isinstance(body, str):
            return web.Response(
                text=body, content_type="text/html" if "<html" in body else "application/xml"
            )
        return web.json_response(body)

    def fitting(self, words: str) -> list[Any]:
        """The works whose titles have most of the words, as CrossRef ranks them."""
        asked = set(words.casefold().split())
        return nlargest(
            5,
            self.works_by_doi.values(),
            key=lambda work: len(asked & words_of(work["title"][0])),
        )

    async def works(self, request: web.Request) -> web.StreamResponse:
        """OpenAlex's or CrossRef's list: they share the path here."""
        if "search" in request.query:
            return await self.serve("openalex", request, {"results": [WORK]})
        items = self.fitting(request.query.get("query.bibliographic", "")) or self.items
        found = {"status": "ok", "message-type": "work-list", "message": {"items": items}}
        return await self.serve("crossref", request, found)

    async def work(self, request: web.Request) -> web.StreamResponse:
        """CrossRef's record of a DOI, or OpenAlex's: they share the path here, too."""
        asked = unquote(request.match_info["doi"])
        if asked.startswith("doi:"):
            paper = self.papers_by_doi.get(asked.removeprefix("doi:"))
            return await self.serve("openalex", request, paper)
        rows = {DOI: CROSSREF_WORK, "10.5555/odd": ODD_WORK, **self.works_by_doi}
        found = rows.get(asked)
        return await self.serve("crossref", request, found and {"message": found})

    async def exa(self, request: web.Request) -> web.StreamResponse:
        """Exa's search."""
        if request.headers.get("x-api-key") != "exa-key":
            return web.json_response({"error": "Invalid API key"}, status=401)
        return await self.serve("exa", request, {"results": [EXA_PAGE]})

    async def datacite(self, request: web.Request) -> web.StreamResponse:
        """DataCite's record of a DOI."""
        is_known = unquote(request.match_info["doi"]) == "10.5281/zenodo.1"
        return await self.serve("datacite", request, DATACITE if is_known else None)

    async def arxiv(self, request: web.Request) -> web.StreamResponse:
        """ArXiv's feed."""
        is_known = request.query["id_list"] == "1706.03762"
        return await self.serve("arxiv", request, ARXIV if is_known else ARXIV_ERROR)

    async def pubmed(self, request: web.Request) -> web.StreamResponse:
        """PubMed's summaries."""
        number = request.query["id"]
        unknown = {"uid": number, "error": "cannot get document"}
        row = {"27922630": PUBMED, **self.works_by_pmid}.get(number, unknown)
        return await self.serve("pubmed", request, {"result": {"uids": [number], number: row}})

    async def books(self, request: web.Request) -> web.StreamResponse:
        """Open Library's books."""
        is_known = request.query["bibkeys"] == "ISBN:9780471915058"
        found = {"ISBN:9780471915058": BOOK} if is_known else {}
        return await self.serve("openlibrary", request, found)

    async def zotero(self, request: web.Request) -> web.StreamResponse:
        """Zotero's local API: keys as lines, works as a list; notes are no works."""
        if request.query["format"] == "keys":
            keys = "\n".join(f"KEY{number}" for number in range(len(self.zotero_items)))
            return await self.serve("zotero", request, keys)
        start, limit = int(request.query["start"]), int(request.query["limit"])
        shown = [item for item in self.zotero_items[start : start + limit] if item is not None]
        return await self.serve("zotero", request, shown)

    async def page(self, request: web.Request) -> web.StreamResponse:
        """A publisher's page."""
        return await self.serve("page", request, self.page_text)

    async def paper(self, request: web.Request) -> web.StreamResponse:
        """A publisher's file."""
        self.asked.append(f"paper {request.path_qs}")
        return web.Response(body=self.pdf, content_type="application/pdf")


@cache
def words_of(title: str) -> frozenset[str]:
    """The words of a title, which thousands of searches look at."""
    return frozenset(title.casefold().split())


@asynccontextmanager
async def record_services() -> AsyncGenerator[RecordWorld]:
    """All of them, on a free loopback port."""
    world = RecordWorld()
    application = web.Application()
    application.router.add_get("/works", world.works)
    application.router.add_get("/works/{doi:.+}", world.work)
    application.router.add_post("/search", world.exa)
    application.router.add_get("/dois/{doi:.+}", world.datacite)
    application.router.add_get("/api/query", world.arxiv)
    application.router.add_get("/entrez/eutils/esummary.fcgi", world.pubmed)
    application.router.add_get("/api/books", world.books)
    application.router.add_get("/api/users/0/items/top", world.zotero)
    application.router.add_get("/page", world.page)
    application.router.add_get("/paper.pdf", world.paper)
    runner = web.AppRunner(application, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    [(host, port)] = runner.addresses
    world.url = f"http://{host}:{port}"
    try:
        yield world
    finally:
        world.silence.set()
        await runner.cleanup()
