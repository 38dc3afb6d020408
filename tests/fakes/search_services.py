"""OpenAlex, Exa, Brave and a few web pages, in the formats that they answer in."""

import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/peerj.4375",
    "title": "The state of OA",
    "publication_year": 2018,
    "type": "article",
    "cited_by_count": 1210,
    "authorships": [
        {"author_position": "first", "author": {"id": "A1", "display_name": "Heather Piwowar"}},
        {"author_position": "last", "author": {"id": "A2", "display_name": "Stefanie Haustein"}},
    ],
    "primary_location": {
        "is_oa": True,
        "source": {"id": "S1983995261", "display_name": "PeerJ", "type": "journal"},
    },
    "open_access": {"is_oa": True, "oa_status": "gold", "oa_url": "https://peerj.com/4375.pdf"},
    "biblio": {"volume": "6", "issue": None, "first_page": "e4375", "last_page": "e4375"},
    "abstract_inverted_index": {"Despite": [0], "growing": [1], "interest": [2, 4], "in": [3]},
    "is_retracted": False,
}
EXA_PAGE = {
    "id": "https://tides.example/",
    "title": "Tides",
    "url": "https://tides.example/",
    "publishedDate": "2026-03-01T00:00:00.000Z",
    "author": "",
    "text": "Twice a day. " * 200,
}
BRAVE_PAGE = {
    "title": "<strong>Tides</strong> &amp; moons",
    "url": "https://tides.example/",
    "description": "The <strong>sea</strong> comes twice.",
    "page_age": "2026-03-01T00:00:00",
    "type": "search_result",
}


@dataclass
class SearchServices:
    """All of them at one address; each refuses a key that it does not know."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    status: int = 200
    """What the services answer with, if they are to fail."""

    async def works(self, request: web.Request) -> web.Response:
        """OpenAlex's list of works: the key is in the query, and is not wanted."""
        self.note(request)
        if self.status != 200:
            return web.json_response({"error": "…"}, status=self.status)
        key = request.query.get("api_key")
        if key not in (None, "openalex-key"):
            return web.json_response({"error": "Invalid API key"}, status=401)
        return web.json_response(
            {"meta": {"count": 1, "per_page": 5}, "results": [WORK], "group_by": []}
        )

    async def work(self, request: web.Request) -> web.Response:
        """One work by its DOI."""
        self.note(request)
        if request.match_info["doi"] != "10.7717/peerj.4375":
            return web.Response(status=404, text="<html>Not Found</html>")
        return web.json_response(WORK)

    async def exa(self, request: web.Request) -> web.Response:
        """Exa's search."""
        self.note(request, await request.json())
        if self.status != 200:
            return web.json_response(
                {"error": "…"}, status=self.status, headers={"retry-after": "7"}
            )
        if request.headers.get("x-api-key") != "exa-key":
            return web.json_response({"error": "Invalid API key"}, status=401)
        return web.json_response(
            {"requestId": "r1", "results": [EXA_PAGE], "costDollars": {"total": 0.006}}
        )

    async def brave(self, request: web.Request) -> web.Response:
        """Brave's search."""
        self.note(request)
        if request.headers.get("x-subscription-token") != "brave-key":
            return web.json_response({"type": "ErrorResponse"}, status=422)
        return web.json_response(
            {"type": "search", "query": {"original": "…"}, "web": {"results": [BRAVE_PAGE]}}
        )

    async def page(self, request: web.Request) -> web.StreamResponse:
        """Pages to be fetched."""
        self.note(request)
        match request.match_info["name"]:
            case "circle":
                raise web.HTTPFound(request.path)
            case "moved":
                raise web.HTTPFound(request.query["to"])
            case "packed":
                body = gzip.compress(b"x" * int(request.query["size"]))
                headers = {"content-encoding": "gzip", "content-type": "text/plain"}
                return web.Response(body=body, headers=headers)
            case "large":
                return web.Response(body=b"x" * int(request.query["size"]))
            case "pdf":
                return web.Response(body=b"%PDF-1.7\xff", content_type="application/pdf")
            case _:
                return web.Response(text="<p>Ebb & flööd</p>", content_type="text/html")

    def note(self, request: web.Request, body: dict[str, Any] | None = None) -> None:
        """Remember what was asked."""
        self.asked.append({"path": request.path, **dict(request.query), **(body or {})})


@asynccontextmanager
async def search_services() -> AsyncGenerator[SearchServices]:
    """All of them, on a free loopback port."""
    services = SearchServices()
    application = web.Application()
    application.router.add_get("/works", services.works)
    application.router.add_get("/works/doi:{doi:.+}", services.work)
    application.router.add_post("/search", services.exa)
    application.router.add_get("/res/v1/web/search", services.brave)
    application.router.add_get("/page/{name}", services.page)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    [(host, port)] = runner.addresses
    services.url = f"http://{host}:{port}"
    try:
        yield services
    finally:
        await runner.cleanup()
